import { isDeepStrictEqual } from 'node:util';

import { createDecisions } from '../../daemon/control/decide.ts';
import { readPauses } from '../../daemon/control/pauses.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import { requireService } from '../../daemon/preconditions/whose-ledger.ts';
import { emptyLedger } from '../../ledger/read-ledger.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { decisionsThrough } from '../../model/ports/control-port.ts';
import type { Answer, DecisionPort, Given } from '../../model/ports/control-port.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import { asItStands, withRestingEngine } from './resting-engine.ts';
import { withHistory, withLedger } from './with-ledger.ts';
import type { OfflineOptions } from './with-ledger.ts';

/**
 * What a person decides while no daemon runs: the daemon's own engine takes it, paused, on a copy of the ledger, and it
 * counts from the next start on, which finds all else. Throws as a daemon does, and as `withLedger`.
 */
export function offlineDecisions(options: OfflineOptions): DecisionPort {
  return decisionsThrough((name, given) => decide(options, name, given));
}

function decide<Name extends keyof DecisionPort>(
  options: OfflineOptions,
  name: Name,
  given: Given<Name>,
): Promise<Answer<Name>> {
  // Nothing has to be scanned for a pause; one look at its path is enough for a doubt.
  const isAboutFiles = name !== 'pause' && name !== 'resume';
  const rests = name !== 'resolve';
  const { settings } = options;
  return withLedger(options, async (ledger) => {
    if (isAboutFiles) {
      requireService(ledger, settings);
      await followFolders(ledger, settings, silentLog);
    }
    const copy = emptyLedger();
    if (isAboutFiles) await copy.commit([...ledger.changes()]);
    const onDecision = (changes: readonly Change[]) =>
      ledger.commit(changes.map((change) => asIn(ledger, copy, change)));
    const shared = { clock: systemClock, log: silentLog };
    const pauses = await readPauses(settings.state.dir);
    return withHistory(settings, (history) => {
      const looked = rests ? settings : asItStands(settings);
      const scanned = isAboutFiles ? looked : { ...settings, folders: [] };
      return withRestingEngine(
        { settings: scanned, ledger: copy, owners: null, onDecision, rests },
        ({ engine, folders }) => {
          const sources = { ...shared, settings, pauses, engine, ledger: copy, folders, history };
          return createDecisions(sources).decisionsBy('command line')[name](given);
        },
      );
    });
  });
}

/** A change of the copy's records, of the ledger's own: which the copy moved stands at its path of before, as it was. */
function asIn(ledger: LedgerPort, copy: LedgerPort, change: Change): Change {
  if (change.kind !== 'put') return change;
  const before = copy.get(change.ref);
  const ref = before === undefined ? undefined : ledger.findByDocId(before.docId);
  const record = ref === undefined ? undefined : ledger.get(ref);
  if (before === undefined || ref === undefined || record === undefined) return change;
  const after: Readonly<Record<string, unknown>> = { ...change.record };
  const known: Readonly<Record<string, unknown>> = { ...before };
  const names = Object.keys({ ...known, ...after });
  const made = names.filter((name) => !isDeepStrictEqual(known[name], after[name]));
  return {
    ...change,
    ref,
    record: { ...record, ...Object.fromEntries(made.map((name) => [name, after[name]])) },
  };
}
