import { join } from 'node:path';

import { makeDirectory } from '../lib/files/make-directory.ts';
import type { EmbeddedService } from '../embedded/embedded-service.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { Settings } from '../model/settings.ts';
import type { Folder } from '../scan/folder.ts';
import { createDeliveryHistory } from '../status/metrics/delivery-history.ts';
import type { Daemon } from './assemble-daemon.ts';
import type { DaemonOptions } from './reach-service.ts';
import { readPauses } from './control/pauses.ts';
import { openHistory } from './history/history.ts';
import { followFolders } from './preconditions/follow-folders.ts';
import { requireFolders } from './preconditions/folders-on-disk.ts';
import { requireLedger } from './preconditions/new-ledger.ts';
import { claimLedger } from './preconditions/whose-ledger.ts';
import { adoptState } from './preconditions/whose-state.ts';

/**
 * Opens the state and every part of the daemon, for folders that are being scanned already. Throws StateLockedError,
 * LedgerDamagedError, ConfigurationError; then all but the folders is closed again.
 */
export async function openParts(options: DaemonOptions, folders: readonly Folder[]): Promise<Daemon> {
  const { settings, log, clock } = options;
  await requireLedger(settings);
  const lease = options.place?.lease;
  // A daemon that has read another configuration is the same process.
  const since = lease ? undefined : options.startedAt;
  const ledger = await openLedger({ dir: settings.state.dir, clock, log, lease, since });
  let embedded: EmbeddedService | null = null;
  try {
    await claimLedger(ledger, settings);
    const adopted = await adoptState(settings, options.makesFolders === true, log);
    await followFolders(ledger, settings, log);
    if (options.makesFolders === true) await makeFolders(settings, ledger);
    await requireFolders(settings, ledger);
    embedded = await startEmbedded(options);
    const { assembleDaemon } = await loadRooms();
    const deliveries = createDeliveryHistory(clock);
    const history = await openHistory({
      stateDir: settings.state.dir,
      keeps: settings.log,
      clock,
      log,
      onPast: deliveries.record,
    });
    const pauses = await readPauses(settings.state.dir);
    const daemon = assembleDaemon(options, { ledger, folders, embedded, history, deliveries, pauses });
    if (adopted !== null) daemon.timeline.warned(adopted);
    return daemon;
  } catch (error) {
    await embedded?.close();
    await ledger.close();
    throw error;
  }
}

/** Room by room: all of them at once would hold the event loop for a tenth of a second. */
async function loadRooms() {
  await import('../remote/auth/token-source.ts');
  await import('../remote/ingestion-client.ts');
  await import('../status/metrics/metrics.ts');
  await import('../sync/engine.ts');
  return import('./assemble-daemon.ts');
}

/** The trial starts with a folder to put files into. One that had documents is gone, and is waited for. */
async function makeFolders({ folders }: Settings, ledger: LedgerPort): Promise<void> {
  for (const { name, path } of folders) {
    if (ledger.count(name) === 0) await makeDirectory(path).catch(() => {});
  }
}

async function startEmbedded(options: DaemonOptions): Promise<EmbeddedService | null> {
  const { settings, log, clock, httpToken, lastServicePort } = options;
  if (settings.service.mode !== 'embedded') return null;
  const { startEmbeddedService } = await import('../embedded/embedded-service.ts');
  return startEmbeddedService({
    dataDir: join(settings.state.dir, 'service'),
    clock,
    log,
    requestsPerMinute: settings.service.requestsPerMinute,
    usualPort: lastServicePort ?? (settings.http.port === 0 ? undefined : usualPort),
    pageToken: httpToken,
  });
}

/** Of the embedded service: always the same where it is free, so that a bookmark holds. */
const usualPort = 7520;
