import { createTextCache } from '../../lib/text/text-cache.ts';
import type { Inspection } from '../../model/document.ts';

const lists = ['companies', 'customTags', 'docAuthors'] as const;

type List = (typeof lists)[number];

/**
 * An inspection on its way to the main thread. Lists, which may be long, go as text: that is copied in no time, and the
 * main thread parses and keeps once what many documents have in common.
 */
export interface PackedInspection {
  readonly found: Inspection;
  readonly texts: Partial<Record<List, string>> | null;
}

/** Of a list that many documents share it is made once. */
const textOfLists = new WeakMap<object, string>();

/** Packs the inspection of one path. */
export function packInspection(found: Inspection): PackedInspection {
  if (found.kind !== 'document') return { found, texts: null };
  const metadata = { ...found.document.metadata };
  const texts: Partial<Record<List, string>> = {};
  for (const name of lists) {
    const list = metadata[name];
    if (list === undefined) continue;
    const text = textOfLists.get(list) ?? JSON.stringify(list);
    textOfLists.set(list, text);
    texts[name] = text;
    delete metadata[name];
  }
  return { found: { ...found, document: { ...found.document, metadata } }, texts };
}

/** Of all texts together; parsed they take about twice that. */
const rememberedLength = 4 * 1024 * 1024;

const listOf = createTextCache((text) => JSON.parse(text) as never, rememberedLength);

/** Gives back what was packed. Equal lists are the same object. */
export function unpackInspection({ found, texts }: PackedInspection): Inspection {
  if (found.kind !== 'document' || texts === null) return found;
  const unpacked = Object.entries(texts).map(([name, text]) => [name, listOf(text)]);
  const metadata = { ...found.document.metadata, ...Object.fromEntries(unpacked) };
  return { ...found, document: { ...found.document, metadata } };
}
