import type { FailureStatus, Status } from '../../../src/model/report/status.ts';
import { aFailure, aFolder } from './fake-control.ts';

/** A daemon in the middle of its day: something of everything. */
export function busyStatus(): Partial<Status> {
  return {
    state: 'working',
    startedAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    folders: [
      aFolder({
        path: '/srv/research/inbox',
        watches: 214,
        onDisk: 12_443,
        synced: 12_408,
        pending: 11,
        waiting: 2,
        failed: 10,
        skipped: 12,
        held: 37,
        oldestUnsyncedSeconds: 41,
        missedByWatcher: 3,
      }),
      aFolder({
        name: 'broker-notes',
        path: '/mnt/nas/broker-notes',
        state: 'polling',
        onDisk: 860,
        synced: 860,
      }),
      aFolder({ name: 'models', path: '/srv/research/models', onDisk: 312, synced: 310, pending: 2 }),
    ],
    queue: { pending: 10, inFlight: 3, waiting: 2, etaSeconds: 58 },
    rate: { limit: 50, used: 31, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
    auth: { state: 'ok', expiresAt: new Date(Date.now() + 22 * 60_000).toISOString() },
    totals: {
      uploaded: 1284,
      modified: 312,
      deleted: 48,
      moved: 96,
      requests: 1511,
      bytesSent: 4_812_000_000,
    },
    failures: someFailures(),
    failuresTotal: 10,
    skipped: [
      {
        folder: 'inbox',
        path: 'notes/todo.md',
        code: 'unsupported-type',
        message: 'the service does not accept files of type md',
      },
      { folder: 'inbox', path: 'link.pdf', code: 'symbolic-link', message: 'a symbolic link' },
    ],
    skippedTotal: 12,
    held: [
      {
        folder: 'inbox',
        count: 37,
        since: new Date(Date.now() - 240_000).toISOString(),
        reason: '37 of 60 documents below 2025/archive are gone at once',
        paths: Array.from({ length: 37 }, (_, index) => `2025/archive/minutes-${index + 1}.pdf`),
      },
    ],
    inDoubt: [
      {
        folder: 'inbox',
        path: '2026/q3/transcript.pdf',
        since: new Date(Date.now() - 7_200_000).toISOString(),
        count: 1,
        message: 'the connection was reset after the whole request was sent',
      },
    ],
    inDoubtTotal: 1,
    transfers: [
      {
        folder: 'inbox',
        path: '2026/q3/annual-report.pdf',
        operation: 'upload',
        bytesSent: 61_400_000,
        bytesTotal: 98_000_000,
        documents: 1,
      },
      {
        folder: 'models',
        path: 'valuation/2026-base-case.xlsx',
        operation: 'modify',
        bytesSent: 1_200_000,
        bytesTotal: 8_400_000,
        documents: 1,
      },
      { folder: 'inbox', path: '', operation: 'bulk modify', bytesSent: 0, bytesTotal: 0, documents: 118 },
    ],
    possibleDuplicates: 1,
    recordedDuplicates: 1,
  };
}

function someFailures(): FailureStatus[] {
  const doubles = Array.from({ length: 6 }, (_, index) =>
    aFailure(
      `2026/q${(index % 4) + 1}/deck.v${index + 1}.pptx`,
      'double-extension',
      'the file name has 2 dots, but the service accepts only one',
    ),
  );
  return [
    ...doubles,
    aFailure(
      '2026/raw/recording-transcript.pdf',
      'too-large',
      'the file is larger than 150 MiB (163.4 MiB); make it smaller or split it',
    ),
    aFailure(
      '2026/q3/call.pdf',
      'sidecar-invalid',
      'call.pdf.meta.json: shareInfo.mode: expected NONE, DEFAULT or EVERYONE',
    ),
    aFailure(
      '2026/q3/memo.docx',
      'sidecar-invalid',
      'memo.docx.meta.json: line 4, column 18: a comma is missing',
    ),
    { ...aFailure('2026/q2/plan.xlsx', 'http-403', 'documentOwner jdoe is not allowed'), attempts: 3 },
  ];
}
