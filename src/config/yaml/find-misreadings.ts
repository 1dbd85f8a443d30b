import { Schema, isAlias, isCollection, isMap, isScalar, isSeq } from 'yaml';
import type { ScalarTag } from 'yaml';

import { pathText } from '../../lib/text/describe-issues.ts';
import { excerpt } from '../../lib/text/printable.ts';

type Path = readonly PropertyKey[];

/** Text that YAML reads as something else than a person may have meant. */
export interface Misreading {
  /** Of the key in the file. */
  readonly path: Path;
  /** Where it stands in the text. */
  readonly offset: number;
  /** The key, what YAML makes of the text, and the fix. */
  readonly message: string;
}

/**
 * Finds what is valid YAML and may be meant otherwise, in the order of the text: tags, aliases of nothing, anchors that
 * nothing refers to, values that versions of YAML read differently, comments that cut a value, values that go on in the
 * next line. What stands for an unknown key is the schema's to find.
 */
export function findMisreadings(text: string, nodes: readonly PlacedNode[]): Misreading[] {
  const aliases = new Set(nodes.flatMap(({ node }) => (isAlias(node) ? [node.source] : [])));
  return nodes.flatMap(({ node, path, offset, isResolved }) => {
    const mark = aliasWords(node, isResolved) ?? anchorWords(node, aliases) ?? tagWords(node, text);
    const words = mark ?? scalarWords(node, text);
    if (words === null) return [];
    const key = pathText(path);
    return [{ path, offset, message: `${key === '' ? '' : `${key}: `}${words}` }];
  });
}

interface PlacedNode {
  /** A value, or a key at the path of its value. */
  readonly node: unknown;
  readonly path: Path;
  /** Where it stands in the text. */
  readonly offset: number;
  /** Of an alias: what it refers to is complete before it. */
  readonly isResolved: boolean;
}

/** A node and all below it, in the order of the text. `anchors`: those of the nodes that are complete; grows. */
export function* nodesOf(node: unknown, path: Path = [], anchors = new Set<string>()): Generator<PlacedNode> {
  yield { node, path, offset: rangeOf(node)[0], isResolved: isAlias(node) && anchors.has(node.source) };
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const place = [...path, String(key)];
      yield { node: key, path: place, offset: rangeOf(key)[0], isResolved: true };
      yield* nodesOf(value, place, anchors);
    }
  }
  if (isSeq(node))
    for (const [index, item] of node.items.entries()) yield* nodesOf(item, [...path, index], anchors);
  const anchor = anchorOf(node);
  if (anchor !== undefined) anchors.add(anchor);
}

function anchorOf(node: unknown): string | undefined {
  return isScalar(node) || isCollection(node) ? node.anchor : undefined;
}

function aliasWords(node: unknown, isResolved: boolean): string | null {
  if (!isAlias(node) || isResolved) return null;
  const { source } = node;
  return `*${source} is a YAML alias of &${source}, which is not above it; for the text, write ${quoted(`*${source}`)}`;
}

/** `aliases`: names that any alias refers to. */
function anchorWords(node: unknown, aliases: ReadonlySet<string>): string | null {
  const anchor = anchorOf(node);
  if (anchor === undefined || aliases.has(anchor)) return null;
  return `&${anchor} is a YAML anchor that nothing refers to; ${withoutMark(`&${anchor}`, node)}`;
}

function tagWords(node: unknown, text: string): string | null {
  // The parser passes over an empty one.
  const empty = /!<>\s*$/.exec(text.slice(0, rangeOf(node)[0]))?.[0].trim();
  const tag = isScalar(node) || isCollection(node) ? (node.tag ?? empty) : undefined;
  if (tag === undefined) return null;
  // `!!str` for what the parser calls `tag:yaml.org,2002:str`.
  const name = excerpt(tag.replace(/^tag:yaml\.org,2002:/, '!!'));
  return `${name} is a YAML tag, which ingestd does not use; ${withoutMark(name, node)}`;
}

function withoutMark(mark: string, node: unknown): string {
  if (!isScalar(node) || node.type !== 'PLAIN') return 'remove it';
  return `remove it, or, for the text, write ${quoted(`${mark} ${node.source ?? ''}`.trim())}`;
}

function scalarWords(node: unknown, text: string): string | null {
  if (!isScalar(node) || node.type !== 'PLAIN') return null;
  const [start, end, endOfAll] = rangeOf(node);
  const source = node.source ?? '';
  if (text.slice(start, end).includes('\n'))
    return `${shown(source)} goes over several lines; correct the indentation of the second, or write it in one line: ${quoted(source)}`;
  const [, comment] = /^[ \t]*(#[^\s#].*)/.exec(text.slice(end, endOfAll)) ?? [];
  if (comment !== undefined && (source === '' || typeof node.value === 'string')) {
    const whole = `${source} ${comment}`.trim();
    return `${excerpt(comment)} is a comment, so the value is ${source === '' ? 'empty' : shown(source)}; for the text, write ${quoted(whole)}; for a comment, put a space after the #`;
  }
  return twoMeanings(source, node.value);
}

/** What YAML 1.1 makes of plain text, as many programs still do. */
const olderTags = new Schema({ schema: 'yaml-1.1' }).tags.filter(
  (tag): tag is ScalarTag & { readonly test: RegExp } => tag.default === true && 'test' in tag,
);

/** The value itself is what YAML 1.2 makes of it. */
function twoMeanings(source: string, value: unknown): string | null {
  const tag = olderTags.find(({ test }) => test.test(source));
  const resolved: unknown = tag?.resolve(source, () => {}, {}) ?? source;
  const older = isScalar(resolved) ? resolved.value : resolved;
  if (older === value || Number.isNaN(older)) return null;
  // A moment in full is the same moment as a text.
  if (older instanceof Date && /T.*Z$/.test(source)) return null;
  const meanings = [older, value].map((meaning) =>
    typeof meaning === 'string' ? `the text "${meaning}"` : literal(meaning),
  );
  const plain = [older, value].filter(
    (meaning) => typeof meaning === 'number' || typeof meaning === 'boolean',
  );
  const fix = [...plain.map(String), `${quoted(source)} for the text`].join(', or ');
  return `${source} is ${meanings.join(' or ')}, depending on the version of YAML; write ${fix}`;
}

function literal(value: unknown): string {
  return value instanceof Date ? 'a date' : String(value);
}

function shown(text: string): string {
  return excerpt(JSON.stringify(text));
}

function quoted(text: string): string {
  return excerpt(`'${text.replaceAll("'", "''")}'`);
}

function rangeOf(node: unknown): readonly [number, number, number] {
  return ((isScalar(node) || isCollection(node) || isAlias(node)) && node.range) || [0, 0, 0];
}
