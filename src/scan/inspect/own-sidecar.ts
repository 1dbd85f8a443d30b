import { printable } from '../../lib/text/printable.ts';
import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { Companions, NoDocument } from '../../model/document.ts';
import type { Sidecar } from '../../model/metadata/metadata.ts';
import { isDocumentType, sidecarPlaces } from '../../model/names-and-types.ts';
import { entryKey, statKey } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { classifyUnpaired } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { relate } from '../rules/relate.ts';
import type { NameGroup, Relations } from '../rules/relate.ts';
import { isSidecarName, namedAfter } from '../rules/sidecar-names.ts';
import { awaitedMs, entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { afterScanMs } from '../rules/settle.ts';
import { changedMeanwhile, ignored, notRead, settling, unfit } from './inspection-results.ts';
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
  const { relations, sidecars, unscanned } = relateNow(folder, document, own);
  const awaitMs = own === null ? 0 : missedMs(folder, document, sidecars);
  if (awaitMs > 0) return settling(awaitMs);
  const paired = relations.sidecars.get(nameOf(document));
  const entry = sidecars.get(paired?.name ?? '');
  if (paired === undefined || entry === undefined) {
    if (folder.settings.sidecar === 'optional')
      return { kind: 'sidecar', sidecar: null, path: null, named: null, key: '' };
    const message = `waiting for its sidecar ${printable(nameOf(sidecarPlaces(document).byName))}`;
    return { kind: 'waiting', code: 'sidecar-missing', message, againMs: null };
  }
  const name = printable(entry.name);
  if (paired.kind === 'twin')
    return unfit(
      'unicode-twin',
      `there are two sidecars ${name}, with accents encoded differently (NFC and NFD), so it is unclear which one counts; remove one of the two`,
    );
  if (unscanned.has(entry.name)) return settling(afterScanMs);
  if (paired.kind === 'ambiguous') {
    return unfit(
      'ambiguous-sidecar',
      `${name} could be the sidecar of several documents; give it the full name of one of them`,
    );
  }
  if (entry.kind === 'link') {
    return unfit(
      'sidecar-unreadable',
      `${name} is a symbolic link, which is not followed; replace it with the file itself`,
    );
  }
  if (entry.stats === null) return notRead(name, entry.fault, 'sidecar-unreadable');
  if (entry.kind !== 'file')
    return unfit('sidecar-unreadable', `${name} is not a regular file; replace it with one, or remove it`);
  const path = joinPath(directoryOf(document), entry.name);
  const key = entryKey(entry);
  const settleMs = folder.observations.settle(path, entry.stats);
  if (settleMs > 0) return settling(settleMs);
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

/**
 * How long a sidecar is waited for that stood a moment ago and would go before the one that stands, ms; 0: there is none.
 * One that is saved by unlink and recreate, or is moved ahead of its document, takes back nothing meanwhile.
 */
function missedMs(folder: FolderState, document: string, found: NameGroup['sidecars']): number {
  const { byName, byStem } = sidecarPlaces(document);
  const lists = folder.tree.get(directoryOf(document))?.lists;
  let waitMs = 0;
  for (const place of [byName, byStem]) {
    if (found.has(nameOf(place))) break;
    waitMs = Math.max(waitMs, lists?.has(nameOf(place)) === true ? afterScanMs : awaitedMs(folder, place));
  }
  return waitMs;
}

/** Which document a sidecar belongs to. What is wrong with it, its document says. */
export function describeSidecar(folder: FolderState, path: string): NoDocument {
  const name = nameOf(path);
  const directory = directoryOf(path);
  const { relations, sidecars } = relateNow(folder, path, null);
  if (!sidecars.has(name))
    return ignored('sidecar', 'no such file in the folder; its name is that of a sidecar');
  const unpaired = relations.unpaired.get(name);
  const meant = folder.tree.get(directory)?.unfit?.get(name);
  if (unpaired !== undefined) return classifyUnpaired(unpaired, meant);
  const documents = [...relations.sidecars].flatMap(([document, { name: of }]) =>
    of === name ? [document] : [],
  );
  const [owner, ...others] = documents;
  if (owner === undefined)
    return ignored(
      'sidecar',
      'a sidecar that is not used, because its document has another one or is an attachment',
    );
  if (others.length === 0)
    return {
      kind: 'ignored',
      code: 'sidecar',
      message: `the sidecar of ${printable(joinPath(directory, owner))}`,
      owner: joinPath(directory, owner),
    };
  return ignored(
    'ambiguous-sidecar',
    `it could be the sidecar of ${documents.map(printable).join(' and ')}, so none of them is sent; give it the full name of one of them`,
  );
}

/** What stands now under the names that have to do with a document or a sidecar, related as a scan relates it. */
function relateNow(
  folder: FolderState,
  path: string,
  own: Entry | null,
): Pick<NameGroup, 'sidecars'> & {
  readonly relations: Relations;
  /** Sidecars of which no scan has said yet whose they are. */
  readonly unscanned: ReadonlySet<string>;
} {
  const [directory, name] = [directoryOf(path), nameOf(path)];
  const state = folder.tree.get(directory);
  const { byName, byStem } = sidecarPlaces(path);
  const sidecars = new Map<string, Entry>();
  const documents = new Map<string, Entry>();
  const unscanned = new Set<string>();
  // One that is gone is related as if it stood.
  if (!isSidecarName(name)) documents.set(name, own ?? { name, raw: name, kind: 'file', stats: null });
  for (const place of isSidecarName(name) ? [path] : [byName, byStem]) {
    const sidecar = classifyByName(folder, place).kind === 'sidecar' ? entryAt(folder, place) : null;
    if (sidecar === null) continue;
    sidecars.set(sidecar.name, sidecar);
    const ofStem = state?.stems?.get(sidecar.name);
    const isKnown = ofStem?.includes(name) ?? state?.lists?.get(sidecar.name)?.key === entryKey(sidecar);
    if (place === byStem && own !== null && !isKnown) unscanned.add(sidecar.name);
    for (const one of [namedAfter(sidecar.name), ...(ofStem ?? [])]) noteDocument(one);
  }
  const group = {
    sidecars,
    twinSidecars: state?.twinSidecars ?? new Map<string, never>(),
    documents: [...documents.values()],
    leftOut: [],
    fits: (sidecar: string) => state?.unfit?.has(sidecar) !== true,
  };
  return { relations: relate(group, folder.settings.sidecarOwner), sidecars, unscanned };

  function noteDocument(one: string): void {
    if (!isDocumentType(one) || documents.has(one)) return;
    const place = joinPath(directory, one);
    const found = classifyByName(folder, place);
    const entry = found.kind === 'file' && found.exclusion === null ? entryAt(folder, place) : null;
    if (entry?.kind === 'file' || entry?.kind === 'unreadable') documents.set(one, entry);
  }
}
