import { describe, expect, it } from '@jest/globals';
import type { FolderStatus, Status } from '../../../src/model/report/status.ts';
import { ledgerVerdict, verdict } from '../../../src/model/report/headline.ts';
import { durationWords, numberWords, sizeWords } from '../../../src/lib/words.ts';

const folder: FolderStatus = {
  name: 'inbox',
  path: '/srv/inbox',
  state: 'watching',
  watches: 1,
  onDisk: 0,
  synced: 0,
  pending: 0,
  waiting: 0,
  failed: 0,
  skipped: 0,
  held: 0,
  oldestUnsyncedSeconds: 0,
  missedByWatcher: 0,
};

function status(counts: Partial<FolderStatus>, more: Partial<Status> = {}): Status {
  return {
    version: '1',
    startedAt: '2026-01-01T00:00:00Z',
    pid: 1,
    state: 'idle',
    reasons: [],
    folders: [{ ...folder, ...counts }],
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: 0 },
    rate: { limit: 50, used: 0, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
    auth: { state: 'ok', expiresAt: null },
    totals: { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 },
    failures: [],
    failuresTotal: 0,
    skipped: [],
    skippedTotal: 0,
    held: [],
    inDoubt: [],
    inDoubtTotal: 0,
    transfers: [],
    possibleDuplicates: 0,
    recordedDuplicates: 0,
    ...more,
  };
}

function heldStatus(count: number): Status['held'][number] {
  return { folder: 'inbox', count, since: '2026-01-01T00:00:00Z', reason: 'many', paths: [] };
}

describe('the verdict', () => {
  it.each([
    ['invites where nothing is', status({}), 'No documents yet: put a file into /srv/inbox'],
    ['says that all is well', status({ synced: 12_431 }), 'All 12,431 documents are in the service'],
    ['speaks of one document', status({ synced: 1 }), 'The one document is in the service'],
    [
      'counts what is on its way, and says how long',
      status(
        { synced: 12_418, pending: 10, waiting: 3 },
        { state: 'working', queue: { pending: 10, inFlight: 0, waiting: 3, etaSeconds: 58 } },
      ),
      '12,418 of 12,431 documents are in the service, 13 on their way, about 1 minute',
    ],
    [
      'speaks of one on its way',
      status({ pending: 1 }, { state: 'working' }),
      '0 of 1 document is in the service, 1 on its way',
    ],
    [
      'names what waits for a person',
      status({ synced: 3, failed: 2, held: 41 }, { inDoubtTotal: 1, held: [heldStatus(40)] }),
      '3 of 5 documents are in the service. 2 documents failed. 40 deletions wait for approval. 1 upload in doubt',
    ],
    [
      'puts trouble first',
      status(
        { synced: 3 },
        { state: 'degraded', reasons: [{ code: 'x', message: 'The service refuses the credentials.' }] },
      ),
      'Needs attention: The service refuses the credentials. All 3 documents are in the service',
    ],
    [
      'puts a refused configuration first, though what runs is well',
      status(
        { synced: 3 },
        { reasons: [{ code: 'configuration-refused', message: 'http.port: 0.5 is wrong' }] },
      ),
      'Needs attention: http.port: 0.5 is wrong. All 3 documents are in the service',
    ],
    [
      'says that it is paused',
      status({ synced: 3 }, { state: 'paused', reasons: [{ code: 'x', message: 'the state disk is full' }] }),
      'Paused: the state disk is full. All 3 documents are in the service',
    ],
    [
      'says that it looks first',
      status({ state: 'scanning' }, { state: 'starting' }),
      'Looking through 1 folder',
    ],
    [
      'does not count what is never sent',
      status({ synced: 2, skipped: 9 }),
      'All 2 documents are in the service',
    ],
    ['knows when nothing can be read', status({ state: 'unavailable' }), 'No folder can be read'],
    [
      'says that it stops',
      status({ synced: 2 }, { state: 'stopping' }),
      'Stopping. All 2 documents are in the service',
    ],
  ])('%s', (_name, given, words) => {
    expect(verdict(given)).toBe(words);
  });
});

describe('the verdict of the ledger alone', () => {
  const resting = { code: 'not-running', message: 'no daemon runs' };

  it.each([
    ['knows of nothing yet', status({}, { reasons: [resting] }), 'Nothing is delivered or looked at yet'],
    [
      'tells of deliveries only',
      status({ synced: 8 }, { reasons: [resting] }),
      '8 documents were delivered; the folders are not watched now',
    ],
    [
      'tells what waits for a person',
      status({ synced: 1, failed: 1 }, { reasons: [resting] }),
      '1 document was delivered; the folders are not watched now. 1 document failed',
    ],
    [
      'claims nothing of another service',
      status(
        { synced: 8 },
        { reasons: [resting, { code: 'other-service', message: 'the ledger is of b.' }] },
      ),
      'Needs attention: the ledger is of b',
    ],
  ])('%s', (_name, given, words) => {
    expect(ledgerVerdict({ ...given, state: 'stopping' })).toBe(words);
  });
});

describe('numbers in words', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('writes %d as %s', (value, words) => expect(numberWords(value)).toBe(words));

  it.each([
    [0, 'a few seconds'],
    [31, 'about 30 seconds'],
    [58, 'about 1 minute'],
    [150, 'about 3 minutes'],
    [7200, 'about 2 hours'],
    [200_000, 'about 2 days'],
  ])('calls %d seconds %s', (seconds, words) => expect(durationWords(seconds)).toBe(words));

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [12_400_000, '12.4 MB'],
    [999_990, '1.0 MB'],
    [5e15, '5000.0 TB'],
  ])('calls %d bytes %s', (bytes, words) => expect(sizeWords(bytes)).toBe(words));
});
