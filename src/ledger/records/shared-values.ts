import type { Metadata } from '../../model/metadata/metadata.ts';

/** At most this many values are indexed; then the index starts empty again, and later records share less. */
const maxValues = 10_000;

/** Values that many records have, each kept once in memory. */
export interface SharedValues {
  readonly text: (text: string) => string;
  /** Frozen. A value that is not known yet goes through `check`, which throws where it is not valid. */
  readonly metadata: (value: unknown, check: (value: unknown) => Metadata) => Metadata;
}

/** Knows no values yet. */
export function createSharedValues(): SharedValues {
  const texts = new Map<string, string>();
  const metadata = new Map<string, Metadata>();
  return {
    text: (text) => {
      const known = texts.get(text);
      if (known !== undefined) return known;
      if (texts.size >= maxValues) texts.clear();
      texts.set(text, text);
      return text;
    },
    metadata: (value, check) => {
      const json = JSON.stringify(value) ?? '';
      const known = metadata.get(json);
      if (known !== undefined) return known;
      if (metadata.size >= maxValues) metadata.clear();
      // A copy: what a caller holds may change.
      const made = deepFreeze(check(JSON.parse(json === '' ? 'null' : json)));
      metadata.set(json, made);
      return made;
    },
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
    Object.freeze(value);
  }
  return value;
}
