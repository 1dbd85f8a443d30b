/** What was read, or what is wrong with it. */
export type Reading<T> =
  { readonly kind: 'valid'; readonly value: T } | { readonly kind: 'invalid'; readonly message: string };

/**
 * Decodes UTF-8, with or without its mark; any other encoding is not valid: what to do about it, after the name of the
 * file.
 */
export function decodeText(bytes: Uint8Array): Reading<string> {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Without a mark, every other byte of it is 0, which no text holds.
  if (isMarked || bytes.includes(0)) return { kind: 'invalid', message: 'is UTF-16; save it as UTF-8' };
  try {
    return { kind: 'valid', value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'invalid', message: 'is not UTF-8; save it as UTF-8' };
  }
}
