import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { explanationGroups } from '../../../src/model/report/explanations.ts';
import { reasonHealth } from '../../../src/model/report/health.ts';
import { partsOf, sortFailures } from '../../../src/model/report/failures.ts';
import { deliveredLine, headline, secondsLeft } from '../../../src/model/report/headline.ts';
import type { Reason, Status } from '../../../src/model/report/status.ts';
import { waitKinds } from '../../../src/model/report/wait-kinds.ts';
import type { WaitKind } from '../../../src/model/report/wait-kinds.ts';
import { aFolder, aStatus } from '../../status/support/fake-control.ts';

const count = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(20_000));
const codes = explanationGroups.flatMap(({ codes }) => Object.keys(codes));
const reasons: fc.Arbitrary<Reason> = fc
  .constantFrom(...codes, 'rate-limited', 'http-503', 'never-heard-of')
  .map((code) => ({ code, message: `what ${code} means here` }));

const folders = fc
  .array(
    fc
      .record({
        synced: count,
        pending: count,
        waiting: count,
        failed: count,
        skipped: count,
        held: fc.oneof(fc.constant(0), fc.nat(200)),
        kept: count,
        attached: count,
        state: fc.constantFrom('scanning', 'watching', 'polling', 'unavailable'),
      })
      .map((counts) =>
        aFolder({
          ...counts,
          inDoubt: Math.floor(counts.failed / 2),
          pendingInDoubt: Math.floor(counts.pending / 2),
          retriedInDoubt: Math.floor(counts.waiting / 2),
          onDisk: counts.synced + counts.pending + counts.waiting + counts.failed + counts.skipped,
        }),
      ),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => all.map((folder, index) => ({ ...folder, name: `folder-${index}` })));

/** Any state: paused, held, in doubt, kept, away, scanning, restarted, refused, waiting, offline. */
const statuses: fc.Arbitrary<Status> = fc
  .record({
    folders,
    state: fc.constantFrom('starting', 'working', 'idle', 'paused', 'degraded', 'standby'),
    pausedCount: fc.nat(4),
    reasons: fc.array(reasons, { maxLength: 3 }),
    refused: fc.boolean(),
    inDoubt: fc.oneof(fc.constant(0), fc.nat(3)),
    duplicates: fc.oneof(fc.constant(0), fc.nat(3)),
    removing: count,
    etaSeconds: fc.nat(100_000),
    used: fc.constantFrom(0, 50),
    muted: fc.boolean(),
    waits: fc.array(fc.constantFrom(...waitKinds), { minLength: 1, maxLength: 5 }),
  })
  .map(({ folders, pausedCount, refused, inDoubt, duplicates, removing, ...given }) => {
    const { etaSeconds, used, muted, waits, ...rest } = given;
    return aStatus({
      ...rest,
      reasons: muted
        ? [...rest.reasons, { code: 'rate-limited', message: 'it asked to wait' }]
        : rest.reasons,
      folders,
      paused: folders.slice(0, pausedCount).map(({ name }) => name),
      auth: { state: refused ? 'refused' : 'ok', expiresAt: null },
      held: folders
        .filter(({ held }) => held > 0)
        .map(({ name, held }) => ({ folder: name, count: held, since: '', reason: 'many', paths: [] })),
      waitingFor: spread(
        folders.reduce((sum, { waiting }) => sum + waiting, 0),
        waits,
      ),
      rate: {
        limit: 50,
        used,
        windowSeconds: 60,
        pausedUntil: muted ? '2026-01-01T00:01:00Z' : null,
        nextFreeSeconds: used > 0 ? 3 : 0,
      },
      inDoubtTotal: inDoubt,
      possibleDuplicates: inDoubt + duplicates,
      recordedDuplicates: duplicates,
      queue: {
        pending: folders.reduce((sum, { pending }) => sum + pending, removing),
        inFlight: 0,
        waiting: folders.reduce((sum, { waiting }) => sum + waiting, 0),
        etaSeconds,
      },
    });
  });

