import { directoriesTo, directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { errorCode, readFaultOf } from '../../model/errors.ts';
import { isTrustedCompanion, ignoreFileName } from '../rules/classify.ts';
import { defaultsName } from '../rules/pair-sidecars.ts';
import type { FolderState } from '../folder-state.ts';
import { statKey } from '../rules/entry.ts';
import { afterScanMs } from '../rules/settle.ts';
import type { ListedCompanions } from '../walk/directory-state.ts';
import { lookUp } from '../look-up.ts';

/** Of a directory that is gone, or that is seen for the first time. */
export const noCompanions: ListedCompanions = { lists: null, defaultsKey: '', rulesKey: '' };

/**
 * Takes note of sidecars, defaults and ignore rules that a scan finds gone, or back. One that is saved by unlink and
 * recreate, or is moved ahead of its document, is gone for a moment: what it says must not be taken back meanwhile,
 * least of all that a file is not to be sent.
 */
export function noteCompanions(
  folder: FolderState,
  directory: string,
  before: ListedCompanions,
  now: ListedCompanions,
): void {
  const { observations } = folder;
  for (const name of before.lists?.keys() ?? []) {
    if (now.lists?.has(name) === true) continue;
    observations.noteMissing('companion', joinPath(directory, name));
  }
  for (const name of now.lists?.keys() ?? []) observations.endMissing('companion', joinPath(directory, name));
  note(defaultsName, before.defaultsKey, now.defaultsKey);
  note(ignoreFileName, before.rulesKey, now.rulesKey);

  function note(name: string, was: string, is: string): void {
    const path = joinPath(directory, name);
    if (is !== '') observations.endMissing('companion', path);
    else if (was !== '') observations.noteMissing('companion', path);
  }
}

/** How long the other half of a removal is still waited for where nothing stands at `path`, ms; 0: no more. */
export function companionGrace(folder: FolderState, path: string): number {
  const { observations, removeGraceMs } = folder;
  const passed =
    observations.missingMs('companion', path) ??
    (wasThere(folder, path) ? observations.noteMissing('companion', path) : null);
  return passed === null ? 0 : Math.max(0, Math.ceil(removeGraceMs - passed));
}

/** As the last scan saw it: the event that it is gone has not come yet. */
function wasThere(folder: FolderState, path: string): boolean {
  const state = folder.tree.get(directoryOf(path));
  const name = nameOf(path);
  if (state === undefined) return false;
  if (name === defaultsName) return state.defaultsKey !== '';
  return name === ignoreFileName ? state.rulesKey !== '' : state.lists?.has(name) === true;
}

/**
 * How long the ignore rules that hold for a document may still be half of what they will be, ms; 0: they are whole. One
 * that is being written, or is gone for a moment, would let out what it keeps in. Throws where that cannot be told now.
 */
export function unsettledRules(folder: FolderState, document: string): number {
  return Math.max(...['', ...directoriesTo(document)].map((place) => unsettledRulesOf(folder, place)));
}

function unsettledRulesOf(folder: FolderState, place: string): number {
  const { tree, settings, observations } = folder;
  const path = joinPath(place, ignoreFileName);
  try {
    const absolute = folder.absolute(joinPath(tree.rawPath(place), ignoreFileName));
    const stats = lookUp(absolute);
    if (stats === undefined) return companionGrace(folder, path);
    const ownerUid = tree.get(place)?.uid ?? stats.uid;
    if (!stats.isFile() || !isTrustedCompanion(settings.sidecarOwner, stats.uid, ownerUid)) return 0;
    const settleMs = observations.settle(path, stats);
    // The rules in force are those of the last scan, which may have seen less of it.
    return tree.get(place)?.rulesKey === statKey(stats) ? settleMs : Math.max(settleMs, afterScanMs);
  } catch (error) {
    if (readFaultOf(errorCode(error)) === 'passing') throw error;
    // Of a directory that cannot be read a scan says so.
    return 0;
  }
}
