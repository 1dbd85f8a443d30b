/** Text of a file, or why it is none: what to do about it, after the name of the file. */
export type TextReading =
  { readonly kind: 'valid'; readonly text: string } | { readonly kind: 'invalid'; readonly message: string };

/** Decodes UTF-8, with or without its mark; any other encoding is not valid. */
export function decodeText(bytes: Uint8Array): TextReading {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Without a mark, every other byte of it is 0, which no text holds.
  if (isMarked || bytes.includes(0)) return { kind: 'invalid', message: 'is UTF-16; save it as UTF-8' };
  try {
    return { kind: 'valid', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'invalid', message: 'is not UTF-8; save it as UTF-8' };
  }
}
