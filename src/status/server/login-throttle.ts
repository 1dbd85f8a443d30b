import type { Clock } from '../../lib/time/clock.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** Compares tokens, and slows down who keeps giving wrong ones. */
export interface LoginThrottle {
  /** After some failures each attempt of a peer, a right one too, waits; `busy`: too many of its attempts wait. */
  readonly attempt: (peer: string, given: string, expected: string) => Promise<'right' | 'wrong' | 'busy'>;
  readonly close: () => void;
}

/** A person may mistype this often before it gets slow. */
const freeFailures = 3;
const slowMs = 1000;
const maxWaiting = 8;

/** A peer that has been quiet for so long starts from the beginning. */
const forgetMs = 10 * 60_000;
const maxPeers = 1000;

interface Peer {
  failures: number;
  waiting: number;
  /** Ends when the attempt before is answered. */
  last: Promise<void>;
  failedAt: number;
}

export function createLoginThrottle({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: LogPort;
}): LoginThrottle {
  const peers = new Map<string, Peer>();
  const cancels = new Set<() => void>();
  let closed = false;

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      if (closed) return resolve();
      const done = () => {
        cancels.delete(cancel);
        stop();
        resolve();
      };
      const stop = clock.after(ms, done);
      const cancel = done;
      cancels.add(cancel);
    });

  const noteFailure = (address: string, peer: Peer | undefined) => {
    const now = clock.monotonic();
    const known = peer ?? { failures: 0, waiting: 0, last: Promise.resolve(), failedAt: now };
    known.failures += 1;
    known.failedAt = now;
    for (const [key, { failedAt, waiting }] of peers) {
      const isOld = now - failedAt >= forgetMs || peers.size >= maxPeers;
      if (isOld && waiting === 0 && key !== address) peers.delete(key);
    }
    peers.set(address, known);
    // Slowed as it is, that is at most a line a second for each peer.
    log.warn({ peer: address, failures: known.failures }, 'login failed');
  };

  return {
    attempt: async (address, given, expected) => {
      const known = peers.get(address);
      const isOld = known !== undefined && clock.monotonic() - known.failedAt >= forgetMs;
      const peer = isOld ? undefined : known;
      if (peer !== undefined && peer.failures >= freeFailures) {
        if (peer.waiting >= maxWaiting) return 'busy';
        peer.waiting += 1;
        peer.last = peer.last.then(() => wait(slowMs));
        await peer.last;
        peer.waiting -= 1;
      }
      if (sameSecret(given, expected)) {
        if (peer !== undefined) peer.failures = 0;
        return 'right';
      }
      noteFailure(address, peer);
      return 'wrong';
    },
    close: () => {
      closed = true;
      for (const cancel of cancels) cancel();
    },
  };
}
