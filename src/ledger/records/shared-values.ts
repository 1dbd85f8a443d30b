import type { Companions } from '../../model/document.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';

/** At most this many values are indexed; then the index starts empty again, and later records share less. */
const maxValues = 10_000;

export type SharedValues = ReturnType<typeof createSharedValues>;

/** Values that many records have, each kept once in memory. */
export function createSharedValues() {
  const texts = new Map<string, string>();
  return {
    text: (text: string): string => {
      const known = texts.get(text);
      if (known !== undefined) return known;
      if (texts.size >= maxValues) texts.clear();
      texts.set(text, text);
      return text;
    },
    metadata: createSharedObjects<Metadata>(),
    companions: createSharedObjects<Companions>(),
  };
}

/** Frozen ones. A value that is not known yet goes through `check`, which throws where it is not valid. */
function createSharedObjects<T>(): (value: unknown, check: (value: unknown) => T) => T {
  const objects = new Map<string, T>();
  return (value, check) => {
    const json = JSON.stringify(value) ?? '';
    const known = objects.get(json);
    if (known !== undefined) return known;
    if (objects.size >= maxValues) objects.clear();
    // A copy: what a caller holds may change.
    const made = deepFreeze(check(JSON.parse(json === '' ? 'null' : json)));
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
