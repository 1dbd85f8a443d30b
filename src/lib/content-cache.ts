import { createHash } from 'node:crypto';

/**
 * What `make` makes of contents, kept for those that were asked about last and have so many bytes together: one content
 * under many names is worked on once and kept once.
 */
export function createContentCache<T>(make: (bytes: Uint8Array) => T, maxBytes: number) {
  const made = new Map<string, { readonly value: T; readonly size: number }>();
  let sum = 0;
  return (bytes: Uint8Array): T => {
    const key = createHash('sha256').update(bytes).digest('base64');
    const known = made.get(key) ?? { value: make(bytes), size: bytes.length };
    // Put last, in the order of use.
    if (!made.delete(key)) sum += known.size;
    made.set(key, known);
    for (const [oldest, { size }] of made) {
      if (sum <= maxBytes) break;
      made.delete(oldest);
      sum -= size;
    }
    return known.value;
  };
}
