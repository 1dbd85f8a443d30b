import { describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { consequenceOf } from '../../../src/sync/send/consequence.ts';
import { busyOf, elsewhere, recordOf } from '../../support/fixtures/model-fixtures.ts';

type Circumstances = Parameters<typeof consequenceOf>[1];

const record = recordOf({ docId: 'doc-1' });

interface Now extends Partial<Omit<Circumstances, 'breaker' | 'random'>> {
  readonly openMs?: number;
  readonly manyMissing?: boolean;
}

function after(outcome: Outcome, { openMs = 0, manyMissing = false, ...given }: Now = {}) {
  return consequenceOf(outcome, {
    operation: 'upload',
    attempts: 0,
    untaken: null,
    record,
    maxAttempts: null,
    onMissing: 'fail',
    inDoubt: 'retry',
    ...given,
    breaker: {
      openMs: () => openMs,
      manyMissing: () => manyMissing,
      manyForbidden: () => false,
    },
    random: () => 0,
  });
}

const words = { code: 'http-422', message: 'no' };
const rejected: Outcome = { kind: 'rejected', ...words };
const busy = busyOf({ sent: 'all' });
const missing: Outcome = { kind: 'missing', message: 'no such document' };

const ownFault = { count: 2, since: 0, isShared: false, isOwn: true };
const notTaken = { code: 'not-taken', message: 'busy; the service accepts others' };
const redirected = { code: 'redirect', message: 'it is elsewhere' };
const forLost = { code: 'missing-at-service' };

const retry = (attempts: number, parts: object = {}) => ({ kind: 'retry', attempts, ...parts });
const doubt = (holds: boolean, next: object, reason: object = {}) => ({ kind: 'doubt', holds, next, reason });
const waitsForPerson = { kind: 'fail', reason: { code: 'in-doubt' } };
const maybeTaken = { ...elsewhere, mayBeTaken: true };
const inMinute = { delayMs: 60_000 };

describe('after an answer that accepts nothing, a document', () => {
  it.each<readonly [string, Outcome, Now, Record<string, unknown>]>([
    ['that is rejected fails', rejected, {}, { kind: 'fail', reason: words }],
    [
      'that the service does not take, while it takes others, says so',
      busy,
      { untaken: ownFault },
      retry(1, { reason: notTaken, untaken: ownFault }),
    ],
    ['waits as long as all do', busy, { openMs: 9_000 }, retry(1, { delayMs: 9_000 })],
    ['is tried for ever by the daemon', busy, { attempts: 900 }, retry(901)],
    ['is tried again by one pass', busy, { attempts: 3, maxAttempts: 5 }, retry(4)],
    [
      'stays to be sent by the next one after its fifth attempt',
      busy,
      { attempts: 4, maxAttempts: 5 },
      retry(5),
    ],
    [
      'is given up then by one pass, where the service takes others',
      busy,
      { attempts: 4, maxAttempts: 5, untaken: ownFault },
      { kind: 'giveUp', reason: notTaken, attempts: 5 },
    ],
    [
      'of one pass stays to be sent where the address is wrong',
      elsewhere,
      { maxAttempts: 5 },
      retry(0, { reason: redirected }),
    ],
    [
      'is held then, where a person is to be asked',
      maybeTaken,
      { inDoubt: 'hold', maxAttempts: 5 },
      doubt(true, waitsForPerson),
    ],
    [
      'of a modify is in nobody’s doubt then: it is repeated',
      maybeTaken,
      { operation: 'modify', openMs: 60_000 },
      retry(0, inMinute),
    ],
    [
      'that changed under way is inspected soon',
      { kind: 'changed', message: 'cut', sent: 'part' },
      {},
      { kind: 'settle' },
    ],
    [
      'that cannot be read is no failure of the service',
      { kind: 'unreadable', code: 'unreadable-now', message: 'EIO', sent: 'nothing' },
      {},
      { kind: 'unreadable', reason: { code: 'unreadable-now', message: 'EIO' } },
    ],
    [
      'that it does not know, as none, fails',
      missing,
      { onMissing: 'upload', manyMissing: true },
      { kind: 'fail', reason: forLost },
    ],
    [
      'without a record is never uploaded again for that',
      missing,
      { record: undefined, onMissing: 'upload' },
      { kind: 'fail', reason: forLost },
    ],
  ])('%s', (_, outcome, now, expected) => {
    expect(after(outcome, now)).toMatchObject(expected);
  });
});
