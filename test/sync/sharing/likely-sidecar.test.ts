import { rename, rm } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { generalReasons } from '../../../src/daemon/make-status.ts';
import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const world = ofEachTest(() => syncedFolder());

const at = (name: string) => world.inbox.join(name);
const held = () => Object.keys(world.held()).toSorted();
const waiting = () =>
  [...world.engine().tasks.in('waiting')].map((task) => [task.ref.path, reasonOf(task)?.code]);
const modeOf = (path: string) =>
  world.service.documents.get(world.docIds().get(path) ?? '')?.metadata.shareInfo?.mode;

function reasonsOf({ engine, ledger }: typeof world) {
  const limiter = { status: () => ({ pausedUntil: null }) };
  const folders = [{ name: 'inbox', health: () => ({ reasons: [] }) }];
  return generalReasons({ ownReasons: [], engine: engine(), ledger: ledger(), limiter, folders } as never);
}

const secret = '{"shareInfo": {"mode": "NONE"}}';
const wrong = 'salery.doc.meta.json';

describe('a sidecar that fits no file (7.29)', () => {
  beforeEach(async () => {
    await world.inbox.write(wrong, secret);
    await world.inbox.write('salary.doc', 'one');
    await world.inbox.write('summary.doc', 'two');
    await world.sync();
  });

  it('holds back the new document that it may be meant for, and no other', () => {
    expect([held(), waiting()]).toEqual([['summary.doc'], [['salary.doc', 'likely-sidecar']]]);
  });

  it('is named in the status and the log, with the document that it may be meant for', () => {
    expect(reasonsOf(world)).toEqual([
      {
        folder: 'inbox',
        path: wrong,
        code: 'orphan-sidecar',
        message: `a sidecar that fits no file beside it: its document is gone, or did you mean salary.doc?`,
      },
    ]);
  });

  it('lets it go when it is renamed to fit, with what it says', async () => {
    await rename(at(wrong), at('salary.doc.meta.json'));
    await world.sync();
    expect([held(), modeOf('salary.doc')]).toEqual([['salary.doc', 'summary.doc'], 'NONE']);
    expect(world.engine().folders.viewOf('inbox').unfitSidecars).toEqual([]);
  });

  it.each<readonly [string, () => Promise<unknown>, readonly string[]]>([
    ['it is removed', () => rm(at(wrong)), []],
    ['its own file comes', () => world.inbox.write('salery.doc', 'three'), ['salery.doc']],
    ['it gets a sidecar of its own', () => world.inbox.write('salary.doc.meta.json', '{}'), []],
  ])('lets it go when %s', async (_, happens, more) => {
    await happens();
    await world.sync();
    expect(held()).toEqual(['salary.doc', ...more, 'summary.doc']);
  });
});

it.each(['salary.doc.meta.jsn', 'salary.mta.json', 'salary.doc.meta.json.txt', 'salary.doc.metadata.json'])(
  'one that is misspelled holds its document back, and is in the status, until it is renamed (7.29): %s',
  async (name) => {
    await world.inbox.write(name, secret);
    await world.inbox.write('salary.doc', 'one');
    await world.sync();
    expect([held(), waiting()]).toEqual([[], [['salary.doc', 'likely-sidecar']]]);
    const { unfitSidecars } = world.engine().folders.viewOf('inbox');
    expect(unfitSidecars).toMatchObject([{ path: name, code: 'misspelled-sidecar' }]);
    expect(await world.port().inspect(name)).toMatchObject({ code: 'misspelled-sidecar' });
    await rename(at(name), at('salary.doc.meta.json'));
    await world.sync();
    expect([held(), modeOf('salary.doc')]).toEqual([['salary.doc'], 'NONE']);
  },
);

describe.each(['meta.json', '.Meta.json', '.meta.jsn', '.meta.json.txt'])(
  'the defaults %s (7.29)',
  (name) => {
    beforeEach(async () => {
      await world.inbox.write(`sub/${name}`, secret);
      for (const path of ['top.doc', 'sub/a.doc', 'sub/own.doc', 'sub/below/b.doc'])
        await world.inbox.write(path, path);
      await world.inbox.write('sub/own.doc.meta.json', '{}');
      await world.sync();
    });

    it('hold back what has no sidecar of its own, in their directory and below', () => {
      const expected = { 'sub/a.doc': 'likely-sidecar', 'sub/below/b.doc': 'likely-sidecar' };
      expect([held(), Object.fromEntries(waiting())]).toEqual([['sub/own.doc', 'top.doc'], expected]);
    });

    it.each([
      ['renamed', () => rename(at(`sub/${name}`), at('sub/.meta.json')), 'NONE'],
      ['removed', () => rm(at(`sub/${name}`)), undefined],
    ])('let it go when they are %s', async (_, happens, mode) => {
      await happens();
      await world.sync();
      expect(held()).toEqual(['sub/a.doc', 'sub/below/b.doc', 'sub/own.doc', 'top.doc']);
      expect(['sub/a.doc', 'sub/below/b.doc'].map(modeOf)).toEqual([mode, mode]);
    });
  },
);

