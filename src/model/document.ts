import type * as z from 'zod';

import type { DeepReadonly } from '../lib/deep-readonly.ts';
import type { Metadata, ShareMode } from './metadata/metadata.ts';
import type { companionsSchema, heldModeSchema, statSchema } from './ports/ledger-schema.ts';

/**
 * Names one document: its folder's name and its path inside the folder, NFC, `/` between names. A file that has the NFC
 * form of its name in common with another one, which stands for it, is failed under the name that it has on disk.
 */
export interface DocumentRef {
  readonly folder: string;
  readonly path: string;
}

export type FileStat = DeepReadonly<z.output<typeof statSchema>>;

/** The identity of a file on a file system. */
export type FileIdentity = Pick<FileStat, 'ino' | 'birthtimeMs' | 'dev'>;

/** The stat of a file that has not been inspected. */
export const unknownStat: FileStat = { size: 0, mtimeMs: 0, ctimeMs: 0, birthtimeMs: 0, ino: 0, dev: 0 };

/** What a scan saw of one document without opening it. */
export interface DocumentEntry {
  /** NFC, in its directory; of what is failed as the twin of another, as on disk. */
  readonly name: string;
  readonly stat: FileStat;
  /**
   * A short text that changes whenever anything else that decides what is sent changes: sidecar, attachments,
   * directory defaults, the folder's settings. Equal texts, equal inputs.
   */
  readonly fingerprint: string;
  /** The sharing mode that its own sidecar states; absent: none, or EVERYONE. */
  readonly ownMode?: ShareMode | undefined;
}

/**
 * A file in a folder that is not sent, with the rule that says so, counted in `skipped`; or a directory of attachments
 * without a document (`orphanAttachments`), which is not.
 */
export interface Skip {
  /** Bytes that are not UTF-8 stand in it as U+FFFD. */
  readonly path: string;
  /** Base64, where the path is not UTF-8. */
  readonly pathBytes?: string;
  readonly code: string;
  readonly message: string;
}

/** Why a directory was scanned. `rescan` finds what the watcher missed. */
export type ScanCause = 'start' | 'event' | 'rescan' | 'poll' | 'overflow';

/** One directory as it was when it was listed: everything in it that counts. It replaces what was known of it. */
export interface DirectoryScan {
  readonly folder: string;
  /** NFC, from the folder's root; `''` is the root itself. */
  readonly directory: string;
  readonly cause: ScanCause;
  readonly entries: readonly DocumentEntry[];
  readonly skips: readonly Skip[];
  /** Names of files that would be documents, but that a rule leaves out, joined by `/`. */
  readonly leftOut: string;
  /** NFC names of the directories inside that may hold documents. What the ledger knows below others is gone. */
  readonly subdirectories: readonly string[];
  /** Of the directory itself. */
  readonly identity: FileIdentity;
  /** What its documents attach, wherever that lies; absent: nothing. */
  readonly attachments?: readonly AttachedFile[];
  /** All below it is listed with it: `from here` (rules or defaults changed, or all is scanned), or from one above. */
  readonly deep?: 'from here' | 'from above';
  /** Its ignore file is not valid: of what is in it nothing is sent or deleted, and how it may be shared is noted all the same. */
  readonly isShut?: true;
}

/** A file that a document attaches, as a scan saw it. */
export interface AttachedFile {
  /** The document's name. */
  readonly owner: string;
  /** Of the document; null: none is sent there, and the file lies in its directory of attachments. */
  readonly ownerStat: FileStat | null;
  /** NFC, from the folder's root. */
  readonly path: string;
  readonly stat: FileStat;
  /** The document's sidecar lists it; false: it lies in the document's directory of attachments. */
  readonly isListed: boolean;
}

/** An attachment as found on disk. */
export interface FoundAttachment {
  /** The file name as it is sent. */
  readonly name: string;
  /** NFC, from the folder's root. */
  readonly path: string;
  readonly stat: FileStat;
}

export type Companions = DeepReadonly<z.output<typeof companionsSchema>>;
export type HeldMode = DeepReadonly<z.output<typeof heldModeSchema>>;

