import type { Companions, DocumentRef, FileStat } from '../../model/document.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import type {
  Attempt,
  DirectoryRef,
  LedgerEntry,
  MountIdentity,
  RecordedAttachment,
  Unsure,
} from '../../model/ports/ledger-port.ts';
import type { FileIdentity } from '../../model/same-file.ts';
import type { LedgerReader } from '../records/ledger-data.ts';

/** One document as `ledger export` prints it, contract section 5; what else the record holds stands beside. */
interface ExportedDocument {
  readonly folder: string;
  readonly path: string;
  readonly docId: string;
  readonly sha256: string;
  readonly size: number;
  readonly attachments: readonly RecordedAttachment[];
  readonly metadata: Metadata;
  readonly uploadedAt: string;
  readonly modifiedAt: string | null;
  readonly possibleDuplicates: number;
  /** The file name that went out last. */
  readonly fileName: string;
  /** What the file looked like when it was sent: tells it from others after a move. */
  readonly stat: FileStat;
  /** Its sidecar and the directories whose `.meta.json` had a say. */
  readonly companions?: Companions | undefined;
  readonly said?: readonly string[] | undefined;
  /** What the service may hold instead, because answers were lost. */
  readonly unsure?: Unsure | undefined;
  /** It was written down in a root that was not accepted yet: it proves nothing about the one before. */
  readonly rootChange?: number | undefined;
}

/** An upload whose outcome was never learned. */
interface ExportedDoubt {
  readonly id: string;
  readonly folder: string;
  readonly path: string;
  /** Of the file that was sent. */
  readonly stat?: FileStat | undefined;
  readonly count: number;
  readonly since: string;
  readonly message: string;
  readonly holds: boolean;
}

/** An upload that was under way. */
interface ExportedUpload {
  readonly id: string;
  readonly folder: string;
  readonly path: string;
  readonly size: number;
  readonly stat?: FileStat | undefined;
  readonly at: string;
}

/** A document that the service or a rule refused. */
interface ExportedFailure {
  readonly folder: string;
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly history: readonly (Omit<Attempt, 'at'> & { readonly at: string })[];
  readonly stat: FileStat;
  readonly fingerprint: string;
  readonly rootChange?: number | undefined;
}

/** The directory that a folder was when it was last known to be right, and what was mounted below it. */
interface ExportedRoot {
  readonly folder: string;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly seenAt?: string | undefined;
  readonly changes?: number | undefined;
  readonly mounts: readonly string[];
  readonly mountIdentities: readonly MountIdentity[];
}

/** What `ledger export` prints, contract section 5. Times are ISO 8601, UTC. */
export interface LedgerExport {
  readonly version: 1;
  /** Whose documents they are, where the ledger says so. */
  readonly service?: string | undefined;
  readonly documents: readonly ExportedDocument[];
  readonly inDoubt: readonly ExportedDoubt[];
  readonly uploading: readonly ExportedUpload[];
  readonly failures: readonly ExportedFailure[];
  /** Deletions that wait for a person. */
  readonly held: readonly { readonly folder: string; readonly since: string; readonly reason: string }[];
  /** Deletions that a person has allowed and that have not gone out. */
  readonly approved: readonly DocumentRef[];
  /** Deletions of the last hour, which the limits of `safety` go by. */
  readonly deleted: readonly { readonly folder: string; readonly at: string; readonly count: number }[];
  readonly roots: readonly ExportedRoot[];
  /** Which directories hold the documents: a directory that was moved is told from another in its place. */
  readonly directories: readonly (DirectoryRef & FileIdentity)[];
}

/** The ledger as one JSON object; everything by folder, then by path. */
export function exportLedger(ledger: LedgerReader): LedgerExport {
  const entries = [...ledger.entries()];
  const folders = [
    ...new Set([...ledger.folders(), ...Array.from(ledger.failures(), ([{ folder }]) => folder)]),
  ].sort(compare);
  return {
    version: 1,
    service: ledger.service() ?? undefined,
    documents: entries.map(exported).sort(byPlace),
    inDoubt: ledger
      .doubts()
      .map(({ ref, since, ...doubt }) => ({ ...ref, ...doubt, since: timeText(since) }))
      .sort(byPlace),
    uploading: ledger
      .intents()
      .map(({ ref, at, ...intent }) => ({ ...ref, ...intent, at: timeText(at) }))
      .sort(byPlace),
    failures: Array.from(ledger.failures(), ([ref, { stat, fingerprint, history, ...failure }]) => ({
      ...ref,
      ...failure,
      history: history.map(({ at, ...attempt }) => ({ at: timeText(at), ...attempt })),
      stat,
      fingerprint,
    })).sort(byPlace),
    held: folders.flatMap((folder) => {
      const hold = ledger.hold(folder);
      return hold === undefined ? [] : [{ folder, since: timeText(hold.since), reason: hold.reason }];
    }),
    approved: entries
      .map(({ ref }) => ref)
      .filter((ref) => ledger.isApproved(ref))
      .sort(byPlace),
    deleted: folders.flatMap((folder) =>
      ledger.removals(folder).map(({ at, count }) => ({ folder, at: timeText(at), count })),
    ),
    roots: folders.flatMap((folder) => exportedRoot(ledger, folder)),
    directories: folders
      .flatMap((folder) => Array.from(ledger.directories(folder), (path) => ({ folder, path })))
      .flatMap((place) => {
        const identity = ledger.directory(place);
        return identity === undefined ? [] : [{ ...place, ...identity }];
      })
      .sort(byPlace),
  };
}

function exportedRoot(ledger: LedgerReader, folder: string): readonly ExportedRoot[] {
  const root = ledger.root(folder);
  if (root === undefined) return [];
  const { seenAt, changes, ...identity } = root;
  return [
    {
      folder,
      ...identity,
      seenAt: seenAt === undefined ? undefined : timeText(seenAt),
      changes,
      mounts: ledger.mounts(folder),
      mountIdentities: ledger.mountIdentities(folder),
    },
  ];
}

function exported({ ref, record }: LedgerEntry): ExportedDocument {
  const { folder, path } = ref;
  return {
    folder,
    path,
    docId: record.docId,
    sha256: record.sha256,
    size: record.stat.size,
    attachments: record.attachments,
    metadata: record.metadata,
    uploadedAt: record.uploadedAt,
    modifiedAt: record.modifiedAt,
    possibleDuplicates: record.possibleDuplicates,
    fileName: record.fileName,
    stat: record.stat,
    companions: record.companions,
    said: record.said,
    unsure: record.unsure,
    rootChange: record.rootChange,
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function byPlace(a: DocumentRef, b: DocumentRef): number {
  return compare(a.folder, b.folder) || compare(a.path, b.path);
}

/** By code unit: the same order everywhere. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
