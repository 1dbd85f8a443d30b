import type * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import type { BootMoment } from '../../lib/time/boot-moment.ts';
import { isAlike, isSameFile, sameFile, sameStat } from '../document.ts';
import { dismissedCode, isUnreadable } from '../errors.ts';
import type { DocumentRef, FileStat, FileIdentity, FoundDocument } from '../document.ts';
import type { plainChangeSchema, recordSchema } from './ledger-schema.ts';

/** What the service holds for one path, and what the file looked like when it was sent. */
export type LedgerRecord = DeepReadonly<z.output<typeof recordSchema>>;

/** Whether a record tells how a file was shared last: it was accepted as this document, whatever became of it since. */
export function tellsOf(
  { stat, standing }: Pick<LedgerRecord, 'stat' | 'standing'>,
  file: FileStat,
): boolean {
  return isAlike(stat, file) && (standing === undefined || !isSameFile(standing, file));
}

/** `standing` of a record at whose path a file stands. */
export function standingAs(
  { stat, standing }: Pick<LedgerRecord, 'stat' | 'standing'>,
  file: FileStat,
): LedgerRecord['standing'] {
  if (!isSameFile(stat, file)) return file;
  return standing !== undefined && sameFile(standing, file) ? standing : undefined;
}

/** Files that a record is known to be of: the one that was accepted last, and the one that it is by now. */
export function filesOfRecord({
  stat,
  standing,
}: Pick<LedgerRecord, 'stat' | 'standing'>): readonly FileStat[] {
  return standing === undefined ? [stat] : [stat, standing];
}

export interface LedgerEntry {
  readonly ref: DocumentRef;
  readonly record: LedgerRecord;
}

/** How a record compares with a file: no record, another file, this file with another fingerprint, the same. */
type RecordMatch = 'none' | 'other' | 'stat' | 'same';

/** The records of one directory by file name. Live: not to be kept over an await. */
export interface DirectoryRecords {
  readonly size: number;
  readonly keys: () => Iterable<string>;
  readonly get: (name: string) => LedgerRecord | undefined;
  /** `rootChange` of a record, without building it. */
  readonly rootChange: (name: string) => number | undefined;
  /** Compares without building the record: a scan asks for each file, and most are unchanged. */
  readonly match: (name: string, seen: Pick<LedgerRecord, 'stat' | 'fingerprint'>) => RecordMatch;
}

/**
 * Whether a document is not sent because of what was refused: nothing has changed about it since. The refusal of a
 * deletion is of the file that went, not of one that stands there now.
 */
export function isStillRefused(
  failure: Failure,
  { stat, fingerprint, ownFingerprint }: Pick<FoundDocument, 'stat' | 'fingerprint' | 'ownFingerprint'>,
): boolean {
  // Whether a file can be read is asked of the disk, not of a record of earlier versions.
  if (isOfDeletion(failure) || isUnreadable(failure)) return false;
  // What may be at the service is not sent because rights, links or companions of its file change.
  if (failure.code === dismissedCode)
    return sameStat(failure.stat, { ...stat, ctimeMs: failure.stat.ctimeMs });
  return sameStat(failure.stat, stat) && [fingerprint, ownFingerprint].includes(failure.fingerprint);
}

/** In `said` of a document that ingestd did not upload, and that did not come from an export with all that is known. */
export const importedMark = 'imported';

export function isImported({ said }: LedgerRecord): boolean {
  return said?.includes(importedMark) === true;
}

/** Says whether it was a deletion that was refused. */
export function isOfDeletion({ history }: Failure): boolean {
  return history.at(-1)?.operation === 'delete';
}

/** A directory in a folder; `''` is the root itself. */
export interface DirectoryRef {
  readonly folder: string;
  /** NFC, from the folder's root. */
  readonly path: string;
}

/** A request to an ingestion endpoint, for the sliding minute. */
export interface SentRequest {
  readonly id: string;
  /** Wall clock, ms. */
  readonly at: number;
  /** When its answer came; null: not known. */
  readonly answeredAt: number | null;
  /** The same, where the system says it. */
  readonly answeredSinceBoot?: BootMoment;
}

/** One step of the ledger's history. Applying a list of them twice is the same as once. */
export type Change =
  | { readonly kind: 'put'; readonly ref: DocumentRef; readonly record: LedgerRecord }
  | DeepReadonly<z.output<typeof plainChangeSchema>>;

export type ChangeOf<Kind extends Change['kind']> = Extract<Change, { readonly kind: Kind }>;

