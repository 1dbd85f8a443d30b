import { setTimeout as delay } from 'node:timers/promises';

import { systemClock } from '../../lib/time/clock.ts';
import { StateLockedError } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import type { Reason } from '../../model/report/status.ts';
import { elsewhereWords } from './guard-shared-folders.ts';
import { blockedBy, createStopwatch, patienceMs } from './patience.ts';

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
  const { cluster, service, state } = settings;
  if (cluster === null || username === null) return null;
  const { openCluster } = await import('../../cluster/open-cluster.ts');
  const { prepareDirectory, readLeaseTraces } = await import('../../ledger/lock-state-directory.ts');
  await prepareDirectory(state.dir);
  return openCluster({
    settings: cluster,
    requestsPerMinute: service.requestsPerMinute,
    stateDir: state.dir,
    traces: () => readLeaseTraces(state.dir),
    service: { ingestUrl: service.ingestUrl, username },
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
  const { lease, reasons } = place;
  const advice = sends ? 'Stop ingestd there first.' : 'Run the command there.';
  try {
    let away = lease === null ? null : await wait(() => hasLease({ ...place, lease }, settings, advice));
    if (sends && away === null) {
      const owners = place.claim(settings.folders);
      away = await wait(owners.isKnown);
      for (const { name } of settings.folders) {
        const other = owners.ownerOf(name);
        if (other !== null) throw new StateLockedError(`${name}: ${elsewhereWords(other)}`);
      }
    }
    return await act(place, away);
  } finally {
    await place.close();
  }

  /** Waits until something is so. Gives why it was given up; null: it is so. */
  async function wait(isSo: () => boolean): Promise<Reason | null> {
    const longestMs = sends ? patienceMs(settings.timing) : longestAwayMs;
    const lasting = createStopwatch();
    while (!isSo()) {
      const blocked = blockedBy(reasons());
      const ms = lasting(blocked === null ? 'working' : 'blocked');
      if (blocked !== null && ms >= longestMs) return blocked;
      await delay(askMs);
    }
    return null;
  }
}

/** False: not yet, and nobody is seen to hold it. */
function hasLease(place: LeasedPlace, settings: Settings, advice: string): boolean {
  const { holder, isNameTaken, holds } = place.lease;
  if (holds()) return true;
  if (isNameTaken) throw nameTaken(place, settings);
  if (holder?.isThere !== true) return false;
  const since = new Date(holder.since).toISOString();
  throw new StateLockedError(
    `${holder.host} holds the state directory ${settings.state.dir} since ${since} and keeps the service in sync. ${advice}`,
  );
}