/** So many documents that wait, of these kinds. */
function spread(waiting: number, kinds: readonly WaitKind[]): Status['waitingFor'] {
  const waitingFor = { settling: 0, sidecar: 0, attachment: 0, retry: 0, other: 0 };
  let left = waiting;
  for (const [index, kind] of kinds.entries()) {
    const share = index === kinds.length - 1 ? left : Math.ceil(left / 2);
    waitingFor[kind] += share;
    left -= share;
  }
  return waitingFor;
}

const goodNews = new RegExp(
  `^(?:${[
    'Delivering [\\d,]+ documents?(?:, at the request limit)?',
    'Deleting [\\d,]+ documents?(?:, at the request limit)?',
    'Waiting for the (?:service|shared minute), [\\d,]+ documents? to (?:deliver|delete)',
    '[\\d,]+ documents? still changing',
    '[\\d,]+ documents? (?:waiting for (?:a sidecar|an attachment)|to be retried)',
    '[\\d,]+ documents? waiting(?: \\([^)]*\\))?',
    'Scanning [\\d,]+ folders?',
    'Nothing to deliver yet',
    '1 document delivered',
    'All [\\d,]+ documents delivered',
    'Standing by',
  ].join('|')})$`,
);

const total = (status: Status, of: 'synced' | 'pending' | 'waiting' | 'failed' | 'skipped' | 'held') =>
  status.folders.reduce((sum, folder) => sum + folder[of], 0);

describe('in any state', () => {
  it('the headline and the health say the same', () => {
    fc.assert(
      fc.property(statuses, (status) => {
        expect(goodNews.test(headline(status))).toBe(status.health === 'ok');
        if (headline(status).endsWith('delivered'))
          expect(status.queue.pending + total(status, 'waiting') + total(status, 'failed')).toBe(0);
        if (headline(status).startsWith('Delivering')) {
          expect(total(status, 'pending')).toBeGreaterThan(0);
          expect(status.rate.pausedUntil).toBeNull();
        }
        if (status.health === 'ok') {
          expect(sortFailures(status).failedTotal + total(status, 'held') + status.possibleDuplicates).toBe(
            0,
          );
          expect(status.paused).toEqual([]);
          expect(status.reasons.map(({ code }) => reasonHealth(code)).filter((one) => one !== 'ok')).toEqual(
            [],
          );
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('the numbers of the headline, the bar and the folders add up', () => {
    fc.assert(
      fc.property(statuses, (status) => {
        const { folders } = sortFailures(status);
        const whole = partsOf(folders);
        const bar = whole.filter(({ inBar }) => inBar);
        const documents = bar.reduce((sum, { count }) => sum + count, 0);
        expect(documents).toBe(
          status.folders.reduce((sum, { onDisk, skipped }) => sum + onDisk - skipped, 0),
        );
        for (const [index, { count }] of whole.entries()) {
          const columns = folders.map((folder) => partsOf([folder])[index]?.count ?? 0);
          expect(columns.reduce((sum, one) => sum + one, 0)).toBe(count);
        }
        const line = deliveredLine(status);
        const number = (text = '0') => Number(text.replaceAll(',', ''));
        expect(number(/([\d,]+) to delete/.exec(line)?.[1])).toBe(
          status.queue.pending - total(status, 'pending'),
        );
        if (documents === 0) return expect(line).not.toContain('delivered');
        const [delivered = '', all = ''] = (
          /^([\d,]+) of ([\d,]+) documents? delivered/.exec(line) ?? []
        ).slice(1);
        expect(number(all)).toBe(documents);
        expect(number(delivered)).toBe(total(status, 'synced'));
      }),
      { numRuns: 1000 },
    );
  });

  it('no time is given while sending is paused, impossible or done', () => {
    fc.assert(
      fc.property(statuses, (status) => {
        const isGiven = deliveredLine(status).includes(' left');
        expect(isGiven).toBe(secondsLeft(status) !== null);
        if (status.paused.length > 0 || status.health === 'error' || status.queue.pending === 0)
          expect(isGiven).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});
