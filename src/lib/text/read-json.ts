import { findNodeAtLocation, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import type { JSONVisitor } from 'jsonc-parser';

import type { Reading } from './decode-text.ts';
import { excerpt } from './printable.ts';

/** Deeper than any metadata, and far from any stack's end. */
const maxDepth = 32;

/**
 * Reads JSON as RFC 8259 has it, and refuses what `JSON.parse` lets through: a key that stands twice, `__proto__`,
 * deep nesting, lone surrogates. Messages name line and column. Objects have no prototype.
 */
export function readJson(text: string): Reading<unknown> {
  try {
    visit(text, strictVisitor(text), { disallowComments: true });
    return { kind: 'valid', value: JSON.parse(text, withoutPrototype) as unknown };
  } catch (error) {
    if (!(error instanceof JsonFault) && !(error instanceof SyntaxError)) throw error;
    return { kind: 'invalid', message: error.message };
  }
}

/** The digits of an integer as they stand in valid JSON: above 2^53 a parsed number is another one. Null: none. */
export function integerAt(text: string, place: readonly string[]): string | null {
  const tree = parseTree(text);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...place]);
  const digits = node === undefined ? '' : text.slice(node.offset, node.offset + node.length);
  return /^-?\d+$/.test(digits) ? digits : null;
}

class JsonFault extends Error {}

/** Throws at the first thing that is wrong. */
function strictVisitor(text: string): JSONVisitor {
  const keys: Set<string>[] = [];

  function fail(message: string, offset: number, line: number, character: number): never {
    const ended = offset >= text.length ? 'the file ends here; ' : '';
    throw new JsonFault(`line ${line + 1}, column ${character + 1}: ${ended}${message}`);
  }

  function enter(offset: number, _length: number, line: number, character: number): void {
    if (keys.length > maxDepth) fail(`nested more than ${maxDepth} deep`, offset, line, character);
    keys.push(new Set());
  }

  function checkText(value: unknown, offset: number, line: number, character: number): void {
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
      fail('half a surrogate pair', offset, line, character);
  }

  return {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: () => void keys.pop(),
    onArrayEnd: () => void keys.pop(),
    onObjectProperty: (key, offset, _length, line, character) => {
      checkText(key, offset, line, character);
      const seen = keys.at(-1);
      if (key === '__proto__') fail('the field __proto__ is not allowed', offset, line, character);
      if (seen?.has(key) === true) fail(`the field ${excerpt(key)} appears twice`, offset, line, character);
      seen?.add(key);
    },
    onLiteralValue: (value: unknown, offset, _length, line, character) =>
      checkText(value, offset, line, character),
    onError: (code, offset, _length, line, character) => {
      // `CommaExpected`: comma expected.
      const words = printParseErrorCode(code).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
      fail(words.toLowerCase(), offset, line, character);
    },
  };
}

function withoutPrototype(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.assign(Object.create(null) as object, value);
}
