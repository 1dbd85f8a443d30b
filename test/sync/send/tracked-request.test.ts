import { beforeEach, describe, expect, it } from '@jest/globals';

import { LedgerUnwritableError } from '../../../src/model/errors.ts';
import type { Change } from '../../../src/model/ports/ledger-port.ts';
import type { FileOutcome, Outcome, RequestWatch } from '../../../src/model/ports/service-port.ts';
import { createCircuitBreaker } from '../../../src/sync/send/circuit-breaker.ts';
import { createTrackedRequest, Transfers } from '../../../src/sync/send/tracked-request.ts';
import type { RequestAbout, TrackedRequest } from '../../../src/sync/send/tracked-request.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { statOf } from '../../support/fixtures/model-fixtures.ts';

const accepted: Outcome = { kind: 'accepted', docId: 'doc', warning: null };
const missing: Outcome = { kind: 'missing', message: 'unknown' };
const ref = { folder: 'inbox', path: 'a.pdf' };
const upload: RequestAbout = {
  ...ref,
  operation: 'upload',
  bytesTotal: 10,
  documents: 1,
  intent: { ref, size: 10, stat: statOf() },
};
const remove: RequestAbout = { ...ref, operation: 'delete', bytesTotal: 0, documents: 1 };

let clock: ManualClock;
let committed: Change[];
let noted: [string, string][];
let measured: object[];
let paused: string[];
let diskFails: boolean;
let transfers: Transfers;
const totals = { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 };
let tracked: TrackedRequest;
let follows: boolean;

const request = (about: RequestAbout, call: Parameters<TrackedRequest>[2]) =>
  tracked(about, () => Promise.resolve(follows), call);

beforeEach(() => {
  clock = manualClock();
  committed = [];
  noted = [];
  measured = [];
  paused = [];
  diskFails = false;
  transfers = new Transfers();
  Object.assign(totals, { requests: 0, bytesSent: 0 });
  const commit = (changes: readonly Change[]) => {
    if (diskFails) return Promise.reject(new LedgerUnwritableError('no space'));
    committed.push(...changes);
    return Promise.resolve();
  };
  const breaker = createCircuitBreaker({
    clock,
    random: () => 0,
    restMs: () => 0,
    changed: () => {},
  });
  follows = true;
  tracked = createTrackedRequest({
    clock,
    writer: { commitOnce: commit, commitDecision: commit, commit, trouble: () => null, close: () => {} },
    breaker: {
      ...breaker,
      note: ({ kind }, about) => {
        noted.push([kind, about]);
        return null;
      },
    },
    transfers,
    metrics: {
      request: (one) => measured.push(one),
      rateWait: () => {},
      bytes: (count) => measured.push({ count }),
    },
    totals,
    isStopped: ({ folder }) => paused.includes(folder),
  });
});

/** Sends as the client does: so many attempts, then this outcome. */
function sending(outcome: Outcome, attempts = 1) {
  return async (watch: RequestWatch): Promise<FileOutcome> => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      try {
        await watch.beforeSend(`${attempt}`);
      } catch {
        return {
          outcome: {
            kind: 'unavailable',
            code: 'ledger-unwritable',
            message: 'no space',
            retryAfterMs: null,
            sent: 'nothing',
          },
          sent: [],
        };
      }
      watch.onBytes(4);
      watch.onAnswer(`${attempt}`);
    }
    return { outcome, sent: [] };
  };
}

