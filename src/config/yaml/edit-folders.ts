import { isNode, isSeq, parseDocument, stringify } from 'yaml';
import { writeYaml } from './read-yaml.ts';

/** Of the list of folders. */
interface FolderEdit {
  /** Which item is taken out. */
  readonly remove?: number;
  /** What comes to its end. */
  readonly add?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The text with one folder more or less in its list, and all else as it stands, comments too. A comment goes with the item
 * that it is inside of, or stands on without a blank line. Null: the list, or the item, is not written out in the text.
 */
export function editFolders(text: string, { remove, add }: FolderEdit): string | null {
  const list: unknown = parseDocument(text, { logLevel: 'error' }).get('folders');
  if (!isSeq(list) || !list.range) return null;
  const ranges = list.items.map((item) => (isNode(item) ? item.range : undefined) ?? [0, 0]);
  const at = remove ?? ranges.length - 1;
  const range = ranges[at];
  if (range === undefined) return null;
  if (list.flow !== true) return editLines(text, { offset: list.range[0], at, add });
  const [start, end] = range;
  if (add !== undefined) {
    const style = { collectionStyle: 'flow', defaultStringType: 'QUOTE_DOUBLE' } as const;
    const item = stringify(add, { ...style, defaultKeyType: 'PLAIN', lineWidth: 0 }).trimEnd();
    return `${text.slice(0, end)}, ${item}${text.slice(end)}`;
  }
  const next = ranges[at + 1];
  const before = ranges[at - 1];
  return next === undefined
    ? `${text.slice(0, before?.[1] ?? start)}${text.slice(end)}`
    : `${text.slice(0, start)}${text.slice(next[0])}`;
}

/** `offset`: of the dash of the first item; `at`: which item is taken out, or, with `add`, followed by another one. */
function editLines(
  text: string,
  { offset, at, add }: { readonly offset: number; readonly at: number } & Pick<FolderEdit, 'add'>,
): string | null {
  const lines = text.split('\n');
  const first = text.slice(0, offset).split('\n').length - 1;
  const indent = offset - (text.lastIndexOf('\n', offset - 1) + 1);
  const dashes = lines.flatMap((line, index) =>
    index >= first && indentOf(line) === indent && line[indent] === '-' ? [index] : [],
  );
  const start = dashes[at];
  if (start === undefined) return null;
  const isNext = (line: string) => /^\s*[^\s#]/.test(line) && indentOf(line) <= indent;
  const next = lines.findIndex((line, index) => index > start && isNext(line));
  const within = lines.slice(start + 1, next === -1 ? lines.length : next);
  const isInside = (line: string) => line.trim() !== '' && indentOf(line) > indent;
  const end = start + within.findLastIndex(isInside) + 2;
  if (add === undefined) {
    const isAbove = (line: string) => indentOf(line) === indent && line[indent] === '#';
    const above = lines.slice(0, start).findLastIndex((line) => !isAbove(line)) + 1;
    // An item that is commented out is nobody's comment.
    const from = lines.slice(above, start).some((line) => /^\s*#\s*- /.test(line)) ? start : above;
    return lines.toSpliced(from, end - from).join('\n');
  }
  const written = writeYaml([add]).trimEnd().split('\n');
  const added = written.map((line) => `${' '.repeat(indent)}${line}`);
  return lines.toSpliced(end, 0, ...added).join('\n');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
