import type { DocumentRef } from '../../model/document.ts';
import type { LedgerEntry } from '../../model/ports/ledger-port.ts';
import type { LedgerReader } from '../records/ledger-data.ts';
import type { LedgerExport } from './import-json.ts';

/** The ledger as one JSON object; everything by folder, then by path. */
export function exportLedger(ledger: LedgerReader): LedgerExport {
  const entries = [...ledger.entries()];
  const uploads = [...ledger.doubts(), ...ledger.intents()];
  const folders = [
    ...new Set([
      ...ledger.folders(),
      ...ledger.attachedElsewhere().map(({ folder }) => folder),
      ...Array.from(ledger.failures(), ([{ folder }]) => folder),
      ...uploads.map(({ ref }) => ref.folder),
    ]),
  ].sort(compare);
  const answered = (answer: 'delete' | 'keep') =>
    entries
      .map(({ ref }) => ref)
      .filter((ref) => ledger.answer(ref) === answer)
      .sort(byPlace);
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
    approved: answered('delete'),
    kept: answered('keep'),
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

function exportedRoot(ledger: LedgerReader, folder: string): LedgerExport['roots'] {
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
      bareMountPoints: ledger
        .bareMountPoints(folder)
        .map(({ path, until }) => ({ path, until: until === null ? null : timeText(until) })),
    },
  ];
}

function exported({ ref, record }: LedgerEntry): LedgerExport['documents'][number] {
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
    heldModes: record.heldModes,
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
