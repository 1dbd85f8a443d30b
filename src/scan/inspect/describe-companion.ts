import { existsSync, lstatSync } from 'node:fs';

import { printable } from '../../lib/text/printable.ts';
import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyUnpaired } from '../rules/classify.ts';
import { sidecarEnd } from '../rules/pair-sidecars.ts';
import type { DefaultsReader } from './directory-defaults.ts';
import { ignored } from './verdicts.ts';
import type { NoDocument } from './verdicts.ts';

/** Which document a sidecar belongs to, as the last scan paired them. What is wrong with it, its document says. */
export function describeSidecar(folder: FolderState, path: string): NoDocument {
  const { tree, absolute } = folder;
  const name = nameOf(path);
  const directory = directoryOf(path);
  const state = tree.get(directory);
  if (lstatSync(absolute(tree.rawPath(path)), { throwIfNoEntry: false }) === undefined)
    return ignored('sidecar', 'no such file in the folder; its name is that of a sidecar');
  const unpaired = state?.unpaired?.get(name);
  if (unpaired !== undefined) return classifyUnpaired(unpaired);
  const named = path.slice(0, -sidecarEnd.length);
  if (existsSync(absolute(tree.rawPath(named)))) return sidecarOf(named);
  const documents = [...(state?.stemSidecars ?? [])].flatMap(([document, sidecar]) =>
    sidecar.name === name ? [joinPath(directory, document)] : [],
  );
  const [owner] = documents;
  if (owner === undefined)
    return ignored(
      'sidecar',
      'a sidecar that is not used, because its document has another one or is an attachment',
    );
  if (documents.length === 1) return sidecarOf(owner);
  const names = documents.map((document) => printable(nameOf(document))).join(' and ');
  return ignored(
    'ambiguous-sidecar',
    `it could be the sidecar of ${names}, so none of them is sent; give it the full name of one of them`,
  );
}

function sidecarOf(owner: string): NoDocument {
  return { kind: 'ignored', code: 'sidecar', message: `the sidecar of ${printable(owner)}`, owner };
}

/** What a `.meta.json` does, and what is wrong with it or with one above it. */
export function describeDefaults(path: string, defaults: DefaultsReader): NoDocument {
  const directory = directoryOf(path);
  const inherited = defaults(directory);
  const purpose = `metadata for the documents in ${placeWords(directory)} and below`;
  const trouble = inherited.kind === 'unfit' ? `, none of which is sent: ${inherited.message}` : '';
  return ignored('dot-name', `${purpose}${trouble}`);
}

/** What an `.ingestignore` does, and what is wrong with it. */
export function describeIgnoreFile({ tree }: FolderState, path: string): NoDocument {
  const directory = directoryOf(path);
  const unreadable = tree.get(directory)?.unreadable ?? null;
  const purpose = `ignore rules for ${placeWords(directory)} and below`;
  const trouble = unreadable === null ? '' : `, where nothing is sent or deleted: ${unreadable}`;
  return ignored('dot-name', `${purpose}${trouble}`);
}

function placeWords(directory: string): string {
  return directory === '' ? 'the folder' : printable(directory);
}
