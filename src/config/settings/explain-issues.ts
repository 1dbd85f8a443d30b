import type * as z from 'zod';
import { closest } from '../../lib/text/closest.ts';
import { isMapping, pathText, shownValue, unknownWords, valueAt } from '../../lib/text/describe-issues.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { schemaAt } from './setting-keys.ts';
import type { Problem } from '../problem.ts';
import type { JsonSchema } from './setting-keys.ts';

type Issue = z.core.$ZodIssue;

/**
 * What the schema found wrong with `input`, in words: the key, the value, the fix. `written` gives a value as it stands
 * in the file.
 */
export function explainIssues(
  issues: readonly Issue[],
  input: unknown,
  written: (path: Problem['path']) => string | undefined,
): Problem[] {
  const problems = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey([...issue.path, key]))
      : [{ path: issue.path, message: explain(issue, valueAt(input, issue.path), written(issue.path)) }],
  );
  // One value can break two rules that are the same in words: 1e99 is no whole number, and too large.
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

function unknownKey(path: readonly PropertyKey[]): Problem {
  const known = Object.keys(schemaAt(path.slice(0, -1))?.properties ?? {});
  return { path, message: unknownWords(path, 'key', known) };
}

function explain(issue: Issue, value: unknown, source: string | undefined): string {
  const key = pathText(issue.path);
  const what = key || 'the file';
  const node = schemaAt(issue.path);
  if (value === undefined) return `${what} is missing; ${addition(key, node)}`;
  if (key === 'folders')
    return `folders: ${shown(value)} is not a list of at least one folder; ${folderExample}`;
  if (issue.code === 'custom' && issue.params?.['hidesValue'] === true) return `${key}: ${issue.message}`;
  const isWorded = typeof value === 'string' && (issue.code === 'invalid_format' || issue.code === 'too_big');
  if (issue.code === 'custom' || node === undefined || (isWorded && value !== ''))
    return `${key}: ${shown(value)}: ${issue.message}`;
  if (value === '') return `${what} is empty; write ${expected(node)}`;
  if (node.type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    const text = source ?? String(value);
    return `${what}: ${excerpt(text)} is not a string; write it in quotes: ${excerpt(JSON.stringify(text))}`;
  }
  return `${what}: ${shown(value)} is not ${expected(node)}${fix(value, node)}`;
}

const folderExample = 'write\n    folders:\n      - name: inbox\n        path: ./inbox';

function addition(key: string, node: JsonSchema | undefined): string {
  if (key === '' || key === 'folders') return folderExample;
  return `add it: ${node === undefined ? 'a value' : expected(node)}${node?.description === undefined ? '' : `. ${node.description}`}`;
}

/** What would be right, in words. */
function expected(node: JsonSchema): string {
  const unit = node.unit === undefined ? '' : ` (${node.unit})`;
  if (node.anyOf !== undefined) return node.anyOf.map(expected).join(' or ');
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.type === 'integer') return `a whole number${range(node)}${unit}`;
  if (node.type === 'number') return `a number${range(node)}${unit}`;
  return kindWords[String(node.type)] ?? 'a string';
}

const kindWords: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
};

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? '' : ` up to ${maximum}`;
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function fix(value: unknown, node: JsonSchema): string {
  const kinds = [node, ...(node.anyOf ?? [])].map(({ type }) => type);
  const numeric = kinds.includes('integer') || kinds.includes('number');
  if (typeof value === 'string' && numeric && value.trim() !== '' && Number.isFinite(Number(value))) {
    return `; write it without quotes: ${Number(value)}`;
  }
  if (value === null) return '; write a value, or remove it';
  const near = typeof value === 'string' ? closest(value, (node.enum ?? []).map(String)) : undefined;
  if (near !== undefined) return `; did you mean ${near}?`;
  return node.default === undefined ? '' : `; the default is ${JSON.stringify(node.default)}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return 'an empty list';
  return isMapping(value) ? 'a mapping' : shownValue(value);
}
