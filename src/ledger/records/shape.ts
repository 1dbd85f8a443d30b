import type * as z from 'zod';

/** A row is not of the shape that this version writes. Whoever reads the file says which file and line. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/** A string, or a ShapeError that names `what`. Rows are many: checking them by hand costs a tenth of a schema. */
export function asText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new ShapeError(`${what} is not a text`);
  return value;
}

/** A finite number, or a ShapeError that names `what`. */
export function asNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ShapeError(`${what} is not a number`);
  return value;
}

/** What `schema` makes of a value, or a ShapeError that names `what` and the first thing that is wrong. */
export function asShape<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new ShapeError(`${what}${place}: ${issue?.message ?? 'not valid'}`);
}

/** An object that is no array, or a ShapeError that names `what`. */
export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ShapeError(`${what} is not an object`);
  }
  return value as Readonly<Record<string, unknown>>;
}
