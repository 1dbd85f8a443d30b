import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { Dicer } from '@fastify/busboy';

import { withoutBoundaryPadding } from './boundary-padding.ts';
import type { Disposition } from './read-disposition.ts';
import { readDisposition } from './read-disposition.ts';
import { RefusalError } from '../http/refusal-error.ts';

const partLimits = { maxHeaderPairs: 20, maxHeaderSize: 16 * 1024, partHwm: 256 * 1024 };

/** What a sender may go on sending past the limit, so that it has time to read why it was refused. */
const graceBytes = 64 * 1024 * 1024;

/** Called with each part in turn; reads its content to the end or rejects. */
export type TakePart = (disposition: Disposition, content: Readable) => Promise<void>;

/**
 * Streams a multipart body to `takePart`, part after part, without holding it. No part is left out silently: what is
 * malformed is refused. Returns when all parts were taken and the body has ended; rejects with the first failure,
 * when nothing writes any more. Throws RefusalError 400 for a body that is malformed or ends too early.
 */
export async function readParts(
  body: Readable,
  { boundary, maxBytes }: { readonly boundary: string; readonly maxBytes: number },
  takePart: TakePart,
): Promise<void> {
  const dicer = new Dicer({ ...partLimits, boundary });
  const unpadded = withoutBoundaryPadding(boundary);
  let taken = Promise.resolve();
  const open = new Set<Readable>();
  let failure: { readonly error: unknown } | undefined;
  let received = 0;
  let headerSeen = true;
  let complete = false;
  let ended = false;

  const fail = (error: unknown): void => {
    if (failure !== undefined) return;
    failure = { error };
    for (const part of open) part.destroy(asError(error));
    letThrough();
    settle();
  };

  /** What still comes is of no interest, but a sender that is cut off could not read the answer. */
  const letThrough = (): void => {
    body.unpipe(unpadded);
    body.resume();
  };

  const refuseHeaderless = (): void => {
    if (!headerSeen) fail(malformed('a part has no header'));
  };

  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });

  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxBytes) return;
    if (received > maxBytes + graceBytes) body.destroy();
    fail(new RefusalError(413, `the request is larger than ${maxBytes} bytes`));
  });
  dicer.on('error', () => fail(malformed('it ends too early')));
  dicer.on('finish', () => {
    refuseHeaderless();
    letThrough();
    complete = true;
    if (ended) settle();
  });
  dicer.on('part', (part) => {
    refuseHeaderless();
    headerSeen = false;
    open.add(part);
    // Whoever reads it rejects with the reason; a part that is abandoned reports only that it was.
    part.on('error', () => {});
    part.on('close', () => open.delete(part));
    part.on('header', (header) => {
      headerSeen = true;
      // One after another: what is wrong with the first is what the sender hears of, however its bytes arrive.
      const takeIt = async (): Promise<void> => {
        if (failure === undefined) await take(header, part, takePart);
      };
      taken = taken.then(takeIt).catch(fail);
    });
  });

  async function noteEnd(): Promise<void> {
    try {
      await finished(body, { writable: false });
    } catch {
      fail(malformed('the connection was cut'));
      return;
    }
    ended = true;
    if (complete) settle();
  }

  void noteEnd();
  body.pipe(unpadded).pipe(dicer);
  await settled;
  await taken;
  if (failure !== undefined) throw failure.error;
}

async function take(header: object, part: Readable, takePart: TakePart): Promise<void> {
  const values: unknown = (header as Readonly<Record<string, unknown>>)['content-disposition'];
  const [value, ...more] = Array.isArray(values) ? (values as unknown[]) : [];
  if (typeof value !== 'string' || more.length > 0)
    throw malformed('a part has no Content-Disposition header');
  await takePart(readDisposition(value), part);
}

function malformed(why: string): RefusalError {
  return new RefusalError(400, `the multipart form is malformed: ${why}`);
}

function asError(error: unknown): Error {
  return error as Error;
}
