import { createHash } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';

import { describeFile } from '../../../src/daemon/control/describe-file.ts';
import { modeOf } from '../../../src/model/metadata/metadata.ts';
import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const world = ofEachTest(() => syncedFolder());

beforeEach(async () => {
  await world.inbox.write('f.txt', 'document');
  await world.inbox.write('f.txt.meta.json', '{"attachments": ["figure.csv"]}');
  await world.inbox.write('figure.csv', '1,2,3');
  await world.sync();
  expect([...world.docIds().keys()]).toEqual(['f.txt']);
});

it('a document that takes the place of its own attachment is none', async () => {
  await world.move('figure.csv', 'old.csv');
  await world.inbox.write('figure.csv', 'another');
  await world.rescan();
  await world.move('f.txt', 'figure.csv');
  await laterOn();
  await laterOn();
  expect(world.held()).toMatchObject({ 'figure.csv': 'document' });
  expect([...world.engine().tasks.in('waiting')].map(({ ref }) => ref.path)).toEqual([]);
});

it('an attachment that took the place of its own document, and that of another one by a hard link, is no attachment any more (7.4)', async () => {
  await world.inbox.write('other.txt', 'other');
  await world.sync();
  await world.move('figure.csv', 'f.txt');
  await laterOn();
  await rm(world.inbox.join('other.txt'));
  await link(world.inbox.join('f.txt'), world.inbox.join('other.txt'));
  for (const name of ['f.txt', 'f.txt.meta.json']) await rm(world.inbox.join(name));
  await laterOn();
  await laterOn();
  expect(world.held()).toEqual({ 'other.txt': '1,2,3' });
  const modes = [...world.service.documents.values()].map(({ metadata }) => modeOf(metadata));
  expect(modes).toEqual(['NONE']);
});

it('what was renamed while the sidecar listed it goes with its document under its new name once that has none', async () => {
  await world.move('figure.csv', 'chart.csv');
  await world.sync();
  // It is asked about less and less often.
  await world.pass(10 * 60_000);
  await world.sync();
  await rm(world.inbox.join('f.txt.meta.json'));
  await laterOn();
  await laterOn();
  expect([...world.docIds().keys()]).toEqual(['f.txt']);
  const record = world.ledger().get({ folder: 'inbox', path: 'f.txt' });
  expect(record?.attachments.map(({ name, path }) => [name, path])).toEqual([['chart.csv', 'chart.csv']]);
});

it('I18: what a sidecar listed of the directory of another document’s attachments stays one without the sidecar', async () => {
  await world.inbox.write('g.txt', 'other');
  await world.inbox.write('g.txt.attachments/part.csv', '1');
  await world.inbox.write('g.txt.attachments/more.csv', '2');
  await world.inbox.write('own.txt', 'own');
  await world.inbox.write('own.txt.attachments/mine.csv', '3');
  await world.inbox.write('own.txt.meta.json', '{"attachments": ["g.txt.attachments/part.csv"]}');
  await world.sync();
  const held = () => world.service.documents.get(world.docIds().get('own.txt') ?? '')?.attachments;
  expect([...(held() ?? [])].sort()).toEqual(['mine.csv', 'part.csv']);
  await rm(world.inbox.join('own.txt.meta.json'));
  await world.inbox.write('own.txt.attachments/mine.csv', '3,4');
  await laterOn();
  expect([...(held() ?? [])].sort()).toEqual(['mine.csv', 'part.csv']);
});

/** What changed is seen, half a minute passes, and what follows from that is sent. */
async function laterOn(): Promise<void> {
  await world.sync();
  await world.pass(30_000);
  await world.sync();
}

it('I5: what was an attachment is a document as soon as its own is deleted, and a pass goes on for it', async () => {
  await rm(world.inbox.join('f.txt'));
  await world.sync();
  expect(world.service.calls).toContain('delete');
  expect(world.modes()).toEqual({ 'figure.csv': 'NONE' });
});

it('I5: what was an attachment goes out private when it is saved and its sidecar lists it no longer', async () => {
  await world.save('figure.csv', '1,2,3,4');
  await world.inbox.write('f.txt.meta.json', '{}');
  await laterOn();
  expect(world.modes()).toEqual({ 'f.txt': 'DEFAULT', 'figure.csv': 'NONE' });
});

