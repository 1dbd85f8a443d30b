import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DaemonState, Health, FolderStatus, Reason, Status } from '../../model/report/status.ts';

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
  'standby',
];
const healths: readonly Health[] = ['ok', 'attention', 'error'];
const folderStates: readonly FolderStatus['state'][] = ['scanning', 'watching', 'polling', 'unavailable'];

/** They add up to the files on disk. */
const documentStates = ['synced', 'pending', 'waiting', 'failed', 'skipped'] as const;

/** Names them in the registry; they have no values before the first `set`. */
export function createStatusMetrics(registry: Registry): StatusMetrics {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `ingestd_${name}`, help, labelNames, registers: [registry] });

  const health = gauge('health', '0 while all is well, 1 when something needs attention, 2 for an error.');
  const state = gauge('state', '1 for the state that the daemon is in, 0 for the others.', ['state']);
  const ready = gauge('ready', '1 while the folders are watched and the credentials accepted.');
  const folderState = gauge('folder_state', '1 for the state that the folder is in, 0 for the others.', [
    'folder',
    'state',
  ]);
  const documents = gauge('documents', 'Files on disk, by state.', ['folder', 'state']);
  const held = gauge('held', 'Deletions held for approval.', ['folder']);
  const kept = gauge('kept', 'Documents that stay at the service although their file is ignored or gone.', [
    'folder',
  ]);
  const attached = gauge('attached', 'Files that are attachments of documents.', ['folder']);
  const oldest = gauge(
    'oldest_unsynced_seconds',
    'Age of the oldest change that is not at the service yet, in seconds.',
    ['folder'],
  );
  const watches = gauge('watches', 'Watches of the operating system that are in use.', ['folder']);
  const missed = new Counter({
    name: 'ingestd_watcher_missed_total',
    help: 'Changes that the watcher did not report and a rescan found.',
    labelNames: ['folder'],
    registers: [registry],
  });
  const queue = gauge('queue', 'Operations that are queued, in flight or waiting.', ['state']);
  const eta = gauge('queue_eta_seconds', 'Time until everything in the queue has been sent, in seconds.');
  const inDoubt = gauge('in_doubt', 'Uploads whose outcome is unknown.');
  const duplicates = gauge('possible_duplicates', 'Documents that the service may hold twice.');
  const limit = gauge('rate_limit_requests', 'Requests that one window of the rate limit allows.');
  const used = gauge('rate_used_requests', 'Requests of the current window that are used.');
  const signedIn = gauge('signed_in', '1 while an access token is held, 0 while none is or it was refused.');

  const setFolder = (folder: FolderStatus) => {
    const { name } = folder;
    for (const of of folderStates) folderState.set({ folder: name, state: of }, of === folder.state ? 1 : 0);
    for (const of of documentStates) documents.set({ folder: name, state: of }, folder[of]);
    held.set({ folder: name }, folder.held);
    kept.set({ folder: name }, folder.kept);
    attached.set({ folder: name }, folder.attached);
    oldest.set({ folder: name }, folder.oldestUnsyncedSeconds);
    watches.set({ folder: name }, folder.watches);
    missed.inc({ folder: name }, folder.missedByWatcher);
  };

  return {
    set: (status, unready) => {
      for (const metric of [folderState, documents, held, kept, attached, oldest, watches, missed])
        metric.reset();
      for (const folder of status.folders) setFolder(folder);
      for (const of of daemonStates) state.set({ state: of }, of === status.state ? 1 : 0);
      health.set(healths.indexOf(status.health));
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
