import { lstatSync } from 'node:fs';

import { readSmallFile } from '../../lib/files/read-small-file.ts';
import { printable } from '../../lib/text/printable.ts';
import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { Claim, FileIdentity, OwnersClaims } from '../../model/document.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { ShareMode, Sidecar } from '../../model/metadata/metadata.ts';
import type { FolderSettings } from '../../model/settings.ts';
import type { FolderState } from '../folder-state.ts';
import { resolveAttachment } from '../rules/claims.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import { namedAfter, pairSidecars } from '../rules/pair-sidecars.ts';
import type { PairedSidecar, Pairing } from '../rules/pair-sidecars.ts';
import type { SidecarList } from './directory-state.ts';
import { statKey } from '../rules/entry.ts';
import { bringClaims } from './bring-claims.ts';
import type { Entry } from '../rules/entry.ts';
import type { SortedEntries } from './sort-entries.ts';

/** A directory's documents, paired, with what their sidecars claim. */
export interface PairedEntries extends Pairing {
  readonly lists: ReadonlyMap<string, SidecarList> | null;
  /** Paths, here or elsewhere, that became or ceased to be attachments. */
  readonly changed: readonly string[];
  /** When some of them may cease to be attachments though nothing changes, ms from now; null: never. */
  readonly againMs: number | null;
  /** A sidecar that cannot be read at the moment, in words; null: none. */
  readonly unread: string | null;
}

const nothing = {
  sidecars: new Map<string, never>(),
  unpaired: new Map<string, never>(),
  lists: null,
  unread: null,
};

/** Of a pairing, what the inspection of one path cannot tell by two names: sidecars that bear a stem, or have a twin. */
export function unclearSidecars({ sidecars }: Pairing): ReadonlyMap<string, PairedSidecar> | null {
  const unclear = [...sidecars].filter(
    ([document, { name, kind }]) => namedAfter(name) !== document || kind === 'twin',
  );
  return unclear.length === 0 ? null : new Map(unclear);
}

/** Pairs a directory's documents with sidecars and takes note of the attachments that these list. */
export async function pairEntries(
  folder: FolderState,
  directory: string,
  {
    absolute,
    identity,
    sorted,
  }: { readonly absolute: string; readonly identity: FileIdentity; readonly sorted: SortedEntries },
): Promise<PairedEntries> {
  const { claims, settings } = folder;
  const brought = bringClaims(folder, directory, identity);
  const before = claims.in(directory);
  if (sorted.sidecars.size === 0) {
    const { lasting, againMs } = lastingClaims(folder, directory, { before, stated: new Map(), sorted });
    return { ...nothing, changed: [...brought, ...claims.set(directory, lasting)], againMs };
  }
  const { lists, unread } = await readLists(sorted.sidecars, {
    absolute,
    known: folder.tree.get(directory)?.lists,
    inFull: before.size > 0,
  });
  const pair = (sidecars: Iterable<string>, owners: readonly Entry[]) => {
    const documents = new Map(owners.map((entry) => [entry.name, entry]));
    const mayOneBelong = (entries: readonly (Entry | undefined)[], document: string) =>
      entries.some((entry) => mayBelong(settings.sidecarOwner, entry, documents.get(document)));
    const twinsOf = (sidecar: string) => sorted.twinSidecars.get(sidecar) ?? [];
    return pairSidecars({
      sidecars: new Set(sidecars),
      documents: new Set(documents.keys()),
      fits: sorted.fits,
      isAttachment: (name) => claims.isAttachment(joinPath(directory, name)),
      listedBy: (sidecar) => listedHere(folder, directory, lists.get(sidecar)?.attachments ?? []),
      mayBelong: (sidecar, document) =>
        mayOneBelong([sorted.sidecars.get(sidecar), ...twinsOf(sidecar)], document),
      hasTwin: (sidecar, document) => mayOneBelong(twinsOf(sidecar), document),
    });
  };
  const pairDocuments = () => pair(sorted.sidecars.keys(), sorted.documents);
  const claimsBy = (pairing: Pairing) => {
    // A file that a rule leaves out keeps its attachments: they must not go out as documents in its stead.
    const ofLeftOut =
      sorted.leftOut.length === 0 ? [] : pair(unusedBy(pairing, sorted), sorted.leftOut).sidecars;
    const sidecars = [...pairing.sidecars, ...ofLeftOut];
    const stated = statedClaims(folder, directory, { identity, before, sidecars, lists });
    return lastingClaims(folder, directory, { before, stated, sorted });
  };
  const first = claimsBy(pairDocuments());
  const changed = [...brought, ...claims.set(directory, first.lasting)];
  // Once more: a document that turned out to be an attachment makes no stem ambiguous.
  const pairing = pairDocuments();
  if (changed.length === 0) return { ...pairing, lists, changed, againMs: first.againMs, unread };
  const { lasting, againMs } = claimsBy(pairing);
  return { ...pairing, lists, changed: [...changed, ...claims.set(directory, lasting)], againMs, unread };
}

