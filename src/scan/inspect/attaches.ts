import { directoriesTo, directoryOf, isSameFile, nameOf } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { AttachmentAnswer, AttachmentQuestion } from '../../model/ports/folder-port.ts';
import { entryAt, locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { resolveAttachment } from '../rules/attachment-lists.ts';
import { statOf } from '../rules/entry.ts';
import { rootTrouble, unlistedTrouble } from './find-entry.ts';
import { findSidecar } from './own-sidecar.ts';

/** Answers `FolderPort.attaches` from the disk as it is now. Never throws for what is on disk. */
export function attaches(
  folder: FolderState,
  { owner, path, names, elsewhere }: AttachmentQuestion,
): AttachmentAnswer {
  const isScanned = folder.scanned.root !== null && rootTrouble(folder) === null;
  if (!isScanned || unlistedTrouble(folder, owner) !== null) return 'unclear';
  // Where case does not count, what lies in a directory is found by the name that this had before, too.
  if (directoriesTo(owner).some((place) => entryAt(folder, place, locateOnDisk) === null)) return 'gone';
  if (elsewhere !== null && path !== null && !isFreeFor(elsewhere, folder, path)) return 'dropped';
  const standing = entryAt(folder, owner, locateOnDisk);
  const isOwnerGone = standing === null;
  const named = classifyByName(folder, owner);
  // No sidecar is paired with what is not sent there: it counts as what it was.
  const entry = named.kind === 'file' && named.exclusion === null ? standing : null;
  // Whose the sidecar of one that is gone was, nobody can say where it matters.
  const isNobodys = isOwnerGone && folder.settings.sidecarOwner === 'same';
  const own = isNobodys ? null : findSidecar(folder, owner, entry);
  if (own?.kind === 'settling') return 'settling';
  if (own?.kind === 'sidecar' && own.sidecar !== null) {
    const isListed = own.sidecar.attachments.some((text) => {
      const place = resolveAttachment(directoryOf(owner), text, 'folder');
      if (place.kind !== 'inside') return path === null;
      // Its document has moved, and the attachment may follow, or has: names may differ in case alone.
      if (place.path === path && elsewhere === null) return true;
      return names.includes(nameOf(place.path)) && isFreeFor(elsewhere, folder, place.path);
    });
    return isListed ? 'listed' : 'dropped';
  }
  if (!isOwnerGone) return own?.kind === 'sidecar' ? 'unlisted' : 'unclear';
  const { byName, byStem } = sidecarPlaces(owner);
  const isGone = [byName, byStem].every((one) => entryAt(folder, one, locateOnDisk) === null);
  return isGone ? 'gone' : 'unclear';
}

/** Whether no other file stands in a place. Null: none at all. */
function isFreeFor(stat: FileStat | null, folder: FolderState, path: string): boolean {
  const entry = entryAt(folder, path, locateOnDisk);
  if (entry?.kind !== 'file' || entry.stats === null) return true;
  return stat !== null && isSameFile(statOf(entry.stats), stat);
}
