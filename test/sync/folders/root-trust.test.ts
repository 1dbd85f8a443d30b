import { describe, expect, it } from '@jest/globals';

import type { DocumentRef } from '../../../src/model/document.ts';
import type { Change, Failure, RootIdentity } from '../../../src/model/ports/ledger-port.ts';
import {
  acceptedRoot,
  coveredRoot,
  hasStoodSo,
  isRootTrusted,
  markRoot,
  provesRoot,
  unreadableSince,
} from '../../../src/sync/folders/root-trust.ts';
import { recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const known: RootIdentity = { path: '/inbox', dev: 1, ino: 10, seenAt: 5 };
const another: RootIdentity = { path: '/inbox', dev: 1, ino: 11 };
const failure: Failure = {
  code: 'http-422',
  message: 'no',
  attempts: 1,
  history: [],
  stat: statOf(),
  fingerprint: '',
};

describe('the root of a folder is trusted (I3)', () => {
  const isTrusted = (
    root: RootIdentity | undefined,
    now: RootIdentity,
    {
      isProven = false,
      count = 0,
      failed = [],
    }: { isProven?: boolean; count?: number; failed?: readonly DocumentRef[] } = {},
  ) =>
    isRootTrusted(
      {
        root: () => root,
        count: () => count,
        failures: () => failed.map((ref) => [ref, failure] as const),
      },
      'inbox',
      { root: now, isProven },
    );

  it.each<readonly [string, boolean, boolean]>([
    ['where none is known', isTrusted(undefined, another, { count: 3 }), true],
    ['where it is the one that is known', isTrusted(known, { ...known, path: '/other' }, { count: 3 }), true],
    ['not where it is another one', isTrusted(known, another, { count: 3 }), false],
    ['not where it is on another device', isTrusted(known, { ...known, dev: 2 }, { count: 3 }), false],
    [
      'where a recorded file stands in it unchanged',
      isTrusted(known, another, { count: 3, isProven: true }),
      true,
    ],
    ['where nothing is known that could be lost', isTrusted(known, another), true],
    [
      'not where a refused document is known',
      isTrusted(known, another, { failed: [{ folder: 'inbox', path: 'a' }] }),
      false,
    ],
    [
      'where another folder’s is',
      isTrusted(known, another, { failed: [{ folder: 'other', path: 'a' }] }),
      true,
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('what is written down proves a root', () => {
  it('that it was written under, or that came before, and none after that', () => {
    const changed = { ...known, changes: 2 };
    expect([undefined, 1, 2, 3].map((change) => provesRoot(changed, change))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([undefined, 1].map((change) => provesRoot(known, change))).toEqual([true, false]);
    expect(provesRoot(undefined, 1)).toBe(false);
  });

  it('which it has from then on', () => {
    expect(acceptedRoot({ ...known, changes: 4 }, another, 9)).toEqual({ ...another, seenAt: 9, changes: 5 });
    expect(acceptedRoot({ ...known, changes: 4 }, known, 9)).toEqual({ ...known, seenAt: 9, changes: 4 });
    expect(acceptedRoot(undefined, another, 9).changes).toBeUndefined();
  });
});

describe('what is written down', () => {
  const ref = { folder: 'inbox', path: 'a.txt' };
  const put = { kind: 'put', ref, record: recordOf() } as const;
  const marked = (change: Change, root: RootIdentity | null | undefined) =>
    markRoot(change, { root: () => known }, { view: () => (root === undefined ? undefined : { root }) });

  it('under the root that the ledger knows is as it was', () => {
    expect(marked(put, known)).toBe(put);
    expect(marked(put, null)).toBe(put);
  });

  it('under another root bears the number of that change', () => {
    expect(marked(put, another)).toMatchObject({ record: { rootChange: 1 } });
    expect(marked({ kind: 'fail', ref, failure }, another)).toMatchObject({ failure: { rootChange: 1 } });
    const old = { ...put, record: recordOf({ rootChange: 1 }) };
    expect(marked(old, known)).toMatchObject({ record: { rootChange: undefined } });
  });
});

describe('a root that another directory covers', () => {
  const mounted: RootIdentity = { ...another, dev: 2 };

  it('is none where nothing was mounted: the same directory, a new one in its place, none, or none known', () => {
    for (const root of [{ ...known, dev: 2 }, another, undefined])
      expect(coveredRoot(known, root, 7)).toBeUndefined();
    expect(coveredRoot(undefined, mounted, 7)).toBeUndefined();
  });
});

describe('a directory that cannot be read has looked as it does', () => {
  const closed = { path: 'd', look: 'one' };
  const rootWith = (since: number): RootIdentity => ({ ...known, unreadable: [{ ...closed, since }] });

  it.each<readonly [string, RootIdentity | undefined, string | null, number | undefined]>([
    ['since now, where it is not known', known, 'one', 50],
    ['since it was first seen so', rootWith(20), 'one', 20],
    ['since now, where it looked otherwise', rootWith(20), 'two', 50],
    ['nobody knows since when, where it cannot be looked at', rootWith(20), null, undefined],
  ])('%s', (_, root, look, since) => {
    expect(unreadableSince(root, [{ ...closed, look }], 50)?.[0]?.since).toBe(since);
  });

  it.each<readonly [string, RootIdentity | undefined, string | null, boolean]>([
    ['when a file was last seen', rootWith(20), 'one', true],
    ['not then, but later', rootWith(21), 'one', false],
    ['otherwise then', rootWith(20), 'two', false],
    ['as nobody knows, where it cannot be looked at', rootWith(20), null, false],
    ['as nobody knows, where none is known', undefined, 'one', false],
  ])('%s', (_, root, look, expected) => {
    expect(hasStoodSo(root, { path: 'd', look }, 20)).toBe(expected);
  });
});
