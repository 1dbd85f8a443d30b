import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { sizeWords } from '../../lib/text/amounts.ts';
import { RefusalError } from './answers.ts';

/** A header that was sent exactly as such; undefined where it is missing or empty. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The media type of a Content-Type header without its parameters, in small letters; empty where there is none. */
export function essenceOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1).join('').trim().toLowerCase();
}

/** The token of an Authorization header. Throws RefusalError 401 for any other shape. */
export function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1];
  if (token === undefined)
    throw new RefusalError(401, 'the Authorization header must be: Bearer <access token>');
  return token;
}

/** The body of a request. Throws RefusalError: 413 past `maxBytes`, 400 when it ends too early. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    // A connection that is destroyed could not carry the answer.
    const content = request.iterator({ destroyOnReturn: false });
    return await readBytes(content, 'the body', maxBytes);
  } catch (error) {
    throw error instanceof RefusalError ? error : new RefusalError(400, 'the connection was cut');
  }
}

/** All bytes; `what` they are, for the answer. Throws RefusalError 413. */
export async function readBytes(
  content: AsyncIterable<Buffer>,
  what: string,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw new RefusalError(413, `${what} is larger than ${sizeWords(maxBytes)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The text of bytes that have to be UTF-8. Throws RefusalError 400, which names them: `the body`. */
export function utf8Of(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RefusalError(400, `${what} is not UTF-8`);
  }
}
