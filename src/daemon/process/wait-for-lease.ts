import type { FolderHolder } from '../../cluster/lease/lease-script.ts';
import { StateLockedError } from '../../model/errors.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import { systemClock } from '../system-clock.ts';
import { nameTaken } from './join-cluster.ts';
import type { Place } from './join-cluster.ts';

const askMs = 100;

interface WaitOptions {
  /** So long it waits for a Redis that is away. */
  readonly patienceMs: number;
  /** What to do where another host has it. */
  readonly advice: string;
}

/**
 * Waits for the lease of the state directory as long as nobody is seen to hold it. Throws StateLockedError where another
 * host does: a command does not stand by. Gives why it was given up; null: this host has it.
 */
export async function waitForLease(
  place: Place,
  settings: Settings,
  { patienceMs, advice }: WaitOptions,
): Promise<Reason | null> {
  const { lease, cluster } = place;
  const blockedFor = createFleetPatience(() => ({ reasons: cluster.reasons(), requests: 0 }), patienceMs);
  while (
    !lease.holds() ||
    place.locations.some((location) => location !== null && lease.folderHolder(location)?.host === '')
  ) {
    const { holder } = lease;
    const blocked = blockedFor();
    if (blocked !== null) return blocked;
    if (lease.isNameTaken) throw nameTaken(place, settings);
    if (holder !== null && (holder.isThere || (holder.isAlone && holder.host !== cluster.host)))
      throw new StateLockedError(
        `${holder.host} holds the state directory ${settings.state.dir} since ${new Date(holder.since).toISOString()} and keeps the service in sync. ${advice}`,
      );
    await new Promise((resolve) => setTimeout(resolve, askMs));
  }
  for (const [index, { name }] of settings.folders.entries()) {
    const location = place.locations[index] ?? null;
    const other = location === null ? null : lease.folderHolder(location);
    if (other !== null)
      throw new StateLockedError(
        `${other.host} sends ${sentWords(other)} "${name}", with another state directory: both would upload everything. Stop ingestd there, or share its state directory.`,
      );
  }
  return null;
}

function sentWords({ where }: FolderHolder): string {
  return { same: 'the folder', inside: 'a folder inside the folder', around: 'a folder around the folder' }[
    where
  ];
}

/**
 * Gives why the fleet lets this host send nothing, once that has lasted for `ms` and no request went out meanwhile; null:
 * it has not.
 */
export function createFleetPatience(
  ask: () => { readonly reasons: readonly Reason[]; readonly requests: number },
  ms: number,
): () => Reason | null {
  let since: number | null = null;
  let requests = -1;
  return () => {
    const now = systemClock.monotonic();
    const { reasons, requests: sent } = ask();
    const reason = reasons.find(({ code }) => fleetBlocks.has(code));
    if (reason === undefined) since = null;
    else if (since === null || sent !== requests) since = now;
    requests = sent;
    return reason !== undefined && since !== null && now - since >= ms ? reason : null;
  };
}

/** Reasons for which nothing is sent until somebody else does something. */
const fleetBlocks: ReadonlySet<string> = new Set(['redis-unavailable', 'redis-refuses', 'fleet-paused']);
