import { SetsByKey } from '../../lib/sets-by-key.ts';
import { fileKey, isAlike, isSameFile, nameOf, refKey } from '../../model/document.ts';
import type { AttachedFile, DocumentRef, FileStat, FoundDocument, HeldMode } from '../../model/document.ts';
import type { FormerOwner } from './attachments.ts';
import { modeOfAttachment, UnsentModes } from './unsent-modes.ts';

export interface UnsentAttachment extends Omit<AttachedFile, 'owner'> {
  readonly owner: DocumentRef;
  /** Where its document was seen last; absent: there. */
  movedTo?: DocumentRef;
}

type Found = Pick<FoundDocument, 'ref' | 'stat'>;

/** Whether a document was sent with this file in a place. */
type IsSent = (owner: DocumentRef, place: DocumentRef, file: FileStat) => boolean;

/**
 * What scans saw attached to documents that were not sent with it. What a sidecar lists stays an attachment while this
 * process runs, whatever becomes of the sidecar, until its document was sent without one; and all of it counts as held by
 * nobody else (contract 4 and 7.27). Another configuration does not end that.
 */
export class UnsentAttachments {
  readonly modes = new UnsentModes();
  /** By document, then by path. */
  readonly #byOwner = new Map<string, Map<string, UnsentAttachment>>();
  /** By the key of the path, by that of the file, and by that of its document's file. */
  readonly #byFile = new SetsByKey<string | number, UnsentAttachment>();

  /** A scan saw it. */
  note(one: UnsentAttachment): void {
    const before = this.at(one.owner, one.path);
    if (before !== null) this.#end(before, one.stat);
    this.#add(one);
  }

  /** A file was seen in a directory: under the name that it had it attaches there what it did. */
  follow(ref: DocumentRef, file: FileStat): void {
    for (const one of this.#byFile.of(ownerKey(file)))
      if (nameOf(one.owner.path) === nameOf(ref.path) && one.ownerStat && isSameFile(one.ownerStat, file))
        one.movedTo = ref;
  }

  /** What was seen in this place; null: nothing. */
  at(owner: DocumentRef, path: string): UnsentAttachment | null {
    return this.#byOwner.get(refKey(owner))?.get(path) ?? null;
  }

  /** Other documents, to which a file was attached by a sidecar. `placesOf`: where the file of one stands by now. */
  ownersOf(found: Found, placesOf: (owner: FileStat) => readonly DocumentRef[]): readonly FormerOwner[] {
    return this.#with(found, isAlike).flatMap(({ owner, ownerStat, path, isListed, movedTo = owner }) => {
      // Without a number, what looks so under its name is the owner itself.
      const isNamed = found.stat.ino !== 0 || nameOf(owner.path) === nameOf(found.ref.path);
      if (!isListed || (ownerStat !== null && isNamed && isAlike(ownerStat, found.stat))) return [];
      const standing = ownerStat === null ? [] : placesOf(ownerStat);
      const owners = standing.length > 0 ? standing : [movedTo];
      const place = { folder: owner.folder, path };
      const isTold = found.stat.ino !== 0 || refKey(place) === refKey(found.ref);
      const sha256 = isTold ? undefined : null;
      return [{ owners, ownerStat: ownerStat ?? undefined, seenAt: owner, place, record: null, sha256 }];
    });
  }

  /** No document attaches the file any more: only the mode that it counts as held with is remembered. */
  release(found: Found): void {
    for (const one of this.#with(found, isSameFile)) this.#end(one);
  }

  /** A document was deleted, of this file: it attaches nothing any more, where it was and where it was seen since. */
  deleted(owner: DocumentRef, file: FileStat): void {
    const alike = [...this.#byFile.of(ownerKey(file))];
    const moved = alike.filter(({ ownerStat }) => ownerStat !== null && isSameFile(ownerStat, file));
    for (const one of [...(this.#byOwner.get(refKey(owner))?.values() ?? []), ...moved]) this.#end(one);
  }

  /** A document was sent: of what it was sent with its record tells from now on. True: there is more. */
  sent(owner: DocumentRef, file: FileStat, isSent: IsSent): boolean {
    for (const one of this.#byOwner.get(refKey(owner))?.values() ?? [])
      if (isSent(owner, { folder: owner.folder, path: one.path }, one.stat)) this.#remove(one);
    return this.attachesAny(owner, file);
  }

  /** Whether a document attaches more than it was sent with, here or where it was. */
  attachesAny(owner: DocumentRef, file: FileStat | undefined): boolean {
    return this.#byOwner.has(refKey(owner)) || (file !== undefined && this.#byFile.has(ownerKey(file)));
  }

  /** The mode that this very file counts as held with; null: it was not seen attached. */
  modeOf(stat: FileStat): HeldMode | null {
    const [one] = this.#same(stat);
    return one === undefined ? null : modeOfAttachment(one.owner);
  }

  /** Those that are this file, or stood at its path. */
  #with({ ref, stat }: Found, isSame: typeof isSameFile): readonly UnsentAttachment[] {
    return [...new Set([...this.#byFile.of(refKey(ref)), ...this.#same(stat, isSame)])];
  }

  #same(stat: FileStat, isSame = isAlike): readonly UnsentAttachment[] {
    return [...this.#byFile.of(fileKey(stat))].filter((one) => isSame(one.stat, stat));
  }

  /** `by`: the file that stands in its place. */
  #end(one: UnsentAttachment, by?: FileStat): void {
    this.#remove(one);
    if (by === undefined || !isSameFile(by, one.stat)) this.modes.noteAttachment(one.owner, one.stat);
  }

  #add(one: UnsentAttachment): void {
    const files = this.#byOwner.get(refKey(one.owner)) ?? new Map<string, UnsentAttachment>();
    this.#byOwner.set(refKey(one.owner), files.set(one.path, one));
    for (const key of keysOf(one)) this.#byFile.add(key, one);
  }

  #remove(one: UnsentAttachment): void {
    const files = this.#byOwner.get(refKey(one.owner));
    files?.delete(one.path);
    if (files?.size === 0) this.#byOwner.delete(refKey(one.owner));
    for (const key of keysOf(one)) this.#byFile.delete(key, one);
  }
}

function keysOf({ owner, path, stat, ownerStat }: UnsentAttachment): readonly (string | number)[] {
  const keys = [refKey({ folder: owner.folder, path }), fileKey(stat)];
  return ownerStat === null ? keys : [...keys, ownerKey(ownerStat)];
}

function ownerKey(stat: FileStat): string {
  return `owner ${fileKey(stat)}`;
}
