import * as z from 'zod';
import { closest } from './closest.ts';
import { excerpt } from './printable.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** One node of a JSON Schema (draft 7), as far as what people write needs it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly unit?: string;
  readonly defaultWords?: string;
}

const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();
const longestShown = 100;

/** What a person may write for a schema. Made on first use: where all is well it is not needed. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const options = { io: 'input', target: 'draft-7', unrepresentable: 'any' } as const;
  const made = z.toJSONSchema(schema, options) as JsonSchema;
  jsonSchemas.set(schema, made);
  return made;
}

/** The schema at a path of keys and indexes; undefined where nothing is known. */
export function schemaAt(schema: JsonSchema, path: Path): JsonSchema | undefined {
  let node: JsonSchema | undefined = schema;
  for (const key of path) {
    if (node === undefined) return undefined;
    node = typeof key === 'number' ? node.items : (valueAt(node.properties, [key]) as JsonSchema | undefined);
  }
  return node;
}

/**
 * What a schema found in `input`, in words: the key, the value, the fix. `written` gives a value as it stands in the file.
 */
export function describeIssues(
  issues: readonly Issue[],
  input: unknown,
  { schema, written }: { readonly schema: z.ZodType; readonly written?: (path: Path) => string | undefined },
) {
  const whole = jsonSchemaOf(schema);
  const faults = issues.flatMap((issue) => {
    const node = schemaAt(whole, issue.path);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey([...issue.path, key], Object.keys(node?.properties ?? {})));
    const value = valueAt(input, issue.path);
    return [{ path: issue.path, message: explain(issue, { value, node, source: written?.(issue.path) }) }];
  });
  // One value can break two rules that are the same in words: 1e99 is no whole number, and too large.
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}

function unknownKey(path: Path, known: readonly string[]) {
  const parent = path.slice(0, -1);
  const near = closest(String(path.at(-1)), known);
  const fix =
    near === undefined
      ? `remove it; ${parent.length === 0 ? 'the keys are' : `${pathText(parent)} has`} ${known.join(', ')}`
      : `did you mean ${pathText([...parent, near])}?`;
  return { path, message: `${pathText(path)} is not a known key; ${fix}` };
}

interface Found {
  readonly value: unknown;
  readonly node: JsonSchema | undefined;
  readonly source: string | undefined;
}

function explain(issue: Issue, { value, node, source }: Found): string {
  const what = pathText(issue.path) || 'the file';
  if (value === undefined) return `${what} is missing; ${addition(node)}`;
  if (issue.code === 'custom' && issue.params?.['hidesValue'] === true) return `${what}: ${issue.message}`;
  const isOfItsKind = (typeof value === 'string' || Array.isArray(value)) && !isEmpty(value);
  const isWorded = isOfItsKind && (issue.code === 'invalid_format' || issue.code === 'too_big');
  if (issue.code === 'custom' || node === undefined || isWorded)
    return `${what}: ${shown(value)}: ${issue.message}`;
  if (isEmpty(value) && (value === '' || node.type !== 'object'))
    return `${what} is empty; write ${expected(node)}`;
  const isAnyText = node.type === 'string' && node.enum === undefined && node.const === undefined;
  if (isAnyText && (typeof value === 'number' || typeof value === 'boolean')) {
    const text = source ?? String(value);
    return `${what}: ${excerpt(text)} is not a string; write it in quotes: ${excerpt(JSON.stringify(text))}`;
  }
  return `${what}: ${shown(value)} is not ${expected(node)}${fix(value, node)}`;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function addition(node: JsonSchema | undefined): string {
  if (node === undefined) return 'add it';
  return `add it: ${expected(node)}${node.description === undefined ? '' : `. ${node.description}`}`;
}

/** What would be right, in words. */
function expected(node: JsonSchema): string {
  const unit = node.unit === undefined ? '' : ` (${node.unit})`;
  if (node.anyOf !== undefined) return node.anyOf.map(expected).join(' or ');
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.type === 'integer') return `a whole number${range(node)}${unit}`;
  if (node.type === 'number') return `a number${range(node)}${unit}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'object') return 'an object of keys and values';
  if (node.type !== 'array') return 'a string';
  const required = (node.items?.required ?? []).map((key) => `${key}: …`);
  return required.length === 0 ? 'a list' : `a list of { ${required.join(', ')} }`;
}

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
  const [only, ...others] = Object.keys(node.properties ?? {});
  if (typeof value === 'string' && only !== undefined && others.length === 0)
    return `; write { "${only}": ${shown(value)} }`;
  const near = typeof value === 'string' ? closest(value, (node.enum ?? []).map(String)) : undefined;
  if (near !== undefined) return `; did you mean ${near}?`;
  return node.default === undefined ? '' : `; the default is ${JSON.stringify(node.default)}`;
}

/** A path of names and indexes as people read it: `companies[0].identifier`. */
export function pathText(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += `${text === '' ? '' : '.'}${excerpt(String(key), longestShown)}`;
  }
  return text;
}

/** A value as it may be shown: short, printable, never a whole object. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return excerpt(JSON.stringify(value) ?? String(value), longestShown);
}

/** What stands at `path`; undefined: nothing. */
export function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
