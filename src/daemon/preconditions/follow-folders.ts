import { readdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { pathInside } from '../../lib/files/path-inside.ts';
import { pathAfterMove, refKey, sameInode } from '../../model/document.ts';
import type { Claim, DocumentRef } from '../../model/document.ts';
import type {
  BareMountPoint,
  Change,
  Hold,
  LedgerEntry,
  LedgerPort,
  MountIdentity,
  RootIdentity,
} from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { placeAttachments } from '../../sync/decide/attachments.ts';

/** A claim as it is now, whose document or attachments have another place. */
interface MovedClaim {
  readonly from: DocumentRef;
  readonly to: DocumentRef;
  readonly claim: Claim;
}

type View = Awaited<ReturnType<typeof viewOf>>;

interface Mount {
  readonly path: string;
  /** Undefined: it is not known which directory was mounted there. */
  readonly identity: MountIdentity | undefined;
  readonly bare: BareMountPoint | undefined;
}

/** Records below `from` in one folder belong to `to` below another. */
interface Mapping {
  readonly from: string;
  readonly to: DocumentRef;
  /** The directory of the records does not stand there now: its path alone says where it belongs. */
  readonly isAway?: true;
}

/** A document and the place that it has now. */
interface Move {
  readonly from: DocumentRef;
  readonly to: DocumentRef;
}

/** Where a path is now. */
type Follow = (ref: DocumentRef) => DocumentRef;

/**
 * Folders of the configuration are views of directories: where one was renamed, split, merged with another, narrowed or
 * widened, its documents follow by their place on disk, in one commit. Else everything in it would be uploaded a second
 * time, and nobody would look after the first. Failures, approvals, doubts, uploads that a crash left open, mounts and
 * the identities of directories go with them. An attachment that was sent stays one wherever its file is now, in another
 * folder too, because the record of its document names it; so does one that is claimed and was not sent yet. What lies
 * outside of a narrowed folder is kept in the ledger under a name of its own, as a folder that was taken out of the
 * configuration; so is what a name had whose folder is the directory of another name now.
 */
export async function followFolders(ledger: LedgerPort, { folders }: Settings, log: LogPort): Promise<void> {
  const views = await Promise.all(folders.map(viewOf));
  const holds = new Map<string, Hold | null>();
  const mounts = new Map<string, readonly Mount[]>();
  const roots = new Map<string, RootIdentity>();
  const moves = new Map<string, Move>();
  const follows = new Map<string, Follow>();
  const outsides = new Map<string, RootIdentity>();
  const uploads: Change[] = [];
  const directories: Change[] = [];
  const removals: Change[] = [];
  const taken = new Set<string>();
  const carried = ledger.carriedElsewhere();
  const names = namesIn(ledger, carried);
  const left = await leftDirectories(ledger, views, names);
  const isTaken = (name: string) =>
    left.some((other) => other.name !== name && other.mappings.some(({ to }) => to.folder === name));
  for (const { name, known, mappings } of left) {
    const isConfigured = views.some((view) => view.name === name);
    const isNarrowed = isConfigured && mappings.some(({ to }) => to.folder === name);
    // A folder that lies elsewhere altogether now, and is nobody else's: its documents are found again by their content.
    const isKeptApart = isNarrowed || (isConfigured && isTaken(name));
    if (mappings.length === 0 && !isKeptApart) continue;
    const outside = isKeptApart ? nameOutside(ledger, views, { name, names, root: known }) : name;
    if (outside !== name) outsides.set(outside, known);
    let documents = 0;
    const follow: Follow = (ref) => placeOf(ref, mappings) ?? { folder: outside, path: ref.path };
    follows.set(name, follow);
    uploads.push(...uploadChanges(ledger, name, follow));
    directories.push(...directoryChanges(ledger, name, follow));
    for (const ref of refsOf(ledger, name)) {
      const to = follow(ref);
      if (refKey(to) === refKey(ref) || taken.has(refKey(to))) continue;
      taken.add(refKey(to));
      moves.set(refKey(ref), { from: ref, to });
      documents += 1;
    }
    const hasCarried = carried.some((ref) => ref.folder === name && follow(ref).folder !== name);
    if (documents === 0 && !hasCarried) continue;
    const followers = [...new Set(mappings.map(({ to }) => to.folder))];
    for (const { to, isAway } of mappings) {
      const root = views.find((view) => view.name === to.folder)?.root ?? null;
      // Only the directory that was known may say by its files that something is gone.
      if (isAway === true) roots.set(to.folder, known);
      else if (root !== null)
        roots.set(to.folder, {
          ...known,
          ...root,
          // What one of them kept is among the documents by now.
          keeps: known.keeps ?? (roots.get(to.folder) ?? ledger.root(to.folder))?.keeps,
        });
    }
    for (const folder of followers)
      removals.push(
        ...ledger.removals(name).map((removal): Change => ({ kind: 'removed', folder, removal })),
      );
    moveHold(ledger, holds, name, followers);
    moveMounts(ledger, mounts, name, follow);
    log.info(
      { folder: followers.join(', ') || outside, before: name, documents },
      'folder was renamed or moved; its documents are kept',
    );
  }
  const free = freeMoves(ledger, moves);
  const follow: Follow = (ref) => follows.get(ref.folder)?.(ref) ?? ref;
  const records = follows.size === 0 ? [] : recordsAfter(ledger, free, follow);
  const claims = follows.size === 0 ? [] : claimsAfter(ledger, follow);
  if (free.length + uploads.length + claims.length + records.length === 0) return;
  const used = new Set([
    ...Array.from(moves.values(), ({ to }) => to.folder),
    ...claims.flatMap(({ to, claim }) => [to, ...(claim.elsewhere ?? [])].map(({ folder }) => folder)),
    ...records.flatMap(({ record }) => record.attachments.map(({ folder }) => folder)),
  ]);
  for (const [name, known] of outsides) if (used.has(name)) roots.set(name, known);
  await ledger.commit([
    ...Array.from(holds, ([folder, hold]): Change => ({ kind: 'hold', folder, hold })),
    ...Array.from(mounts, ([folder, known]) => mountsChange(folder, known)),
    ...free.flatMap(({ from }): readonly Change[] => [
      { kind: 'drop', ref: from },
      { kind: 'clear', ref: from },
      { kind: 'unapprove', folder: from.folder, paths: [from.path] },
    ]),
    ...records.map((entry): Change => ({ kind: 'put', ...entry })),
    ...free.flatMap((move) => changesAt(ledger, move)),
    ...directories,
    ...removals,
    ...uploads,
    // Two folders may change their names with each other.
    ...claims.map(({ from, claim: { sidecar } }): Change => ({
      kind: 'claim',
      ref: from,
      claim: { sidecar, paths: [] },
    })),
    ...claims.map(({ to, claim }): Change => ({ kind: 'claim', ref: to, claim })),
    ...Array.from(roots, ([folder, identity]): Change => ({ kind: 'root', folder, identity })),
  ]);
}

/** Without those to a path that has a record of its own, which stays: both stay where they are. */
function freeMoves<T extends { readonly to: DocumentRef }>(
  ledger: LedgerPort,
  moves: ReadonlyMap<string, T>,
): readonly T[] {
  const free = new Map(moves);
  for (let before = -1; before !== free.size;) {
    before = free.size;
    for (const [key, { to }] of free)
      if (ledger.get(to) !== undefined && !free.has(refKey(to))) free.delete(key);
  }
  return [...free.values()];
}

/** A folder of the configuration, where it lies now. `root` null: it is not there. `real`: its path without links. */
async function viewOf({ name, path }: Settings['folders'][number]) {
  const found = await stat(path).catch(() => null);
  const place = resolve(path);
  return {
    name,
    path: place,
    root:
      found?.isDirectory() === true
        ? { path: place, dev: found.dev, ino: found.ino, birthtimeMs: found.birthtimeMs }
        : null,
    real: await realpath(path).catch(() => place),
  };
}

/** A device has another number after a reboot, and a path leads to another directory after a restore: two of three. */
function isSameRoot(known: RootIdentity, root: RootIdentity): boolean {
  return sameInode(known, root) && (known.dev === root.dev || resolve(known.path) === root.path);
}

/** Names of folders of which the ledger knows any file. */
function namesIn(ledger: LedgerPort, carried: readonly DocumentRef[]): ReadonlySet<string> {
  const names = new Set([...ledger.folders(), ...ledger.claimingFolders()]);
  for (const { folder } of carried) names.add(folder);
  for (const [ref] of ledger.failures()) names.add(ref.folder);
  for (const { ref } of [...ledger.doubts(), ...ledger.intents()]) names.add(ref.folder);
  return names;
}

/** Names whose directory is not that of the folder of this name, with the folders to which their records belong now. */
async function leftDirectories(ledger: LedgerPort, views: readonly View[], names: ReadonlySet<string>) {
  const left: { name: string; known: RootIdentity; mappings: readonly Mapping[] }[] = [];
  for (const name of names) {
    const known = ledger.root(name);
    const own = views.find((view) => view.name === name);
    const root = own?.root ?? null;
    if (known === undefined || (root !== null && isSameRoot(known, root))) continue;
    const found = await mappingsOf(known, views);
    const mappings = found.length > 0 ? found : await mappingsByPath(ledger, views, { name, known });
    left.push({ name, known, mappings });
  }
  return left;
}

/**
 * A disk that is out while its folder gets another name: the folder that has its path now. Nothing may stand there, and
 * nothing that the folder knows may be there: it would be taken for documents of the disk.
 */
async function mappingsByPath(
  ledger: LedgerPort,
  views: readonly View[],
  { name, known }: { readonly name: string; readonly known: RootIdentity },
): Promise<readonly Mapping[]> {
  const there = views.find((view) => view.name !== name && view.path === resolve(known.path));
  if (there === undefined || (there.root !== null && !(await isEmpty(there.path)))) return [];
  const theirs = ledger.root(there.name);
  const isFree =
    theirs === undefined ||
    views.some(({ name, root }) => name !== there.name && root !== null && isSameRoot(theirs, root));
  return isFree ? [{ from: '', to: { folder: there.name, path: '' }, isAway: true }] : [];
}

/** False where it cannot be read. */
async function isEmpty(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch(() => null);
  return names?.length === 0;
}

/** Which folders the documents of a root belong to that is no folder's any more; none: it is not known. */
async function mappingsOf(known: RootIdentity, views: readonly View[]): Promise<readonly Mapping[]> {
  const same = views.find(({ root }) => root !== null && isSameRoot(known, root));
  if (same !== undefined) return [{ from: '', to: { folder: same.name, path: '' } }];
  // Only the very directory that was watched shows what lay where.
  const old = await stat(known.path).catch(() => null);
  if (old?.isDirectory() !== true || !sameInode(known, old)) return [];
  const real = await realpath(known.path);
  return views.flatMap(({ name, root, real: place }): readonly Mapping[] => {
    if (root === null) return [];
    const [below, above] = [pathInside(real, place), pathInside(place, real)];
    if (below) return [{ from: below.normalize('NFC'), to: { folder: name, path: '' } }];
    return above ? [{ from: '', to: { folder: name, path: above.normalize('NFC') } }] : [];
  });
}

/** Null: none of the folders holds it. */
function placeOf({ path }: DocumentRef, mappings: readonly Mapping[]): DocumentRef | null {
  for (const { from, to } of mappings) {
    const moved = pathAfterMove(path, from, to.path);
    if (moved !== null) return { folder: to.folder, path: moved };
  }
  return null;
}

/** The name under which the ledger keeps what lies outside of a folder that was narrowed. */
function nameOutside(
  ledger: LedgerPort,
  views: readonly View[],
  {
    name,
    names,
    root,
  }: { readonly name: string; readonly names: ReadonlySet<string>; readonly root: RootIdentity },
): string {
  for (let number = 1; ; number += 1) {
    const outside = number === 1 ? `${name} (outside)` : `${name} (outside ${number})`;
    const known = ledger.root(outside);
    const isFree = !names.has(outside) || (known !== undefined && isSameRoot(known, root));
    if (isFree && views.every((view) => view.name !== outside)) return outside;
  }
}

/** Paths of which the ledger knows a record or a failure. */
function* refsOf(ledger: LedgerPort, folder: string): Iterable<DocumentRef> {
  for (const { ref } of ledger.entries()) if (ref.folder === folder) yield ref;
  for (const [ref] of ledger.failures())
    if (ref.folder === folder && ledger.get(ref) === undefined) yield ref;
}

/** Records that move, and those that stay while an attachment of theirs does not. */
function recordsAfter(ledger: LedgerPort, moves: readonly Move[], follow: Follow): readonly LedgerEntry[] {
  const moved = new Map(moves.map(({ from, to }) => [refKey(from), to]));
  return Array.from(ledger.entries()).flatMap(({ ref: from, record }) => {
    const ref = moved.get(refKey(from)) ?? from;
    const attachments = placeAttachments(record.attachments, { from, to: ref }, follow);
    const stays = ref === from && isDeepStrictEqual(attachments, record.attachments);
    return stays ? [] : [{ ref, record: { ...record, attachments } }];
  });
}

function changesAt(ledger: LedgerPort, { from, to }: Move): readonly Change[] {
  const failure = ledger.failure(from);
  return [
    ...(failure === undefined ? [] : [{ kind: 'fail', ref: to, failure } as const]),
    ...(ledger.isApproved(from) ? [{ kind: 'approve', folder: to.folder, paths: [to.path] } as const] : []),
  ];
}

/** Uploads whose outcome is not known: in doubt, or open when the process died. */
function uploadChanges(ledger: LedgerPort, name: string, follow: Follow): readonly Change[] {
  const isOurs = ({ ref }: { readonly ref: DocumentRef }) =>
    ref.folder === name && refKey(follow(ref)) !== refKey(ref);
  return [
    ...ledger
      .doubts()
      .filter(isOurs)
      .map((doubt): Change => ({ kind: 'doubt', doubt: { ...doubt, ref: follow(doubt.ref) } })),
    ...ledger
      .intents()
      .filter(isOurs)
      .map((intent): Change => ({ kind: 'intent', intent: { ...intent, ref: follow(intent.ref) } })),
  ];
}

/** Claims whose documents have another place now, or whose attachments have. */
function claimsAfter(ledger: LedgerPort, follow: Follow): readonly MovedClaim[] {
  return ledger.claimingFolders().flatMap((folder) =>
    Array.from(ledger.claims(folder)).flatMap(([path, known]): readonly MovedClaim[] => {
      const from = { folder, path };
      const to = follow(from);
      const { elsewhere: others = [], ...own } = known;
      const before = [...known.paths.map((one) => ({ folder, path: one })), ...others];
      const places = before.map(follow);
      const paths = places.filter((place) => place.folder === to.folder).map((place) => place.path);
      const elsewhere = places.filter((place) => place.folder !== to.folder);
      const claim = { ...own, paths, ...(elsewhere.length === 0 ? null : { elsewhere }) };
      const stays = refKey(to) === refKey(from) && isDeepStrictEqual(claim, known);
      return stays ? [] : [{ from, to, claim }];
    }),
  );
}

/**
 * What lay on a mount that is missing is held under its new folder, too. Several folders may become one, or change
 * their names with each other: what comes from one adds to what came from the others.
 */
function moveMounts(
  ledger: LedgerPort,
  mounts: Map<string, readonly Mount[]>,
  name: string,
  follow: Follow,
): void {
  const known = mountsOf(ledger, name);
  if (known.length === 0) return;
  // What it had leaves; what came from another folder stays.
  const came = mounts.get(name)?.slice(known.length) ?? [];
  mounts.set(name, came);
  for (const { path, ...mount } of known) {
    const to = follow({ folder: name, path });
    const there = mounts.get(to.folder) ?? mountsOf(ledger, to.folder);
    mounts.set(to.folder, [...there, { path: to.path, ...mount }]);
  }
}

function mountsOf(ledger: LedgerPort, folder: string): readonly Mount[] {
  const identities = ledger.mountIdentities(folder);
  const bare = ledger.bareMountPoints(folder);
  return ledger.mounts(folder).map((path) => ({
    path,
    identity: identities.find((one) => one.path === path),
    bare: bare.find((one) => one.path === path),
  }));
}

function mountsChange(folder: string, known: readonly Mount[]): Change {
  const identities = known.flatMap(({ path, identity }) =>
    identity === undefined ? [] : [{ ...identity, path }],
  );
  const bare = known.flatMap((mount) =>
    mount.bare === undefined ? [] : [{ ...mount.bare, path: mount.path }],
  );
  return { kind: 'mounts', folder, mounts: known.map(({ path }) => path), identities, bare };
}

/** The directories stay the same, whatever path leads to them. */
function directoryChanges(ledger: LedgerPort, name: string, follow: Follow): readonly Change[] {
  return Array.from(ledger.directories(name)).flatMap((path): readonly Change[] => {
    const identity = ledger.directory({ folder: name, path });
    if (identity === undefined) return [];
    const to = follow({ folder: name, path });
    // That of a root is remembered with its folder.
    return to.path === '' ? [] : [{ kind: 'directory', folder: to.folder, path: to.path, identity }];
  });
}

/** What was held before stays held where it is now. */
function moveHold(
  ledger: LedgerPort,
  holds: Map<string, Hold | null>,
  before: string,
  followers: readonly string[],
): void {
  const hold = ledger.hold(before);
  if (hold === undefined) return;
  // Another folder may have brought its own by now.
  if (!holds.has(before)) holds.set(before, null);
  for (const folder of followers) holds.set(folder, hold);
}
