import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { machineDirectory } from '../../config/find-places.ts';
import { users, userName } from '../../lib/process/user-name.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { openHistory } from '../../daemon/history/history.ts';
import type { History } from '../../daemon/history/history.ts';
import { withLease } from '../../daemon/process/join-cluster.ts';
import { makingOf } from '../../ledger/lock-state-directory.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { interruptedUploads } from '../../model/doubts.ts';
import { ConfigurationError, ServiceUnavailableError } from '../../model/errors.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { nearest } from '../check/check-ledger.ts';

/** What a person does while no daemon runs stands in the log as well. */
export async function withHistory<T>(
  { state, log }: Settings,
  act: (history: History) => T | Promise<T>,
): Promise<T> {
  const shared = { clock: systemClock, log: silentLog, onPast: () => {} };
  const history = await openHistory({ ...shared, stateDir: state.dir, keeps: log });
  try {
    return await act(history);
  } finally {
    history.close();
  }
}

/**
 * Throws ConfigurationError where root would make a state directory that its user could not read: the user of the
 * machine's service and, unless the process is to be a service itself, whoever owns the place.
 */
export async function requireOwnPlace({ file, state: { dir } }: Settings, isService = false): Promise<void> {
  const place = nearest(dir);
  if (place === dir || process.geteuid?.() !== 0) return;
  const isOfMachine = dirname(file) === machineDirectory && users().some(({ name }) => name === 'ingestd');
  const { uid } = await stat(place);
  if (!isOfMachine && (isService || uid === 0)) return;
  const user = isOfMachine ? 'ingestd' : userName(uid);
  throw new ConfigurationError(
    `state.dir: ${dir} is not there yet, and the user ${user} could not read what root makes there; run ${makingOf(dir, isOfMachine ? user : uid)}, then run ingestd as that user (sudo -u ${user} ingestd …)`,
  );
}

/** What a command is run on that writes the ledger while no daemon of this host does. */
export interface OfflineOptions {
  readonly settings: Settings;
  /** Who signs in, where that names the account of a fleet; else empty. */
  readonly username: string;
  /** Where the ledger's own faults go; left out: nowhere. */
  readonly log?: LogPort;
}

/**
 * Opens the ledger for one command; uploads that a process left without an answer are in doubt from then on. Of a state
 * directory that several hosts share it takes the lease first. Throws StateLockedError where another process or another
 * host has it, ServiceUnavailableError where that cannot be known.
 */
export async function withLedger<T>(
  { settings, username, log = silentLog }: OfflineOptions,
  act: (ledger: LedgerPort) => Promise<T>,
): Promise<T> {
  const { dir } = settings.state;
  await requireOwnPlace(settings);
  return withLease({ settings, username, log: silentLog, sends: false }, async (place, away) => {
    if (away !== null) {
      throw new ServiceUnavailableError(
        `Whether another host uses the state directory ${dir} is not known: ${away.message}. Nothing was changed.`,
      );
    }
    const ledger = await openLedger({ dir, clock: systemClock, log, lease: place?.lease });
    try {
      const interrupted = interruptedUploads(ledger.intents(), settings.safety.inDoubt);
      if (interrupted.length > 0) await ledger.commit(interrupted);
      return await act(ledger);
    } finally {
      await ledger.close();
    }
  });
}
