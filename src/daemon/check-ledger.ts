import { errorCode, errorMessage } from '../model/errors.ts';
import { fixFor } from '../model/report/fixes.ts';
import type { CheckFinding } from '../model/report/reports.ts';
import type { Settings } from '../model/settings.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { checkRecords } from './check-records.ts';
import { otherService } from './ledger-service.ts';

/** Judges what the ledger says: can it be read, is it of the configured service, and do its records fit the folders. */
export async function checkLedger(settings: Settings): Promise<CheckFinding[]> {
  const found = { level: 'error', subject: 'state.dir' } as const;
  try {
    const ledger = await readLedger(settings.state.dir);
    const other = otherService(ledger, settings);
    // Records of another service are nobody's here.
    if (other !== null) return [{ ...found, code: 'other-service', ...other }];
    return await checkRecords(ledger, settings);
  } catch (error) {
    const code = errorCode(error);
    // Of a directory that is closed to this user it is said elsewhere.
    return code === 'ledger-damaged'
      ? [{ ...found, code, message: errorMessage(error), fix: fixFor(code) }]
      : [];
  }
}
