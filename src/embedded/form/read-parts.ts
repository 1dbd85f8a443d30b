import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { Dicer } from '@fastify/busboy';

import { sizeWords } from '../../lib/text/amounts.ts';
import { RefusalError } from '../http/answers.ts';
import { utf8Of } from '../http/read-request.ts';

const partLimits = { maxHeaderPairs: 20, maxHeaderSize: 16 * 1024, partHwm: 256 * 1024 };

/** How much a client may send past the limit, so that it has time to read the refusal. */
const graceBytes = 64 * 1024 * 1024;

/**
 * Streams a multipart body to `takePart`, part after part, which reads its content to the end or rejects; without holding it. No part is left out silently: what is
 * malformed is refused. Returns when all parts were taken and the body has ended; rejects with the first failure,
 * when nothing writes any more. Throws RefusalError 400 for a body that is malformed or ends too early.
 */
export async function readParts(
  body: Readable,
  { boundary, maxBytes }: { readonly boundary: string; readonly maxBytes: number },
  takePart: (disposition: Disposition, content: Readable) => Promise<void>,
): Promise<void> {
  // Not Busboy around it, which passes over a part whose header it cannot read.
  const dicer = new Dicer({ ...partLimits, boundary });
  const stop = new AbortController();
  const open = new Set<Readable>();
  let taken = Promise.resolve();
  let received = 0;
  let isHeaderMissing = false;

  /** The first failure counts. */
  const fail = (error: unknown): void => stop.abort(error);
  const endPart = (): void => {
    if (isHeaderMissing) fail(malformed('a part has no header'));
  };
  /** The rest is dropped, but a client that is cut off could not read the answer. */
  const letThrough = (): void => {
    body.unpipe(dicer);
    body.resume();
  };

  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxBytes) return;
    if (received > maxBytes + graceBytes) body.destroy();
    fail(new RefusalError(413, `the request is larger than ${sizeWords(maxBytes)}`));
  });
  dicer.on('error', () => fail(malformed('it ends too early')));
  dicer.on('part', (part) => {
    endPart();
    isHeaderMissing = true;
    open.add(part);
    part.on('error', () => {});
    part.on('close', () => open.delete(part));
    part.on('header', (header) => {
      isHeaderMissing = false;
      // One after another: the client gets the first part's error, however the bytes arrive.
      const takeIt = async (): Promise<void> => {
        if (!stop.signal.aborted) await takePart(dispositionOf(header), part);
      };
      taken = taken.then(takeIt).catch(fail);
    });
  });
  const ended = finished(body, { writable: false }).catch(() => fail(malformed('the connection was cut')));
  await new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => {
      for (const part of open) part.destroy(stop.signal.reason as Error);
      resolve();
    });
    dicer.on('finish', () => {
      endPart();
      letThrough();
      void ended.then(resolve);
    });
    body.pipe(dicer);
  });
  letThrough();
  await taken;
  stop.signal.throwIfAborted();
}

function dispositionOf(header: object): Disposition {
  const values: unknown = (header as Readonly<Record<string, unknown>>)['content-disposition'];
  const [value, ...more] = Array.isArray(values) ? (values as unknown[]) : [];
  if (typeof value !== 'string' || more.length > 0)
    throw malformed('a part has no Content-Disposition header');
  return readDisposition(value);
}

function malformed(why: string): RefusalError {
  return new RefusalError(400, `the multipart form is malformed: ${why}`);
}

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
  if (head === null) throw badDisposition();
  parameter.lastIndex = head[0].length;
  const found = new Map<string, string>();
  let end = parameter.lastIndex;
  for (let match = parameter.exec(header); match !== null; match = parameter.exec(header)) {
    const key = (match[1] ?? '').toLowerCase();
    if (found.has(key)) throw badDisposition();
    found.set(key, match[2] === undefined ? (match[3] ?? '') : unquote(match[2]));
    end = parameter.lastIndex;
  }
  const name = found.get('name');
  if (end !== header.length || name === undefined) throw badDisposition();
  const extended = found.get('filename*');
  const plain = found.get('filename');
  const fileName = extended === undefined ? plain && utf8(plain) : readExtended(extended);
  return { name: utf8(name), fileName: fileName ?? null };
}

function badDisposition(): RefusalError {
  return new RefusalError(400, 'a part of the form has a malformed Content-Disposition header');
}

function unquote(quoted: string): string {
  const escapes: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n', '\\"': '"' };
  return quoted.replaceAll(/%22|%0D|%0A|\\"/g, (escape) => escapes[escape] ?? escape);
}

function utf8(latin1: string): string {
  return utf8Of(Buffer.from(latin1, 'latin1'), 'a name in the form');
}

function readExtended(value: string): string {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1];
  if (encoded === undefined) throw badDisposition();
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw badDisposition();
  }
}
