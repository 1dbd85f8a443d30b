import type * as z from 'zod';

import { companionsSchema, heldMetadataSchema } from '../../model/ports/ledger-schema.ts';
import { asShape, asText } from './shape.ts';

/** At most this many values are indexed; then the index starts empty again, and later records share less. */
const maxValues = 10_000;

/** What a record refers to, by how it stands in a file; a ShapeError where it is not valid. */
export type SharedValues = ReturnType<typeof createSharedValues>;

/** Values that many records have, each kept once in memory. */
export function createSharedValues() {
  const texts = new Map<string, string>();
  return {
    fingerprint: (value: unknown): string => {
      const text = asText(value, 'fingerprint');
      const known = texts.get(text);
      if (known !== undefined) return known;
      if (texts.size >= maxValues) texts.clear();
      texts.set(text, text);
      return text;
    },
    metadata: createSharedObjects(heldMetadataSchema, 'metadata'),
    companions: createSharedObjects(companionsSchema, 'companions'),
  };
}

/** Frozen ones. */
function createSharedObjects<T>(schema: z.ZodType<T>, what: string): (value: unknown) => T {
  const objects = new Map<string, T>();
  return (value) => {
    const json = JSON.stringify(value) ?? 'null';
    const known = objects.get(json);
    if (known !== undefined) return known;
    if (objects.size >= maxValues) objects.clear();
    // A copy: what a caller holds may change.
    const made = deepFreeze(asShape(schema, JSON.parse(json), what));
    objects.set(json, made);
    return made;
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
    Object.freeze(value);
  }
  return value;
}
