import { describe, expect, it } from '@jest/globals';
import { fleetPaused } from '../../../src/model/report/fleet-pause.ts';
import type { FolderStatus, Status } from '../../../src/model/report/status.ts';
import { deliveredLine, headline, secondsLeft, statusLine } from '../../../src/model/report/headline.ts';
import { sortFailures } from '../../../src/model/report/failures.ts';
import { durationWords, sizeWords, withLocalTimes } from '../../../src/lib/text/amounts.ts';
import { aFailure, aFolder, aStatus } from '../../status/support/fake-control.ts';

const folder = aFolder();

function status(counts: Partial<FolderStatus>, more: Partial<Status> = {}): Status {
  return aStatus({ folders: [aFolder(counts)], ...more });
}

const rate: Status['rate'] = { limit: 50, used: 0, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 };

function waits(kinds: Partial<Status['waitingFor']>): Status {
  const waitingFor = { settling: 0, sidecar: 0, attachment: 0, retry: 0, other: 0, ...kinds };
  const waiting = Object.values(waitingFor).reduce((sum, one) => sum + one, 0);
  return status({ synced: 5, waiting }, { state: 'working', waitingFor });
}

function heldStatus(count: number): Status['held'][number] {
  return { folder: 'inbox', count, since: '2026-01-01T00:00:00Z', reason: 'many', paths: [] };
}

const held = (count: number): Partial<Status> => ({ held: [heldStatus(count)] });

const deleting = (count: number): Partial<Status> => ({
  state: 'working',
  queue: { pending: count, inFlight: 0, waiting: 0, etaSeconds: 0 },
});

describe('the headline', () => {
  it.each([
    ['waits for a first document', status({}), 'Nothing to deliver yet'],
    ['says that all is delivered', status({ synced: 12_431 }), 'All 12,431 documents delivered'],
    ['says what wait for sidecars', waits({ sidecar: 3 }), '3 documents waiting for a sidecar'],
    [
      'lists what different documents wait for, the most frequent first',
      waits({ settling: 1, sidecar: 4, retry: 2 }),
      '7 documents waiting (4 for a sidecar, 2 to be retried, 1 still changing)',
    ],
    [
      'says that the minute is used up',
      status({ pending: 300 }, { rate: { ...rate, used: 50, nextFreeSeconds: 12 } }),
      'Delivering 300 documents, at the request limit',
    ],
    [
      'says that files which are missing may come back',
      status(
        { synced: 9 },
        { state: 'working', queue: { pending: 0, inFlight: 0, waiting: 6, etaSeconds: 0 } },
      ),
      'Waiting to see whether 6 missing files come back',
    ],
    ['says that it deletes', status({ synced: 5 }, deleting(1)), 'Deleting 1 document'],
    [
      'says that deletions wait for the service',
      status({}, { ...deleting(2), reasons: [{ code: 'rate-limited', message: 'x' }] }),
      'Waiting for the service, 2 documents to delete',
    ],
    [
      'says that documents wait for the first minute of a fleet',
      status({ pending: 2 }, { reasons: [{ code: 'fleet-opens', message: 'x' }] }),
      'Waiting for the shared minute, 2 documents to deliver',
    ],
    ['scans again', status({ state: 'scanning' }, { state: 'working' }), 'Scanning 1 folder'],
    [
      'names what waits for a person',
      status({ synced: 3, failed: 2, held: 41 }, { inDoubtTotal: 1, ...held(41) }),
      '2 documents failed, 41 deletions held, 1 upload in doubt',
    ],
    [
      'puts an error before everything else',
      status(
        { synced: 3, failed: 2 },
        { state: 'degraded', reasons: [{ code: 'credentials-refused', message: 'x' }] },
      ),
      'Credentials refused',
    ],
    [
      'says that uploads are stopped',
      status(
        {},
        { state: 'degraded', inDoubtTotal: 3, reasons: [{ code: 'uploads-stopped', message: 'x' }] },
      ),
      'Uploads stopped: accepted without a docId',
    ],
    ['knows that it is paused', status({ synced: 3 }, { state: 'paused', paused: ['inbox'] }), 'Paused'],
    [
      'says once that the fleet is paused',
      status({ synced: 3 }, { paused: ['inbox'], reasons: [fleetPaused('host-1')] }),
      'The whole fleet is paused',
    ],
    [
      'counts the folders that are paused, and hides no document behind problems',
      status(
        {},
        {
          paused: ['inbox', 'other'],
          folders: [folder, { ...folder, name: 'other' }, { ...folder, name: 'third' }],
          reasons: ['ignore-file-invalid', 'page-unavailable'].map((code) => ({ code, message: 'x' })),
          ...held(2),
          inDoubtTotal: 5,
        },
      ),
      '2 folders paused, 2 more problems, 2 deletions held, 5 uploads in doubt',
    ],
    [
      'is not at the limit while a request is under way',
      status(
        { pending: 3 },
        {
          rate: { ...rate, used: 50, nextFreeSeconds: 12 },
          queue: { pending: 2, inFlight: 1, waiting: 0, etaSeconds: 12 },
        },
      ),
      'Delivering 3 documents',
    ],
    [
      'is not at the limit in the moment the next request is free',
      status({ pending: 3 }, { rate: { ...rate, used: 50, nextFreeSeconds: 0 } }),
      'Delivering 3 documents',
    ],
    ['says that another host delivers', status({ synced: 3 }, { state: 'standby' }), 'Standing by'],
    ['says that it stops', status({ synced: 2 }, { state: 'stopping' }), 'Stopping'],
    ['says that nothing runs', status({ synced: 2 }, { state: 'stopped' }), 'ingestd is not running'],
  ])('%s', (_name, given, words) => {
    expect(headline(given)).toBe(words);
  });
});

