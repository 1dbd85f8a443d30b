import { isTrustedPeer } from '../lib/peer-user.ts';
import type { PeerUser } from '../lib/peer-user.ts';
import { sameSecret } from '../lib/same-secret.ts';

/** How the TCP address is reached and what it asks for. */
export interface Door {
  /** `host:port` as browsers write it, of every name this address goes by; null: any name (a token guards it). */
  readonly hosts: ReadonlySet<string> | null;
  /** Asked of every request but for `/healthz` and the login; null: nothing is asked. */
  readonly httpToken: string | null;
  /** What the login leaves in the browser. */
  readonly cookie: { readonly name: string; readonly value: string };
  /** The page's own, for calls that change something. */
  readonly pageToken: string;
}

/** What of a request decides whether it is let in. Header names in lower case. */
export interface Knock {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Why a request is not let in: an HTTP status, a code for programs, words for people. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly code: 'wrong-host' | 'other-site' | 'login-required' | 'page-token' | 'socket-only' | 'other-user';
  readonly message: string;
}

/** The header that carries the page's own token. */
const pageTokenHeader = 'x-ingestd-token';

/** Answered to everyone who may connect: whether the process lives, and how the login looks. */
const openPaths: ReadonlySet<string> = new Set([
  '/healthz',
  '/assets/status/page/page.css',
  '/assets/status/page/icon.svg',
]);

/** A login proves itself by its own body. */
const loginPath = '/login';

/** Only the command line asks for these, through the socket. */
const socketPaths: ReadonlySet<string> = new Set(['/api/revoke']);

/**
 * Judges a request that came over TCP; null lets it in. Neither another site in the same browser nor a name that
 * was bent to this address (DNS rebinding) gets past it, and a changing call needs the page's own token.
 */
export function judgeRequest(knock: Knock, door: Door): Refusal | null {
  const host = header(knock, 'host')?.toLowerCase();
  if (door.hosts !== null && (host === undefined || !door.hosts.has(host))) {
    return refuse(403, 'wrong-host', 'this address does not go by that name');
  }
  if (fromElsewhere(knock, host)) {
    return refuse(403, 'other-site', 'requests from other sites are not answered');
  }
  if (openPaths.has(knock.path)) return null;
  if (knock.path === loginPath) return null;
  if (door.httpToken !== null && !proven(knock, door.httpToken, door.cookie)) {
    return refuse(401, 'login-required', 'this address asks for its token');
  }
  if (socketPaths.has(knock.path)) {
    return refuse(403, 'socket-only', 'this is done by the command line on the machine itself');
  }
  if (!isReading(knock) && !sameSecret(header(knock, pageTokenHeader) ?? '', door.pageToken)) {
    return refuse(403, 'page-token', 'only the page itself may do this; load it again');
  }
  return null;
}

/**
 * Judges who is at the other end of a changing call that was let in: where the address asks for no token, the page's
 * own can be fetched by everybody on the machine, so that only the user that runs the daemon and root may change things.
 */
export function judgePeer(peer: PeerUser, own: number): Refusal | null {
  if (isTrustedPeer(peer, own)) return null;
  return refuse(
    403,
    'other-user',
    'only the user that runs ingestd may do this; use its command line as that user, or set INGESTD_HTTP_TOKEN',
  );
}

/** Says whether a request changes nothing by its method. */
export function isReading({ method }: Pick<Knock, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

function refuse(status: Refusal['status'], code: Refusal['code'], message: string): Refusal {
  return { status, code, message };
}

function header({ headers }: Knock, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Following a link here is allowed from anywhere; everything else only to our own page and to programs. */
function fromElsewhere(knock: Knock, host: string | undefined): boolean {
  const origin = header(knock, 'origin');
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  const site = header(knock, 'sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const navigation = header(knock, 'sec-fetch-mode') === 'navigate';
  return !(isReading(knock) && navigation && header(knock, 'sec-fetch-dest') === 'document');
}

function proven(knock: Knock, token: string, cookie: Door['cookie']): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(header(knock, 'authorization') ?? '')?.[1];
  if (bearer !== undefined && sameSecret(bearer, token)) return true;
  const cookies = (header(knock, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  const prefix = `${cookie.name}=`;
  return cookies.some(
    (pair) => pair.startsWith(prefix) && sameSecret(pair.slice(prefix.length), cookie.value),
  );
}
