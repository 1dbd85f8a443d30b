import { stat } from 'node:fs/promises';

import { countWords } from '../../lib/text/amounts.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { ledgerPaths, listLedger } from '../../ledger/ledger-files.ts';
import { isFresh } from '../../ledger/read-ledger.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { withFix } from '../../model/report/explanations.ts';
import type { Activity, Reason } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';

/**
 * Refuses to begin a ledger where `state.mustExist` says that there is one: the volume of a container may be lost.
 * Throws ConfigurationError.
 */
export async function requireLedger({ state }: Pick<Settings, 'state'>): Promise<void> {
  const missing = await missingLedger(state);
  if (missing !== null) throw new ConfigurationError(`state.dir: ${withFix(missing)}`);
}

/** Says that a ledger is not there that has to be; null: it is, or need not be. */
export async function missingLedger({ dir, mustExist }: Settings['state']): Promise<Reason | null> {
  if (!mustExist || !(await isFresh(await listLedger(dir)))) return null;
  return { code: 'state-missing', message: `there is no ledger in ${dir}, and state.mustExist is true` };
}

export const newLedgerCode = 'new-ledger';

/** A new ledger is worth a word before more files than this. */
const fewFiles = 20;
const noticeMs = 3_600_000;

/**
 * A notice that the ledger is new although the folders are not, for the first hour of the ledger: a state directory that
 * was lost looks like this. `told`: as it was said last; of this ledger it is said again in the same words, since what
 * stands in the folders changes meanwhile. `unknown`: documents in the folders after the first scan, and not in the
 * ledger when it was opened. Null: there is nothing to say, or no more; `until` is in milliseconds of `clock.now()`.
 */
export async function newLedgerNotice(
  dir: string,
  { told, unknown = 0 }: { readonly told: Activity | undefined; readonly unknown?: number },
  clock: Pick<Clock, 'now'>,
): Promise<{ readonly reason: Reason; readonly until: number; readonly isTold: boolean } | null> {
  const areFew = unknown <= fewFiles;
  if (told === undefined && areFew) return null;
  const began = await stat(ledgerPaths(dir, 0).marker).catch(() => null);
  const until = (began?.mtimeMs ?? 0) + noticeMs;
  if (began === null || until <= clock.now()) return null;
  if (told !== undefined && Date.parse(told.at) >= began.mtimeMs)
    return { reason: { code: newLedgerCode, message: told.message ?? '' }, until, isTold: true };
  if (areFew) return null;
  const documents = countWords(unknown, 'document');
  const message = `new ledger in ${dir}: if the ${documents} found when it began were delivered before, they are sent a second time; stop ingestd and restore that directory, or run ingestd ledger import`;
  return { reason: { code: newLedgerCode, message }, until, isTold: false };
}
