import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DaemonState, FolderStatus, Reason, Status } from '../model/report/status.ts';

/** The figures that the status knows. */
export interface StatusMetrics {
  /** Replaces every figure; folders that are gone take their series along. */
  readonly set: (status: Status, unready: readonly Reason[]) => void;
}

const daemonStates: readonly DaemonState[] = [
  'starting',
  'working',
  'idle',
  'paused',
  'degraded',
  'stopping',
];
const folderStates: readonly FolderStatus['state'][] = ['scanning', 'watching', 'polling', 'unavailable'];

/** They add up to the files on disk. */
const documentStates = ['synced', 'pending', 'waiting', 'failed', 'skipped'] as const;

/** Names them in the registry; they have no values before the first `set`. */
export function createStatusMetrics(registry: Registry): StatusMetrics {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `ingestd_${name}`, help, labelNames, registers: [registry] });

  const state = gauge('state', '1 for the state that the daemon is in, 0 for the others.', ['state']);
  const ready = gauge('ready', '1 while the folders are watched and the credentials accepted.');
  const folderState = gauge('folder_state', '1 for the state that the folder is in, 0 for the others.', [
    'folder',
    'state',
  ]);
  const documents = gauge('documents', 'Files on disk, by what has become of them.', ['folder', 'state']);
  const held = gauge('held', 'Deletions that wait for approval.', ['folder']);
  const oldest = gauge(
    'oldest_unsynced_seconds',
    'Age of the oldest change that is not at the service yet, in seconds.',
    ['folder'],
  );
  const watches = gauge('watches', 'Watches of the operating system in use.', ['folder']);
  const missed = new Counter({
    name: 'ingestd_watcher_missed_total',
    help: 'Changes that the watcher did not report and a rescan found.',
    labelNames: ['folder'],
    registers: [registry],
  });
  const queue = gauge('queue', 'Operations that are queued, under way or waiting for their time.', ['state']);
  const eta = gauge('queue_eta_seconds', 'Time until the queue is worked off at the rate limit, in seconds.');
  const inDoubt = gauge('in_doubt', 'Uploads whose outcome was never learned.');
  const duplicates = gauge('possible_duplicates', 'Documents that the service may hold twice.');
  const limit = gauge('rate_limit_requests', 'Requests that one window of the rate limit allows.');
  const used = gauge('rate_used_requests', 'Requests of the running window that are used.');
  const signedIn = gauge('signed_in', '1 while an access token is held, 0 while none is or it was refused.');

  const setFolder = (folder: FolderStatus) => {
    const { name } = folder;
    for (const of of folderStates) folderState.set({ folder: name, state: of }, of === folder.state ? 1 : 0);
    for (const of of documentStates) documents.set({ folder: name, state: of }, folder[of]);
    held.set({ folder: name }, folder.held);
    oldest.set({ folder: name }, folder.oldestUnsyncedSeconds);
    watches.set({ folder: name }, folder.watches);
    missed.inc({ folder: name }, folder.missedByWatcher);
  };

  return {
    set: (status, unready) => {
      for (const metric of [folderState, documents, held, oldest, watches, missed]) metric.reset();
      for (const folder of status.folders) setFolder(folder);
      for (const of of daemonStates) state.set({ state: of }, of === status.state ? 1 : 0);
      ready.set(unready.length === 0 ? 1 : 0);
      queue.set({ state: 'pending' }, status.queue.pending);
      queue.set({ state: 'in_flight' }, status.queue.inFlight);
      queue.set({ state: 'waiting' }, status.queue.waiting);
      eta.set(status.queue.etaSeconds);
      inDoubt.set(status.inDoubtTotal);
      duplicates.set(status.possibleDuplicates);
      limit.set(status.rate.limit);
      used.set(status.rate.used);
      signedIn.set(status.auth.state === 'ok' ? 1 : 0);
    },
  };
}