describe('a request', () => {
  it('is in the ledger before it goes out, an upload with its intent, and its answer after that', async () => {
    const before: Change = { kind: 'clear', ref };
    const result = await request({ ...upload, before: [before] }, async (watch) => {
      expect(transfers.list()).toEqual([expect.objectContaining({ path: 'a.pdf', bytesSent: 0 })]);
      await watch.beforeSend('1');
      expect(committed).toEqual([
        { kind: 'sent', id: '1', at: clock.now() },
        before,
        { kind: 'intent', intent: { ...upload.intent, id: '1', at: clock.now() } },
      ]);
      await clock.advance(1_000);
      watch.onBytes(4);
      const since = new Date(clock.now()).toISOString();
      expect(transfers.list()).toEqual([expect.objectContaining({ bytesSent: 4, since })]);
      await clock.advance(2_000);
      watch.onAnswer('1');
      return { outcome: accepted, sent: [] };
    });
    expect(result.intentIds).toEqual(['1']);
    expect(committed.at(-1)).toEqual({ kind: 'answered', id: '1', at: clock.now() });
    expect([totals.requests, totals.bytesSent, transfers.list()]).toEqual([1, 4, []]);
    expect(measured).toEqual([{ count: 4 }, { operation: 'upload', outcome: 'accepted', seconds: 3 }]);
    expect(noted).toEqual([['accepted', 'upload inbox/a.pdf']]);
  });

  it('is measured from when it goes out to its answer, and so is its repetition', async () => {
    await request(upload, async (watch) => {
      // Files are opened, and a token is obtained.
      await clock.advance(30_000);
      await watch.beforeSend('1');
      await clock.advance(1_000);
      watch.onAnswer('1', true);
      // A fresh token, and a place in the minute: meanwhile nothing is in doubt.
      await clock.advance(30_000);
      expect(committed.at(-1)).toEqual({ kind: 'resolve', id: '1' });
      await watch.beforeSend('2');
      await clock.advance(2_000);
      watch.onAnswer('2');
      await clock.advance(30_000);
      return { outcome: accepted, sent: [] };
    });
    expect(measured).toEqual([
      { operation: 'upload', outcome: 'unauthorized', seconds: 1 },
      { operation: 'upload', outcome: 'accepted', seconds: 2 },
    ]);
  });

  it('that follows no more when it is asked may not go out, and says nothing of the service', async () => {
    const withdrawn: Outcome = { kind: 'withdrawn', message: 'no', sent: 'nothing' };
    const answers: boolean[] = [];
    const result = await request(upload, async (watch) => {
      await watch.beforeSend('1');
      answers.push(await watch.stillFollows(false));
      follows = false;
      answers.push(await watch.stillFollows(true));
      watch.onAnswer('1');
      return { outcome: withdrawn, sent: [] };
    });
    expect([answers, result.outcome, result.intentIds, noted]).toEqual([[true, false], withdrawn, ['1'], []]);
  });

  it('that has begun when its folder is paused goes on; one that was only asked does not begin', async () => {
    const answers: boolean[] = [];
    await request(upload, async (watch) => {
      await watch.beforeSend('1');
      answers.push(await watch.stillFollows(false));
      paused = ['inbox'];
      answers.push(await watch.stillFollows(false), await watch.stillFollows(true));
      watch.onAnswer('1');
      return { outcome: accepted, sent: [] };
    });
    expect(answers).toEqual([true, false, true]);
  });

  it('that the ledger did not take says nothing of the service, and is none', async () => {
    diskFails = true;
    const result = await request(upload, sending(accepted));
    expect([result.outcome.kind, result.intentIds, noted, totals.requests]).toEqual([
      'unavailable',
      [],
      [],
      0,
    ]);
  });

  it.each<readonly [string, Outcome, boolean]>([
    ['ended by a stop before its answer', ended('unavailable', 'stopped'), false],
    ['that may have been taken, ended by a stop', ended('unknown', 'stopped'), false],
    ['without an answer', ended('unavailable', 'no-answer'), true],
    ['that may have been taken', ended('unknown', 'no-answer'), true],
  ])('%s', async (_, outcome, counts) => {
    await request(upload, sending(outcome));
    expect(noted).toEqual(counts ? [[outcome.kind, 'upload inbox/a.pdf']] : []);
  });

  it.each<readonly [string, boolean, Outcome, string]>([
    ['that was perhaps deleted before, is expected', true, missing, 'accepted'],
    ['is counted otherwise', false, missing, 'missing'],
    ['and refused, is counted', true, { kind: 'rejected', code: 'http-422', message: 'no' }, 'rejected'],
  ])('of a document that is unknown there, %s', async (_, mayBeGone, outcome, expected) => {
    await request({ ...remove, mayBeGone }, sending(outcome));
    expect(noted.map(([kind]) => kind)).toEqual([expected]);
  });
});

function ended(kind: 'unavailable' | 'unknown', code: string): Outcome {
  return kind === 'unknown'
    ? { kind, code, message: 'ended' }
    : { kind, code, message: 'ended', retryAfterMs: null, sent: 'all' };
}
