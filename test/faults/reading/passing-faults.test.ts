import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { failingWorlds, soonHours } from './failing-world.ts';
import type { DiskFault, FailingWorld } from './failing-world.ts';
import type { DiskOperation } from './failing-disk.mjs';

let worlds: Awaited<ReturnType<typeof failingWorlds>>;
let world: FailingWorld;

beforeAll(async () => {
  worlds = await failingWorlds();
});

afterEach(() => world.close());
afterAll(() => worlds.end());

const passing = [
  'EBUSY',
  'EAGAIN',
  'EIO',
  'ESTALE',
  'ETXTBSY',
  'ENFILE',
  'EMFILE',
  'ENOLCK',
  'ENXIO',
  'ETIMEDOUT',
];
/** What is done to a directory, to a file, and to one that rules leave out. */
const operations: Readonly<Record<'directory' | 'file' | 'leftOut', readonly DiskOperation[]>> = {
  directory: ['open', 'stat', 'list'],
  file: ['open', 'read', 'stat'],
  leftOut: ['stat'],
};

describe('A2: a file that cannot be opened for a while', () => {
  it.each(passing)('by %s is sent by itself when it can, and says until then what holds it', async (code) => {
    const begins: DiskFault[] = [{ operation: 'open', path: 'scan.pdf', code }];
    world = await worlds.open({ 'scan.pdf': '%PDF %%EOF' }, { begins });
    await world.pass(3_000);
    expect([...world.engine().tasks.in('retry')].map(({ state }) => state)).toMatchObject([
      { kind: 'retry', reason: { code: 'unreadable-now', message: expect.stringContaining(code) } },
    ]);
    expect(world.engine().isIdle()).toBe(false);
    world.fail();
    await world.pass(4_000);
    expect(world.requests).toMatchObject([{ kind: 'upload', path: 'scan.pdf' }]);
    expect(world.activities.filter(({ what }) => what === 'failed')).toEqual([]);
  });

  it('is tried after a second, then ever less often, up to five minutes', async () => {
    const begins: DiskFault[] = [{ operation: 'open', path: 'scan.pdf', code: 'EBUSY' }];
    world = await worlds.open({ 'scan.pdf': '%PDF %%EOF' }, { begins });
    const waits = new Set<number>();
    for (let step = 0; step < 3_000; step += 1) {
      for (const { state } of world.engine().tasks.in('retry'))
        if (state.kind === 'retry') waits.add(state.dueAt);
      await world.pass(500);
    }
    const [first = 0, ...rest] = [...waits];
    const gaps = rest.map((at, index) => Math.round((at - ([first, ...rest][index] ?? 0)) / 1_000));
    expect(gaps.slice(0, 8)).toEqual([2, 4, 8, 16, 32, 64, 128, 256]);
    expect(gaps[8]).toBe(300);
  });

  it('and a folder that is there and cannot be listed is scanned ever less often', async () => {
    let scans = 0;
    const fault: DiskFault = {
      operation: 'list',
      path: '',
      get code() {
        scans += 1;
        return 'EIO';
      },
    };
    world = await worlds.open({}, { begins: [fault] });
    for (let step = 0; step < 1_200; step += 1) await world.pass(500);
    expect(scans).toBeLessThan(12);
  });
});