describe('the lines about progress', () => {
  const queue = { pending: 10, inFlight: 0, waiting: 3, etaSeconds: 58 };

  it.each([
    ['nothing to deliver', status({}), ''],
    ['all delivered', status({ synced: 3 }), '3 of 3 documents delivered'],
    [
      'some on the way',
      status({ synced: 5, pending: 10, waiting: 3, failed: 1 }, { queue }),
      '5 of 19 documents delivered, about 1 minute left',
    ],
    [
      'nothing but deletions, one of which is retried',
      status({}, { queue: { ...queue, pending: 0, inFlight: 3, deletionsToRetry: 1 } }),
      '4 to delete',
    ],
  ])('%s', (_name, given, words) => {
    expect(deliveredLine(given)).toBe(words);
  });

  it.each([
    ['the queue gives it', {}, 58],
    ['the queue does not know', { queue: { ...queue, etaSeconds: Infinity } }, null],
    ['the queue says nothing', { queue: { ...queue, etaSeconds: 0 } }, null],
    ['nothing can be sent', { queue: { ...queue, etaSeconds: null } }, null],
  ])('how long it takes, where %s', (_name, more, seconds) => {
    expect(secondsLeft({ paused: [], health: 'ok', queue, ...more })).toBe(seconds);
  });
});

describe('an upload in doubt', () => {
  const doubt: Status['inDoubt'][number] = {
    folder: 'inbox',
    path: 'a.pdf',
    since: '2026-01-01T00:00:00Z',
    message: 'no answer',
    count: 1,
  };
  const failure = (more: Partial<Status['failures'][number]>) => ({
    ...aFailure('a.pdf', 'in-doubt', 'held back'),
    ...more,
  });

  it.each([
    ['by its code', failure({}), true],
    ['by the message of the doubt', failure({ code: 'econnreset', message: 'no answer' }), true],
    ['not by another failure of it', failure({ code: 'http-400', message: 'refused' }), false],
    ['not at another path', failure({ path: 'b.pdf' }), false],
  ])('is known among the failures %s', (_name, one, expected) => {
    const among = (inDoubt: Status['inDoubt']) => {
      const { failed, retried } = sortFailures({ folders: [], failures: [one], inDoubt, held: [] });
      return [...failed, ...retried].includes(one);
    };
    expect(among([doubt])).toBe(!expected);
    expect(among([])).toBe(true);
  });
});

