/** Text of a file, or why it is none. */
export type TextReading =
  { readonly kind: 'valid'; readonly text: string } | { readonly kind: 'invalid'; readonly message: string };

/** Decodes UTF-8, with or without its mark; any other encoding is not valid. */
export function decodeText(bytes: Uint8Array): TextReading {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { kind: 'invalid', message: 'it is UTF-16 and has to be UTF-8; save it as UTF-8' };
  }
  try {
    return { kind: 'valid', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'invalid', message: 'it is not UTF-8; save it as UTF-8' };
  }
}