it('what was a document before it was attached is held as its record says when it is saved, and one again', async () => {
  await world.inbox.write('own.csv', '4,5');
  await world.sync();
  await world.inbox.write('f.txt.meta.json', '{"attachments": ["figure.csv", "own.csv"]}');
  await world.sync();
  expect([...world.service.documents.values()][0]?.attachments).toEqual(['figure.csv', 'own.csv']);
  await world.save('own.csv', '4,5,6');
  await world.inbox.write('f.txt.meta.json', '{"attachments": ["figure.csv"]}');
  await laterOn();
  expect([world.held()['own.csv'], world.modes()]).toEqual([
    '4,5,6',
    { 'f.txt': 'DEFAULT', 'own.csv': 'DEFAULT' },
  ]);
});

it.each<readonly [string, (path: string, content: string) => Promise<unknown>]>([
  ['in place', (path, content) => world.inbox.write(path, content)],
  ['by rename', (path, content) => world.save(path, content)],
])(
  'I5: what was a document before it was attached, and changed %s since, goes out private when it is one again, once',
  async (_, save) => {
    await world.inbox.write('own.csv', '4,5');
    await world.sync();
    await world.inbox.write('f.txt.meta.json', '{"attachments": ["figure.csv", "own.csv"]}');
    await world.sync();
    await save('own.csv', '4,5,6');
    await laterOn();
    await world.restart();
    await laterOn();
    await world.inbox.write('f.txt.meta.json', '{"attachments": ["figure.csv"]}');
    await laterOn();
    expect([world.held()['own.csv'], world.modes()['own.csv']]).toEqual(['4,5,6', 'NONE']);
    await world.inbox.write('own.csv.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
    await laterOn();
    await world.inbox.write('own.csv', '7');
    await laterOn();
    expect([world.held()['own.csv'], world.modes()['own.csv']]).toEqual(['7', 'EVERYONE']);
    await rm(world.inbox.join('own.csv.meta.json'));
    await world.inbox.write('own.csv', '8');
    await laterOn();
    expect([world.held()['own.csv'], world.modes()['own.csv']]).toEqual(['8', 'DEFAULT']);
  },
);

it.each<readonly [string, (path: string, content: string) => Promise<unknown>]>([
  ['in place', (path, content) => world.inbox.write(path, content)],
  ['by rename', (path, content) => world.save(path, content)],
])(
  'I5: what was moved out of the directory of attachments stays an attachment when it is saved %s, until a sidecar says otherwise',
  async (_, save) => {
    await world.inbox.write('own.txt', 'own');
    await world.inbox.write('own.txt.attachments/x.csv', '1');
    await world.sync();
    await world.move('own.txt.attachments/x.csv', 'y.csv');
    await laterOn();
    for (const content of ['1,2', '1,2,3']) {
      await save('y.csv', content);
      await laterOn();
    }
    await world.restart();
    await laterOn();
    const reasons = [...world.engine().tasks.in('waiting')].map((task) => reasonOf(task)?.code);
    expect([Object.keys(world.held()), reasons]).toEqual([['f.txt', 'own.txt'], ['attached-before']]);
    const { now, fix, nextAt } = await describeFile(world.inbox.join('y.csv'), {
      settings: { file: '', state: { dir: '' } },
      clock: world.clock,
      engine: world.engine(),
      ledger: world.ledger(),
      folders: [world.port()],
      past: () => Promise.resolve([]),
      isRunning: true,
      pauses: { paused: [], pauses: {} },
      isFleetPaused: false,
      obstacle: null,
    });
    expect([now?.message, fix, nextAt]).toEqual([
      expect.stringMatching(/^it is an attachment of own\.txt until a valid sidecar/),
      expect.stringMatching(/^To send it as a document of its own, give its document a valid sidecar/),
      null,
    ]);
    await world.inbox.write('own.txt.meta.json', '{}');
    await laterOn();
    expect([world.held()['y.csv'], world.modes()['y.csv']]).toEqual(['1,2,3', 'NONE']);
  },
);

const meanwhiles: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['while the process runs', () => world.rescan()],
  ['over a restart', () => world.restart()],
];

