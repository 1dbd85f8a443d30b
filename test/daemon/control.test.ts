import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { createChangeSignal } from '../../src/lib/time/change-signal.ts';
import { createControl } from '../../src/daemon/control/control.ts';
import { listDocuments } from '../../src/daemon/control/list-documents.ts';
import { readPauses } from '../../src/daemon/control/pauses.ts';
import { lineText, linesBack, readPast } from '../../src/daemon/history/history-files.ts';
import { emptyLedger } from '../../src/ledger/read-ledger.ts';
import { refKey, replacedPath } from '../../src/model/document.ts';
import { openDoubts } from '../../src/model/doubts.ts';
import { errorMessage, LedgerUnwritableError } from '../../src/model/errors.ts';
import type { Activity, Reason } from '../../src/model/report/status.ts';
import type { Settings } from '../../src/model/settings.ts';
import { folderSettingsOf } from '../support/fixtures/default-settings.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { manualClock } from '../support/manual-clock.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { engineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';
import { simulatedFolder } from '../support/worlds/simulated-folder.ts';

let world: EngineWorld;

afterEach(() => world.close());

/** What a person may decide, with what the log then has of it. */
function decisionsIn(
  { engine, ledger, clock, folder, log, activities }: EngineWorld,
  names: readonly string[],
  {
    stateDir = '/nowhere',
    paused = [],
    reasons = [],
  }: { stateDir?: string; paused?: readonly string[]; reasons?: readonly Reason[] } = {},
) {
  const said: Activity[] = [];
  const control = createControl({
    settings: {
      folders: names.map((name) => ({ ...folderSettingsOf(`/${name}`), name })),
      state: { dir: stateDir },
    } as unknown as Settings,
    clock,
    log,
    pauses: paused.map((name) => ({ name, path: `/${name}` })),
    engine: engine(),
    ledger: ledger(),
    folders: [folder],
    tokens: {} as never,
    history: {
      add: (one) => said.push(one),
      listen: () => () => {},
      past: (ref) => readPast((read) => linesBack('/no-history', read, activities.map(lineText)), ref),
    },
    changes: createChangeSignal(clock),
    status: () => ({}) as never,
    unready: () => [],
    reasons: () => reasons,
  });
  return { said, control, decisions: control.decisions('page') };
}

it.each(['hold', 'retry'] as const)(
  'settles all doubts below a directory, and no others: %s',
  async (inDoubt) => {
    world = await engineWorld({ safety: { inDoubt } });
    for (const path of ['d/a.txt', 'd/b.txt', 'c.txt']) {
      world.service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
      world.folder.write(path, path);
      await world.sync();
    }
    const { said, decisions } = decisionsIn(world, ['inbox']);
    await expect(decisions.resolve({ path: 'inbox/d', action: 'adopt', docId: 'doc-1' })).rejects.toThrow(
      'not in doubt',
    );
    await decisions.resolve({ path: 'inbox/d', action: 'dismiss' });
    expect(said.map(({ what, path }) => [what, path])).toEqual([
      ['resolved', 'd/a.txt'],
      ['resolved', 'd/b.txt'],
    ]);
    // What was sent again is a possible duplicate.
    const left = [...openDoubts(world.ledger()), ...world.ledger().duplicated()];
    expect(left.map(({ ref }) => ref.path)).toEqual(['c.txt']);
  },
);

it('logs the folder whose deletions were released although those of the next one cannot be', async () => {
  const clock = manualClock();
  let inode = 1;
  const nextInode = () => (inode += 1);
  const beside = simulatedFolder({ name: 'scans', clock, settleMs: 0, nextInode });
  world = await engineWorld({ beside });
  await beside.start(world.engine().listener('scans'));
  beside.scan();
  for (let index = 0; index < 30; index += 1) world.folder.write(`a/${index}.txt`, `text ${index}`);
  await world.sync();
  world.folder.remove('a');
  await world.sync();
  const ledger = world.ledger();
  await ledger.commit([{ kind: 'hold', folder: 'scans', hold: { since: 1, reason: 'many' } }]);
  const commit = ledger.commit;
  const refused = jest.spyOn(ledger, 'commit').mockImplementation((changes) => {
    if (changes.some((change) => change.kind === 'hold' && change.folder === 'scans'))
      return Promise.reject(new Error('no space left'));
    return commit(changes);
  });
  const { said, decisions } = decisionsIn(world, ['inbox', 'scans']);
  await expect(decisions.approve({ folder: null })).rejects.toThrow();
  refused.mockRestore();
  expect(said).toHaveLength(30);
  expect(said[0]).toMatchObject({ folder: 'inbox', path: expect.stringMatching(/^a\//), what: 'approved' });
});

it('does not say that a doubt of a former folder was dismissed when nothing was written', async () => {
  world = await engineWorld();
  const ref = { folder: 'former', path: 'a.txt' };
  const doubt = { id: 'a', ref, count: 1, since: 1, message: 'lost', holds: true };
  await world.ledger().commit([{ kind: 'doubt', doubt }]);
  const busy = jest.spyOn(world.engine(), 'decide').mockResolvedValueOnce(false);
  const { said, decisions } = decisionsIn(world, ['inbox']);
  const dismiss = () => decisions.resolve({ path: 'former/a.txt', action: 'dismiss' });
  await expect(dismiss()).rejects.toThrow('former/a.txt is being sent right now; try again in a moment');
  expect(said).toEqual([]);
  await dismiss();
  expect(said).toMatchObject([{ ...ref, what: 'resolved' }]);
  busy.mockRestore();
});

it('has the failure of what fails again at once as the last word, not that a person retried it', async () => {
  world = await engineWorld();
  world.folder.write('a.txt', 'text');
  world.service.failWhere(() => ({ kind: 'rejected', code: 'http-403', message: 'no' }));
  await world.sync();
  expect(world.activities.map(({ what }) => what)).toEqual(['failed']);
  const { said, decisions } = decisionsIn(world, ['inbox']);
  expect(await decisions.retry({ paths: [] })).toEqual({ retried: 1, doubted: 0, barred: [] });
  expect(said.map(({ what }) => what)).toEqual(['retried']);
  expect(world.activities).toHaveLength(1);
  await world.quiesce();
  expect(world.activities.map(({ what }) => what)).toEqual(['failed', 'failed']);
  await world.sync();
  expect(world.activities).toHaveLength(2);
});

it('keeps documents whose deletions were released and refused, tried again or not yet sent', async () => {
  world = await engineWorld({ safety: { maxDeletePercent: 0, maxDeleteCount: 0 } });
  for (let index = 0; index < 5; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
  await world.sync();
  for (let index = 0; index < 5; index += 1) world.folder.remove(`${index}.txt`);
  await world.sync();
  world.service.failWhere(() => ({ kind: 'rejected', code: 'http-403', message: 'no' }));
  await decisionsIn(world, ['inbox']).decisions.approve({ folder: null });
  await world.until(() => world.engine().tasks.in('retry').size > 0 && world.engine().inFlight() === 0);
  expect(await decisionsIn(world, ['inbox']).decisions.keep({ place: null })).toEqual({ kept: 5 });
  await world.restart();
  await world.sync();
  expect(world.engine().tasks.counts('inbox')).toMatchObject({ kept: 5, held: 0, removingLater: 0 });
  expect(Array.from(world.ledger().failures())).toEqual([]);
});

it('says of what is queued why nothing is sent at present, and until when', async () => {
  world = await engineWorld();
  world.folder.write('a.txt', 'text');
  await world.sync();
  world.engine().setPaused(['inbox']);
  world.folder.write('a.txt', 'other text');
  world.folder.scan();
  await world.until(() => world.engine().tasks.in('ready').size > 0);
  const nextFor = async (reasons: readonly Reason[]) =>
    (await decisionsIn(world, ['inbox'], { reasons }).control.why('inbox/a.txt')).next;
  const usual = 'its modify is queued and is sent as the request limit allows';
  expect(await nextFor([])).toBe(usual);
  expect(await nextFor([{ code: 'standby', message: 'elsewhere' }])).toBe(usual);
  for (const code of ['redis-unavailable', 'rate-limited', 'fleet-opens']) {
    const message = 'no host sends until 12:00';
    expect(await nextFor([{ code, message }])).toBe(
      `its modify is queued, and nothing is sent at present: ${message}`,
    );
  }
});

it('tells each attempt and its answer: while it is repeated, when it was delivered, and over a restart', async () => {
  world = await engineWorld();
  const told = async () => {
    const { attempts } = await decisionsIn(world, ['inbox']).control.why('inbox/a.txt');
    const times = attempts.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    return attempts.map(({ operation, code, message }) => `${operation}: ${message} (${code})`);
  };
  const away = {
    kind: 'unavailable',
    code: 'http-503',
    message: 'away',
    retryAfterMs: null,
    sent: 'all',
  } as const;
  const refused = { kind: 'rejected', code: 'http-422', message: 'no' } as const;
  const lost = { kind: 'unknown', code: 'connection-lost', message: 'lost' } as const;
  for (const outcome of [away, lost, refused]) world.service.failNext(outcome);
  world.folder.write('a.txt', 'text');
  world.folder.scan();
  await world.until(() => world.engine().tasks.in('retry').size > 0);
  expect(await told()).toEqual(['upload: away (http-503)']);
  await world.quiesce();
  const failed = ['upload: away (http-503)', 'upload: lost (connection-lost)', 'upload: no (http-422)'];
  expect(await told()).toEqual(failed);

  world.service.failNext({ kind: 'accepted', docId: 'doc-a', warning: 'scan pending' }, { taken: true });
  await world.engine().retry([{ folder: 'inbox', path: 'a.txt' }]);
  await world.quiesce();
  const uploaded = 'upload: scan pending, sharing DEFAULT (accepted)';
  expect(await told()).toEqual([...failed, uploaded]);
  world.folder.write('a.txt', 'other text');
  await world.sync();
  const delivered = [uploaded, 'modify: modified (accepted)'];
  expect(await told()).toEqual([...failed, ...delivered]);

  await world.restart();
  expect(await told()).toEqual([...failed.slice(1), ...delivered]);
});

it('tells of what was refused before a restart and is refused again each answer once', async () => {
  world = await engineWorld();
  world.folder.write('a.txt', 'text');
  const refused = { kind: 'rejected', code: 'http-422', message: 'no' } as const;
  const refuse = async () => {
    world.service.failNext(refused);
    world.folder.scan();
    await world.engine().retry(null);
    await world.quiesce();
    const { attempts } = await decisionsIn(world, ['inbox']).control.why('inbox/a.txt');
    return attempts.length;
  };
  expect([await refuse(), await refuse()]).toEqual([1, 2]);
  await world.restart();
  expect([await refuse(), await refuse()]).toEqual([3, 4]);
});

it('calls no rule of a name an attempt, and names the document whose file was replaced', async () => {
  world = await engineWorld();
  world.folder.write('a.b.txt', 'text');
  const ref = { folder: 'inbox', path: replacedPath('a.b.txt') };
  await world.sync();
  await world.ledger().commit([{ kind: 'put', ref, record: recordOf() }]);
  const { control } = decisionsIn(world, ['inbox']);
  const notes = [expect.stringContaining(`see ingestd why '${refKey(ref)}'`)];
  const verdict = { kind: 'unfit' };
  expect(await control.why('inbox/a.b.txt')).toMatchObject({ verdict, attempts: [], notes });
});

describe('decisions that come while an earlier one is written, or that cannot be', () => {
  const state = folderOfEachTest();

  it('leave each pause in effect, in memory and on disk, though a resume before it fails', async () => {
    await state.write('paused.json/in-the-way', '');
    world = await engineWorld();
    const options = { stateDir: state.path, paused: ['inbox'] };
    const { decisions, said } = decisionsIn(world, ['inbox', 'scans'], options);
    world.engine().setPaused(['inbox']);
    const resumed = decisions.resume({ folder: 'inbox' });
    const paused = decisions.pause({ folder: 'scans' });
    expect([...world.engine().paused()]).toEqual(['inbox', 'scans']);
    await expect(resumed).rejects.toThrow(/paused\.json.*: it stays paused$/);
    await expect(paused).rejects.toThrow(/: it lasts only until the next start$/);
    expect([...world.engine().paused()]).toEqual(['inbox', 'scans']);
    expect(said).toMatchObject([{ what: 'paused', folder: 'scans' }]);
    await rm(state.join('paused.json'), { recursive: true });
    expect(await decisions.pause({ folder: 'inbox' })).toMatchObject({ paused: ['inbox', 'scans'] });
    const pauses = await readPauses(state.path);
    expect(pauses.map(({ name }) => name).toSorted()).toEqual(['inbox', 'scans']);
    expect(await decisions.resume({ folder: 'inbox' })).toMatchObject({ paused: ['scans'] });
    expect([...world.engine().paused()]).toEqual(['scans']);
  });

  it('say of all folders at once that they are paused, until when, and that they are not any more', async () => {
    world = await engineWorld();
    const { decisions, said } = decisionsIn(world, ['inbox', 'scans'], { stateDir: state.path });
    await decisions.pause({ folder: null, ms: 3_600_000 });
    await decisions.resume({ folder: null });
    await decisions.pause({ folder: 'inbox', ms: 60_000 });
    // Another end, of a pause that goes on.
    await decisions.pause({ folder: 'inbox' });
    const until = (ms: number) => `until ${new Date(world.clock.now() + ms).toISOString()}`;
    expect(said.map(({ what, folder, message }) => [what, folder, message])).toEqual([
      ['paused', '', `all folders, ${until(3_600_000)}`],
      ['resumed', '', 'all folders'],
      ['paused', 'inbox', until(60_000)],
      ['paused', 'inbox', 'until somebody resumes'],
    ]);
    // One that is paused for longer than all of them stays so.
    await decisions.resume({ folder: null });
    await decisions.pause({ folder: null, ms: 60_000 });
    await decisions.pause({ folder: 'inbox' });
    expect(said.at(-1)).toMatchObject({ folder: 'inbox', message: 'until somebody resumes' });
    await world.clock.advance(60_001);
    expect([...world.engine().paused()]).toEqual(['inbox']);
  });

  it('fail where they cannot be written, and change nothing', async () => {
    world = await engineWorld({ safety: { inDoubt: 'hold' } });
    await loseAnswer();
    const full = new LedgerUnwritableError('no space left');
    jest.spyOn(world.ledger(), 'commit').mockImplementationOnce(() => Promise.reject(full));
    const { said, decisions } = decisionsIn(world, ['inbox']);
    await expect(decisions.resolve({ path: 'inbox/a.txt', action: 'again' })).rejects.toBe(full);
    expect(said).toEqual([]);
    await decisions.resolve({ path: 'inbox/a.txt', action: 'dismiss' });
    await world.quiesce();
    expect(world.service.calls).toEqual(['upload']);
  });

  it('are taken after it: of a doubt that was dismissed, nothing is sent again', async () => {
    world = await engineWorld({ safety: { inDoubt: 'hold' } });
    await loseAnswer();
    const ledger = world.ledger();
    const { commit } = ledger;
    let goOn = () => {};
    const written = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(ledger, 'commit').mockImplementationOnce(async (...changes) => {
      await written;
      await commit(...changes);
    });
    const { said, decisions } = decisionsIn(world, ['inbox']);
    const first = decisions.resolve({ path: 'inbox/a.txt', action: 'dismiss' });
    const second = decisions.resolve({ path: 'inbox/a.txt', action: 'again' }).catch(errorMessage);
    goOn();
    await first;
    expect(await second).toContain('inbox/a.txt is not in doubt');
    await world.quiesce();
    expect(world.service.calls).toEqual(['upload']);
    expect(said.map(({ message }) => message)).toEqual(['the doubt dismissed']);
  });
});

/** Of the upload of `a.txt`, which the service took. */
async function loseAnswer(): Promise<void> {
  world.service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
  world.folder.write('a.txt', 'text');
  world.folder.scan();
  await world.until(() => world.ledger().doubts().length > 0 && world.engine().inFlight() === 0);
}

it.each<[string, string, readonly string[]]>([
  ['a word in any case', 'REPORTS', ['Reports/Café.pdf']],
  ['an accent of two characters', 'cafe\u0301', ['Reports/Café.pdf']],
  ['words in different places', '  inbox   pdf ', ['b.pdf', 'Reports/Café.pdf']],
  ['words of which one is nowhere', 'inbox small', []],
  ['blanks', '  ', ['b.pdf', 'Reports/Café.pdf']],
])('documents are found by %s', async (_, search, found) => {
  world = await engineWorld();
  const ledger = emptyLedger();
  for (const path of ['b.pdf', 'Reports/Café.pdf'])
    await ledger.commit([{ kind: 'put', ref: { folder: 'inbox', path }, record: recordOf({ docId: path }) }]);
  const { documents, total } = await listed(search, ledger);
  expect([total, documents.map(({ path }) => path)]).toEqual([found.length, found]);
});

it('documents are found that are not at the service, with what keeps them from it', async () => {
  world = await engineWorld({ safety: { inDoubt: 'hold' } });
  const { folder, service } = world;
  for (const path of ['sent.txt', 'changed.txt', 'gone.txt']) folder.write(path, path);
  await world.sync();
  folder.write('two.dots.txt', 'text');
  for (const code of ['http-403', 'http-422']) {
    service.failNext({ kind: 'rejected', code, message: `the service refused it: ${code}` });
    folder.write(code === 'http-403' ? 'changed.txt' : 'refused.txt', 'other');
    await world.sync();
  }
  await loseAnswer();
  world
    .engine()
    .folders.viewOf('inbox')
    .setSkips('', [{ path: 'x.png', code: 'x', message: 'a picture' }]);
  folder.remove('gone.txt');
  folder.write('late.txt', 'late');
  folder.scan();
  await world.rest();
  world
    .engine()
    .folders.viewOf('inbox')
    .setSkips('', [{ path: 'x.png', code: 'x', message: 'a picture' }]);
  const { documents, total } = await listed('inbox');
  const states = documents.map((one) => [one.path, one.isDelivered, one.state]);
  expect([total, ...states]).toEqual([
    8,
    ['a.txt', false, expect.stringMatching(/^in doubt: /)],
    ['changed.txt', true, 'failed: the service refused it: http-403'],
    ['gone.txt', true, 'its file is gone'],
    ['late.txt', false, 'still changing'],
    ['refused.txt', false, 'failed: the service refused it: http-422'],
    ['sent.txt', true, null],
    ['two.dots.txt', false, 'failed: its name has two dots'],
    ['x.png', false, 'skipped: a picture'],
  ]);
  await world.restart();
  folder.scan();
  const queued = await listed('late queued');
  expect(queued.documents.map(({ path }) => path)).toEqual(['late.txt']);
});

function listed(search: string, ledger = world.ledger()) {
  const settings = { service: {} } as unknown as Settings;
  const sources = { ledger, folders: [], engine: world.engine(), settings };
  return listDocuments({ search, narrower: false }, sources);
}
