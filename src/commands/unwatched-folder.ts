import { existsSync } from 'node:fs';

import { systemClock } from '../lib/time/clock.ts';
import type { OwnersClaims } from '../model/document.ts';
import type { FolderListener, FolderPort } from '../model/ports/folder-port.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings, Settings } from '../model/settings.ts';
import { openConfiguredFolder } from '../scan/folder.ts';
import { presenceOf, unscannedFolder } from '../scan/folder-state.ts';
import type { OtherPlaces } from '../sync/decide/inspect-document.ts';

interface Surroundings {
  readonly settings: Settings;
  readonly log: LogPort;
  /** What sidecars attached when they were last valid; absent: nobody knows. */
  readonly claims?: OwnersClaims | undefined;
}

/** A folder that is scanned once and not watched. */
export function openUnwatched(
  folder: FolderSettings,
  { settings, log }: Omit<Surroundings, 'claims'>,
): FolderPort {
  return openConfiguredFolder({ ...folder, watch: 'polling' }, { settings, clock: systemClock, log });
}

/** Scans a folder that is not watched, and closes it when `act` is done. `onDirectory` gets what was listed. */
export async function withFolder<T>(
  folder: FolderSettings,
  { claims = new Map(), ...surroundings }: Surroundings,
  act: (port: FolderPort) => Promise<T>,
  onDirectory: FolderListener['directory'] = () => {},
): Promise<T> {
  const port = openUnwatched(folder, surroundings);
  try {
    await port.start({
      directory: onDirectory,
      scanned: () => {},
      claimed: () => {},
      claims: () => claims,
      changed: () => {},
    });
    return await act(port);
  } finally {
    await port.close();
  }
}

/** What one look at the disk tells of other folders: that nothing stands at a path. `ledger` null: nothing is known. */
export function glanceAt(
  folders: readonly FolderSettings[],
  ledger: Pick<LedgerPort, 'findHolders'> | null,
): OtherPlaces {
  const inspectIn: OtherPlaces['inspectIn'] = ({ folder, path }) => {
    const root = folders.find(({ name }) => name === folder)?.path;
    const isGone =
      root !== undefined && existsSync(root) && presenceOf(unscannedFolder(root), path) === 'gone';
    return Promise.resolve(isGone ? { kind: 'absent', device: 0 } : undefined);
  };
  return { inspectIn, orphanNamed: () => null, findHolders: ledger?.findHolders ?? (() => []) };
}

/** Settings with which nothing needs to settle: each file is judged as it stands. */
export function asItStands(settings: Settings): Settings {
  return { ...settings, timing: { ...settings.timing, settleMs: 0, removeGraceMs: 0 } };
}