describe('the verdict', () => {
  it.each([
    [
      'gives the reason that asks for attention, not one that needs nothing',
      status(
        { synced: 3, state: 'unavailable' },
        {
          reasons: [
            { code: 'watch-limit', message: 'a part is polled' },
            { code: 'folder-missing', message: '/srv/inbox does not exist' },
          ],
        },
      ),
      'Folder inbox unavailable. 3 of 3 documents delivered. /srv/inbox does not exist',
    ],
    [
      'says in which folder something is wrong',
      status(
        { synced: 3 },
        { reasons: [{ folder: 'inbox', code: 'ignore-file-invalid', message: 'sub: it is UTF-16' }] },
      ),
      'Invalid .ingestignore. 3 of 3 documents delivered. inbox: sub: it is UTF-16',
    ],
    [
      'says of a held deletion nothing twice',
      status({ synced: 3, held: 2 }, { ...held(2), reasons: [{ code: 'held', message: '2 deletions' }] }),
      '2 deletions held. 3 of 3 documents delivered',
    ],
    ['says once that all is delivered', status({ synced: 3 }), 'All 3 documents delivered'],
    [
      'gives the reason of an error, and what else there is to do',
      status(
        { synced: 3, failed: 1 },
        {
          state: 'degraded',
          reasons: [{ code: 'credentials-refused', message: 'The service refuses the password.' }],
        },
      ),
      'The service refuses the password. 3 of 4 documents delivered. 1 document failed',
    ],
  ])('%s', (_name, given, words) => {
    expect(statusLine(given)).toBe(words);
  });
});

describe('the verdict of the ledger alone', () => {
  const resting = { code: 'not-running', message: 'ingestd is not running' };

  it.each([
    [
      'tells of deliveries only, though a command may lack what a service has',
      status({ synced: 8 }, { reasons: [resting, { code: 'credential-missing', message: 'x' }] }),
      'ingestd is not running. 8 of 8 documents delivered',
    ],
    [
      'knows of deletions that are held, where no file is left',
      status({ held: 2 }, { reasons: [resting], ...held(2) }),
      'ingestd is not running. 2 deletions held',
    ],
    [
      'knows an upload in doubt',
      status({}, { reasons: [resting], inDoubtTotal: 1 }),
      'ingestd is not running. Nothing delivered yet. 1 upload in doubt',
    ],
    [
      'says what needs attention as a daemon does',
      aStatus({
        folders: [aFolder({ synced: 8 }), aFolder({ name: 'away', state: 'unavailable' })],
        reasons: [resting, { code: 'orphan-sidecar', message: 'x' }],
        paused: ['inbox'],
      }),
      'ingestd is not running. 8 of 8 documents delivered. Folder inbox paused, folder away unavailable, sidecars that fit no file',
    ],
  ])('%s', (_name, given, words) => {
    expect(statusLine({ ...given, state: 'stopped' })).toBe(words);
  });
});

describe('numbers in words', () => {
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
    [1023, '1023 B'],
    [64 * 1024, '64 KiB'],
    [150 * 1024 * 1024, '150 MiB'],
    [158_500_000, '151.2 MiB'],
    [1024 * 1024 - 1, '1.0 MiB'],
    [5e15, '4547.5 TiB'],
  ])('calls %d bytes %s', (bytes, words) => expect(sizeWords(bytes)).toBe(words));
});

it('leaves a time in a message as it is where it is none', () => {
  const text = 'at 2026-99-99T00:00:00Z';
  expect(withLocalTimes(text)).toBe(text);
});
