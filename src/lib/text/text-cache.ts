/**
 * What `make` makes of texts, kept for those that were asked about last and are so long together: one text under many
 * names is worked on once and kept once.
 */
export function createTextCache<T>(make: (text: string) => T, maxLength: number): (text: string) => T {
  const made = new Map<string, { readonly value: T }>();
  let length = 0;
  return (text) => {
    const known = made.get(text) ?? { value: make(text) };
    // Put last, in the order of use.
    if (!made.delete(text)) length += text.length;
    made.set(text, known);
    for (const oldest of made.keys()) {
      if (length <= maxLength) break;
      made.delete(oldest);
      length -= oldest.length;
    }
    return known.value;
  };
}
