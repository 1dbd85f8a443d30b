import { countWords } from '../../lib/text/amounts.ts';
import { isLoopbackHost } from '../../lib/server/host.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import { withFix } from '../../model/report/explanations.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Settings, ServiceSettings } from '../../model/settings.ts';

type Known = Pick<LedgerPort, 'service' | 'total'>;

/**
 * What stands between the ledger and the configured service; null: nothing. A ledger without records, or of a time
 * when it did not say whose they are, is anybody's.
 */
export function otherService(ledger: Known, { service, state }: Settings): Reason | null {
  const known = ledger.service();
  const documents = ledger.total();
  if (known === null || known === serviceIdentity(service) || documents === 0) return null;
  const now =
    service.mode === 'embedded' ? 'service.mode is embedded' : `service.ingestUrl is ${service.ingestUrl}`;
  const message =
    `the ledger in ${state.dir} belongs to ${serviceWords(known)} (${countWords(documents, 'document')}), ` +
    `but ${now}. Documents of one service would count as delivered to the other`;
  return { code: canMove(known) && service.mode !== embedded ? 'other-service' : 'trial-ledger', message };
}

/** Throws ConfigurationError where the records are another service's. */
export function requireService(ledger: Known, settings: Settings): void {
  const other = otherService(ledger, settings);
  if (other !== null) throw new ConfigurationError(`state.dir: ${withFix(other)}`);
}

/**
 * Writes down whose the records are from now on. What another service refused, and holds nothing of, is no word of this
 * one: it is forgotten. Throws ConfigurationError where the records are another service's.
 */
export async function claimLedger(ledger: LedgerPort, settings: Settings): Promise<void> {
  requireService(ledger, settings);
  const known = ledger.service();
  const service = serviceIdentity(settings.service);
  if (known === service) return;
  const refused = known === null ? [] : Array.from(ledger.failures(), ([ref]) => ref);
  await ledger.commit([
    { kind: 'service', service },
    ...refused.map((ref): Change => ({ kind: 'clear', ref })),
  ]);
}

/** Whose a ledger's documents were, and whose they are to be. */
interface ServiceMove {
  readonly documents: number;
  /** In words, as `to`; null: the ledger did not say. */
  readonly from: string | null;
  readonly to: string;
}

/**
 * A person's word that the ledger's service is the configured one; null where `isMeant` says no. Throws ConfigurationError
 * where that cannot be: the embedded service has no address that could change.
 */
export async function moveLedger(
  ledger: LedgerPort,
  settings: Settings,
  isMeant: (move: ServiceMove) => Promise<boolean>,
): Promise<ServiceMove | null> {
  const service = serviceIdentity(settings.service);
  const before = ledger.service();
  const mayBe = before === null || (canMove(before) && canMove(service));
  if (!mayBe) await claimLedger(ledger, settings);
  const from = before === null ? null : serviceWords(before);
  const move = { documents: ledger.total(), from, to: serviceWords(service) };
  if (!mayBe || before === service) return move;
  if (!(await isMeant(move))) return null;
  await ledger.commit([{ kind: 'service', service }]);
  return move;
}

/** Why documents of an import are not the configured service's; null: they are. */
export function foreignWords(service: string, settings: Settings): string | null {
  const own = serviceIdentity(settings.service);
  if (service === own) return null;
  return (
    `"service": the documents are at ${serviceWords(service)}, but the configured service is ` +
    `${serviceWords(own)}. Use the file or the configuration of the right service; if both ` +
    'addresses are the same service, remove "service" from the file'
  );
}

const embedded = 'embedded';

/**
 * What distinguishes one service from another in the ledger: the address of the ingestion operations, or `embedded`. On
 * this machine neither port nor spelling counts: trials and tunnels take the port that is free. The account is left out:
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
function canMove(identity: string): boolean {
  return identity !== embedded;
}