/** What may still come to a document: its sidecar, or the document that attaches it. */
export interface Arrival {
  /** For how long, as far as can be told now. */
  readonly ms: number;
  /** Documents around it have sidecars, and without one it is not private. */
  readonly isExpected: boolean;
  /** Why, where it is not that files still come around it. */
  readonly message?: string;
}

/** A document, settled and paired with its metadata and attachments: what should be at the service. */
export interface FoundDocument {
  readonly ref: DocumentRef;
  readonly stat: FileStat;
  readonly fingerprint: string;
  /** The same of its own sidecar and attachments alone. */
  readonly ownFingerprint?: string;
  /** The file name as it is sent: NFC, rewritten where `names: rewrite` says so. */
  readonly fileName: string;
  /** The sidecar that was read, NFC, from the folder's root. */
  readonly sidecar?: string | null | undefined;
  /**
   * A sharing mode that is held for it, and the one that is stated now, with its source, and that may not widen it.
   * `metadata` has the one that is held. Absent: what is stated counts.
   */
  readonly kept?:
    | {
        readonly held: HeldMode;
        readonly stated: { readonly mode: ShareMode; readonly source: string | undefined };
        /**
         * `attachments`: more people would see some that it no longer lists. `link`: another name of the file is held so.
         * `unknown`: nobody knows what is held.
         */
        readonly because?: 'attachments' | 'link' | 'unknown' | undefined;
      }
    | undefined;
  /** Absent: nothing that belongs to it is on its way. */
  readonly arrival?: Arrival | undefined;
  /** Where it has no sidecar: one that fits no file and may be meant for it, by its name (contract 7.29). */
  readonly likelySidecar?: string | undefined;
  /** Absent: there are none. */
  readonly companions?: Companions | undefined;
  /** Effective metadata: defaults, directory `.meta.json`, sidecar, title and createdTimestamp by the settings. */
  readonly metadata: Metadata;
  /** Where each field of `metadata` comes from: a sidecar or `.meta.json` from the root, or in words. */
  readonly sources?: Readonly<Record<string, string>>;
  /** In the order in which they are sent; at most ten. */
  readonly attachments: readonly FoundAttachment[];
}

/** What an inspection of one path found. */
export type Inspection = { readonly kind: 'document'; readonly document: FoundDocument } | NoDocument;

/** `stated`: the mode that is stated, valid and settled, where only content or attachments keep it from being sent. */
export type NoDocument = WithoutDocument & { readonly stated?: FoundDocument };

type WithoutDocument =
  /** It changed a moment ago, or changed since the last inspection: inspect again after `againMs`. */
  | { readonly kind: 'settling'; readonly againMs: number }
  /** No such file exists: root and directory could be read. `device`: of the nearest directory that does exist. */
  | { readonly kind: 'absent'; readonly device: number }
  /** Nothing may be concluded: the root or a directory cannot be read, or the root is another one now. */
  | {
      readonly kind: 'unknown';
      readonly code: string;
      readonly message: string;
      /** Of a place that cannot be read, unless something is seen to stand there all the same; `unseen`: nobody can say. */
      readonly presence?: 'gone' | 'unseen';
      /** Of the regular file that stands there. */
      readonly stat?: FileStat;
    }
  /** Something is there, or is not; it is not ours to send or to delete: ignored, an attachment of another. */
  | {
      readonly kind: 'ignored';
      readonly code: string;
      readonly message: string;
      /** Of an attachment or a sidecar: the path of its document, which may not be there. */
      readonly owner?: string;
      /** Left out: something stands there. `unseen`: nobody can say, or it is a link, and what it leads to stands elsewhere. */
      readonly presence?: 'gone' | 'unseen';
      /** Of the regular file that stands there. */
      readonly stat?: FileStat;
      /** Of `gone` in a directory that is listed: for certain, and the device of the nearest directory that exists. */
      readonly device?: number;
    }
  /** It is there and is not sent, listed in `skipped`: unsupported type, symbolic link, empty file. */
  | {
      readonly kind: 'skipped';
      readonly code: string;
      readonly message: string;
      /** It is a link, and what it leads to stands elsewhere. */
      readonly presence?: 'unseen';
      /** Of the regular file that stands there. */
      readonly stat?: FileStat;
    }
  /** It waits for another file: `sidecar: required`, a missing attachment within its grace. */
  | {
      readonly kind: 'waiting';
      readonly code: string;
      readonly message: string;
      readonly againMs: number | null;
    }
  /** It breaks a rule and is never sent in this state: failed, with the rule in words. */
  | { readonly kind: 'unfit'; readonly code: string; readonly message: string };

