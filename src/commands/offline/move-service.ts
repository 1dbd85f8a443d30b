import type { Settings } from '../../model/settings.ts';
import {
  claimLedger,
  documentsIn,
  canMove,
  serviceIdentity,
  serviceWords,
} from '../../daemon/ledger/whose-ledger.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { withLedger } from './with-ledger.ts';
import type { OfflineOptions } from './with-ledger.ts';

/** What `ledger service-moved` did. */
export interface ServiceMove {
  readonly documents: number;
  /** In words; null: the ledger did not say. */
  readonly from: string | null;
  /** In words. */
  readonly to: string;
}

/**
 * A person's word that the ledger's service is the configured one. Throws StateLockedError beside a running daemon,
 * ConfigurationError where that cannot be: the embedded service has no address that could change.
 */
export async function moveService(options: OfflineOptions): Promise<ServiceMove> {
  const { settings } = options;
  const service = serviceIdentity(settings.service);
  return withLedger(options, async (ledger) => {
    const before = ledger.service();
    const mayBe = before === null || (canMove(before) && canMove(service));
    if (!mayBe) await claimLedger(ledger, settings);
    else if (before !== service) await ledger.commit([{ kind: 'service', service }]);
    return {
      documents: documentsIn(ledger),
      from: before === null ? null : serviceWords(before),
      to: serviceWords(service),
    };
  });
}

/** What a ledger in the state directory holds already, in words; null: there is none, or nothing in it. */
export async function describeLedger({ state }: Pick<Settings, 'state'>): Promise<string | null> {
  try {
    const ledger = await readLedger(state.dir);
    const documents = documentsIn(ledger);
    const service = ledger.service();
    if (documents === 0) return null;
    return `${countWords(documents, 'document')}${service === null ? '' : ` at ${serviceWords(service)}`}`;
  } catch (error) {
    if (errorCode(error) === 'ledger-damaged') return 'unreadable documents';
    return errorMessage(error);
  }
}
