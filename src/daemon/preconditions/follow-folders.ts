import { isDeepStrictEqual } from 'node:util';

import { refKey } from '../../model/document.ts';
import type { Claim, DocumentRef, HeldMode } from '../../model/document.ts';
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
import { findLeftFolders } from './find-left-folders.ts';
import type { Follow, LeftFolder } from './find-left-folders.ts';

/** A claim as it is now, whose document or attachments have another place. */
interface MovedClaim {
  readonly from: DocumentRef;
  readonly to: DocumentRef;
  readonly claim: Claim;
}

interface Mount {
  readonly path: string;
  /** Undefined: it is not known which directory was mounted there. */
  readonly identity: MountIdentity | undefined;
  readonly bare: BareMountPoint | undefined;
}

/** A document and the place that it has now. */
interface Move {
  readonly from: DocumentRef;
  readonly to: DocumentRef;
}

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
  const left = await findLeftFolders(ledger, folders);
  if (left.length === 0) return;
  const moves = new FolderMoves(ledger);
  for (const folder of left) {
    const documents = moves.add(folder);
    if (documents === null) continue;
    const followers = [...new Set(folder.followers.map(({ name }) => name))];
    log.info(
      { folder: followers.join(', ') || folder.outside, before: folder.name, documents },
      'folder was renamed or moved; its documents are kept',
    );
  }
  const changes = moves.changes();
  if (changes.length > 0) await ledger.commit(changes);
}

/** What the ledger has to learn of folders that documents have left, gathered folder by folder. */
class FolderMoves {
  readonly #ledger: LedgerPort;
  readonly #follows = new Map<string, Follow>();
  readonly #moves = new Map<string, Move>();
  readonly #targets = new Set<string>();
  readonly #holds = new Map<string, Hold | null>();
  readonly #mounts = new Map<string, readonly Mount[]>();
  readonly #roots = new Map<string, RootIdentity>();
  readonly #outsides = new Map<string, RootIdentity>();
  readonly #uploads: Change[] = [];
  readonly #directories: Change[] = [];
  readonly #removals: Change[] = [];

  constructor(ledger: LedgerPort) {
    this.#ledger = ledger;
  }

  /** How many documents leave with it; null: nothing that is known of it has another place. */
  add(left: LeftFolder): number | null {
    const { name, known, follow, outside } = left;
    if (outside !== name) this.#outsides.set(outside, known);
    this.#follows.set(name, follow);
    this.#uploads.push(...uploadChanges(this.#ledger, name, follow));
    this.#directories.push(...directoryChanges(this.#ledger, name, follow));
    const documents = this.#moveDocuments(left);
    const carried = this.#ledger.carriedElsewhere().filter(({ folder }) => folder === name);
    if (documents === 0 && carried.every((ref) => follow(ref).folder === name)) return null;
    this.#moveRoot(left);
    const followers = [...new Set(left.followers.map((follower) => follower.name))];
    for (const folder of followers)
      for (const removal of this.#ledger.removals(name))
        this.#removals.push({ kind: 'removed', folder, removal });
    this.#moveHold(name, followers);
    this.#moveMounts(left);
    return documents;
  }

  #moveDocuments({ name, follow }: LeftFolder): number {
    let documents = 0;
    for (const ref of refsOf(this.#ledger, name)) {
      const to = follow(ref);
      if (refKey(to) === refKey(ref) || this.#targets.has(refKey(to))) continue;
      this.#targets.add(refKey(to));
      this.#moves.set(refKey(ref), { from: ref, to });
      documents += 1;
    }
    return documents;
  }

  #moveRoot({ known, followers }: LeftFolder): void {
    for (const { name, root, isAway } of followers) {
      // Only the directory that was known may say by its files that something is gone.
      if (isAway) this.#roots.set(name, known);
      else if (root !== null)
        this.#roots.set(name, {
          ...known,
          ...root,
          // What one of them kept is among the documents by now.
          keeps: known.keeps ?? (this.#roots.get(name) ?? this.#ledger.root(name))?.keeps,
        });
    }
  }

  /** What was held before stays held where it is now. */
  #moveHold(before: string, followers: readonly string[]): void {
    const hold = this.#ledger.hold(before);
    if (hold === undefined) return;
    // Another folder may have brought its own by now.
    if (!this.#holds.has(before)) this.#holds.set(before, null);
    for (const folder of followers) this.#holds.set(folder, hold);
  }

  /**
   * What lay on a mount that is missing is held under its new folder, too. Several folders may become one, or change
   * their names with each other: what comes from one adds to what came from the others.
   */
  #moveMounts({ name, follow }: LeftFolder): void {
    const known = mountsOf(this.#ledger, name);
    if (known.length === 0) return;
    // What it had leaves; what came from another folder stays.
    const came = this.#mounts.get(name)?.slice(known.length) ?? [];
    this.#mounts.set(name, came);
    for (const { path, ...mount } of known) {
      const to = follow({ folder: name, path });
      const there = this.#mounts.get(to.folder) ?? mountsOf(this.#ledger, to.folder);
      this.#mounts.set(to.folder, [...there, { path: to.path, ...mount }]);
    }
  }

  /** For one commit; none: everything is where it was. */
  changes(): readonly Change[] {
    const ledger = this.#ledger;
    const free = freeMoves(ledger, this.#moves);
    const follow: Follow = (ref) => this.#follows.get(ref.folder)?.(ref) ?? ref;
    const records = recordsAfter(ledger, free, follow);
    const claims = claimsAfter(ledger, follow);
    if (free.length + this.#uploads.length + claims.length + records.length === 0) return [];
    const used = new Set([
      ...Array.from(this.#moves.values(), ({ to }) => to.folder),
      ...claims.flatMap(({ to, claim }) => [to, ...(claim.elsewhere ?? [])].map(({ folder }) => folder)),
      ...records.flatMap(({ record }) => record.attachments.map(({ folder }) => folder)),
    ]);
    const roots = new Map([...this.#roots, ...Array.from(this.#outsides).filter(([name]) => used.has(name))]);
    return [
      ...Array.from(this.#holds, ([folder, hold]): Change => ({ kind: 'hold', folder, hold })),
      ...Array.from(this.#mounts, ([folder, known]) => mountsChange(folder, known)),
      ...free.flatMap(({ from }): readonly Change[] => [
        { kind: 'drop', ref: from },
        { kind: 'clear', ref: from },
        { kind: 'unapprove', folder: from.folder, paths: [from.path] },
      ]),
      ...records.map((entry): Change => ({ kind: 'put', ...entry })),
      ...free.flatMap((move) => changesAt(ledger, move)),
      ...this.#directories,
      ...this.#removals,
      ...this.#uploads,
      // Two folders may change their names with each other.
      ...claims.map(({ from, claim: { sidecar } }): Change => ({
        kind: 'claim',
        ref: from,
        claim: { sidecar, paths: [] },
      })),
      ...claims.map(({ to, claim }): Change => ({ kind: 'claim', ref: to, claim })),
      ...Array.from(roots, ([folder, identity]): Change => ({ kind: 'root', folder, identity })),
    ];
  }
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
    const heldModes = record.heldModes?.map((held): HeldMode => {
      const { folder, by } = held;
      return { ...held, ...follow(held), by: by === null ? null : follow({ folder, path: by }).path };
    });
    const stays =
      ref === from &&
      isDeepStrictEqual(attachments, record.attachments) &&
      isDeepStrictEqual(heldModes, record.heldModes);
    return stays ? [] : [{ ref, record: { ...record, attachments, heldModes } }];
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
