import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { readSmallFile } from '../../lib/files/read-small-file.ts';
import type { FolderState } from '../folder-state.ts';
import { companionCounts } from '../rules/classify.ts';
import { pairSidecars, sidecarEnd } from '../rules/pair-sidecars.ts';
import type { Pairing } from '../rules/pair-sidecars.ts';
import { resolveAttachment } from '../rules/resolve-attachment.ts';
import type { SidecarList, StemSidecar } from './directory-state.ts';
import { statKey } from './entry.ts';
import type { Entry } from './entry.ts';
import type { SortedEntries } from './sort-entries.ts';

/** A directory's documents, paired, with what their sidecars claim. */
export interface PairedEntries extends Pairing {
  readonly lists: ReadonlyMap<string, SidecarList> | null;
  /** Paths, here or elsewhere, that became or ceased to be attachments. */
  readonly changed: readonly string[];
}

const nothing = { sidecars: new Map<string, never>(), unpaired: new Map<string, never>(), lists: null };

/** Of a pairing, what the inspection of one path cannot tell by two names: sidecars that bear a document's stem. */
export function stemSidecars({ sidecars }: Pairing): ReadonlyMap<string, StemSidecar> | null {
  const byStem = [...sidecars].filter(([document, { name }]) => name !== `${document}${sidecarEnd}`);
  return byStem.length === 0 ? null : new Map(byStem);
}

/** Pairs a directory's documents with sidecars and takes note of the attachments that these list. */
export async function pairEntries(
  folder: FolderState,
  directory: string,
  { absolute, sorted }: { readonly absolute: string; readonly sorted: SortedEntries },
): Promise<PairedEntries> {
  const { claims, settings } = folder;
  if (sorted.sidecars.size === 0) {
    return { ...nothing, changed: claims.set(directory, nothing.sidecars) };
  }
  const lists = await readLists(folder.tree.get(directory)?.lists, absolute, sorted.sidecars);
  const documents = new Map(sorted.documents.map((entry) => [entry.name, entry]));
  const pair = () =>
    pairSidecars({
      sidecars: new Set(sorted.sidecars.keys()),
      documents: new Set(documents.keys()),
      others: sorted.has,
      isAttachment: (name) => claims.isAttachment(joinPath(directory, name)),
      listedBy: (sidecar) => listedHere(folder, directory, lists.get(sidecar)?.attachments ?? []),
      counts: (sidecar, document) =>
        counts(settings.sidecarOwner, sorted.sidecars.get(sidecar), documents.get(document)),
    });
  const changed = claims.set(directory, claimsOf(folder, directory, pair(), lists));
  // Once more: a document that turned out to be an attachment makes no stem ambiguous.
  const pairing = pair();
  if (changed.length === 0) return { ...pairing, lists, changed };
  return {
    ...pairing,
    lists,
    changed: [...changed, ...claims.set(directory, claimsOf(folder, directory, pairing, lists))],
  };
}

function counts(
  sidecarOwner: 'any' | 'same',
  sidecar: Entry | undefined,
  document: Entry | undefined,
): boolean {
  if (sidecarOwner === 'any') return true;
  const uid = sidecar?.stats?.uid;
  const ownerUid = document?.stats?.uid;
  return uid !== undefined && ownerUid !== undefined && companionCounts(sidecarOwner, uid, ownerUid);
}

/** What a sidecar listed when it was last valid holds until it is valid again. One that never was lists nothing. */
async function readLists(
  before: ReadonlyMap<string, SidecarList> | null | undefined,
  absolute: string,
  sidecars: ReadonlyMap<string, Entry>,
): Promise<ReadonlyMap<string, SidecarList>> {
  const lists = new Map<string, SidecarList>();
  for (const { name, raw, kind, stats } of sidecars.values()) {
    if (kind !== 'file' || stats === null) continue;
    const known = before?.get(name);
    const key = statKey(stats);
    if (known?.key === key) lists.set(name, known);
    else
      lists.set(name, {
        key,
        attachments: (await readAttachmentList(`${absolute}/${raw}`)) ?? known?.attachments ?? [],
      });
  }
  return lists;
}

/** No key can be spelled without one of the two. */
const spellings = ['"attachments"', '\\u'];

/** The attachment paths that a valid sidecar lists; null: it is not valid. Cheap for sidecars that list none. */
async function readAttachmentList(absolute: string): Promise<readonly string[] | null> {
  try {
    const file = readSmallFile(absolute);
    if (file === null) return null;
    if (!spellings.some((spelling) => file.bytes.includes(spelling))) return [];
    // Its schemas take a while to load, and most folders do without them until their first document is inspected.
    const { readSidecarFile } = await import('../inspect/read-sidecar.ts');
    const reading = readSidecarFile(absolute);
    return reading.kind === 'valid' ? reading.value.attachments : null;
  } catch {
    return null;
  }
}

function claimsOf(
  folder: FolderState,
  directory: string,
  { sidecars }: Pairing,
  lists: ReadonlyMap<string, SidecarList>,
): ReadonlyMap<string, readonly string[]> {
  const claims = new Map<string, readonly string[]>();
  for (const [document, { name, kind }] of sidecars) {
    const listed = lists.get(name)?.attachments ?? [];
    if (kind !== 'own' || listed.length === 0) continue;
    const owner = joinPath(directory, document);
    const paths = resolveAll(folder, directory, listed).filter((path) => path !== owner);
    if (paths.length > 0) claims.set(owner, paths);
  }
  return claims;
}

function listedHere(folder: FolderState, directory: string, listed: readonly string[]): ReadonlySet<string> {
  return new Set(
    resolveAll(folder, directory, listed)
      .filter((path) => directoryOf(path) === directory)
      .map(nameOf),
  );
}

function resolveAll(
  { settings }: FolderState,
  directory: string,
  listed: readonly string[],
): readonly string[] {
  return listed.flatMap((text) => {
    const place = resolveAttachment(directory, text, settings.attachments);
    return place.kind === 'inside' ? [place.path] : [];
  });
}
