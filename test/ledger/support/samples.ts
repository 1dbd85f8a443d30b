import type { FileStat } from '../../../src/model/document.ts';
import type { Change, LedgerPort, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import type { LedgerReader } from '../../../src/ledger/records/ledger-data.ts';

export function statOf(number: number): FileStat {
  return {
    size: 1000 + number,
    mtimeMs: 1_760_000_000_000.25 + number,
    ctimeMs: 1_760_000_000_001.5 + number,
    birthtimeMs: 1_759_000_000_000 + number,
    ino: 4_000_000 + number,
    dev: 65_025,
  };
}

/** A record as a sync of an ordinary file leaves it. */
export function recordOf(number: number, changed: Partial<LedgerRecord> = {}): LedgerRecord {
  const name = `report-${number}.pdf`;
  return {
    docId: `doc-00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    sha256: number.toString(16).padStart(64, '0'),
    stat: statOf(number),
    fingerprint: 'c0ffee',
    fileName: name,
    attachments: [],
    metadata: { title: `report-${number}`, createdTimestamp: '2025-10-09T08:53:20Z' },
    uploadedAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: null,
    possibleDuplicates: 0,
    ...changed,
  };
}

export function put(path: string, record: LedgerRecord, folder = 'inbox'): Change {
  return { kind: 'put', ref: { folder, path }, record };
}

/** Paths that the tests approve or not. */
export const approvable = ['gone-1.pdf', 'gone-2.pdf', 'gone-3.pdf'];

/** Everything a ledger says, as plain data that two of them can be compared by. */
export function contentOf(ledger: LedgerReader | LedgerPort): object {
  const folders = [...ledger.folders()].sort();
  const entries = [...ledger.entries()];
  return {
    documents: Object.fromEntries(
      entries.map(({ ref, record }) => [`${ref.folder}/${ref.path}`, record] as const).sort(byKey),
    ),
    counts: folders.map((folder) => [folder, ledger.count(folder)]),
    possibleDuplicates: ledger.possibleDuplicates(),
    directories: folders.map((folder) => [folder, [...ledger.directories(folder)].sort()]),
    identities: Object.fromEntries(
      folders
        .flatMap((folder) => Array.from(ledger.directories(folder), (path) => ({ folder, path })))
        .flatMap((place) => {
          const identity = ledger.directory(place);
          return identity === undefined ? [] : [[`${place.folder}/${place.path}`, identity] as const];
        })
        .sort(byKey),
    ),
    intents: [...ledger.intents()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    doubts: [...ledger.doubts()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    failures: Object.fromEntries(
      [...ledger.failures()]
        .map(([ref, failure]) => [`${ref.folder}/${ref.path}`, failure] as const)
        .sort(byKey),
    ),
    holds: ['inbox', 'archive'].map((folder) => ledger.hold(folder)),
    roots: ['inbox', 'archive'].map((folder) => ledger.root(folder)),
    mounts: ['inbox', 'archive'].map((folder) => ledger.mounts(folder)),
    mountIdentities: ['inbox', 'archive'].map((folder) => ledger.mountIdentities(folder)),
    bareMountPoints: ['inbox', 'archive'].map((folder) => ledger.bareMountPoints(folder)),
    removals: ['inbox', 'archive'].map((folder) => ledger.removals(folder)),
    former: Array.from(ledger.changes()).flatMap((change) => (change.kind === 'former' ? [change.held] : [])),
    service: ledger.service(),
    sent: ledger.sentRequests(),
    answers: approvable.map((path) => ledger.answer({ folder: 'inbox', path })),
  };
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
