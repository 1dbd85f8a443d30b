import { setTimeout as delay } from 'node:timers/promises';

import type { ClusterOptions } from '../../cluster/open-cluster.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { StateLockedError } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import type { Reason } from '../../model/report/status.ts';
import { blockedBy, createStopwatch, patienceMs } from './patience.ts';

/** This host among the others of its account. */
export type Place = NonNullable<Awaited<ReturnType<typeof joinCluster>>>;

/** A host that has the lease of its state directory, or waits for it. */
export type LeasedPlace = Place & { readonly lease: NonNullable<Place['lease']> };

/** Says whether the hosts of the account share the state directory. */
export function isLeased(place: Place | null): place is LeasedPlace {
  return place !== null && place.lease !== null;
}

interface JoinOptions extends Pick<ClusterOptions, 'username' | 'log'> {
  readonly settings: Settings;
}

/** Joins the other hosts of the account; null: there are none, and nothing of it is loaded. */
export async function joinCluster({ settings, username, log }: JoinOptions) {
  const { cluster, state } = settings;
  if (cluster === null) return null;
  const { openCluster } = await import('../../cluster/open-cluster.ts');
  const { prepareDirectory, readLeaseTraces, takeStateLock } =
    await import('../../ledger/lock-state-directory.ts');
  await prepareDirectory(state.dir);
  // A second process ends at once, however Redis is.
  if (!cluster.standBy) await (await takeStateLock(state.dir, systemClock)).release();
  const traces = () => readLeaseTraces(state.dir);
  return openCluster({ ...settings, cluster, username, traces, clock: systemClock, log });
}

const askMs = 100;
/** So long a command that sends nothing waits for a Redis that is away. */
const longestAwayMs = 5_000;

/**
 * Joins the other hosts for one command. Where it cannot have the lease, or does not learn whose the folders are, `away`
 * says why it was given up. `sends` false: the folders are left to those who send what is in them. Throws
 * StateLockedError where another host has either: a command does not stand by.
 */
export async function withLease<T>(
  { sends, ...options }: JoinOptions & { readonly sends: boolean },
  act: (place: Place | null, away: Reason | null) => Promise<T>,
): Promise<T> {
  const { settings } = options;
  // Who sends nothing asks Redis only for the lease.
  const place = sends || settings.cluster?.standBy === true ? await joinCluster(options) : null;
  if (place === null) return act(null, null);
  const longestMs = sends ? patienceMs(settings.timing) : longestAwayMs;
  const lasting = createStopwatch();
  try {
    while (!isReady(place)) {
      const blocked = blockedBy(place.reasons());
      const ms = lasting(blocked === null ? 'working' : 'blocked');
      if (blocked !== null && ms >= longestMs) return await act(place, blocked);
      await delay(askMs);
    }
    return await act(place, null);
  } finally {
    await place.close();
  }

  /** False: not yet, and no other host is seen to have the lease or a folder. */
  function isReady({ lease, claim }: Place): boolean {
    if (lease !== null && !lease.holds()) {
      const { holder } = lease;
      if (holder?.isThere !== true) return false;
      const advice = sends ? 'Stop ingestd there first.' : 'Run the command there.';
      throw new StateLockedError(
        `${holder.host} holds the state directory ${settings.state.dir} since ${holder.since} and keeps the service in sync. ${advice}`,
      );
    }
    if (!sends) return true;
    const owners = claim(settings.folders);
    for (const { name } of settings.folders) {
      const elsewhere = owners.elsewhere(name);
      if (elsewhere !== null) throw new StateLockedError(`${name}: ${elsewhere.message}`);
    }
    return owners.isKnown();
  }
}