it.each(meanwhiles)(
  'I5: what was an attachment, was left behind by its document and saved there, goes out private when it is moved out %s',
  async (_, meanwhile) => {
    await world.inbox.write('own.txt', 'own');
    await world.inbox.write('own.txt.meta.json', '{}');
    await world.inbox.write('own.txt.attachments/x.csv', '1');
    await world.inbox.write('nobodys.txt.attachments/x.csv', '2');
    await world.sync();
    for (const end of ['', '.meta.json']) await world.move(`own.txt${end}`, `new.txt${end}`);
    await laterOn();
    for (const owner of ['own', 'nobodys']) await world.save(`${owner}.txt.attachments/x.csv`, owner);
    await laterOn();
    await meanwhile();
    for (const owner of ['own', 'nobodys'])
      await world.move(`${owner}.txt.attachments/x.csv`, `${owner}.csv`);
    await laterOn();
    expect(world.modes()).toMatchObject({ 'own.csv': 'NONE', 'nobodys.csv': 'DEFAULT' });
  },
);

it.each(['after its sidecar went', 'while its sidecar went'])(
  'what was not sent stays private when it is saved in its own place %s',
  async (when) => {
    world.engine().setPaused(['inbox']);
    await world.inbox.write('g.txt', 'private');
    await world.inbox.write('g.txt.meta.json', '{"shareInfo": {"mode": "NONE"}}');
    await world.rescan();
    await rm(world.inbox.join('g.txt.meta.json'));
    if (when === 'after its sidecar went') await world.rescan();
    await world.save('g.txt', 'private, too');
    await world.rescan();
    for (let passed = 0; passed < 10_000; passed += 100) await world.clock.advance(100);
    world.engine().setPaused([]);
    await world.sync();
    expect([world.held()['g.txt'], world.modes()]).toEqual([
      'private, too',
      { 'f.txt': 'DEFAULT', 'g.txt': 'NONE' },
    ]);
  },
);

/** What the service holds with the document, and what waits. */
function attached(): readonly [readonly string[], readonly (string | undefined)[]] {
  const held = world.service.documents.get(world.docIds().get('f.txt') ?? '')?.attachments ?? [];
  return [[...held].sort(), [...world.engine().tasks.in('waiting')].map((task) => reasonOf(task)?.code)];
}

it.each<readonly [string, string, () => Promise<unknown>, readonly string[]]>([
  ['is saved', 'figure.csv', () => world.save('figure.csv', '1,2,3,4'), ['figure.csv']],
  ['is saved elsewhere', 'd/figure.csv', () => world.save('d/figure.csv', '1,2,3,4'), ['figure.csv']],
  ['is renamed', 'figure.csv', () => world.move('figure.csv', 'other.csv'), ['other.csv']],
  [
    'is put into the directory',
    'figure.csv',
    () => world.move('figure.csv', 'f.txt.attachments/figure.csv'),
    ['figure.csv'],
  ],
  ['is removed', 'figure.csv', () => rm(world.inbox.join('figure.csv')), []],
])(
  'I18: what a sidecar listed that is missing by now is sent as it stands when it %s',
  async (_, listed, change, expected) => {
    await world.inbox.write('f.txt.attachments/own.csv', '4,5');
    await world.inbox.write('d/figure.csv', '1,2,3');
    await world.inbox.write('f.txt.meta.json', JSON.stringify({ attachments: [listed] }));
    await world.sync();
    await rm(world.inbox.join('f.txt.meta.json'));
    await world.restart();
    await laterOn();
    await change();
    await laterOn();
    expect(attached()).toEqual([['own.csv', ...expected].sort(), []]);
    const sent = world.ledger().get({ folder: 'inbox', path: 'f.txt' })?.attachments;
    for (const { path = '', sha256 } of sent ?? [])
      expect(sha256).toBe(
        createHash('sha256')
          .update(await readFile(world.inbox.join(path)))
          .digest('hex'),
      );
  },
);
