import { LineCounter, Scalar, isScalar, parseDocument, stringify, visit } from 'yaml';
import type { Document, ErrorCode } from 'yaml';

import { orNull } from '../../lib/or-null.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { errorMessage } from '../../model/errors.ts';
import type { Position, Problem } from '../problem.ts';
import { findMisreadings, nodesOf } from './find-misreadings.ts';
import type { Misreading } from './find-misreadings.ts';

/** More aliases than this are not expanded: nested ones could fill the memory. */
const maxAliases = 100;

/** Reads one YAML document, with a way back to its lines. Never throws for what the text holds. */
export function readYaml(text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const { contents, errors } = document;
  // Tags are found among the misreadings, with the key in whose value they stand.
  const complaints = [...errors, ...document.warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')];
  const nodes = contents === null ? [] : [...nodesOf(contents)];
  // Of a key and its value, the key.
  const offsets = new Map(nodes.toReversed().map(({ path, offset }) => [JSON.stringify(path), offset]));
  const misreadings = findMisreadings(text, nodes);
  const found: readonly Misreading[] = [
    ...complaints.map(({ code, message, pos: [start] }) => ({
      path: [],
      offset: start,
      message: parserWords(code, firstLine(message), text.slice(start)),
    })),
    ...misreadings,
  ];
  const isInvalid = errors.some(({ code }) => code !== 'DUPLICATE_KEY');
  const plain = isInvalid ? null : toPlain(document, new Set(misreadings.map(({ offset }) => offset)));
  const problems: Problem[] = [...found, ...(plain?.fault ?? [])]
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ path, offset, message }) => ({ path, at: lines.linePos(offset), message }));
  return {
    /** Undefined where the text as a whole is invalid. */
    value: plain?.value,
    /** What is invalid, and what a person may have meant otherwise, in the order of the text. */
    problems,
    /** True: `problems` say why there is no value. */
    isInvalid: plain?.fault.length !== 0,
    /** Of the key at `path`, or of the nearest thing around it; undefined for an empty text. */
    position: (path: readonly PropertyKey[]): Position | undefined => {
      const around = Array.from(path, (_, index) => path.slice(0, path.length - index));
      const offset = [...around, []]
        .map((at) => offsets.get(JSON.stringify(at)))
        .find((one) => one !== undefined);
      return offset === undefined ? undefined : lines.linePos(offset);
    },
    /** The value at `path` as it is written, where it is a plain one. */
    written: (path: readonly PropertyKey[]): string | undefined => {
      const node = document.getIn(path, true);
      return isScalar(node) && node.type === Scalar.PLAIN ? node.source : undefined;
    },
  };
}

/** What the parser says, and what to do about it; `found` is the text from there on. */
function parserWords(code: ErrorCode, message: string, found: string): string {
  if (code === 'DUPLICATE_KEY')
    return `${excerpt(/^[^\s:]*/.exec(found)?.[0] ?? '')} is there twice (keys must be unique); keep one of the two`;
  if (code === 'MULTIPLE_DOCS')
    return 'not valid YAML: a second document begins here; keep one, and remove the lines --- and ...';
  const fix = fixes[code] ?? 'check the indentation, quotes and brackets here and in the line before';
  return `not valid YAML: ${message}; ${fix}`;
}

const fixes: { readonly [code in ErrorCode]?: string } = {
  BAD_ALIAS: 'put a text that begins with * in quotes',
  BAD_DQ_ESCAPE: 'use single quotes, in which a backslash is a backslash',
  BAD_SCALAR_START: 'put the text in quotes',
  BAD_DIRECTIVE: 'remove the line, or put a text that begins with % in quotes',
  TAB_AS_INDENT: 'indent with spaces',
};

/** What can be read of a YAML text that may be invalid; null: nothing. */
export function glimpseYaml(text: string): unknown {
  return orNull<unknown>(() =>
    parseDocument(text, { prettyErrors: false, logLevel: 'error' }).toJS({ maxAliasCount: maxAliases }),
  );
}

/** A value as YAML text, for a person to go on from; it reads as that value only. */
export function writeYaml(value: unknown): string {
  const text = stringify(value, { lineWidth: 0 });
  if (readYaml(text).problems.length === 0) return text;
  return stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}

/** The document as plain values; an alias at one of `offsets`, where something is wrong, as its text. */
function toPlain(
  document: Document,
  offsets: ReadonlySet<number>,
): { readonly value: unknown; readonly fault: readonly Misreading[] } {
  visit(document, {
    Alias: (_key, { source, range }) =>
      offsets.has(range?.[0] ?? -1) ? new Scalar(`*${source}`) : undefined,
  });
  try {
    return { value: document.toJS({ maxAliasCount: maxAliases }), fault: [] };
  } catch (error) {
    const message = `not valid YAML: ${firstLine(errorMessage(error))}; write the values out instead of aliases`;
    return { value: undefined, fault: [{ path: [], offset: 0, message }] };
  }
}

function firstLine(text: string): string {
  return excerpt(text.split('\n', 1)[0] ?? text);
}
