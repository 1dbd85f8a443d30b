import type * as z from 'zod';
import { closest } from './closest.ts';
import { excerpt } from './printable.ts';

type Issue = z.core.$ZodIssue;

interface Examined {
  /** What was read. */
  readonly value: unknown;
  /** Names of fields, by the first field on the way to them; '' for those of the whole. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

const mostReported = 3;
const longestShown = 100;

/** Puts what a schema found into words: the field, the value that stands there, the fix. At most three of them. */
export function describeIssues(issues: readonly Issue[], examined: Examined): string {
  const faults = issues.flatMap((issue) => faultsOf(issue, examined));
  const reported = faults.slice(0, mostReported);
  const more = faults.length - reported.length;
  if (faults.length < 2) return reported.join('');
  // Each holds a fix behind a semicolon of its own.
  const numbered = reported.map((fault, index) => `(${index + 1}) ${fault}`).join(' ');
  return `${faults.length} problems: ${numbered}${more > 0 ? ` and ${more} more` : ''}`;
}

function faultsOf(issue: Issue, { value, fields }: Examined): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = fields.get(String(issue.path[0] ?? '')) ?? [];
    return issue.keys.map((key) => unknownWords([...issue.path, key], 'field', known));
  }
  const field = pathText(issue.path);
  const found = valueAt(value, issue.path);
  if (found === undefined) return [`${field} is missing; add it`];
  const rule = `${ruleOf(issue, found)}${wrapWords(issue, found, fields)}`;
  return [`${field === '' ? '' : `${field}: `}${shownValue(found)} ${rule}`];
}

/** Says that nothing knows the name at `path`, and which one may have been meant. `kind`: what a name is called. */
export function unknownWords(
  path: readonly PropertyKey[],
  kind: 'field' | 'key',
  known: readonly string[],
): string {
  const parent = path.slice(0, -1);
  const near = closest(String(path.at(-1)), known);
  const fix =
    near === undefined
      ? `remove it; ${parent.length === 0 ? `the ${kind}s are` : `${pathText(parent)} has`} ${known.join(', ')}`
      : `did you mean ${pathText([...parent, near])}?`;
  return `${pathText(path)} is not a known ${kind}; ${fix}`;
}

/** How to write a text that stands in the place of an object with a single field. */
function wrapWords(issue: Issue, found: unknown, fields: Examined['fields']): string {
  const [first, ...inner] = issue.path;
  const [only, ...others] = fields.get(String(first)) ?? [];
  const isMeant = issue.code === 'invalid_type' && issue.expected === 'object' && typeof found === 'string';
  if (!isMeant || inner.length > 0 || only === undefined || others.length > 0) return '';
  return `; write { "${only}": ${shownValue(found)} }`;
}

function ruleOf(issue: Issue, found: unknown): string {
  if (issue.code === 'invalid_type') {
    const [kind, form] = kindWords[issue.expected] ?? [issue.expected];
    return `is not ${kind}${form === undefined || typeof found === 'string' ? '' : `; write it as ${form}`}`;
  }
  if (issue.code === 'too_small') return 'is empty; enter a value, or remove it';
  if (issue.code !== 'invalid_value') return issue.message;
  const words = issue.values.map(String);
  const near = typeof found === 'string' ? closest(found, words) : undefined;
  const rule = words.length === 1 ? `is not ${words[0]}` : `is not one of ${words.join(', ')}`;
  return `${rule}; ${near === undefined ? 'use one of them, or remove it' : `did you mean ${near}?`}`;
}

/** What each type is called, and how it is written. */
const kindWords: Readonly<Record<string, readonly [kind: string, form: string]>> = {
  string: ['a string', '"…"'],
  array: ['a list', '[ … ]'],
  object: ['an object', '{ "field": … }'],
};

/** A path of names and indexes as people read it: `companies[0].identifier`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += `${text === '' ? '' : '.'}${excerpt(String(key), longestShown)}`;
  }
  return text;
}

/** A value as it may be shown: short, printable, never a whole object. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return excerpt(JSON.stringify(value) ?? String(value), longestShown);
}

/** What stands at `path`; undefined: nothing. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

/** Says whether a value is an object with keys, not a list. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
