import { isLoopbackHost } from '../../lib/server/is-loopback.ts';
import type { ServiceSettings } from '../../model/settings.ts';

const embedded = 'embedded';

/**
 * What tells one service from another in the ledger: the address of the ingestion operations, or `embedded`. On this
 * machine neither port nor spelling counts: trials and tunnels take the port that is free. The account is left out:
 * credentials are rotated and refused, which must not look like another service, and even a hash would give them away.
 */
export function serviceIdentity({ mode, ingestUrl }: Pick<ServiceSettings, 'mode' | 'ingestUrl'>): string {
  if (mode === embedded) return embedded;
  const { origin, hostname, pathname } = new URL(ingestUrl);
  const host = isLoopbackHost(hostname) ? 'http://localhost' : origin;
  return `${host}${pathname.replace(/\/+$/, '')}`;
}

/** An identity in words. */
export function serviceWords(identity: string): string {
  if (identity === embedded) return 'the embedded service';
  return identity.startsWith('http:') ? `${identity} (any port)` : identity;
}

/** Says whether an identity is that of a service with an address, which may move. */
export function canMove(identity: string): boolean {
  return identity !== embedded;
}
