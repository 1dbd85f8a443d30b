/** A name whose bytes are not UTF-8: the bytes that are not ASCII are escaped. */
export function printableBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    text +=
      byte >= 0x20 && byte < 0x7f
        ? String.fromCodePoint(byte)
        : `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  return text;
}

/** A name that tells NFC from NFD: everything that is not ASCII is escaped. */
export function printableTwin(raw: string): string {
  return raw.replaceAll(
    /[^\x20-\x7e]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}
