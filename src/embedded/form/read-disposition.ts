import { RefusalError } from '../http/answers.ts';

/** What the header of a multipart part says of it. */
export interface Disposition {
  readonly name: string;
  /** Null: the part is no file. */
  readonly fileName: string | null;
}

/**
 * Reads `form-data; name="…"; filename="…"`, given as the bytes came (latin1). Names are UTF-8, raw or by `filename*`;
 * `%22`, `%0D`, `%0A` and `\"` stand for the quote and the line breaks, as browsers, curl and form-data write them.
 * Throws RefusalError 400.
 */
export function readDisposition(header: string): Disposition {
  const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"|([^\s;"]+))[ \t]*/gy;
  const head = /^[ \t]*form-data[ \t]*/i.exec(header);
  if (head === null) throw malformed();
  parameter.lastIndex = head[0].length;
  const found = new Map<string, string>();
  let end = parameter.lastIndex;
  for (let match = parameter.exec(header); match !== null; match = parameter.exec(header)) {
    const key = (match[1] ?? '').toLowerCase();
    if (found.has(key)) throw malformed();
    found.set(key, match[2] === undefined ? (match[3] ?? '') : unquote(match[2]));
    end = parameter.lastIndex;
  }
  const name = found.get('name');
  if (end !== header.length || name === undefined) throw malformed();
  const extended = found.get('filename*');
  const plain = found.get('filename');
  const fileName = extended === undefined ? plain && utf8(plain) : readExtended(extended);
  return { name: utf8(name), fileName: fileName ?? null };
}

function malformed(): RefusalError {
  return new RefusalError(400, 'a part of the form has a malformed Content-Disposition header');
}

function unquote(quoted: string): string {
  const escapes: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n', '\\"': '"' };
  return quoted.replaceAll(/%22|%0D|%0A|\\"/g, (escape) => escapes[escape] ?? escape);
}

function utf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    throw new RefusalError(400, 'a name in the form is not UTF-8');
  }
}

function readExtended(value: string): string {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1];
  if (encoded === undefined) throw malformed();
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw malformed();
  }
}