/** Whether nothing stands where a path was inspected: a file that was there may be another path's by now. */
export function hasGone(found: Inspection | undefined): boolean {
  return found?.kind === 'absent' || (found?.kind === 'ignored' && found.presence === 'gone');
}

/** Whether for certain nothing stands at a path, whatever rules say of it. */
export function isAbsent<T extends Inspection>(
  found: T | undefined,
): found is T & { readonly device: number } {
  return found?.kind === 'absent' || (found?.kind === 'ignored' && found.device !== undefined);
}

/** `code` of a symbolic link, followed or not. */
export const symbolicLinkCode = 'symbolic-link';

/** `code` of a sidecar that fits no file of its directory. */
export const orphanSidecarCode = 'orphan-sidecar';

/** The same where the end of its name is misspelled. */
export const misspelledSidecarCode = 'misspelled-sidecar';

/** Of a sidecar whose document is gone, while its deletion is held or under way. */
export const heldSidecarCode = 'held-sidecar';

/** Whether something is skipped because it is a sidecar that fits no file: contract 7.29. */
export function isUnfitSidecar({ code }: { readonly code: string }): boolean {
  return code === orphanSidecarCode || code === misspelledSidecarCode;
}

/** Why the files in a directory of attachments are not sent. */
export const orphanAttachments = {
  code: 'orphan-attachments',
  message:
    'its document is not there, so only those of these attachments are sent that a sidecar lists, or that a document was sent with',
};

/** The code of a file that is skipped as long as it is empty. */
export const emptyFileCode = 'empty-file';

/** Whether a file is skipped only as it stands: its content may be on its way, and nothing has to be fixed. */
export function awaitsContent({ kind, code }: { readonly kind: string; readonly code?: string }): boolean {
  return kind === 'skipped' && code === emptyFileCode;
}

/** A unique key of a document, for maps. Folder names hold no `/`. */
export function refKey(ref: DocumentRef): string {
  return `${ref.folder}/${ref.path}`;
}

/** Where what lies below the directory `from` is once that is `to`; null: the path does not lie below it. */
export function pathAfterMove(path: string, from: string, to: string): string | null {
  if (from === '') return joinPath(to, path);
  return path.startsWith(`${from}/`) ? joinPath(to, path.slice(from.length + 1)) : null;
}

/** Whether a path is this place or lies below it; `''` is the root. */
export function isAtOrBelow(path: string, place: string): boolean {
  return path === place || pathAfterMove(path, place, '') !== null;
}

/** The directories on the way to a path, outermost first, without the root. */
export function directoriesTo(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The directory part of a path inside a folder; `''` is the root. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Joins a directory inside a folder and a name. */
export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}

/**
 * The path of a document whose own is another file's by now: below that file, where nothing can stand, and of a name that
 * nobody gives a directory that comes there later.
 */
export function replacedPath(path: string): string {
  return `${path}${replacedMark}${nameOf(path)}`;
}

/** Whether a path is one of those: nothing stands there, whatever a rule says of its names. */
export function isReplacedPath(path: string): boolean {
  return path.includes(replacedMark);
}

const replacedMark = '/(its file was replaced)/';

/** Says whether a reference leads to a place inside a folder. */
export function isValidRef({ folder, path }: DocumentRef): boolean {
  return isValidFolder(folder) && isValidPath(path);
}

/** Says whether a directory, `''` for the root, is a place inside a folder. */
export function isValidDirectory(folder: string, directory: string): boolean {
  return isValidFolder(folder) && (directory === '' || isValidPath(directory));
}