export type RecordedAttachment = LedgerRecord['attachments'][number];
export type Unsure = NonNullable<LedgerRecord['unsure']>;
export type Intent = ChangeOf<'intent'>['intent'];
export type Doubt = ChangeOf<'doubt'>['doubt'];
export type Failure = ChangeOf<'fail'>['failure'];
/** One attempt of a document and what came of it. */
export type Attempt = Failure['history'][number];
export type Hold = NonNullable<ChangeOf<'hold'>['hold']>;
export type Removal = ChangeOf<'removed'>['removal'];
export type RootIdentity = ChangeOf<'root'>['identity'];
export type MountIdentity = NonNullable<ChangeOf<'mounts'>['identities']>[number];
export type BareMountPoint = NonNullable<ChangeOf<'mounts'>['bare']>[number];
/** The mode that a file goes with because of a document that has, or had, it or attached it. */
export type FormerMode = ChangeOf<'former'>['held'];

/** The durable record. Reads are from memory and never block; one process at a time writes. */
export interface LedgerPort {
  readonly get: (ref: DocumentRef) => LedgerRecord | undefined;
  /** Empty where there are none. */
  readonly recordsIn: (folder: string, directory: string) => DirectoryRecords;
  /** Every directory of a folder that holds at least one record. */
  readonly directories: (folder: string) => Iterable<string>;
  /** Which directory held the records of a path when they were found; undefined: there are none, or it is not known. */
  readonly directory: (place: DirectoryRef) => FileIdentity | undefined;
  /** The paths whose records a directory held, by its identity. */
  readonly placesOf: (directory: FileIdentity) => readonly DirectoryRef[];
  /** Names of folders that have records. */
  readonly folders: () => readonly string[];
  /** Where attachments lie that are in another folder than their document. */
  readonly attachedElsewhere: () => readonly DocumentRef[];
  readonly count: (folder: string) => number;
  /** Of all folders. */
  readonly total: () => number;
  /** Records of which the service may hold further copies. */
  readonly duplicated: () => readonly LedgerEntry[];
  /** The sum of their `possibleDuplicates`. */
  readonly possibleDuplicates: () => number;
  /** How many documents of a folder are held more narrowly than is stated for them. */
  readonly narrower: (folder: string) => number;
  /** Which these are. */
  readonly narrowerIn: (folder: string) => Iterable<LedgerEntry>;
  readonly entries: () => Iterable<LedgerEntry>;
  /** What makes an empty ledger this one. */
  readonly changes: () => Iterable<Change>;
  /**
   * Records whose file this may be: that had its inode number when it was sent, on whatever device; where it has no usable
   * one, its size and time.
   */
  readonly findByFile: (stat: FileStat) => readonly LedgerEntry[];
  /**
   * Records that carry a file as an attachment: one of its path, or, wherever it is now, this very file. What the
   * service only holds because it cannot be taken back is attached no longer.
   */
  readonly findOwners: (ref: DocumentRef, stat: FileStat) => readonly LedgerEntry[];
  /** Records whose file has this stem, or was sent last with a name that has it. */
  readonly findByStem: (stem: string) => readonly LedgerEntry[];
  /** Records whose file this very file is, or was, and those that carry it as an attachment. */
  readonly findHolders: (stat: FileStat) => readonly LedgerEntry[];
  /** What this very file counts as held with because of a document that was deleted: one mode, or none. */
  readonly formerModes: (file: FileStat) => readonly FormerMode[];
  readonly findByDocId: (docId: string) => DocumentRef | undefined;
  readonly intents: () => readonly Intent[];
  readonly doubts: () => readonly Doubt[];
  readonly failure: (ref: DocumentRef) => Failure | undefined;
  readonly failures: () => Iterable<readonly [DocumentRef, Failure]>;
  readonly hold: (folder: string) => Hold | undefined;
  /** What a person decided about the removed file of a document; undefined: nothing. */
  readonly answer: (ref: DocumentRef) => 'delete' | 'keep' | undefined;
  readonly isApproved: (ref: DocumentRef) => boolean;
  /** Says whether a person has decided anything about removed files of this folder. */
  readonly hasApprovals: (folder: string) => boolean;
  readonly removals: (folder: string) => readonly Removal[];
  readonly root: (folder: string) => RootIdentity | undefined;
  /** Directories below the root on which something was mounted when it was scanned, whether it still is or not. */
  readonly mounts: (folder: string) => readonly string[];
  /** Which directories were mounted there, of those that are known. */
  readonly mountIdentities: (folder: string) => readonly MountIdentity[];
  /** Those of the mount points that were seen bare. */
  readonly bareMountPoints: (folder: string) => readonly BareMountPoint[];
  /** The service that the records belong to, an address or `embedded`; null: unknown. */
  readonly service: () => string | null;
  /** Those of the last ten minutes at least, for the limiter. */
  readonly sentRequests: () => readonly SentRequest[];
  /**
   * Applies the changes together, all or none, and resolves when they are durable (written and fsynced). Calls
   * that come together share one fsync. Rejects with LedgerUnwritableError when the disk cannot be written; then
   * nothing is changed, in memory either, and the next call tries again.
   */
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  /** Waits for what is under way, writes a new snapshot where it pays, releases the lock. */
  readonly close: () => Promise<void>;
}
