import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Socket } from 'node:net';

import type { Clock } from '../time/clock.ts';
import { isLoopbackAddress } from './host.ts';
import { sameSecret } from './same-secret.ts';

/** What the login leaves in the browser. */
export interface LoginCookie {
  readonly name: string;
  readonly value: string;
}

/** The token of an `Authorization: Bearer` header; null: there is none. */
export function bearerOf({ authorization = '' }: Pick<IncomingHttpHeaders, 'authorization'>): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
}

/** Says whether a Cookie header holds that cookie. */
export function hasCookie(header: string, { name, value }: LoginCookie): boolean {
  const given = header.split(';').map((pair) => pair.trim());
  const prefix = `${name}=`;
  return given.some((pair) => pair.startsWith(prefix) && sameSecret(pair.slice(prefix.length), value));
}

/** The Set-Cookie header of an answer to the right token: scripts cannot read it, and other sites do not send it. */
export function cookieHeader(request: IncomingMessage, { name, value }: LoginCookie): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${isOverTls(request) ? '; Secure' : ''}`;
}

/** Says whether the browser uses TLS: as its form says, or as a proxy on this machine does. */
function isOverTls({ headers, socket }: IncomingMessage): boolean {
  if (headers.origin?.startsWith('https://') === true) return true;
  const [forwarded = ''] = [headers['x-forwarded-proto'] ?? ''].flat();
  return forwarded.trim().toLowerCase() === 'https' && isLoopbackAddress(socket.remoteAddress ?? '');
}

/** Wrong attempts before the throttle begins. */
const freeFailures = 3;
const slowMs = 1000;
const maxWaiting = 8;

/** After this long without an attempt a peer's failures are forgotten. */
const forgetMs = 10 * 60_000;
const maxPeers = 1000;

interface Peer {
  failures: number;
  waiting: number;
  /** Ends when the attempt before is answered. */
  last: Promise<void>;
  /** Monotonic, ms. */
  failedAt: number;
}

/** How a failed attempt is answered: the status, and the words in the form. */
export const failedLogins = {
  wrong: { status: 401, words: 'Wrong token.' },
  busy: { status: 429, words: 'Too many failed logins. Try again in a minute.' },
} as const;

/** The same for programs, whose token was not compared. */
export const tooManyLogins = 'too many failed logins; try again in a minute';

/** Compares tokens, and slows down clients that keep sending wrong ones. */
export function createLoginThrottle({
  clock,
  onFailure,
}: {
  readonly clock: Clock;
  /** Beyond the first few at most once a second for each peer. */
  readonly onFailure: (failure: { readonly peer: string; readonly failures: number }) => void;
}) {
  const peers = new Map<string, Peer>();
  const waits = new Set<() => void>();
  let closed = false;

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      if (closed) return resolve();
      const end = () => {
        waits.delete(end);
        cancel();
        resolve();
      };
      const cancel = clock.after(ms, end);
      waits.add(end);
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
    onFailure({ peer: address, failures: known.failures });
  };

  return {
    /** After some failures each attempt of a peer, a right one too, waits; `busy`: too many of its attempts wait. */
    attempt: async (
      socket: Pick<Socket, 'remoteAddress'>,
      given: string,
      expected: string,
    ): Promise<'right' | 'wrong' | 'busy'> => {
      const address = peerOf(socket);
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
      for (const end of waits) end();
    },
  };
}

/**
 * Names who is at the other end of a connection, for limits: this machine is one peer under all its loopback
 * addresses, and of IPv6 the network counts, in which a machine has as many addresses as it likes.
 */
export function peerOf({ remoteAddress = '' }: { readonly remoteAddress?: string | undefined }): string {
  if (isLoopbackAddress(remoteAddress)) return 'loopback';
  if (!isIPv6(remoteAddress) || remoteAddress.includes('.')) return remoteAddress.replace(/^::ffff:/i, '');
  const [before = '', after] = remoteAddress.replace(/%.*$/, '').split('::');
  const first = before.split(':').filter(Boolean);
  const last = (after ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: after === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