describe('A2, F37: what belongs to a document and cannot be read for a while', () => {
  const files = {
    'd/.meta.json': '{"shareInfo":{"mode":"NONE"}}',
    'd/.ingestignore': 'secret.txt\n',
    'd/a.txt': 'a',
    'd/a.txt.meta.json': '{"shareInfo":{"mode":"NONE"},"attachments":["x.csv"]}',
    'd/a.txt.attachments/y.csv': 'y',
    'd/x.csv': 'x',
    'd/secret.txt': 'never',
  };
  const metadata = { shareInfo: { mode: 'EVERYONE' } } as const;
  const directories = ['', 'd', 'd/a.txt.attachments'];
  const kindOf = (path: string) =>
    directories.includes(path) ? 'directory' : path === 'd/secret.txt' ? 'leftOut' : 'file';
  const cases = [...directories, ...Object.keys(files)].flatMap((path) =>
    operations[kindOf(path)].flatMap((operation) =>
      ['EIO', 'EACCES'].map((code) => ({ path, operation, code })),
    ),
  );

  // A sidecar that this user may not read, and never could, attaches nothing (contract 4).
  const isUnknownList = ({ path, code }: DiskFault) => code === 'EACCES' && path === 'd/a.txt.meta.json';
  const newCases = cases.filter((one) => !isUnknownList(one));

  it.each(newCases)(
    '($operation of "$path", $code) makes nothing wider, and comes back by itself',
    async (fault) => {
      world = await worlds.open(files, { metadata, begins: [fault] });
      await world.pass(20_000);
      for (const { path, mode } of world.requests) expect([path, mode]).toEqual(['d/a.txt', 'NONE']);
      world.fail();
      await world.pass(40_000);
      if (fault.code === 'EACCES') await world.rescan();
      await world.quiesce(soonHours);
      expect(world.requests).toEqual([{ kind: 'upload', path: 'd/a.txt', mode: 'NONE' }]);
      expect([...world.service.documents.values()]).toMatchObject([{ attachments: ['y.csv', 'x.csv'] }]);
    },
  );

  it.each(cases)('($operation of "$path", $code) takes nothing back of what was sent', async (fault) => {
    world = await worlds.open(files, { metadata });
    await world.quiesce();
    expect(world.requests).toHaveLength(1);
    world.fail(fault);
    await world.rescan();
    await world.write('d/b.txt', 'b');
    await world.pass(20_000);
    await world.recover();
    await world.rescan();
    await world.quiesce(soonHours);
    expect(world.requests).toEqual([
      { kind: 'upload', path: 'd/a.txt', mode: 'NONE' },
      { kind: 'upload', path: 'd/b.txt', mode: 'NONE' },
    ]);
    expect([...world.service.documents.values()].map(({ attachments }) => attachments)).toEqual([
      ['y.csv', 'x.csv'],
      [],
    ]);
  });
});

describe('I2, F49: a directory that cannot be read, with files a day behind this host’s clock', () => {
  const closed: DiskFault = { operation: 'list', path: 'd', code: 'EACCES' };

  it.each([
    ['holds the deletion of a file that was moved into it', 'd/a.txt', 0, 1],
    ['holds it where that was moved into a directory inside that nobody has seen', 'd/e/a.txt', 0, 1],
    ['holds none of a file that was removed elsewhere', null, 1, 0],
  ])('%s', async (_, to, deleted, held) => {
    const inside = to === 'd/e/a.txt' ? { 'd/e/b.txt': 'b' } : { 'd/b.txt': 'b' };
    world = await worlds.open({ 'a.txt': 'a', ...inside }, { begins: [closed] });
    await world.quiesce(soonHours);
    for (let scan = 0; scan < 3; scan += 1) {
      await world.rescan();
      await world.pass(5_000);
    }
    await world.move('a.txt', to);
    await world.pass(60_000);
    expect(world.requests.filter(({ kind }) => kind === 'delete')).toHaveLength(deleted);
    expect(world.engine().holds.tasks('inbox')).toHaveLength(held);
  });
});

describe('I6: while the root cannot be listed, because its rules are not valid', () => {
  const none = '{"shareInfo":{"mode":"NONE"}}';

  it.each([
    ['an ignore file', '.ingestignore', 'new.txt\n'],
    ['a sidecar', 'new.txt.meta.json', none],
  ])('%s that went meanwhile is waited for when it can be listed again', async (_, path, text) => {
    const metadata = { shareInfo: { mode: 'EVERYONE' } } as const;
    world = await worlds.open({ 'd/a.txt': 'a', [path]: text }, { metadata });
    await world.quiesce();
    await world.write('.ingestignore', 'x\n'.repeat(1_001));
    await world.write('new.txt', 'new');
    await world.pass(10_000);
    await world.quiesce();
    expect(world.service.calls).toEqual(['upload']);
    await world.move(path, null);
    if (path !== '.ingestignore') await world.move('.ingestignore', null);
    await world.pass(4_000);
    expect(world.service.calls).toEqual(['upload']);
    await world.write(path, text);
    await world.quiesce();
    expect(world.requests.slice(1).map(({ mode }) => mode)).toEqual(path === '.ingestignore' ? [] : ['NONE']);
  });
});