/** Says whether a path leads to a place inside a folder: no empty name, no `.` or `..`, not absolute, no NUL. */
export function isValidPath(path: string): boolean {
  return path.split('/').every(isValidName);
}

/** Says whether a text can be the name of one file. */
export function isValidName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

function isValidFolder(folder: string): boolean {
  return folder !== '' && !/[/\0]/.test(folder);
}

/** Says whether two stats are of one unchanged file. The device is left out: its number may change with a reboot. */
export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

/** An inode number as it can be told from others: above 2^53 it was rounded, and is not known, which is 0. */
export function knownInode(ino: number): number {
  return Number.isSafeInteger(ino) ? ino : 0;
}

/**
 * Whether two stats are of one file, wherever it stands. Where birth times are unknown, an inode number that was used
 * again shows in size and time.
 */
export function isSameFile(a: FileStat, b: FileStat): boolean {
  return sameFile(a, b) && (isBirthKnown(a, b) || (a.size === b.size && a.mtimeMs === b.mtimeMs));
}

/**
 * Whether two stats are of one file, or of one directory inside a folder: the same inode number and the same birth time.
 * A number that was used again shows in its birth time. Where a birth time is 0 it is unknown; then the device has to be
 * the same, which it is within one boot only, as numbers change with mounts.
 */
export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino !== 0 && sameInode(a, b) && (isBirthKnown(a, b) || a.dev === b.dev);
}

/** Whether two stats may be of one file: where no usable numbers are given, by size and times alone. */
export function isPerhapsSame(a: FileStat, b: FileStat): boolean {
  if (a.ino !== 0) return sameFile(a, b);
  return sameInode(a, b) && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/** Whether two stats count as one file where that shares less: as `isSameFile`; without numbers, by size and times. */
export function isAlike(a: FileStat, b: FileStat): boolean {
  return a.ino === 0 ? isPerhapsSame(a, b) : isSameFile(a, b);
}

/** What a file is found by, wherever it stands: its number, or where none is known its size and time. */
export function fileKey({ ino, size, mtimeMs }: FileStat): number | string {
  return ino === 0 ? `${size} ${mtimeMs}` : ino;
}

/** The same for one file alone: numbers of two disks may be equal. */
export function ownFileKey(stat: FileStat): string {
  return `${fileKey(stat)} ${stat.birthtimeMs}`;
}

/** Whether both birth times are known. Of a file system that has none, and of an import that does not say, they are 0. */
export function isBirthKnown(a: BirthMark, b: BirthMark): boolean {
  return (a.birthtimeMs ?? 0) !== 0 && (b.birthtimeMs ?? 0) !== 0;
}

type BirthMark = Pick<RootMarks, 'birthtimeMs'>;

/** What tells a folder's root from another directory. A birth time that is absent or 0 is not known. */
export type RootMarks = Pick<FileIdentity, 'dev' | 'ino'> & { readonly birthtimeMs?: number | undefined };

/**
 * Whether two stats are of one directory that stayed where it is mounted: the same device and inode number, and no birth
 * times that differ. Roots of different disks have the same inode number as a rule, and get each other's device numbers.
 */
export function sameDirectory(a: RootMarks, b: RootMarks): boolean {
  return a.dev === b.dev && sameInode(a, b);
}

/**
 * Whether two stats may be of one file or directory that was mounted again since, with another device number: the same
 * inode number, and no birth times that differ. It proves less than the other two.
 */
export function sameInode(a: Omit<RootMarks, 'dev'>, b: Omit<RootMarks, 'dev'>): boolean {
  return a.ino === b.ino && (!isBirthKnown(a, b) || a.birthtimeMs === b.birthtimeMs);
}

const longestDocId = 1_024;

/**
 * Says whether an identifier can be kept and put into an address, where all but letters and digits is escaped: text of 1
 * to 1,024 characters, but not `.` or `..`, which an address takes for something else, and no half of a character.
 */
export function isUsableDocId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > longestDocId) return false;
  return value !== '.' && value !== '..' && !/\p{Cs}/u.test(value);
}
