const escaped = /((?<![\uD800-\uDBFF])[\uDC80-\uDCFF])/;
const strict = new TextDecoder('utf-8', { fatal: true });

/** Whether a name is UTF-8. A byte that is none stands in it as a surrogate alone. */
export function isUtf8(name: string): boolean {
  return !escaped.test(name);
}

/** A name as it stands on the disk. */
export function nameBytes(name: string): Buffer {
  if (isUtf8(name)) return Buffer.from(name);
  const parts = name.split(escaped);
  return Buffer.concat(
    parts.map((part, index) => Buffer.from(index % 2 === 0 ? part : [part.charCodeAt(0) - 0xdc00])),
  );
}

/** The other way round, for a whole path. */
export function namesOf(path: Buffer): string {
  try {
    return strict.decode(path);
  } catch {
    return path
      .toString('latin1')
      .replaceAll(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
  }
}
