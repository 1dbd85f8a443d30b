import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { Entry } from '../walk/entry.ts';
import { stampKey } from '../walk/entry.ts';
import type { Ground } from '../ground.ts';
import type { Pairing } from './pair-sidecars.ts';
import { pairSidecars, sidecarEnd } from './pair-sidecars.ts';
import { resolveAttachment } from './resolve-attachment.ts';
import { readSidecarList } from './sidecar-list.ts';
import type { SortedEntries } from '../walk/sort-entries.ts';
import type { SidecarList, StemSidecar } from '../walk/directory-state.ts';

/** A directory's documents, paired, with what their sidecars claim. */
export interface PairedEntries extends Pairing {
  readonly lists: ReadonlyMap<string, SidecarList> | null;
  /** Paths, here or elsewhere, that became or ceased to be attachments. */
  readonly changed: readonly string[];
}

const nothing = { sidecars: new Map<string, never>(), orphans: [], lists: null };

/** Of a pairing, what a look cannot tell by two names: sidecars that bear a document's stem. */
export function stemSidecars({ sidecars }: Pairing): ReadonlyMap<string, StemSidecar> | null {
  const byStem = [...sidecars].filter(([document, { name }]) => name !== `${document}${sidecarEnd}`);
  return byStem.length === 0 ? null : new Map(byStem);
}

/** Pairs a directory's documents with sidecars and takes note of the attachments that these list. */
export function pairEntries(
  ground: Ground,
  directory: string,
  absolute: string,
  sorted: SortedEntries,
): PairedEntries {
  if (sorted.sidecars.size === 0) {
    return { ...nothing, changed: ground.claims.set(directory, nothing.sidecars) };
  }
  const lists = readLists(ground, directory, absolute, sorted.sidecars);
  const documents = new Set(sorted.documents.map(({ name }) => name));
  const pair = () =>
    pairSidecars({
      sidecars: new Set(sorted.sidecars.keys()),
      documents,
      others: sorted.has,
      isAttachment: (name) => ground.claims.isAttachment(joinPath(directory, name)),
      listedBy: (sidecar) => listedHere(directory, lists?.get(sidecar)?.attachments ?? []),
    });
  const changed = ground.claims.set(directory, claimsOf(directory, pair(), lists));
  // Once more: a document that turned out to be an attachment makes no stem ambiguous.
  const pairing = changed.length === 0 ? null : pair();
  if (pairing === null) return { ...pair(), lists, changed };
  return {
    ...pairing,
    lists,
    changed: [...changed, ...ground.claims.set(directory, claimsOf(directory, pairing, lists))],
  };
}

function readLists(
  ground: Ground,
  directory: string,
  absolute: string,
  sidecars: ReadonlyMap<string, Entry>,
): ReadonlyMap<string, SidecarList> | null {
  if (sidecars.size === 0) return null;
  const before = ground.tree.get(directory)?.lists;
  const lists = new Map<string, SidecarList>();
  for (const { name, raw, kind, stats } of sidecars.values()) {
    if (kind !== 'file' || stats === null) continue;
    const known = before?.get(name);
    const key = stampKey(stats);
    if (known?.key === key) lists.set(name, known);
    else
      lists.set(name, {
        key,
        attachments: readSidecarList(`${absolute}/${raw}`) ?? known?.attachments ?? [],
      });
  }
  return lists;
}

function claimsOf(
  directory: string,
  { sidecars }: Pairing,
  lists: ReadonlyMap<string, SidecarList> | null,
): ReadonlyMap<string, readonly string[]> {
  const claims = new Map<string, readonly string[]>();
  for (const [document, { name, kind }] of sidecars) {
    const listed = lists?.get(name)?.attachments ?? [];
    if (kind !== 'own' || listed.length === 0) continue;
    const owner = joinPath(directory, document);
    const paths = resolveAll(directory, listed).filter((path) => path !== owner);
    if (paths.length > 0) claims.set(owner, paths);
  }
  return claims;
}

function listedHere(directory: string, listed: readonly string[]): ReadonlySet<string> {
  return new Set(
    resolveAll(directory, listed)
      .filter((path) => directoryOf(path) === directory)
      .map(nameOf),
  );
}

function resolveAll(directory: string, listed: readonly string[]): readonly string[] {
  return listed.flatMap((text) => {
    const place = resolveAttachment(directory, text);
    return place.kind === 'inside' ? [place.path] : [];
  });
}
