/** A value, or what is wrong with the text and where. */
export type JsonReading =
  | { readonly kind: 'valid'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly message: string };

/** Deeper than any metadata, and far from any stack's end. */
const maxDepth = 32;

/**
 * Reads JSON as RFC 8259 has it, and refuses what `JSON.parse` lets through: a key that stands twice, `__proto__`,
 * deep nesting. Messages name line and column. Objects have no prototype.
 */
export function readJson(text: string): JsonReading {
  const reader = { text, at: 0 };
  try {
    const value = readValue(reader, 0);
    skipSpace(reader);
    if (reader.at < text.length) fail(reader, 'nothing may follow the value');
    return { kind: 'valid', value };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { kind: 'invalid', message: `line ${error.line}, column ${error.column}: ${error.message}` };
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

class JsonFault extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, { text, at }: Reader) {
    super(message);
    this.name = 'JsonFault';
    const before = text.slice(0, at);
    this.line = before.split('\n').length;
    this.column = at - before.lastIndexOf('\n');
  }
}

function fail(reader: Reader, message: string): never {
  throw new JsonFault(reader.at >= reader.text.length ? `the text ends here; ${message}` : message, reader);
}

function readValue(reader: Reader, depth: number): unknown {
  skipSpace(reader);
  if (depth > maxDepth) fail(reader, `nested more than ${maxDepth} deep`);
  const character = reader.text[reader.at];
  if (character === '{') return readObject(reader, depth);
  if (character === '[') return readArray(reader, depth);
  if (character === '"') return readString(reader);
  return readWord(reader);
}

function readObject(reader: Reader, depth: number): unknown {
  const value = Object.create(null) as Record<string, unknown>;
  reader.at += 1;
  if (skipTo(reader, '}')) return value;
  for (;;) {
    skipSpace(reader);
    if (reader.text[reader.at] !== '"') fail(reader, 'a field name in double quotes is expected');
    const start = reader.at;
    const key = readString(reader);
    if (key === '__proto__' || Object.hasOwn(value, key)) {
      reader.at = start;
      fail(
        reader,
        key === '__proto__' ? 'the field __proto__ is not allowed' : `the field ${key} stands twice`,
      );
    }
    if (!skipTo(reader, ':')) fail(reader, 'a colon is expected');
    value[key] = readValue(reader, depth + 1);
    if (skipTo(reader, '}')) return value;
    if (!skipTo(reader, ',')) fail(reader, 'a comma or } is expected');
  }
}

function readArray(reader: Reader, depth: number): unknown {
  const value: unknown[] = [];
  reader.at += 1;
  if (skipTo(reader, ']')) return value;
  for (;;) {
    value.push(readValue(reader, depth + 1));
    if (skipTo(reader, ']')) return value;
    if (!skipTo(reader, ',')) fail(reader, 'a comma or ] is expected');
  }
}

function readString(reader: Reader): string {
  const { text, at } = reader;
  let end = text[at] === '"' ? at + 1 : text.length;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) fail(reader, 'a text in double quotes is expected');
  try {
    const value = JSON.parse(text.slice(at, end + 1)) as string;
    reader.at = end + 1;
    if (!/\p{Surrogate}/u.test(value)) return value;
  } catch {
    // Told below, without the place that the engine would name in its own words.
  }
  reader.at = at;
  return fail(reader, 'the text holds a line break, a control character or an escape that is not valid');
}

function readWord(reader: Reader): unknown {
  const token = matchHere(reader, /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (token === null) fail(reader, 'a JSON value is expected');
  return JSON.parse(token) as unknown;
}

function matchHere(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at;
  const token = pattern.exec(reader.text)?.[0] ?? null;
  if (token !== null) reader.at += token.length;
  return token;
}

/** Goes past `character` if it comes next. */
function skipTo(reader: Reader, character: string): boolean {
  skipSpace(reader);
  if (reader.text[reader.at] !== character) return false;
  reader.at += 1;
  return true;
}

function skipSpace(reader: Reader): void {
  matchHere(reader, /[ \t\n\r]*/y);
}
