import { createDecisions } from '../../daemon/control/decide.ts';
import { readPauses } from '../../daemon/control/pauses.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import { requireService } from '../../daemon/preconditions/whose-ledger.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { decisionsThrough } from '../../model/ports/control-port.ts';
import type { Answer, DecisionPort, Given } from '../../model/ports/control-port.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import { asItStands, withRestingEngine } from './resting-engine.ts';
import { withHistory, withLedger } from './with-ledger.ts';
import type { OfflineOptions } from './with-ledger.ts';

/**
 * What a person decides while no daemon runs: the daemon's own engine takes it, paused, and it counts from the next
 * start on. Throws as a daemon does, and as `withLedger`.
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
    const shared = { clock: systemClock, log: silentLog };
    const pauses = await readPauses(settings.state.dir);
    return withHistory(settings, (history) => {
      const looked = rests ? settings : asItStands(settings);
      const scanned = isAboutFiles ? looked : { ...settings, folders: [] };
      const { add: onActivity, isTold } = history;
      return withRestingEngine(
        { settings: scanned, ledger, owners: null, onActivity, isTold, rests },
        ({ engine, folders }) => {
          const sources = { ...shared, settings, pauses, engine, ledger, folders, history };
          return createDecisions(sources).decisionsBy('command line')[name](given);
        },
      );
    });
  });
}
