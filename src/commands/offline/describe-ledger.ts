import { errorCode, errorMessage } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import { countWords } from '../../lib/text/words.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { documentsIn } from '../../daemon/ledger/ledger-service.ts';
import { serviceWords } from '../../daemon/ledger/service-identity.ts';

/** What a ledger in the state directory holds already, in words; null: there is none, or nothing in it. */
export async function describeLedger({ state }: Pick<Settings, 'state'>): Promise<string | null> {
  try {
    const ledger = await readLedger(state.dir);
    const documents = documentsIn(ledger);
    const service = ledger.service();
    if (documents === 0) return null;
    return `${countWords(documents, 'document')}${service === null ? '' : ` of ${serviceWords(service)}`}`;
  } catch (error) {
    if (errorCode(error) === 'ledger-damaged') return 'what cannot be read';
    return errorMessage(error);
  }
}
