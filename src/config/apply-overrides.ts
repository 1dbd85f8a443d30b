import type { Override } from './environment-overrides.ts';
import { keyText } from './key-path.ts';
import type { Problem } from './problem.ts';

/** The configuration with what the environment says laid over it. A list grows by one place at a time. */
export function applyOverrides(
  input: unknown,
  overrides: readonly Override[],
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  let value = input;
  for (const override of overrides) {
    const result = withValue(value, override.path, override.value);
    if (result === undefined) problems.push(misplaced(override));
    else value = result.value;
  }
  return { value, problems };
}

function withValue(
  node: unknown,
  [key, ...rest]: readonly PropertyKey[],
  value: unknown,
): { value: unknown } | undefined {
  if (key === undefined) return { value };
  if (typeof key === 'number') {
    const list: readonly unknown[] = Array.isArray(node) ? node : [];
    if (key > list.length || !(node === undefined || node === null || Array.isArray(node))) return undefined;
    const inner = withValue(list[key], rest, value);
    return inner && { value: [...list.slice(0, key), inner.value, ...list.slice(key + 1)] };
  }
  const record = recordOf(node);
  if (record === undefined) return undefined;
  const name = String(key);
  const inner = withValue(record[name], rest, value);
  return inner && { value: { ...record, [name]: inner.value } };
}

function recordOf(node: unknown): Record<string, unknown> | undefined {
  if (node === undefined || node === null) return {};
  if (typeof node !== 'object' || Array.isArray(node)) return undefined;
  return Object.fromEntries(Object.entries(node));
}

function misplaced({ variable, path }: Override): Problem {
  return {
    path,
    message: `${variable} has no place: ${keyText(path.slice(0, -1)) || 'the file'} is not there or is of another kind; set what comes before it first`,
  };
}