describe('a sidecar whose document has left (7.29)', () => {
  const told = () => [...world.engine().skips()].map(({ message }) => message);
  const said = (words: string) => `a sidecar that fits no file beside it: ${words}`;
  const gone = 'its document is gone, or it has another name';

  it.each([
    ['has moved', () => world.move('a.doc', 'b/a.doc'), 'did you mean inbox/b/a.doc, its document now?'],
    ['was renamed', () => world.move('a.doc', 'a2.doc'), 'did you mean inbox/a2.doc, its document now?'],
    ['is removed', () => rm(at('a.doc')), gone, 'its document is gone, or did you mean c.doc?'],
  ])('is not said to be meant for another one: it %s', async (_, leaves, now, afterRestart = now) => {
    for (const name of ['a.doc', 'c.doc', 'b/other.doc']) await world.inbox.write(name, name);
    await world.inbox.write('a.doc.meta.json', '{}');
    await world.sync();
    await leaves();
    await world.sync();
    await world.inbox.write('another.doc', 'has the directory listed again');
    await world.sync();
    expect(told()).toEqual([said(now)]);
    await world.restart();
    await world.sync();
    expect(told()).toEqual([said(afterRestart)]);
  });

  it.each([
    [['b/a.doc', 'd/a.doc'], gone],
    [['b/a.doc'], 'did you mean inbox/b/a.doc, its document now?'],
    [[], 'its document is gone, or did you mean c.doc?'],
    [['e.doc'], gone],
  ])('is not said to be meant for one of several: %j', async (others, words) => {
    for (const name of ['c.doc', ...others]) await world.inbox.write(name, name);
    await world.sync();
    await world.inbox.write('a.doc.meta.json', '{}');
    await world.sync();
    expect(told()).toEqual([said(words)]);
  });
});

it('a sidecar whose document a person is asked to delete is no problem until that is decided', async () => {
  const guarded = await syncedFolder({ safety: { maxDeleteCount: 1 } });
  const names = ['a.doc', 'b.doc', 'c.doc'];
  for (const name of names) await guarded.inbox.write(name, name);
  for (const name of names) await guarded.inbox.write(`${name}.meta.json`, '{}');
  await guarded.sync();
  for (const name of names) await rm(guarded.inbox.join(name));
  const codes = () => Array.from(guarded.engine().skips(), ({ code }) => code);
  await guarded.rescan();
  // Nobody has decided yet that they are held.
  expect([guarded.engine().tasks.counts('inbox').held, codes()]).toEqual([0, Array(3).fill('held-sidecar')]);
  expect(reasonsOf(guarded)).toEqual([]);
  await guarded.sync();
  expect([guarded.engine().tasks.counts('inbox').held, codes()]).toEqual([3, Array(3).fill('held-sidecar')]);
  expect(reasonsOf(guarded)).toEqual([]);
  await guarded.engine().approve('inbox');
  await guarded.sync();
  expect([codes(), reasonsOf(guarded).length]).toEqual([Array(3).fill('orphan-sidecar'), 3]);
});

describe('a document that the service holds (7.29)', () => {
  beforeEach(async () => {
    await world.inbox.write('salary.doc', 'one');
    await world.sync();
    await world.inbox.write(wrong, '{}');
    await world.sync();
  });

  it('is changed as before', async () => {
    await world.inbox.write('salary.doc', 'two, and longer');
    await world.sync();
    expect(world.held()).toEqual({ 'salary.doc': 'two, and longer' });
  });

  it('is followed where it is renamed', async () => {
    const docId = world.docIds().get('salary.doc');
    await rename(at('salary.doc'), at('salarys.doc'));
    await world.sync();
    expect([...world.docIds()]).toEqual([['salarys.doc', docId]]);
  });
});

it('a document that the service has lost is not uploaded again while such a sidecar stands (7.29)', async () => {
  const lossy = await syncedFolder({ service: { onMissing: 'upload' } });
  await lossy.inbox.write('salary.doc', 'one');
  await lossy.sync();
  await lossy.inbox.write(wrong, secret);
  await lossy.sync();
  lossy.service.beStrict();
  (lossy.service.documents as Map<string, unknown>).clear();
  await lossy.inbox.write('salary.doc', 'two, and longer');
  await lossy.sync();
  expect(lossy.service.calls.filter((call) => call === 'upload')).toHaveLength(1);
});

it.each(['d/salary.doc.meta.JSON', 'd/salary.doc.meta.jsn', 'd/salary.doc.meta.json.txt', 'meta.json'])(
  'what came since the scan counts when it is to be sent (7.29, 7.30): %s',
  async (name) => {
    await world.inbox.write('d/salary.doc', 'one');
    await world.sync();
    const document = await world.port().inspect('d/salary.doc');
    expect(document).not.toHaveProperty('document.likelySidecar');
    await world.inbox.write(name, secret);
    expect(await world.port().inspect('d/salary.doc')).toMatchObject({
      kind: 'document',
      document: { likelySidecar: name },
    });
  },
);
