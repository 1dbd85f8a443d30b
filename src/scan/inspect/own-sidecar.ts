import { orNull } from '../../lib/or-null.ts';
import { printable } from '../../lib/text/printable.ts';
import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { Companions, NoDocument } from '../../model/document.ts';
import type { Sidecar } from '../../model/metadata/metadata.ts';
import { sidecarPlaces, stemOf } from '../../model/names-and-types.ts';
import { entryKey, statKey } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { classifyUnpaired } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import type { PairedSidecar } from '../rules/relate.ts';
import { awaitedMs, entryAt } from '../folder-state.ts';
import type { FolderOnDisk, FolderState } from '../folder-state.ts';
import { afterScanMs } from '../rules/settle.ts';
import { namedAfter } from '../rules/sidecar-names.ts';
import { pairsOf } from '../walk/directory-state.ts';
import { ignored, notRead, settling, unfit } from './inspection-results.ts';
import { spellingsOf } from './find-entry.ts';
import { newNames } from './likely-sidecar.ts';
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

/**
 * Finds and reads the sidecar of one document, or what was that of one which is gone; an answer instead where it keeps the
 * document from being sent. `own`: the document; null: it is gone.
 */
export function findSidecar(
  folder: FolderState,
  document: string,
  own: Entry | null,
): OwnSidecar | NoDocument {
  const { lists } = folder.tree.get(directoryOf(document)) ?? {};
  const { byName, byStem } = sidecarPlaces(document);
  let awaitMs = 0;
  for (const place of [byName, byStem]) {
    const entry = sidecarAt(folder, place);
    if (entry === null && own !== null)
      // Saved by unlink and recreate, or moved ahead of its document, it takes back nothing meanwhile.
      awaitMs = Math.max(
        awaitMs,
        lists?.has(nameOf(place)) === true ? afterScanMs : awaitedMs(folder, place),
      );
    // Another document that bears its stem, or its twin, may come back: it is saved.
    if (entry !== null && own !== null) awaitMs = Math.max(awaitMs, awaitedMs(folder, pairsOf(place)));
    const kind = entry === null || awaitMs > 0 ? null : kindFor(folder, document, { own, sidecar: entry });
    if (entry !== null && kind !== null) return readOwn(folder, document, { entry, kind });
  }
  if (awaitMs > 0) return settling(awaitMs);
  if (folder.settings.sidecar === 'optional')
    return { kind: 'sidecar', sidecar: null, path: null, named: null, key: '' };
  const message = `its sidecar ${printable(nameOf(byName))} is missing`;
  return { kind: 'waiting', code: 'sidecar-missing', message, againMs: null };
}

function sidecarAt(folder: FolderState, path: string): Entry | null {
  if (classifyByName(folder, path).kind !== 'sidecar') return null;
  const name = nameOf(path).normalize('NFD');
  // What no listing has shown may have come with its accents encoded in the other way.
  const decomposed = ({ absolute, tree }: FolderOnDisk) =>
    absolute(joinPath(tree.rawPath(directoryOf(path)), name));
  return entryAt(folder, path) ?? (name === nameOf(path) ? null : entryAt(folder, path, decomposed));
}

/**
 * What a sidecar that stands is to a document, as the scan of their directory has related them; null: it is another's.
 * `unscanned`: no scan has seen both as they are.
 */
