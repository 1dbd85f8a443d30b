import { createDecisions } from '../../daemon/control/decide.ts';
import { readPauses } from '../../daemon/control/pauses.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import {
  canMove,
  claimLedger,
  requireService,
  serviceIdentity,
  serviceWords,
} from '../../daemon/preconditions/whose-ledger.ts';
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

/** Whose a ledger's documents were, and whose they are to be. */
export interface ServiceMove {
  readonly documents: number;
  /** In words, as `to`; null: the ledger did not say. */
  readonly from: string | null;
  readonly to: string;
}

/**
 * A person's word that the ledger's service is the configured one; null where `isMeant` says no. Throws StateLockedError
 * beside a running daemon, ConfigurationError where that cannot be: the embedded service has no address that could
 * change.
 */
export async function moveService(
  options: OfflineOptions,
  isMeant: (move: ServiceMove) => Promise<boolean>,
): Promise<ServiceMove | null> {
  const { settings } = options;
  const service = serviceIdentity(settings.service);
  return withLedger(options, async (ledger) => {
    const before = ledger.service();
    const mayBe = before === null || (canMove(before) && canMove(service));
    if (!mayBe) await claimLedger(ledger, settings);
    const from = before === null ? null : serviceWords(before);
    const move = { documents: ledger.total(), from, to: serviceWords(service) };
    if (!mayBe || before === service) return move;
    if (!(await isMeant(move))) return null;
    await ledger.commit([{ kind: 'service', service }]);
    return move;
  });
}
