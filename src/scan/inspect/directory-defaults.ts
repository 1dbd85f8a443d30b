import { printable } from '../../lib/text/printable.ts';
import { directoriesTo, joinPath } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import { directoryFingerprint } from '../rules/fingerprint.ts';
import { defaultsName } from '../rules/pair-sidecars.ts';
import { entryKey, kindOf, statKey } from '../rules/entry.ts';
import type { FolderState } from '../folder-state.ts';
import { companionGrace } from '../companions/companion-grace.ts';
import { lookUp } from '../look-up.ts';
import { changedMeanwhile, notRead, settling, unfit } from './inspection-results.ts';
import type { NoDocument } from './inspection-results.ts';
import { readDefaultsFile } from '../companions/read-sidecar.ts';

/** What a directory's documents inherit. */
interface InheritedDefaults {
  readonly kind: 'inherited';
  /** Nearest first; `path` from the root. */
  readonly layers: readonly { readonly path: string; readonly metadata: Metadata }[];
  /** The fingerprint of plain documents in the directory. */
  readonly fingerprint: string;
}

/** Reads the `.meta.json` of a directory and those above it. */
export type DefaultsReader = (directory: string) => InheritedDefaults | NoDocument;

const defaultsUnreadable = 'defaults-unreadable';

export function createDefaultsReader(folder: FolderState): DefaultsReader {
  return (directory) => {
    const layers: { path: string; metadata: Metadata }[] = [];
    let fingerprint = folder.fingerprint;
    for (const place of ['', ...directoriesTo(joinPath(directory, defaultsName))]) {
      const path = joinPath(place, defaultsName);
      const absolute = folder.absolute(joinPath(folder.tree.rawPath(place), defaultsName));
      try {
        const stats = lookUp(absolute);
        const ownerUid = folder.tree.get(place)?.uid ?? -1;
        const foreign =
          stats !== undefined && !isTrustedCompanion(folder.settings.sidecarOwner, stats.uid, ownerUid);
        if (stats === undefined || foreign) {
          const graceMs = companionGrace(folder, path);
          if (graceMs > 0) return settling(graceMs);
          continue;
        }
        const kind = kindOf(stats);
        const key = entryKey({ kind, stats });
        fingerprint = directoryFingerprint(fingerprint, key);
        const delay = kind === 'file' ? folder.observations.settle(path, stats) : 0;
        if (delay > 0) return settling(delay);
        const reading = readDefaultsFile(absolute);
        if (reading.kind === 'gone') return changedMeanwhile;
        // It changed between two readings: the next inspection sees the new one.
        if (reading.kind === 'valid' && statKey(reading.stats) !== key)
          return settling(Math.max(1, folder.observations.settle(path, reading.stats)));
        if (reading.kind === 'unreadable') return notRead(printable(path), reading.code, defaultsUnreadable);
        if (reading.kind !== 'valid')
          return unfit('defaults-invalid', `${printable(path)}: ${reading.message}`);
        layers.unshift({ path, metadata: reading.value });
      } catch (error) {
        return notRead(printable(path), errorCode(error), defaultsUnreadable);
      }
    }
    return { kind: 'inherited', layers, fingerprint };
  };
}