function kindFor(
  folder: FolderState,
  document: string,
  { own, sidecar }: { readonly own: Entry | null; readonly sidecar: Entry },
): PairedSidecar['kind'] | 'unscanned' | null {
  const directory = directoryOf(document);
  const { pairs } = folder.tree.get(directory) ?? {};
  const isAsListed = ({ name, stats }: Entry) =>
    stats === null || folder.observations.isListed(joinPath(directory, name), stats);
  if (!isAsListed(sidecar)) return 'unscanned';
  const paired = pairs?.get(nameOf(document));
  if (paired?.name === sidecar.name) {
    const isNamesake = (name: string) =>
      name !== nameOf(document) && stemOf(name) === namedAfter(sidecar.name);
    const namesakes = orNull(() => newNames(folder, directory))?.files.filter(isNamesake) ?? [];
    const entries = namesakes.map((name) => entryAt(folder, joinPath(directory, name)));
    // Another file of the stem that it bears may have come.
    const isSure = own === null || entries.every((entry) => entry !== null && isAsListed(entry));
    return isSure ? paired.kind : 'unscanned';
  }
  const isOfAnother = Array.from(pairs?.values() ?? []).some(({ name }) => name === sidecar.name);
  // What cannot be looked at, and was found with no other document, may be its own.
  if (own !== null && (sidecar.stats !== null || isOfAnother)) return isAsListed(own) ? null : 'unscanned';
  // One that is gone counts as if it stood.
  if (isOfAnother) return 'ambiguous';
  const spellings = orNull(() => spellingsOf(folder, joinPath(directory, sidecar.name))) ?? [];
  return spellings.length > 1 ? 'twin' : 'own';
}

function readOwn(
  folder: FolderState,
  document: string,
  { entry, kind }: { readonly entry: Entry; readonly kind: PairedSidecar['kind'] | 'unscanned' },
): OwnSidecar | NoDocument {
  const name = printable(entry.name);
  if (kind === 'twin')
    return unfit(
      'unicode-twin',
      `there are two sidecars ${name}, with accents encoded differently (NFC and NFD), so it is unclear which one counts; remove one of the two`,
    );
  const path = joinPath(directoryOf(document), entry.name);
  const settleMs = entry.stats === null ? 0 : folder.observations.settle(path, entry.stats);
  if (kind === 'unscanned') {
    folder.changed(directoryOf(document));
    return settling(Math.max(afterScanMs, settleMs));
  }
  if (kind === 'ambiguous') {
    return unfit(
      'ambiguous-sidecar',
      `${name} could be the sidecar of several documents; give it the full name of one of them`,
    );
  }
  if (entry.stats === null) return notRead(name, entry.fault, 'sidecar-unreadable');
  const key = entryKey(entry);
  if (settleMs > 0) return settling(settleMs);
  const reading = readSidecarFile(folder.absolute(folder.tree.rawPath(path)));
  if (reading.kind === 'invalid') return unfit('sidecar-invalid', `${name}: ${reading.message}`);
  if (reading.kind === 'unreadable') return notRead(name, reading.code, 'sidecar-unreadable');
  // It changed between two readings: the next inspection sees the new one.
  if (statKey(reading.stats) !== key)
    return settling(Math.max(1, folder.observations.settle(path, reading.stats)));
  const named = path === sidecarPlaces(document).byName ? 'name' : 'stem';
  return { kind: 'sidecar', sidecar: reading.value, path, named, key };
}

/** Which document a sidecar belongs to. What is wrong with it, its document says. */
export function describeSidecar(folder: FolderState, path: string): NoDocument {
  const name = nameOf(path);
  const directory = directoryOf(path);
  const entry = sidecarAt(folder, path);
  if (entry === null) return ignored('sidecar', 'no such file in the folder; its name is that of a sidecar');
  if (entry.stats !== null && !folder.observations.isListed(path, entry.stats))
    return ignored('sidecar', 'a sidecar; whose it is, the next scan of its directory says');
  const { pairs = [], unpaired, unfit } = folder.tree.get(directory) ?? {};
  const why = unpaired?.get(name);
  if (why !== undefined) return classifyUnpaired(why, unfit?.get(name));
  const documents = Array.from(pairs).flatMap(([document, { name: of }]) => (of === name ? [document] : []));
  const [owner, ...others] = documents;
  if (owner === undefined)
    return ignored(
      'sidecar',
      'a sidecar that is not used, because its document has another one or is an attachment',
    );
  const place = joinPath(directory, owner);
  if (others.length === 0)
    return { ...ignored('sidecar', `the sidecar of ${printable(place)}`), owner: place };
  return ignored(
    'ambiguous-sidecar',
    `it could be the sidecar of ${documents.map(printable).join(' and ')}, so none of them is sent; give it the full name of one of them`,
  );
}
