import { Transform } from 'node:stream';

const carriageReturn = 13;
const lineFeed = 10;

/**
 * A multipart body without the white space that stands between a boundary and its line break: RFC 2046, 5.1.1 has it
 * ignored, and the parser would take it for the beginning of a header.
 */
export function withoutBoundaryPadding(boundary: string): Transform {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // What may be the beginning of a delimiter. At first the line break that a body's first boundary goes without.
  let held: Buffer = Buffer.from('\r\n');

  const strip = (chunk: Buffer): Buffer => {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const kept: Buffer[] = [];
    let start = 0;
    let found = bytes.indexOf(delimiter);
    for (; found >= 0; found = bytes.indexOf(delimiter, found + 1)) {
      const end = found + delimiter.length;
      const text = endOfPadding(bytes, end);
      if (text + 1 >= bytes.length) break;
      if (text === end || bytes[text] !== carriageReturn || bytes[text + 1] !== lineFeed) continue;
      kept.push(bytes.subarray(start, end));
      start = text;
    }
    const limit = found >= 0 ? found : beginOfDelimiter(bytes, delimiter);
    held = bytes.subarray(limit);
    kept.push(bytes.subarray(start, limit));
    return Buffer.concat(kept);
  };

  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, strip(chunk)),
    flush: (done) => done(null, held),
  });
}

/** Where at the end of `bytes` a delimiter may have begun; their length if nowhere. */
function beginOfDelimiter(bytes: Buffer, delimiter: Buffer): number {
  const first = Math.max(0, bytes.length - delimiter.length + 1);
  for (let at = bytes.indexOf(carriageReturn, first); at >= 0; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
  }
  return bytes.length;
}

function endOfPadding(bytes: Buffer, start: number): number {
  let end = start;
  while (bytes[end] === 32 || bytes[end] === 9) end += 1;
  return end;
}
