import { orNull } from '../../lib/or-null.ts';
import { directoryOf, isSameFile } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import type { Sidecar } from '../../model/metadata/metadata.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { AttachmentAnswer, AttachmentQuestion } from '../../model/ports/folder-port.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import { lookUp } from '../look-up.ts';
import { readSidecarFile } from '../companions/read-sidecar.ts';
import { entryAt, locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { resolveAttachment } from '../rules/attachment-lists.ts';
import { statKey, statOf } from '../rules/entry.ts';
import { rootTrouble } from './find-entry.ts';
import { findSidecar } from './own-sidecar.ts';

/** Answers `FolderPort.attaches` from the disk as it is now. Never throws for what is on disk. */
export function attaches(
  folder: FolderState,
  { owner, path, elsewhere }: AttachmentQuestion,
  scannedRoot: RootIdentity | null,
): AttachmentAnswer {
  if (rootTrouble(folder, scannedRoot) !== null) return 'unclear';
  if (path !== null && elsewhere !== null && isAnotherFile(folder, path, elsewhere)) return 'dropped';
  const sidecar = orNull(() => settledSidecar(folder, owner)) ?? null;
  if (sidecar === 'settling') return 'settling';
  if (sidecar !== null) {
    const isListed = sidecar.attachments.some((text) => {
      const place = resolveAttachment(directoryOf(owner), text, 'folder');
      return place.kind === 'inside' ? place.path === path : path === null;
    });
    return isListed ? 'listed' : 'dropped';
  }
  const { byName, byStem } = sidecarPlaces(owner);
  const isGone = [owner, byName, byStem].every((one) => entryAt(folder, one, locateOnDisk) === null);
  return isGone ? 'gone' : 'unclear';
}

function isAnotherFile(folder: FolderState, path: string, stat: FileStat): boolean {
  const entry = entryAt(folder, path, locateOnDisk);
  return entry?.kind === 'file' && entry.stats !== null && !isSameFile(statOf(entry.stats), stat);
}

/** The sidecar of a document, or what was that of one which is gone. Null: there is none that counts. */
function settledSidecar(folder: FolderState, owner: string): Sidecar | 'settling' | null {
  if (entryAt(folder, owner, locateOnDisk) !== null) {
    const own = findSidecar(folder, owner);
    if (own.kind === 'settling') return own.kind;
    return own.kind === 'sidecar' ? own.sidecar : null;
  }
  // Whose it was, nobody can say where it matters.
  if (folder.settings.sidecarOwner === 'same') return null;
  const { byName, byStem } = sidecarPlaces(owner);
  return settledAt(folder, byName) ?? settledAt(folder, byStem);
}

function settledAt(folder: FolderState, path: string): Sidecar | 'settling' | null {
  const absolute = locateOnDisk(folder, path);
  const stats = lookUp(absolute);
  if (stats?.isFile() !== true) return null;
  if (folder.observations.settle(path, stats) > 0) return 'settling';
  const reading = readSidecarFile(absolute);
  return reading.kind === 'valid' && statKey(reading.stats) === statKey(stats) ? reading.value : null;
}
