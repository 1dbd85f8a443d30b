import { printable } from '../../lib/text/printable.ts';
import { directoryOf, nameOf } from '../../model/document.ts';
import type { Companions } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import type { Sidecar } from '../../model/metadata/metadata.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import { kindOf, statKey } from '../rules/entry.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import type { EntryKind } from '../rules/classify.ts';
import type { FolderState } from '../folder-state.ts';
import { afterScanMs } from '../rules/settle.ts';
import { lookUp } from '../look-up.ts';
import { changedMeanwhile, notRead, settling, unfit } from './inspection-results.ts';
import type { NoDocument } from './inspection-results.ts';
import { readSidecarFile } from '../companions/read-sidecar.ts';

/** A document's own sidecar. */
export interface OwnSidecar {
  readonly kind: 'sidecar';
  /** Null: it has none. */
  readonly sidecar: Sidecar | null;
  /** Where it stands, from the root; null: it has none. */
  readonly path: string | null;
  readonly named: Companions['sidecar'];
  /** What of it goes into the fingerprint; '' for none. */
  readonly key: string;
}

/** Finds and reads the sidecar of one document; an answer instead where it keeps the document from being sent. */
export function findSidecar(
  folder: FolderState,
  document: string,
  ownerUid: number,
): OwnSidecar | NoDocument {
  const paired = folder.tree.get(directoryOf(document))?.unclearSidecars?.get(nameOf(document));
  if (paired?.kind === 'twin')
    return unfit(
      'unicode-twin',
      `there are two sidecars ${printable(paired.name)}, with accents encoded differently (NFC and NFD), so it is unclear which one counts; remove one of the two`,
    );
  const found = locateSidecar(folder, document, ownerUid);
  if (found === null) {
    if (folder.settings.sidecar === 'optional')
      return { kind: 'sidecar', sidecar: null, path: null, named: null, key: '' };
    const message = `waiting for its sidecar ${printable(nameOf(sidecarPlaces(document).byName))}`;
    return { kind: 'waiting', code: 'sidecar-missing', message, againMs: null };
  }
  if (found === 'unscanned') return settling(afterScanMs);
  const { path, kind, key, ambiguous } = found;
  const name = printable(nameOf(path));
  if (ambiguous) {
    return unfit(
      'ambiguous-sidecar',
      `${name} could be the sidecar of several documents; give it the full name of one of them`,
    );
  }
  if (kind === 'link') {
    return unfit(
      'sidecar-unreadable',
      `${name} is a symbolic link, which is not followed; replace it with the file itself`,
    );
  }
  if (kind === 'other' || kind === 'directory')
    return unfit('sidecar-unreadable', `${name} is not a regular file; replace it with one, or remove it`);
  if (kind === 'unreadable') return notRead(name, found.key, 'sidecar-unreadable');
  if (found.settleMs > 0) return settling(found.settleMs);
  const reading = readSidecarFile(folder.absolute(folder.tree.rawPath(path)));
  if (reading.kind === 'gone') return changedMeanwhile;
  if (reading.kind === 'invalid') return unfit('sidecar-invalid', `${name}: ${reading.message}`);
  if (reading.kind === 'unreadable') return notRead(name, reading.code, 'sidecar-unreadable');
  // It changed between two readings: the next inspection sees the new one.
  if (statKey(reading.stats) !== key)
    return settling(Math.max(1, folder.observations.settle(path, reading.stats)));
  const named = path === sidecarPlaces(document).byName ? 'name' : 'stem';
  return { kind: 'sidecar', sidecar: reading.value, path, named, key };
}

interface Located {
  readonly path: string;
  readonly kind: EntryKind;
  /** Of one that cannot be looked at, the file system's code. */
  readonly key: string;
  readonly ambiguous: boolean;
  readonly settleMs: number;
}

/** `unscanned`: one stands there of which no scan has said yet whose it is. */
type FoundSidecar = Located | 'unscanned' | null;

function locateSidecar(folder: FolderState, document: string, ownerUid: number): FoundSidecar {
  const places = sidecarPlaces(document);
  const byName = sidecarAt(folder, places.byName, ownerUid);
  if (byName !== null) return { ...byName, ambiguous: false };
  const byStem = sidecarAt(folder, places.byStem, ownerUid);
  if (byStem === null) return null;
  const state = folder.tree.get(directoryOf(document));
  const name = nameOf(places.byStem);
  const paired = state?.unclearSidecars?.get(nameOf(document));
  if (paired?.name === name) return { ...byStem, ambiguous: paired.kind === 'ambiguous' };
  // A scan saw both and found that it is another's.
  return state?.lists?.get(name)?.key === byStem.key ? null : 'unscanned';
}

function sidecarAt(folder: FolderState, path: string, ownerUid: number): Omit<Located, 'ambiguous'> | null {
  if (classifyByName(folder, path).kind !== 'sidecar') return null;
  try {
    const stats = lookUp(folder.absolute(folder.tree.rawPath(path)));
    if (stats === undefined) return null;
    if (!isTrustedCompanion(folder.settings.sidecarOwner, stats.uid, ownerUid)) return null;
    const kind = kindOf(stats);
    if (kind !== 'file') return { path, kind, key: kind, settleMs: 0 };
    return {
      path,
      kind,
      key: statKey(stats),
      settleMs: folder.observations.settle(path, stats),
    };
  } catch (error) {
    return { path, kind: 'unreadable', key: errorCode(error) ?? 'unreadable', settleMs: 0 };
  }
}
