import { setTimeout as delay } from 'node:timers/promises';

import { systemClock } from '../../lib/time/clock.ts';
import { StateLockedError } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import type { Reason } from '../../model/report/status.ts';
import { elsewhereWords } from './guard-shared-folders.ts';
import { blockedBy, createStopwatch } from './patience.ts';

/** This host among the others of its account. */
export type Place = NonNullable<Awaited<ReturnType<typeof joinCluster>>>;

/** A host that has the lease of its state directory, or waits for it. */
export type LeasedPlace = Place & { readonly lease: NonNullable<Place['lease']> };

interface JoinOptions {
  readonly settings: Settings;
  /** Who signs in; null in embedded mode. */
  readonly username: string | null;
  readonly log: LogPort;
}

/** Joins the other hosts of the account; null: there are none, and nothing of it is loaded. */
export async function joinCluster({ settings, username, log }: JoinOptions) {
  if (settings.cluster === null || username === null) return null;
  const { dir } = settings.state;
  const { openCluster } = await import('../../cluster/open-cluster.ts');
  const { prepareDirectory, readLeaseTraces } = await import('../../ledger/lock-state-directory.ts');
  await prepareDirectory(dir);
  return openCluster({
    settings: settings.cluster,
    requestsPerMinute: settings.service.requestsPerMinute,
    stateDir: dir,
    traces: () => readLeaseTraces(dir),
    service: { ingestUrl: settings.service.ingestUrl, username },
    clock: systemClock,
    log,
  });
}

/** The other host that holds the state directory; null: none is known. */
export function otherHolder({ host, lease }: LeasedPlace) {
  return lease.holder?.host === host ? null : lease.holder;
}

/** Two hosts of one name would take each other's permits for their own. */
export function nameTaken({ host }: LeasedPlace, { state }: Pick<Settings, 'state'>): StateLockedError {
  return new StateLockedError(
    `Another ingestd with the name ${host} uses the state directory ${state.dir}. Stop it first, or give this host another cluster.host: it then stands by.`,
  );
}

const askMs = 100;

interface WaitOptions extends JoinOptions {
  /** So long it waits for a Redis that is away. */
  readonly patienceMs: number;
  /** False for who sends nothing: the folders are left to those who do. */
  readonly sends: boolean;
  /** What to do where another host has it. */
  readonly advice: string;
}

/**
 * Joins the other hosts for one command. Where it cannot have the lease, or does not learn whose the folders are, `away`
 * says why it was given up. Throws StateLockedError where another host has either: a command does not stand by.
 */
export async function withLease<T>(
  options: WaitOptions,
  act: (place: Place | null, away: Reason | null) => Promise<T>,
): Promise<T> {
  const { settings, sends } = options;
  // Who sends nothing asks Redis only for the lease.
  const place = sends || settings.cluster?.standBy === true ? await joinCluster(options) : null;
  if (place === null) return act(null, null);
  const { lease, reasons } = place;
  try {
    let away = lease === null ? null : await wait(() => hasLease({ ...place, lease }, options));
    if (sends && away === null) {
      const owners = place.claim(settings.folders);
      away = await wait(owners.isKnown);
      for (const { name } of settings.folders) {
        const other = owners.ownerOf(name);
        if (other !== null) throw new StateLockedError(elsewhereWords(other, name));
      }
    }
    return await act(place, away);
  } finally {
    await place.close();
  }

  /** Waits until something is so. Gives why it was given up; null: it is so. */
  async function wait(isSo: () => boolean): Promise<Reason | null> {
    const lasting = createStopwatch();
    while (!isSo()) {
      const blocked = blockedBy(reasons());
      const ms = lasting(blocked === null ? 'working' : 'blocked');
      if (blocked !== null && ms >= options.patienceMs) return blocked;
      await delay(askMs);
    }
    return null;
  }
}

/** False: not yet, and nobody is seen to hold it. */
function hasLease(place: LeasedPlace, { settings, advice }: WaitOptions): boolean {
  const { lease } = place;
  if (lease.holds()) return true;
  if (lease.isNameTaken) throw nameTaken(place, settings);
  const { holder } = lease;
  if (holder?.isThere !== true) return false;
  throw new StateLockedError(
    `${holder.host} holds the state directory ${settings.state.dir} since ${new Date(holder.since).toISOString()} and keeps the service in sync. ${advice}`,
  );
}
