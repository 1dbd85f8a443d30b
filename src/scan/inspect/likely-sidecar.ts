import { readdirSync, statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo, directoryOf, joinPath, misspelledSidecarCode, nameOf } from '../../model/document.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import { readSidecarFile } from '../companions/read-sidecar.ts';
import { recentLook } from '../companions/recent-look.ts';
import type { NamesLook } from '../companions/recent-look.ts';
import { entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { placesInside } from '../rules/attachment-lists.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import {
  fitting,
  isNearDefaults,
  isSidecarName,
  mayBeMeantFor,
  misspelling,
} from '../rules/sidecar-names.ts';

/**
 * A sidecar that fits no file beside a document and may be meant for it, or misspelled defaults of its directory or one
 * above, from the root; null: there is none. What came since they were scanned counts. Throws where one cannot be read.
 */
export function likelySidecar(folder: FolderState, document: string, ownerUid: number): string | null {
  const { tree, settings } = folder;
  for (const directory of ['', ...directoriesTo(document)]) {
    const state = tree.get(directory);
    for (const name of newNames(folder, directory)?.unfit ?? state?.unfit?.keys() ?? []) {
      const path = joinPath(directory, name);
      const isOfAll = isNearDefaults(name);
      const isBeside = directory === directoryOf(document);
      if (!isOfAll && !(isBeside && mayBeMeantFor(name, nameOf(document)))) continue;
      const stats = entryAt(folder, path)?.stats;
      const uid = isOfAll ? (state?.uid ?? -1) : ownerUid;
      if (stats !== undefined && isTrustedCompanion(settings.sidecarOwner, stats, uid)) return path;
    }
  }
  return null;
}

/** Whether a sidecar lists a file, and no listing has shown it beside its document yet: its directory is listed again. */
export function isListedAnew(folder: FolderState, path: string): boolean {
  const lists = (directory: string) => orNull(() => newNames(folder, directory))?.listed.has(path);
  const found = ['', ...directoriesTo(path)].find(lists);
  if (found !== undefined) folder.changed(found);
  return found !== undefined;
}

/** Whether a document has others with sidecars, also where no listing has shown them yet, and is not private without one. */
export function expectsSidecar(folder: FolderState, document: string, mode: ShareMode): boolean {
  const hasNew = (directory: string) => newNames(folder, directory)?.hasSidecar === true;
  return mode !== 'NONE' && (folder.tree.hasSidecars() || ['', ...directoriesTo(document)].some(hasNew));
}

/** The files in a directory that has changed since it was scanned; null: it has not. Throws where it cannot be read. */
export function newNames(folder: FolderState, directory: string): NamesLook | null {
  const { tree, observations, names, absolute, settings } = folder;
  const place = absolute(tree.rawPath(directory));
  if (observations.isAsListed(directory, statSync(place))) return null;
  return recentLook(names, directory, observations.present, () => {
    const entries = readdirSync(place, { withFileTypes: true });
    const files = entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name.normalize('NFC')]));
    const fits = fitting(() => files);
    const isMisspelled = misspelling(() => files);
    const sidecars = files.filter((name) => isSidecar(folder, joinPath(directory, name), isMisspelled));
    const { lists, unpaired } = tree.get(directory) ?? {};
    const isNew = (name: string) => lists?.has(name) !== true || unpaired?.get(name) === 'orphan';
    const listed = sidecars
      .filter((name) => fits(name) && isNew(name))
      .flatMap((name) => {
        const reading = readSidecarFile(`${place}/${name}`);
        return reading.kind === 'valid' ? placesInside(directory, reading.value, settings.attachments) : [];
      });
    return {
      files,
      unfit: sidecars.filter((name) => !fits(name)),
      hasSidecar: sidecars.some(isSidecarName),
      listed: new Set(listed),
    };
  });
}

function isSidecar(folder: FolderState, path: string, isMisspelled: (name: string) => boolean): boolean {
  const name = nameOf(path);
  // Of most names no rule is asked: with 1,000 patterns that takes seconds for 10,000 names.
  if (!/.\.meta\.json$/i.test(name) && !isNearDefaults(name) && !isMisspelled(name)) return false;
  const found = classifyByName(folder, path, { isMisspelled });
  return found.kind === 'sidecar' || (found.kind === 'skipped' && found.code === misspelledSidecarCode);
}
