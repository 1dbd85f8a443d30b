import { LineCounter, isMap, isNode, isPair, parseDocument, stringify } from 'yaml';
import type { Document } from 'yaml';
import { orNull } from '../lib/or-null.ts';
import { excerpt } from '../lib/text/printable.ts';
import { ConfigurationError, errorMessage } from '../model/errors.ts';

export type YamlText = ReturnType<typeof readYaml>;

/** More aliases than this are not expanded: nested ones could fill the memory. */
const maxAliases = 100;

/**
 * Reads one YAML document, with a way back to its lines. Throws ConfigurationError with line and column, naming
 * `source`.
 */
export function readYaml(text: string, source: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ConfigurationError(`${source}:${line}:${col}: not valid YAML: ${firstLine(error.message)}`);
  }
  const { contents } = document;
  return {
    value: toPlain(document, source),
    /** Of the key at `path`, or of the nearest thing around it; undefined for an empty text. */
    position: (path: readonly PropertyKey[]) => {
      const offset = offsetOf(contents, path);
      return offset === undefined ? undefined : lines.linePos(offset);
    },
  };
}

/** What can be read of a YAML text that may be invalid; null: nothing. */
export function glimpseYaml(text: string): unknown {
  return orNull<unknown>(() =>
    parseDocument(text, { prettyErrors: false }).toJS({ maxAliasCount: maxAliases }),
  );
}

/** A value as YAML text, for a person to go on from. */
export function writeYaml(value: unknown): string {
  return stringify(value);
}

function toPlain(document: Document, source: string): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    throw new ConfigurationError(
      `${source}: YAML that cannot be used: ${firstLine(errorMessage(error))}; write the values out instead of aliases`,
      { cause: error },
    );
  }
}

function offsetOf(contents: unknown, path: readonly PropertyKey[]): number | undefined {
  let node: unknown = contents;
  let offset = startOf(node);
  for (const key of path) {
    const step = stepInto(node, key);
    if (step === undefined) break;
    offset = step.offset ?? offset;
    node = step.node;
  }
  return offset;
}

function stepInto(
  node: unknown,
  key: PropertyKey,
): { node: unknown; offset: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isPair(item) && String(item.key) === String(key));
    return pair === undefined ? undefined : { node: pair.value, offset: startOf(pair.key) };
  }
  if (typeof node !== 'object' || node === null || !('items' in node) || !Array.isArray(node.items))
    return undefined;
  const item: unknown = node.items[Number(key)];
  return item === undefined ? undefined : { node: item, offset: startOf(item) };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function firstLine(text: string): string {
  return excerpt(text.split('\n', 1)[0] ?? text);
}