/** Sidecars that are of no document. */
function unusedBy({ sidecars, unpaired }: Pairing, sorted: SortedEntries): readonly string[] {
  const used = new Set([...sidecars.values()].map(({ name }) => name));
  return [...sorted.sidecars.keys()].filter((name) => !used.has(name) && unpaired.get(name) !== 'foreign');
}

/**
 * What the documents of a directory claim from now on: what their valid sidecars state, and what they claimed before.
 * That ends when a settled, valid sidecar lists it no longer, or when the document or its sidecar has been gone for the
 * grace period; never because one of them is just being saved, or cannot be used as it stands.
 */
function lastingClaims(
  folder: FolderState,
  directory: string,
  {
    before,
    stated,
    sorted,
  }: { readonly before: OwnersClaims; readonly stated: OwnersClaims; readonly sorted: SortedEntries },
): { readonly lasting: OwnersClaims; readonly againMs: number | null } {
  const lasting = new Map([...stated].filter(([, { paths }]) => paths.length > 0));
  let againMs = Infinity;
  for (const [owner, claim] of before) {
    const now = stated.get(owner);
    const unlisted = claim.paths.filter((path) => now?.paths.includes(path) !== true);
    const leftMs = leftOf(folder, directory, { owner, claim, now, sorted });
    if (unlisted.length === 0 || leftMs <= 0) continue;
    againMs = Math.min(againMs, leftMs);
    lasting.set(owner, { ...claim, ...now, paths: [...(now?.paths ?? []), ...unlisted] });
  }
  return { lasting, againMs: againMs === Infinity ? null : Math.ceil(againMs) };
}

/** How long what a document claimed stays claimed where its sidecar does not state it now, ms. */
function leftOf(
  folder: FolderState,
  directory: string,
  {
    owner,
    claim,
    now,
    sorted,
  }: {
    readonly owner: string;
    readonly claim: Claim;
    readonly now: Claim | undefined;
    readonly sorted: SortedEntries;
  },
): number {
  const { observations, removeGraceMs } = folder;
  const isThere = isFile(sorted, nameOf(owner)) && isFile(sorted, claim.sidecar);
  if (now === undefined && !isThere) return removeGraceMs - observations.noteMissing('claim', owner);
  observations.endMissing('claim', owner);
  const stats = now === undefined ? null : (sorted.sidecars.get(now.sidecar)?.stats ?? null);
  return now === undefined || stats === null
    ? Infinity
    : observations.settle(joinPath(directory, now.sidecar), stats);
}

/** Whether anything but a directory bears this name, or a directory in the place of a sidecar. */
function isFile({ has, children, sidecars }: SortedEntries, name: string): boolean {
  return sidecars.has(name) || (has(name) && !children.some((child) => child.name === name));
}

function mayBelong(
  sidecarOwner: 'any' | 'same',
  sidecar: Entry | undefined,
  document: Entry | undefined,
): boolean {
  if (sidecarOwner === 'any') return true;
  const uid = sidecar?.stats?.uid;
  const ownerUid = document?.stats?.uid;
  return uid !== undefined && ownerUid !== undefined && isTrustedCompanion(sidecarOwner, uid, ownerUid);
}

/** What a sidecar listed when it was last valid holds until it is valid again. One that never was lists nothing. */
async function readLists(
  sidecars: ReadonlyMap<string, Entry>,
  {
    absolute,
    known: before,
    inFull,
  }: {
    readonly absolute: string;
    readonly known: ReadonlyMap<string, SidecarList> | null | undefined;
    /** Something is claimed here: one that states nothing has to be valid to count. */
    readonly inFull: boolean;
  },
): Promise<{ readonly lists: ReadonlyMap<string, SidecarList>; readonly unread: string | null }> {
  const lists = new Map<string, SidecarList>();
  let unread: string | null = null;
  const noteUnread = (name: string, fault: string | undefined) => {
    if (readFaultOf(fault) === 'passing') unread ??= cannotBeRead(printable(name), fault);
  };
  for (const { name, raw, kind, stats, fault } of sidecars.values()) {
    const known = before?.get(name);
    if (kind === 'unreadable') {
      if (known !== undefined) lists.set(name, known);
      noteUnread(name, fault);
    }
    if (kind !== 'file' || stats === null) continue;
    const key = statKey(stats);
    if (known?.key === key && known.isUnread !== true && (known.isValid || !inFull)) {
      lists.set(name, known);
      continue;
    }
    const read = await readAttachmentList(`${absolute}/${raw}`, inFull);
    const former = { key, isValid: false, attachments: known?.attachments ?? [] };
    if (read.kind === 'read') lists.set(name, { key, ...read.list });
    else if (read.kind === 'invalid') lists.set(name, former);
    else {
      lists.set(name, { ...former, isUnread: true });
      noteUnread(name, read.code);
    }
  }
  return { lists, unread };
}

