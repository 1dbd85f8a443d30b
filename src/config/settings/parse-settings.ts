import type * as z from 'zod';

import { settingsSchema } from '../../model/settings.ts';
import type { SettingsInput } from '../../model/settings.ts';

type Path = readonly PropertyKey[];

/** What the schema says of a configuration. */
export interface ParsedSettings {
  readonly issues: readonly z.core.$ZodIssue[];
  /** The keys that are invalid, or hold something invalid. */
  readonly broken: readonly Path[];
  /** What is left without them, so that it can be judged as well: as if it had their defaults. Null: nothing. */
  readonly rest: SettingsInput | null;
}

/** After so many rounds nothing new can come: a broken key, what it stood in, and what only shows without them. */
const mostRounds = 5;

/** Reads a configuration by its schema, as far as it is valid. */
export function parseSettings(input: unknown): ParsedSettings {
  const issues: z.core.$ZodIssue[] = [];
  const broken: Path[] = [];
  let rest = input;
  for (let round = 0; round < mostRounds; round += 1) {
    const parsed = settingsSchema.safeParse(rest);
    if (parsed.success) return { issues, broken, rest: parsed.data };
    issues.push(...parsed.error.issues);
    const keys = parsed.error.issues.flatMap(brokenKeys);
    broken.push(...keys);
    if (keys.some(({ length }) => length === 0)) break;
    for (const key of keys) rest = replaced(rest, key, standInFor(key));
  }
  return { issues, broken, rest: null };
}

/** Whether one of the keys is broken, or stands in what is. */
export function isBroken(path: Path, broken: readonly Path[]): boolean {
  return broken.some((key) => isPrefix(key, path));
}

/** Whether `path` is `prefix`, or below it. */
export function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => key === path[index]);
}

/** `timing.settleMs`, `folders[0].metadata`: what is deeper goes with it. */
function brokenKeys(issue: z.core.$ZodIssue): Path[] {
  const paths =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => path.slice(0, path[0] === 'folders' ? 3 : 2));
}

/** Valid in the place of what has to be there. */
const folder = { name: 'invalid', path: 'invalid' } as const;

/** Undefined: the key can be left out. */
function standInFor([section, index, key]: Path): unknown {
  if (section !== 'folders') return undefined;
  if (index === undefined) return [folder];
  if (key === undefined) return folder;
  return key === 'name' || key === 'path' ? folder[key] : undefined;
}

/** `path` is what is left of the way to the value that is replaced, or taken out where `value` is undefined. */
function replaced(node: unknown, [key, ...path]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    return node.map((item: unknown, index) => (index === key ? replaced(item, path, value) : item));
  }
  const entries = new Map<string, unknown>(Object.entries(node));
  const name = String(key);
  entries.set(name, replaced(entries.get(name), path, value));
  return Object.fromEntries([...entries].filter(([, child]) => child !== undefined));
}
