import { mkdir, rm, stat, writeFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { followFolders } from '../../src/daemon/preconditions/follow-folders.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { LedgerPort } from '../../src/model/ports/ledger-port.ts';
import type { Settings } from '../../src/model/settings.ts';
import { recordOf, statOf } from '../support/fixtures/model-fixtures.ts';
import { folderSettingsOf } from '../support/fixtures/default-settings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

let home: TemporaryFolder;
let ledger: LedgerPort;

/** What `lstat` said of the directory. */
const drive = { ino: 4711, birthtimeMs: 1_760_000_000_000.25, dev: 65_025 };

/**
 * A folder `old` with two documents, of which one is gone and its deletion approved, an upload in doubt and an open
 * one.
 */
beforeEach(async () => {
  home = await temporaryFolder();
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
afterEach(async () => {
  await ledger.close();
  await home.remove();
});

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

it('a renamed folder takes approvals, doubts, open uploads, mounts and the identity of directories with it', async () => {
  await follow('new', 'data');
  expect(ledger.get({ folder: 'new', path: 'drive/a.pdf' })?.docId).toBe('a');
  expect(ledger.isApproved({ folder: 'new', path: 'drive/a.pdf' })).toBe(true);
  expect(ledger.isApproved({ folder: 'old', path: 'drive/a.pdf' })).toBe(false);
  expect(ledger.doubts().map(({ ref }) => ref)).toEqual([{ folder: 'new', path: 'drive/doubt.pdf' }]);
  expect(ledger.intents().map(({ ref }) => ref)).toEqual([{ folder: 'new', path: 'drive/open.pdf' }]);
  expect([ledger.mounts('new'), ledger.mounts('old')]).toEqual([['drive/sub', 'other'], []]);
  expect(ledger.mountIdentities('new')).toEqual([{ path: 'drive/sub', ...drive }]);
  expect(ledger.bareMountPoints('new')).toEqual([{ path: 'drive/sub', until: 5 }]);
  expect(ledger.placesOf(drive)).toEqual([{ folder: 'new', path: 'drive' }]);
});

it.each([
  ['the first of them', 'old', { whole: '' }],
  ['the second', 'second', { whole: '' }],
  ['the one that is widened', 'old', { old: '' }],
  ['the one that goes', 'second', { old: '' }],
])('folders that become one may hold what %s kept', async (_, keeper, folders) => {
  await addHeldFolder();
  const root = ledger.root(keeper);
  if (root === undefined) throw new Error(keeper);
  await ledger.commit([{ kind: 'root', folder: keeper, identity: { ...root, keeps: true } }]);
  await followAll(folders);
  expect(ledger.root(Object.keys(folders)[0] ?? '')?.keeps).toBe(true);
});

it('a folder that is narrowed keeps what it knows of the part that is left, and the rest apart', async () => {
  await follow('old', 'data/drive');
  expect(ledger.get({ folder: 'old', path: 'a.pdf' })?.docId).toBe('a');
  expect(ledger.get({ folder: 'old (outside)', path: 'b.pdf' })?.docId).toBe('b');
  expect(ledger.isApproved({ folder: 'old', path: 'a.pdf' })).toBe(true);
  expect(ledger.isApproved({ folder: 'old', path: 'drive/a.pdf' })).toBe(false);
  expect(ledger.doubts().map(({ ref }) => ref)).toEqual([{ folder: 'old', path: 'doubt.pdf' }]);
  expect(ledger.intents().map(({ ref }) => ref)).toEqual([{ folder: 'old', path: 'open.pdf' }]);
  expect([ledger.mounts('old'), ledger.mounts('old (outside)')]).toEqual([['sub'], ['other']]);
  expect([ledger.mountIdentities('old'), ledger.mountIdentities('old (outside)')]).toEqual([
    [{ path: 'sub', ...drive }],
    [],
  ]);
  expect(ledger.bareMountPoints('old')).toEqual([{ path: 'sub', until: 5 }]);
  expect(ledger.placesOf(drive)).toEqual([]);
});

it('two folders that are merged into one both bring their mounts, and what is held stays held', async () => {
  await addHeldFolder();
  await followAll({ all: '.' });
  expect(ledger.get({ folder: 'all', path: 'data/b.pdf' })?.docId).toBe('b');
  expect(ledger.get({ folder: 'all', path: 'other/c.pdf' })?.docId).toBe('c');
  expect(ledger.mounts('all')).toEqual(['data/drive/sub', 'data/other', 'other/disk']);
  expect(ledger.hold('all')?.reason).toMatch(/^held in the (first|second)$/);
});

it('two folders that change their names with each other change holds and mounts, too', async () => {
  await addHeldFolder();
  await followAll({ old: 'other', second: 'data' });
  expect(ledger.get({ folder: 'second', path: 'b.pdf' })?.docId).toBe('b');
  expect([ledger.mounts('old'), ledger.mounts('second')]).toEqual([['disk'], ['drive/sub', 'other']]);
  expect([ledger.hold('old')?.reason, ledger.hold('second')?.reason]).toEqual([
    'held in the second',
    'held in the first',
  ]);
});

describe('a folder that takes the name of another one', () => {
  const docIdsIn = (folder: string) =>
    Object.fromEntries(
      [...ledger.entries()]
        .filter(({ ref }) => ref.folder === folder)
        .map(({ ref, record }) => [ref.path, record.docId]),
    );

  beforeEach(async () => {
    await addHeldFolder();
    const record = recordOf({ docId: 'theirs', stat: statOf({ ino: 9 }) });
    await ledger.commit([{ kind: 'put', ref: { folder: 'second', path: 'b.pdf' }, record }]);
  });

  it('leaves what that one had apart, and takes none of it over', async () => {
    const known = ledger.root('second');
    await followAll({ second: 'data' });
    expect(docIdsIn('second')).toEqual({ 'drive/a.pdf': 'a', 'b.pdf': 'b' });
    expect(docIdsIn('second (outside)')).toEqual({ 'c.pdf': 'c', 'b.pdf': 'theirs' });
    expect(ledger.root('second (outside)')).toEqual(known);
    expect(ledger.hold('second')?.reason).toBe('held in the first');
    await followAll({ second: 'data', back: 'other' });
    expect(docIdsIn('back')).toEqual({ 'c.pdf': 'c', 'b.pdf': 'theirs' });
  });

  it.each([
    ['is not there', () => Promise.resolve()],
    ['is an empty mount point', () => mkdir(home.join('other'))],
  ])('gives it its own where the directory of that one %s', async (_, then) => {
    const known = ledger.root('second');
    await rm(home.join('other'), { recursive: true });
    await mkdir(home.join('between'));
    await then();
    await followAll({ second: 'data', old: 'other' });
    expect([docIdsIn('second'), docIdsIn('old')]).toEqual([
      { 'drive/a.pdf': 'a', 'b.pdf': 'b' },
      { 'c.pdf': 'c', 'b.pdf': 'theirs' },
    ]);
    expect(ledger.root('old')).toEqual(known);
  });

  it('and a folder in which other files stand by now gets none of what was once at its path', async () => {
    await rm(home.join('other'), { recursive: true });
    await mkdir(home.join('between'));
    await mkdir(home.join('other'));
    await writeFile(home.join('other/b.pdf'), 'another');
    await followAll({ old: 'data', third: 'other' });
    expect([docIdsIn('third'), docIdsIn('second')]).toEqual([{}, { 'c.pdf': 'c', 'b.pdf': 'theirs' }]);
  });
});

it.each([
  ['widened', { old: '.' }, { path: 'data/drive/x.csv' }],
  ['narrowed', { old: 'data/drive' }, { path: 'x.csv' }],
  ['split', { one: 'data/drive/sub', old: 'data/other' }, { path: 'drive/x.csv', folder: 'old (outside)' }],
])('attachments follow with their document in a folder that is %s', async (_, folders, place) => {
  await carry({ docId: 'carrier', from: 'drive/sub/c.pdf', path: 'drive/x.csv' });
  await mkdir(home.join('data/other'), { recursive: true });
  await followAll(folders);
  expect(placeCarriedBy('carrier')).toEqual(place);
});

describe('an attachment in another folder than its document', () => {
  beforeEach(async () => {
    await mkdir(home.join('data/other'));
    await carry({ docId: 'carrier', from: 'drive/c.pdf', path: 'other/x.csv' });
  });

  it('has its place there when the two part', async () => {
    await followAll({ one: 'data/drive', two: 'data/other' });
    expect(placeCarriedBy('carrier')).toEqual({ path: 'x.csv', folder: 'two' });
    const carriers = ledger.findCarriers({ folder: 'two', path: 'x.csv' }, statOf({ ino: 99 }));
    expect(carriers.map(({ ref }) => ref)).toEqual([{ folder: 'one', path: 'c.pdf' }]);
  });

  it('follows alone when its folder gets another name, and is in that of its document when they are merged', async () => {
    await followAll({ one: 'data/drive', two: 'data/other' });
    await followAll({ one: 'data/drive', three: 'data/other' });
    expect(placeCarriedBy('carrier')).toEqual({ path: 'x.csv', folder: 'three' });
    await followAll({ all: 'data' });
    expect(placeCarriedBy('carrier')).toEqual({ path: 'other/x.csv' });
  });

  it('is found again in a folder that comes back after the first was narrowed', async () => {
    await ledger.commit([{ kind: 'drop', ref: { folder: 'old', path: 'b.pdf' } }]);
    await followAll({ old: 'data/drive' });
    expect(placeCarriedBy('carrier')).toEqual({ path: 'other/x.csv', folder: 'old (outside)' });
    await followAll({ old: 'data/drive', back: 'data/other' });
    expect(placeCarriedBy('carrier')).toEqual({ path: 'x.csv', folder: 'back' });
  });

  it('keeps the name under which it lies outside to itself', async () => {
    await ledger.commit([{ kind: 'drop', ref: { folder: 'old', path: 'b.pdf' } }]);
    await followAll({ old: 'data/drive' });
    await followAll({ first: 'data/drive' });
    await mkdir(home.join('other/sub'), { recursive: true });
    const { dev, ino, birthtimeMs } = await stat(home.join('other'));
    const other = ['y.pdf', 'sub/z.pdf'].map(
      (path) => ({ kind: 'put', ref: { folder: 'old', path }, record: recordOf({ docId: path }) }) as const,
    );
    const identity = { path: home.join('other'), dev, ino, birthtimeMs };
    await ledger.commit([{ kind: 'root', folder: 'old', identity }, ...other]);
    await followAll({ first: 'data/drive', old: 'other/sub' });
    expect(ledger.findByDocId('y.pdf')?.folder).toBe('old (outside 2)');
    expect(placeCarriedBy('carrier')).toEqual({ path: 'other/x.csv', folder: 'old (outside)' });
  });
});

/** A record in the first folder that carries a file of it. */
function carry({ docId, from, path }: Record<'docId' | 'from' | 'path', string>): Promise<void> {
  const attachments = [{ name: 'x.csv', path, stat: statOf({ ino: 10 }), sha256: '' }];
  const record = recordOf({ docId, attachments });
  return ledger.commit([{ kind: 'put', ref: { folder: 'old', path: from }, record }]);
}

function placeCarriedBy(docId: string): { readonly path?: unknown; readonly folder?: unknown } {
  const entry = [...ledger.entries()].find(({ record }) => record.docId === docId);
  const { path, folder } = entry?.record.attachments[0] ?? {};
  return folder === undefined ? { path } : { path, folder };
}

it('what was deleted a moment ago counts for the limits under the new name, too', async () => {
  const removal = { at: Date.now(), count: 7 };
  await ledger.commit([{ kind: 'removed', folder: 'old', removal }]);
  await follow('new', 'data');
  expect(ledger.removals('new')).toEqual([removal]);
});

describe('what sidecars attach that was not sent yet', () => {
  const claim = (...paths: string[]) => ({ sidecar: 'x.meta.json', paths });
  const claimed = (folder: string) => [...ledger.claims(folder)];

  it('goes with its folder, which has no documents yet, when that is renamed', async () => {
    await mkdir(home.join('other'));
    const { dev, ino, birthtimeMs } = await stat(home.join('other'));
    await ledger.commit([
      { kind: 'root', folder: 'fresh', identity: { path: home.join('other'), dev, ino, birthtimeMs } },
      { kind: 'claim', ref: { folder: 'fresh', path: 'x.pdf' }, claim: claim('x.csv') },
    ]);
    await followAll({ old: 'data', renamed: 'other' });
    expect([claimed('renamed'), claimed('fresh')]).toEqual([[['x.pdf', claim('x.csv')]], []]);
  });

  describe('and lies in another folder than its document then', () => {
    const place = (folder: string, path: string) => ({ folder, path });

    beforeEach(async () => {
      await mkdir(home.join('data/other'));
      await ledger.commit([
        { kind: 'claim', ref: place('old', 'drive/x.pdf'), claim: claim('drive/x.csv', 'other/y.csv') },
      ]);
    });

    it('stays claimed when the folder is narrowed or split, and when one part gets another name', async () => {
      await follow('old', 'data/drive');
      const outside = place('old (outside)', 'other/y.csv');
      expect(claimed('old')).toEqual([['x.pdf', { ...claim('x.csv'), elsewhere: [outside] }]]);
      await followAll({ old: 'data/drive', two: 'data/other' });
      expect(claimed('old')).toEqual([['x.pdf', { ...claim('x.csv'), elsewhere: [place('two', 'y.csv')] }]]);
      await followAll({ old: 'data/drive', three: 'data/other' });
      expect(ledger.claimantsElsewhere(place('three', 'y.csv'))).toEqual([place('old', 'x.pdf')]);
      expect(ledger.claimantsElsewhere(place('two', 'y.csv'))).toEqual([]);
    });

    it('is claimed as before when the parts are one folder again', async () => {
      await followAll({ one: 'data/drive', two: 'data/other' });
      expect([...ledger.claims('one').keys()]).toEqual(['x.pdf']);
      await followAll({ all: 'data' });
      expect(claimed('all')).toEqual([['drive/x.pdf', claim('drive/x.csv', 'other/y.csv')]]);
      expect(ledger.carriedElsewhere()).toEqual([]);
    });

    it('is claimed no more when it becomes a document of its own', async () => {
      await followAll({ one: 'data/drive', two: 'data/other' });
      await ledger.commit([{ kind: 'put', ref: place('two', 'y.csv'), record: recordOf({ docId: 'y' }) }]);
      expect(claimed('one')).toEqual([['x.pdf', claim('x.csv')]]);
    });
  });

  it('stays with its document when two folders change their names with each other', async () => {
    await addHeldFolder();
    for (const folder of ['old', 'second'])
      await ledger.commit([{ kind: 'claim', ref: { folder, path: 'x.pdf' }, claim: claim(`${folder}.csv`) }]);
    await followAll({ second: 'data', old: 'other' });
    expect([claimed('old'), claimed('second')]).toEqual([
      [['x.pdf', claim('second.csv')]],
      [['x.pdf', claim('old.csv')]],
    ]);
  });
});
