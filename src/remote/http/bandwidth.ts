import { Readable } from 'node:stream';

import type { Clock } from '../../lib/time/clock.ts';
import type { HttpBody } from './send-http-request.ts';

/** How much late timers may catch up; also the largest burst after a pause. */
const burstMs = 100;
/** A piece is what is sent in this time: uploads share the bandwidth piece by piece. */
const pieceMs = 50;

export type Bandwidth = ReturnType<typeof createBandwidth>;

/**
 * The upload bandwidth that all requests share: a token bucket on the monotonic clock. In any time, never more than its
 * bytes and one burst.
 */
export function createBandwidth(bytesPerSecond: number, clock: Clock) {
  const bytesPerMs = bytesPerSecond / 1000;
  /** When everything taken so far has gone out at the rate; monotonic, ms. */
  let takenUntil = -Infinity;
  return {
    /** How much is to be taken at once, so that it flows evenly. */
    pieceBytes: Math.max(1, Math.floor(bytesPerMs * pieceMs)),
    /** Resolves when the next `bytes` may go out. First come, first served. */
    take: (bytes: number): Promise<void> => {
      const now = clock.monotonic();
      const begin = Math.max(takenUntil, now - burstMs);
      takenUntil = begin + bytes / bytesPerMs;
      // Its last byte may go out when the time it takes is over.
      const waitMs = takenUntil - now;
      if (waitMs <= 0) return Promise.resolve();
      return new Promise((resolve) => clock.after(waitMs, resolve));
    },
  };
}

/** The same body, slowed to `bandwidth`. */
export function throttled({ stream, bytes }: HttpBody, bandwidth: Bandwidth): HttpBody {
  const slowed = Readable.from(inPieces(stream, bandwidth), { objectMode: false });
  // One that was never read would leave the other open.
  slowed.once('close', () => stream.destroy());
  return { stream: slowed, bytes };
}

async function* inPieces(stream: Readable, { take, pieceBytes }: Bandwidth): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      await take(piece.length);
      yield piece;
    }
  }
}
