import { expect, it } from '@jest/globals';

import { createDaemonReasons } from '../../src/daemon/daemon-reasons.ts';
import { generalReasons, listDoubts, listDuplicates, unconfigured } from '../../src/daemon/make-status.ts';
import type { Doubt, LedgerRecord } from '../../src/model/ports/ledger-port.ts';
import { folderSettingsOf } from '../support/fixtures/default-settings.ts';

const counts = new Map([
  ['inbox', 3],
  ['archive', 2],
  ['old', 1],
]);
const ledger = { folders: () => [...counts.keys()], count: (name: string) => counts.get(name) ?? 0 };

it.each([
  [['inbox', 'archive', 'old', 'new'], undefined],
  [['inbox'], ['archive 2', 'old 1']],
  [[], ['inbox 3', 'archive 2', 'old 1']],
] as const)('documents of folders that are not among %j are counted', (names, expected) => {
  const folders = names.map((name) => folderSettingsOf('/srv', { name }));
  const found = unconfigured(ledger, { folders }).unconfigured;
  expect(found?.map(({ name, documents }) => `${name} ${documents}`)).toEqual(expected);
});

const refOf = (path: string) => ({ folder: 'inbox', path });
const doubtAbout = (path: string, more: Partial<Doubt> = {}): Doubt => ({
  id: path,
  ref: refOf(path),
  count: 1,
  since: 1000,
  message: 'no answer',
  holds: false,
  ...more,
});

it('all uploads of one document that are in doubt are one in the list, with the first time and the last message', () => {
  const doubts = [
    doubtAbout('a.pdf'),
    doubtAbout('b.pdf'),
    doubtAbout('a.pdf', { since: 2000, message: 'connection lost' }),
  ];
  expect(listDoubts(doubts)).toEqual({
    inDoubt: [
      {
        ...refOf('a.pdf'),
        since: '1970-01-01T00:00:01.000Z',
        count: 2,
        message: 'connection lost',
        holds: false,
      },
      { ...refOf('b.pdf'), since: '1970-01-01T00:00:01.000Z', count: 1, message: 'no answer', holds: false },
    ],
    inDoubtTotal: 2,
  });
});

it('possible duplicates name each document once, whether its record or its doubts tell of them', () => {
  const record = { possibleDuplicates: 1 } as LedgerRecord;
  const duplicates = listDuplicates({
    duplicated: () => [{ ref: refOf('a.pdf'), record }],
    doubts: () => [doubtAbout('b.pdf'), doubtAbout('a.pdf'), doubtAbout('b.pdf')],
  });
  expect(duplicates).toEqual([
    { ...refOf('a.pdf'), copies: 2 },
    { ...refOf('b.pdf'), copies: 2 },
  ]);
});

it('readiness and status say the same of a service that is away: what a request has met, since it was first known', () => {
  const away = { code: 'service-unavailable', message: 'no token', since: '2026-01-01T00:00:16.000Z' };
  const met = { ...away, message: 'away', since: '2026-01-01T00:00:20.000Z' };
  const engine = { reasons: () => [met], isIdle: () => false };
  const tokens = { reason: () => away, backOffMs: () => 1, status: () => ({ state: 'none' }) };
  const { own, unready } = createDaemonReasons({ engine, tokens, folders: [], place: null } as never);
  const limiter = { status: () => ({ pausedUntil: null }) };
  const shown = generalReasons({ ownReasons: own(), engine, limiter, folders: [] } as never);
  const expected = { ...met, since: away.since };
  expect([unready()[0], shown]).toEqual([expected, [expected]]);
});

it.each([
  ['nothing from what is away', 'service-unavailable', 0],
  ['nothing from where something else answers', 'not-the-service', 0],
  ['nothing from a login page that redirects', 'redirect', 0],
  ['what the service needs a person for', 'credentials-refused', 1],
])('readiness, with accepted credentials, takes %s', (_, code, reasons) => {
  const engine = { reasons: () => [{ code, message: 'met' }], isIdle: () => true };
  const tokens = { reason: () => null, backOffMs: () => 0, status: () => ({ state: 'ok' }) };
  const isSignInFailing = () => false;
  const { unready } = createDaemonReasons({
    engine,
    tokens,
    isSignInFailing,
    folders: [],
    place: null,
  } as never);
  expect(unready()).toHaveLength(reasons);
});
