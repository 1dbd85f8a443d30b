import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { bringsToken } from '../../lib/server/brings-token.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';
import { isLoopbackAddress, urlHost } from '../../lib/server/host.ts';
import type { Settings } from '../../model/settings.ts';

/**
 * Who may ask for a route: everybody who may connect (`open`), who brings the token of the address and, for changes, the
 * page's own (`guarded`), the command line alone (`socket`).
 */
export type Access = 'open' | 'guarded' | 'socket';

/** What of a request decides whether it is let in. Header names in lower case. */
export interface RequestFacts {
  readonly method: string;
  /** Of the matched route. */
  readonly access: Access;
  readonly headers: IncomingHttpHeaders;
}

/** Why a request is not let in: an HTTP status, a code for programs, words for people. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly code: 'wrong-host' | 'other-site' | 'login-required' | 'page-token' | 'socket-only' | 'other-user';
  readonly message: string;
}

/** The header that carries the page's own token. */
const pageTokenHeader = 'x-ingestd-token';

/**
 * Judges a request that came over TCP; null lets it in. Neither another site in the same browser nor a host name
 * that was pointed at this address (DNS rebinding) gets past it, and a changing call needs the page's own token.
 */
export function judgeRequest(facts: RequestFacts, rules: AccessRules): Refusal | null {
  const host = header(facts, 'host')?.toLowerCase();
  const isPublic = host !== undefined && host === rules.publicUrl?.host;
  if (!isPublic && rules.hosts !== null && (host === undefined || !rules.hosts.has(host))) {
    const message =
      'this host name is not allowed; use the address that ingestd listens on, or set http.publicUrl';
    return { status: 403, code: 'wrong-host', message };
  }
  const origins = isPublic ? [] : [`http://${host}`, `https://${host}`];
  // A reverse proxy may send the address that it connects to as the host.
  if (rules.publicUrl !== null) origins.push(rules.publicUrl.origin);
  if (fromElsewhere(facts, origins)) {
    return { status: 403, code: 'other-site', message: 'requests from other sites are not allowed' };
  }
  if (facts.access === 'open') return null;
  if (rules.httpToken !== null && !bringsToken(facts.headers, rules.httpToken)) {
    const message =
      'the token is required (INGESTD_HTTP_TOKEN): as the password of any user name, or as a bearer token';
    return { status: 401, code: 'login-required', message };
  }
  if (facts.access === 'socket') {
    return { status: 403, code: 'socket-only', message: 'only the command line on this machine may do this' };
  }
  if (!isReading(facts) && !sameSecret(header(facts, pageTokenHeader) ?? '', rules.pageToken)) {
    return { status: 403, code: 'page-token', message: 'only the page itself may do this; reload the page' };
  }
  return null;
}

/** Says whether a request changes nothing by its method. */
export function isReading({ method }: Pick<RequestFacts, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

function header({ headers }: RequestFacts, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Following a link here is allowed from anywhere; everything else only to our own page and to programs. */
function fromElsewhere(facts: RequestFacts, origins: readonly string[]): boolean {
  const origin = header(facts, 'origin');
  if (origin !== undefined && !origins.includes(origin)) return true;
  const site = header(facts, 'sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const navigation = header(facts, 'sec-fetch-mode') === 'navigate';
  return !(isReading(facts) && navigation && header(facts, 'sec-fetch-dest') === 'document');
}

/** How the TCP address is reached and what it asks for. */
export interface AccessRules {
  /** `host:port` as browsers write it, of every name this address goes by; null: any name (a token guards it). */
  readonly hosts: ReadonlySet<string> | null;
  /** Under which a reverse proxy shows the page: its host and origin are this page's too; null: under none. */
  readonly publicUrl: URL | null;
  /** Asked of every request but for `/healthz`; null: nothing is asked. */
  readonly httpToken: string | null;
  /** The page's own, for calls that change something. */
  readonly pageToken: string;
}

const pageTokenBytes = 24;

/**
 * Works out what the guard of a TCP address that is bound now has to know: the configured host and what it was resolved
 * to. The page's token is new each time.
 */
export function createAccessRules(
  { host, publicUrl }: Pick<Settings['http'], 'host' | 'publicUrl'>,
  { address, port }: { readonly address: string; readonly port: number },
  httpToken: string | null,
): AccessRules {
  const names = [host, address, 'localhost', '127.0.0.1', '::1'].map((name) => urlHost(name.toLowerCase()));
  // Browsers leave out the scheme's default port.
  const hosts = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return {
    hosts: isLoopbackAddress(address) ? new Set(hosts) : null,
    publicUrl: publicUrl === undefined ? null : new URL(publicUrl),
    httpToken,
    pageToken: randomBytes(pageTokenBytes).toString('base64url'),
  };
}
