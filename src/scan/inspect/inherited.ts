import { printable } from '../../lib/text/printable.ts';
import { directoriesTo, joinPath } from '../../model/document.ts';
import type { NoDocument } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import { ignoreFileName, isTrustedCompanion } from '../rules/classify.ts';
import { defaultsName } from '../rules/sidecar-names.ts';
import { entryKey, kindOf, statKey } from '../rules/entry.ts';
import { afterScanMs } from '../rules/settle.ts';
import { awaitedMs } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { lookUp } from '../look-up.ts';
import { notRead, settling, unfit } from './inspection-results.ts';
import { readDefaultsFile } from '../companions/read-sidecar.ts';

/** What a directory's documents inherit. */
interface Inherited {
  readonly kind: 'inherited';
  /** Nearest first; `path` from the root. */
  readonly layers: readonly { readonly path: string; readonly metadata: Metadata }[];
  /** The fingerprint of plain documents in the directory. */
  readonly fingerprint: string;
}

const defaultsUnreadable = 'defaults-unreadable';

/** Reads the `.meta.json` of a directory and those above it. */
export function readDefaults(folder: FolderState, directory: string): Inherited | NoDocument {
  const { tree, observations } = folder;
  const layers: { path: string; metadata: Metadata }[] = [];
  for (const place of placesOf(directory)) {
    const path = joinPath(place, defaultsName);
    try {
      const delay = unsettledMs(folder, place, defaultsName);
      if (delay > 0) return settling(delay);
      const key = tree.get(place)?.defaultsKey ?? '';
      if (key === '') continue;
      const reading = readDefaultsFile(absoluteOf(folder, place, defaultsName));
      // It changed between two readings: the next inspection sees the new one.
      if (reading.kind === 'valid' && statKey(reading.stats) !== key)
        return settling(Math.max(1, observations.settle(path, reading.stats)));
      if (reading.kind === 'unreadable') return notRead(printable(path), reading.code, defaultsUnreadable);
      if (reading.kind !== 'valid')
        return unfit('defaults-invalid', `${printable(path)}: ${reading.message}`);
      layers.unshift({ path, metadata: reading.value });
    } catch (error) {
      return notRead(printable(path), errorCode(error), defaultsUnreadable);
    }
  }
  return { kind: 'inherited', layers, fingerprint: tree.get(directory)?.fingerprint ?? folder.fingerprint };
}

/** How long the ignore rules of a directory may still change, ms; 0: they stand. Throws where that cannot be told. */
export function unsettledRulesMs(folder: FolderState, directory: string): number {
  return Math.max(...placesOf(directory).map((place) => unsettledMs(folder, place, ignoreFileName)));
}

function placesOf(directory: string): readonly string[] {
  return ['', ...directoriesTo(joinPath(directory, defaultsName))];
}

/**
 * How long what a directory's `.meta.json` or `.ingestignore` says may still change, ms; 0: it stands. What holds is what
 * the last scan saw: one that is being written, or is gone for a moment, would let out what it keeps in.
 */
function unsettledMs(folder: FolderState, place: string, name: string): number {
  const { tree, settings, observations } = folder;
  const state = tree.get(place);
  const known = (name === defaultsName ? state?.defaultsKey : state?.rulesKey) ?? '';
  const found = lookUp(absoluteOf(folder, place, name));
  const counts = found !== undefined && isTrustedCompanion(settings.sidecarOwner, found, state?.uid ?? -1);
  if (!counts && known === '') return awaitedMs(folder, joinPath(place, name));
  const settleMs = counts && found.isFile() ? observations.settle(joinPath(place, name), found) : 0;
  const isAsScanned = counts && entryKey({ kind: kindOf(found), stats: found }) === known;
  return isAsScanned ? settleMs : Math.max(settleMs, afterScanMs);
}

/** Where a directory's own file of this name stands on the disk. */
export function absoluteOf({ tree, absolute }: FolderState, place: string, name: string): string {
  return absolute(joinPath(tree.rawPath(place), name));
}
