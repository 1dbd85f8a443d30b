import { readdirSync, statSync } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import { directoriesTo, directoryOf, joinPath, misspelledSidecarCode, nameOf } from '../../model/document.ts';
import { readSidecarFile } from '../companions/read-sidecar.ts';
import { recentLook } from '../companions/recent-look.ts';
import type { NamesLook } from '../companions/recent-look.ts';
import { entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { placesInside } from '../rules/attachment-lists.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import { entryKey } from '../rules/entry.ts';
import { fitting, mayBeMeantFor, misspelling } from '../rules/sidecar-names.ts';

/** A directory that changes all the time is read no more often than this for the documents in it. */
const readEveryMs = 50;

/**
 * A sidecar that fits no file beside a document and may be meant for it, from the root; null: there is none. What came
 * since the directory was scanned counts. Throws where the directory cannot be read.
 */
export function likelySidecar(folder: FolderState, document: string, ownerUid: number): string | null {
  const { tree, settings } = folder;
  const directory = directoryOf(document);
  const unfit = newNames(folder, directory)?.unfit ?? tree.get(directory)?.unfit?.keys() ?? [];
  for (const name of unfit) {
    if (!mayBeMeantFor(name, nameOf(document))) continue;
    const path = joinPath(directory, name);
    const stats = entryAt(folder, path)?.stats;
    if (stats !== undefined && isTrustedCompanion(settings.sidecarOwner, stats, ownerUid)) return path;
  }
  return null;
}

/** Whether a sidecar lists a file, and no listing has shown that yet: its directory is listed again. */
export function isListedAnew(folder: FolderState, path: string): boolean {
  const lists = (directory: string) => orNull(() => newLists(folder, directory))?.has(path);
  const found = ['', ...directoriesTo(path)].find(lists);
  if (found !== undefined) folder.changed(found);
  return found !== undefined;
}

/** What the sidecars of a directory list that have come, found their documents, or been edited, since it was scanned. */
function newLists(folder: FolderState, directory: string): ReadonlySet<string> {
  const { tree, observations, newLists: looks, absolute, settings } = folder;
  return recentLook(looks, directory, { present: observations.present, forMs: readEveryMs }, () => {
    const { lists, unpaired } = tree.get(directory) ?? {};
    const isPaired = (name: string) => unpaired?.has(name) !== true;
    const isNew = (name: string) => {
      const entry = entryAt(folder, joinPath(directory, name));
      return (
        entry !== null && (unpaired?.get(name) === 'orphan' || lists?.get(name)?.key !== entryKey(entry))
      );
    };
    const sidecars = newNames(folder, directory)?.fit ?? Array.from(lists?.keys() ?? []).filter(isPaired);
    const listed = sidecars.filter(isNew).flatMap((name) => {
      const reading = readSidecarFile(absolute(tree.rawPath(joinPath(directory, name))));
      return reading.kind === 'valid' ? placesInside(directory, reading.value, settings.attachments) : [];
    });
    return new Set(listed);
  });
}

/** The files in a directory that has changed since it was scanned; null: it has not. Throws where it cannot be read. */
export function newNames(folder: FolderState, directory: string): NamesLook | null {
  const { tree, observations, names, absolute } = folder;
  const place = absolute(tree.rawPath(directory));
  if (observations.isAsListed(directory, statSync(place))) return null;
  return recentLook(names, directory, { present: observations.present, forMs: readEveryMs }, () => {
    const entries = readdirSync(place, { withFileTypes: true });
    const files = entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name.normalize('NFC')]));
    const fits = fitting(() => files);
    const isMisspelled = misspelling(() => files);
    const sidecars = files.filter((name) => isSidecar(folder, joinPath(directory, name), isMisspelled));
    return { files, fit: sidecars.filter(fits), unfit: sidecars.filter((name) => !fits(name)) };
  });
}

function isSidecar(folder: FolderState, path: string, isMisspelled: (name: string) => boolean): boolean {
  if (!/.\.meta\.json$/i.test(nameOf(path)) && !isMisspelled(nameOf(path))) return false;
  const found = classifyByName(folder, path, { isMisspelled });
  return found.kind === 'sidecar' || (found.kind === 'skipped' && found.code === misspelledSidecarCode);
}
