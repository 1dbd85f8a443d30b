import { mkdir, stat } from 'node:fs/promises';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { followFolders } from '../../src/daemon/preconditions/follow-folders.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { LedgerPort } from '../../src/model/ports/ledger-port.ts';
import type { Settings } from '../../src/model/settings.ts';
import { recordOf, statOf } from '../support/fixtures/model-fixtures.ts';
import { folderSettingsOf } from '../support/fixtures/default-settings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const home = folderOfEachTest();
let ledger: LedgerPort;

/** What `lstat` said of the directory. */
const drive = { ino: 4711, birthtimeMs: 1_760_000_000_000.25, dev: 65_025 };

/**
 * A folder `old` with two documents, of which one is gone and its deletion approved, an upload in doubt and an open
 * one.
 */
beforeEach(async () => {
  await mkdir(home.join('data/drive/sub'), { recursive: true });
  const { dev, ino, birthtimeMs } = await stat(home.join('data'));
  ledger = await openLedger({ dir: home.join('state'), clock: manualClock(), log: recordedLog() });
  const ref = (path: string) => ({ folder: 'old', path });
  const doubt = { id: 'd', ref: ref('drive/doubt.pdf'), count: 1, since: 1, message: 'lost', holds: true };
  await ledger.commit([
    { kind: 'root', folder: 'old', identity: { path: home.join('data'), dev, ino, birthtimeMs } },
    { kind: 'put', ref: ref('drive/a.pdf'), record: recordOf({ docId: 'a' }) },
    { kind: 'put', ref: ref('b.pdf'), record: recordOf({ docId: 'b', stat: statOf({ ino: 8 }) }) },
    { kind: 'approve', folder: 'old', paths: ['drive/a.pdf'] },
    { kind: 'doubt', doubt },
    { kind: 'intent', intent: { id: 'i', ref: ref('drive/open.pdf'), size: 1, at: 1 } },
    {
      kind: 'mounts',
      folder: 'old',
      mounts: ['drive/sub', 'other'],
      identities: [{ path: 'drive/sub', ...drive }],
      bare: [{ path: 'drive/sub', until: 5 }],
    },
    { kind: 'directory', folder: 'old', path: 'drive', identity: drive },
  ]);
});
afterEach(() => ledger.close());

const follow = (name: string, path: string) => followAll({ [name]: path });

function followAll(paths: Readonly<Record<string, string>>): Promise<void> {
  const folders = Object.entries(paths).map(([name, path]) => folderSettingsOf(home.join(path), { name }));
  return followFolders(ledger, { folders } as unknown as Settings, recordedLog());
}

/** A second folder, of which something is held and a mount remembered, as of the first. */
async function addHeldFolder(): Promise<void> {
  await mkdir(home.join('other'));
  const { dev, ino, birthtimeMs } = await stat(home.join('other'));
  await ledger.commit([
    { kind: 'hold', folder: 'old', hold: { since: 1, reason: 'held in the first' } },
    { kind: 'root', folder: 'second', identity: { path: home.join('other'), dev, ino, birthtimeMs } },
    { kind: 'put', ref: { folder: 'second', path: 'c.pdf' }, record: recordOf({ docId: 'c' }) },
    { kind: 'mounts', folder: 'second', mounts: ['disk'] },
    { kind: 'hold', folder: 'second', hold: { since: 1, reason: 'held in the second' } },
  ]);
}

/** Paths of documents, with their docIds. */
const docIdsIn = (folder: string) =>
  Object.fromEntries(
    [...ledger.entries()]
      .filter(({ ref }) => ref.folder === folder)
      .map(({ ref, record }) => [ref.path, record.docId]),
  );

const documents = { 'drive/a.pdf': 'a', 'b.pdf': 'b' };

