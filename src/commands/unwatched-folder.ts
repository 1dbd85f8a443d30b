import type { FolderPort } from '../model/ports/folder-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings, Settings } from '../model/settings.ts';
import { openConfiguredFolder } from '../scan/folder.ts';
import { systemClock } from '../lib/time/clock.ts';

interface Surroundings {
  readonly settings: Settings;
  readonly log: LogPort;
}

/** A folder that is scanned once and not watched. */
export function openUnwatched(folder: FolderSettings, { settings, log }: Surroundings): FolderPort {
  return openConfiguredFolder({ ...folder, watch: 'polling' }, { settings, clock: systemClock, log });
}

/** The same where nothing needs to settle: each file is judged as it stands. */
export function openAsItStands(folder: FolderSettings, { settings, log }: Surroundings): FolderPort {
  const timing = { ...settings.timing, settleMs: 0, removeGraceMs: 0 };
  return openUnwatched(folder, { settings: { ...settings, timing }, log });
}
