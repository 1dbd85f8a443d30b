import { pipeline, Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

import type { Clock } from '../../lib/clock.ts';
import type { WireBody } from './exchange.ts';

/** What timers that come late may catch up on; also the most that goes out at once after a rest. */
const burstMs = 100;
/** A piece is what goes out in this time: several uploads take turns by pieces. */
const pieceMs = 50;

/** The upload bandwidth that all requests share. */
export interface Bandwidth {
  /** Resolves when the next `bytes` may go out. First come, first served. */
  readonly take: (bytes: number) => Promise<void>;
  /** How much is to be taken at once, so that it flows evenly. */
  readonly pieceBytes: number;
}

/** A token bucket on the monotonic clock: in any time, never more than its bytes and one burst. */
export function createBandwidth(bytesPerSecond: number, clock: Clock): Bandwidth {
  const bytesPerMs = bytesPerSecond / 1000;
  /** When everything taken so far has gone out at the rate; monotonic, ms. */
  let takenUntil = -Infinity;
  return {
    pieceBytes: Math.max(1, Math.floor(bytesPerMs * pieceMs)),
    take: (bytes) => {
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

/** The same body at the pace of `bandwidth`; errors of the one are errors of the other. */
export function throttled(body: WireBody, bandwidth: Bandwidth): WireBody {
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      pass(this, chunk, callback);
    },
  });
  // Whoever sends it listens too; an error that comes before that is found in `errored`.
  pipeline(body.stream, stream, () => undefined);
  return { stream, bytes: body.bytes };

  function pass(out: Transform, chunk: Buffer, callback: TransformCallback): void {
    const piece = chunk.subarray(0, bandwidth.pieceBytes);
    void bandwidth.take(piece.length).then(() => {
      if (out.destroyed) return;
      out.push(piece);
      if (piece.length === chunk.length) callback();
      else pass(out, chunk.subarray(piece.length), callback);
    });
  }
}