/** What came of reading a sidecar for the attachments that it lists. `code`: the file system's. */
type ListReading =
  | { readonly kind: 'read'; readonly list: Omit<SidecarList, 'key'> }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unreadable'; readonly code: string | undefined };

const listKey: keyof Sidecar = 'attachments';
/**
 * No sidecar can spell that key without one of the two. Known here, because the reader of sidecars loads their schemas.
 */
const spellings = [`"${listKey}"`, '\\u'];

/**
 * The attachment paths that a valid sidecar lists. Cheap for those that list none, where nobody has to know of them.
 */
async function readAttachmentList(absolute: string, inFull: boolean): Promise<ListReading> {
  try {
    const file = readSmallFile(absolute);
    if (file === null) return { kind: 'invalid' };
    const mode = narrowMode(file.bytes);
    if (!inFull && !spellings.some((spelling) => file.bytes.includes(spelling)))
      return { kind: 'read', list: { isValid: false, attachments: [], mode } };
    // Its schemas take a while to load, and most folders do without them until their first document is inspected.
    const { readSidecarFile } = await import('../companions/read-sidecar.ts');
    const reading = readSidecarFile(absolute);
    if (reading.kind === 'valid')
      return { kind: 'read', list: { isValid: true, attachments: reading.value.attachments, mode } };
    return reading.kind === 'gone' ? { kind: 'invalid' } : reading;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { kind: 'unreadable', code };
  }
}

/** The sharing mode that a sidecar states, as far as that can be told without its schema; undefined: none, or EVERYONE. */
function narrowMode(bytes: Buffer): ShareMode | undefined {
  if (!bytes.includes('"shareInfo"')) return undefined;
  try {
    const { shareInfo } = JSON.parse(bytes.toString()) as Sidecar['metadata'];
    const mode = shareInfo === undefined ? 'EVERYONE' : modeOf({ shareInfo });
    return mode === 'EVERYONE' ? undefined : mode;
  } catch {
    return undefined;
  }
}

/**
 * What valid sidecars state, also those that list nothing. What one claimed before and lists still it keeps, also where
 * the settings let it reach less far by now.
 */
function statedClaims(
  folder: FolderState,
  directory: string,
  {
    identity,
    before,
    sidecars,
    lists,
  }: {
    readonly identity: FileIdentity;
    readonly before: OwnersClaims;
    readonly sidecars: Iterable<readonly [document: string, sidecar: PairedSidecar]>;
    readonly lists: ReadonlyMap<string, SidecarList>;
  },
): OwnersClaims {
  const claims = new Map<string, Claim>();
  for (const [document, { name, kind }] of sidecars) {
    const list = lists.get(name);
    const owner = joinPath(directory, document);
    const known = before.get(owner)?.paths ?? [];
    // Of two that look the same, none ends what was claimed before.
    const isUnclear = kind === 'ambiguous' || (kind === 'twin' && known.length > 0);
    if (isUnclear || list?.isValid !== true) continue;
    const reached = resolveAll(folder.settings.attachments, directory, list.attachments);
    const paths = resolveAll('folder', directory, list.attachments).filter(
      (path) =>
        path !== owner &&
        (known.includes(path) || (reached.includes(path) && !isOfAnother(folder, path, owner))),
    );
    claims.set(owner, { sidecar: name, paths, directory: identity });
  }
  return claims;
}

/** With `sidecarOwner: same`, nobody makes an attachment of a file of another user, which would hide it. */
function isOfAnother({ settings, tree, absolute }: FolderState, path: string, owner: string): boolean {
  if (settings.sidecarOwner === 'any') return false;
  const [file, document] = [path, owner].map((one) =>
    lstatSync(absolute(tree.rawPath(one)), { throwIfNoEntry: false }),
  );
  if (file === undefined || document === undefined) return false;
  return !isTrustedCompanion(settings.sidecarOwner, file.uid, document.uid);
}

function listedHere(folder: FolderState, directory: string, listed: readonly string[]): ReadonlySet<string> {
  return new Set(
    resolveAll(folder.settings.attachments, directory, listed)
      .filter((path) => directoryOf(path) === directory)
      .map(nameOf),
  );
}

function resolveAll(
  reach: FolderSettings['attachments'],
  directory: string,
  listed: readonly string[],
): readonly string[] {
  return listed.flatMap((text) => {
    const place = resolveAttachment(directory, text, reach);
    return place.kind === 'inside' ? [place.path] : [];
  });
}