it('I15: a renamed folder takes everything with it that was decided or remembered under its name', async () => {
  const failure = {
    code: 'refused',
    message: 'no',
    attempts: 1,
    history: [],
    fingerprint: '',
    stat: statOf({ ino: 12 }),
  };
  const removal = { at: Date.now(), count: 7 };
  const { ino, dev } = await stat(home.join('data'));
  const kept = { path: home.join('data'), ino, dev, keeps: true } as const;
  const other = { folder: 'other', path: 'c.pdf' };
  const attachment = { name: 'x.csv', path: 'x.csv', folder: 'old', stat: statOf({ ino: 10 }), sha256: '' };
  const held = { folder: 'old', path: 'c.pdf', mode: 'NONE', by: 'c.pdf.meta.json' } as const;
  await ledger.commit([
    { kind: 'put', ref: other, record: recordOf({ attachments: [attachment], heldModes: [held] }) },
    { kind: 'fail', ref: { folder: 'old', path: 'refused.pdf' }, failure },
    { kind: 'removed', folder: 'old', removal },
    { kind: 'hold', folder: 'old', hold: { since: 1, reason: 'held' } },
    { kind: 'root', folder: 'old', identity: kept },
  ]);
  await follow('new', 'data');
  expect([docIdsIn('new'), docIdsIn('old')]).toEqual([documents, {}]);
  expect(ledger.isApproved({ folder: 'new', path: 'drive/a.pdf' })).toBe(true);
  expect(ledger.isApproved({ folder: 'old', path: 'drive/a.pdf' })).toBe(false);
  expect(ledger.doubts().map(({ ref }) => ref)).toEqual([{ folder: 'new', path: 'drive/doubt.pdf' }]);
  expect(ledger.intents().map(({ ref }) => ref)).toEqual([{ folder: 'new', path: 'drive/open.pdf' }]);
  expect(Array.from(ledger.failures())).toEqual([[{ folder: 'new', path: 'refused.pdf' }, failure]]);
  expect([ledger.hold('new')?.reason, ledger.hold('old')]).toEqual(['held', undefined]);
  expect([ledger.mounts('new'), ledger.mounts('old')]).toEqual([['drive/sub', 'other'], []]);
  expect(ledger.mountIdentities('new')).toEqual([{ path: 'drive/sub', ...drive }]);
  expect(ledger.bareMountPoints('new')).toEqual([{ path: 'drive/sub', until: 5 }]);
  expect(ledger.placesOf(drive)).toEqual([{ folder: 'new', path: 'drive' }]);
  expect(ledger.removals('new')).toEqual([removal]);
  expect(ledger.root('new')?.keeps).toBe(true);
  expect(ledger.get(other)).toMatchObject({
    attachments: [{ ...attachment, folder: 'new' }],
    heldModes: [{ ...held, folder: 'new' }],
  });
});

it('two folders that change their names with each other change holds and mounts, too', async () => {
  await addHeldFolder();
  await followAll({ old: 'other', second: 'data' });
  expect([docIdsIn('old'), docIdsIn('second')]).toEqual([{ 'c.pdf': 'c' }, documents]);
  expect([ledger.mounts('old'), ledger.mounts('second')]).toEqual([['disk'], ['drive/sub', 'other']]);
  const held = ['old', 'second'].map((folder) => ledger.hold(folder)?.reason);
  expect(held).toEqual(['held in the second', 'held in the first']);
});

it.each([
  ['narrowed', 'data/drive'],
  ['widened', '.'],
])(
  'what is known of a folder that is %s is that of a folder taken out, with its decisions',
  async (_, path) => {
    await follow('old', path);
    expect([docIdsIn('old'), docIdsIn('old (outside)')]).toEqual([{}, documents]);
    expect(ledger.isApproved({ folder: 'old (outside)', path: 'drive/a.pdf' })).toBe(true);
    expect(ledger.mounts('old (outside)')).toEqual(['drive/sub', 'other']);
    await follow('old', 'data');
    expect(docIdsIn('old')).toEqual(documents);
  },
);

it.each([
  ['split', { one: 'data/drive', two: 'data/drive/sub' }],
  ['merged with others', { all: '.' }],
  ['taken out', { second: 'other' }],
  ['at another place altogether', { old: 'other' }],
])('the names in the ledger stay as they are for a folder that is %s', async (_, folders) => {
  await addHeldFolder();
  await ledger.commit([{ kind: 'drop', ref: { folder: 'second', path: 'c.pdf' } }]);
  const before = Array.from(ledger.changes());
  await followAll(folders);
  expect(Array.from(ledger.changes())).toEqual(before);
});

it('a folder that takes the name of another leaves what that had apart, and takes none of it over', async () => {
  await addHeldFolder();
  const record = recordOf({ docId: 'theirs', stat: statOf({ ino: 9 }) });
  await ledger.commit([{ kind: 'put', ref: { folder: 'second', path: 'b.pdf' }, record }]);
  const theirs = { 'c.pdf': 'c', 'b.pdf': 'theirs' };
  const known = ledger.root('second');
  await followAll({ second: 'data' });
  expect([docIdsIn('second'), docIdsIn('second (outside)')]).toEqual([documents, theirs]);
  expect(ledger.root('second (outside)')).toEqual(known);
  expect(ledger.hold('second')?.reason).toBe('held in the first');
  await followAll({ second: 'data', back: 'other' });
  expect(docIdsIn('back')).toEqual(theirs);
});
