import type { Clock } from '../lib/time/clock.ts';
import type { Log } from '../log/create-log.ts';
import type { EmbeddedService } from '../embedded/embedded-service.ts';
import { ConfigurationError } from '../model/errors.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import { createTokenSource } from '../remote/auth/token-source.ts';
import { createIngestionClient } from '../remote/ingestion-client.ts';
import { createLimiter } from '../remote/limiter.ts';
import type { UnsentAttachments } from '../sync/decide/unsent-attachments.ts';
import type { Place } from './process/join-cluster.ts';
import type { Reloaded } from './process/obey-signals.ts';

/** What a daemon is started with. What is left out stays as it is, is nowhere, or nobody knows it. */
export interface DaemonOptions
  extends
    Pick<Reloaded, 'settings' | 'credentials'>,
    Partial<Pick<Reloaded, 'httpToken' | 'readCredentials' | 'credentialsAdvice' | 'makesFolders'>> {
  readonly log: Log;
  readonly clock: Clock;
  readonly startedAt: string;
  /** `sync` gives up after so many attempts; null: never. */
  readonly maxAttempts: number | null;
  /** What this process knows of files that were not sent; left out: nothing. */
  readonly unsent?: UnsentAttachments | undefined;
  /** Among the hosts of one account, with the lease of the state directory. Null or left out: this host is alone. */
  readonly place?: Place | null | undefined;
  /** Of the embedded service, as the daemon before had it in this process; left out: there was none. */
  readonly lastServicePort?: number | undefined;
}

/** The service as this host reaches it: tokens, the requests of a minute, the client. Throws ConfigurationError. */
export function reachService(
  { settings, place = null, readCredentials, log, clock, ...options }: DaemonOptions,
  ledger: LedgerPort,
  embedded: EmbeddedService | null,
) {
  const { service } = settings;
  const credentials = embedded?.credentials ?? options.credentials;
  if (credentials === null) throw new ConfigurationError('credentials for the remote service are missing');
  log.addSecrets([credentials.apiKey, credentials.clientId, credentials.clientSecret, credentials.password]);
  // The ledger is of this service: with documents in it, its addresses were right.
  const hasWorked = settings.folders.some(({ name }) => ledger.count(name) > 0);
  const tokens = createTokenSource({
    authUrl: embedded?.authUrl ?? service.authUrl,
    // As they stand now; what cannot be read at the moment is as it was.
    credentials: async () => (await readCredentials?.().catch(() => null)) ?? credentials,
    advice: options.credentialsAdvice,
    clock,
    settings: service,
    log,
    store: place?.tokens ?? null,
    hasWorked,
  });
  const recent = ledger.sentRequests();
  const limiter = createLimiter({
    requestsPerMinute: service.requestsPerMinute,
    clock,
    recent,
    source: place?.permits(recent) ?? null,
  });
  const address = embedded?.ingestUrl ?? service.ingestUrl;
  const client = createIngestionClient({
    ingestUrl: address,
    tokens,
    limiter,
    settings: service,
    clock,
    log,
    hasWorked,
  });
  return { tokens, limiter, client, service: { address, account: credentials.username } };
}
