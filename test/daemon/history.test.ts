import { existsSync } from 'node:fs';
import { appendFile, chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf, linesBack } from '../../src/daemon/history/history-files.ts';
import { createLogReader } from '../../src/daemon/history/read-log.ts';
import { openHistory } from '../../src/daemon/history/history.ts';
import type { History } from '../../src/daemon/history/history.ts';
import type { Activity, Status } from '../../src/model/report/status.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { asUser } from '../support/processes/as-user.ts';
import { recordedLog } from '../support/recorded-log.ts';
import type { RecordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const dayMs = 24 * 3_600_000;
const none: Status['totals'] = { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 };

const state = folderOfEachTest();
let clock: ManualClock;
let log: RecordedLog;

beforeEach(async () => {
  clock = manualClock();
  log = recordedLog();
});

const open = (past: Activity[] = [], keepMegabytes = 64): Promise<History> =>
  openHistory({
    stateDir: state.path,
    clock,
    log,
    onPast: (activity) => past.push(activity),
    keeps: { keepDays: 30, keepMegabytes },
  });

const activity = (path: string, message: string | null = null): Activity => ({
  at: new Date(clock.now()).toISOString(),
  folder: 'inbox',
  path,
  what: 'uploaded',
  docId: 'd',
  message,
  documents: 1,
});

/** What was added is written by then. */
const endOfTurn = () => Promise.resolve();

const directory = () => join(state.path, 'history');
const names = async () => (await readdir(directory())).toSorted();

/** Oldest first. */
async function pathsOf({ readBack }: History): Promise<readonly string[]> {
  return (await readBack()).map(({ path }) => path).toReversed();
}

async function bytes(): Promise<number> {
  const sizes = await Promise.all((await names()).map((name) => stat(join(directory(), name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

describe('the history', () => {
  it('says who may read a file that is closed to this user', async () => {
    const history = await open();
    history.add(activity('a.pdf'));
    history.close();
    const [name = ''] = await names();
    await chmod(join(directory(), name), 0);
    for (const path of [state.path, directory()]) await chmod(path, 0o755);
    const read = createLogReader(state.path, { since: null, failed: false, places: null });
    await expect(asUser(() => read())).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/0\.jsonl is closed to this user \(EACCES\); run the command as/),
    });
  });

  it('keeps totals and what happened over starts, readable by nobody else', async () => {
    const first = await open();
    expect(first.totals()).toEqual(none);
    first.count(() => ({ ...none, uploaded: 2, requests: 3 }));
    first.add(activity('a.pdf'));
    first.add(activity('b.pdf'));
    first.close();
    const past: Activity[] = [];
    const second = await open(past);
    expect(second.totals()).toEqual({ ...none, uploaded: 2, requests: 3 });
    expect(await pathsOf(second)).toEqual(['a.pdf', 'b.pdf']);
    expect(past.map(({ path }) => path)).toEqual(['a.pdf', 'b.pdf']);
    second.count(() => ({ ...none, uploaded: 1 }));
    second.add(activity('c.pdf'));
    second.close();
    expect((await open()).totals()).toMatchObject({ uploaded: 3, requests: 3 });
    for (const name of await names()) {
      expect((await stat(join(directory(), name))).mode & 0o777).toBe(0o600);
    }
  });

  it('has everything in the order in which it happened, whatever the clock said meanwhile', async () => {
    const yearMs = 365 * dayMs;
    const { monotonic } = clock;
    clock = { ...clock, sinceBoot: () => ({ bootId: 'this', ms: monotonic() }) };
    const jumps = [0, 3 * yearMs, -3 * yearMs, -3 * yearMs, 3 * yearMs, dayMs, dayMs];
    for (const [index, ms] of jumps.entries()) {
      clock.jump(ms);
      const history = await open();
      history.count(() => ({ ...none, uploaded: 1 }));
      history.add(activity(`${index}.pdf`));
      history.close();
    }
    expect((await open()).totals()).toEqual({ ...none, uploaded: jumps.length });
    const pathsSince = async (since: string | null) =>
      (await createLogReader(state.path, { since, failed: false, places: null })()).map(({ path }) => path);
    const all = await pathsSince(null);
    expect(all).toEqual(jumps.map((_, index) => `${index}.pdf`));
    const entries = await (await open()).readBack();
    expect(entries.map(({ path }) => path)).toEqual(all.toReversed());
    const yesterday = new Date(clock.now() - dayMs).toISOString();
    // That of the clock that was three years ahead is in the future, not since yesterday.
    expect(await pathsSince(yesterday)).toEqual(['5.pdf', '6.pdf']);
  });

  it('forgets after 30 days, whatever the clock said, and keeps the totals', async () => {
    const own = clock;
    let bootId = 'first';
    clock = { ...own, sinceBoot: () => ({ bootId, ms: own.monotonic() }) };
    const write = async (path: string) => {
      const history = await open();
      history.count(() => ({ ...none, uploaded: 1 }));
      history.add(activity(path));
      history.close();
    };
    // A first start with a clock that was far behind.
    await write('behind.pdf');
    own.jump(1_000 * dayMs);
    await write('right.pdf');
    await own.advance(10 * dayMs);
    await write('later.pdf');
    expect(await names()).toHaveLength(3);
    await own.advance(22 * dayMs);
    await write('much later.pdf');
    expect(await names()).toHaveLength(2);
    bootId = 'second';
    own.jump(32 * dayMs);
    await write('after a boot.pdf');
    expect(await names()).toHaveLength(1);
    expect((await open()).totals()).toEqual({ ...none, uploaded: 5 });
  });

  it('is written at once, with the totals, however much happens, so that a crash takes nothing', async () => {
    const history = await open();
    history.count(() => ({ ...none, uploaded: 1 }));
    for (let index = 0; index < 30_001; index += 1) history.add(activity(`${index}.pdf`));
    await endOfTurn();
    const past: Activity[] = [];
    const later = await open(past);
    expect([past.length, past[0]?.path, later.totals().uploaded]).toEqual([30_001, '0.pdf', 1]);
  });

  it('stops nothing where it cannot be written, says so once, is read all the same, and written when it can be', async () => {
    await writeFile(directory(), 'in the way');
    const history = await open();
    history.add(activity('a.pdf'));
    history.add(activity('b.pdf'));
    await clock.advance(1_000);
    expect(await pathsOf(history)).toEqual(['a.pdf', 'b.pdf']);
    expect(log.lines.filter(({ message }) => message === 'history cannot be written')).toHaveLength(1);
    await rm(directory());
    await clock.advance(1_000);
    expect(await pathsOf(await open())).toEqual(['a.pdf', 'b.pdf']);
  });

  it('makes no state directory in the place of one that was taken away, and goes on when that is back', async () => {
    const history = await open();
    history.add(activity('a.pdf'));
    await endOfTurn();
    await rename(state.path, `${state.path}.taken`);
    for (let second = 0; second < 2; second += 1) {
      history.add(activity('b.pdf'));
      await clock.advance(1_000);
    }
    expect(existsSync(state.path)).toBe(false);
    await rename(`${state.path}.taken`, state.path);
    await clock.advance(1_000);
    history.close();
    expect(await pathsOf(await open())).toEqual(['a.pdf', 'b.pdf', 'b.pdf']);
  });

  it('goes on after a line that a crash cut short', async () => {
    const first = await open();
    first.add(activity('a.pdf'));
    first.close();
    const [name = ''] = await names();
    await appendFile(join(directory(), name), '{"at":"2026-01-0');
    const second = await open();
    second.add(activity('b.pdf'));
    second.close();
    expect(await pathsOf(await open())).toEqual(['a.pdf', 'b.pdf']);
    expect(await readFile(join(directory(), name), 'utf8')).not.toContain('"2026-01-0{');
  });

  it('keeps the totals before a line that a power loss damaged', async () => {
    const first = await open();
    first.count(() => ({ ...none, uploaded: 7 }));
    first.add(activity('a.pdf'));
    first.close();
    const [name = ''] = await names();
    await appendFile(join(directory(), name), '{"totals":\0\0\0\n{"at":"\0\0\n');
    const second = await open();
    expect([second.totals().uploaded, await pathsOf(second)]).toEqual([7, ['a.pdf']]);
  });

  it('never grows beyond keepMegabytes, however much happens', async () => {
    const openSmall = () => open([], 2);
    const history = await openSmall();
    const line = `${JSON.stringify(activity('a.pdf', 'x'.repeat(400)))}\n`;
    history.add(activity('first.pdf'));
    history.close();
    for (let part = 1; part <= 20; part += 1) {
      const file = join(directory(), `2026-01-01.${part}.jsonl`);
      await writeFile(file, line.repeat(Math.ceil((128 * 1024) / line.length)));
    }
    const next = await openSmall();
    next.add(activity('last.pdf'));
    next.close();
    expect(await bytes()).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect((await pathsOf(await openSmall())).at(-1)).toBe('last.pdf');
  });

  it('is read back from its end, over files, up to this moment', async () => {
    const history = await open();
    for (let index = 0; index < 120; index += 1) history.add(activity(`${index}.pdf`));
    history.add({ ...activity(''), what: 'paused' });
    await clock.advance(dayMs);
    for (let index = 120; index < 180; index += 1) history.add(activity(`${index}.pdf`));
    const entries = (await history.readBack()).map(({ path }) => path);
    const newest = Array.from({ length: 60 }, (_, index) => `${179 - index}.pdf`);
    expect(entries).toEqual([
      ...newest,
      '',
      ...Array.from({ length: 39 }, (_, index) => `${119 - index}.pdf`),
    ]);
    // What is still being written is left out, not misread.
    const [name = ''] = (await names()).slice(-1);
    await appendFile(join(directory(), name), '{"at":"2026-01-0');
    expect((await history.readBack())[0]?.path).toBe('179.pdf');
  });

  it('is read on from where it was read to, over files, and while the oldest is removed', async () => {
    const history = await open();
    const read = createLogReader(state.path, { since: null, failed: false, places: null });
    const next = async () => (await read()).map(({ path }) => path);
    for (const path of ['a.pdf', 'b.pdf', 'b.pdf']) history.add(activity(path));
    await endOfTurn();
    expect(await next()).toEqual(['a.pdf', 'b.pdf', 'b.pdf']);
    history.add(activity('b.pdf'));
    await clock.advance(dayMs);
    history.add(activity('c.pdf'));
    await endOfTurn();
    expect([await next(), await next()]).toEqual([['b.pdf', 'c.pdf'], []]);
    const [first = ''] = await names();
    const lines = linesBack(state.path, activityOf);
    expect((await lines.next()).value?.said.path).toBe('c.pdf');
    await rm(join(directory(), first));
    expect((await lines.next()).done).toBe(true);
  });

  it('knows the last trouble of each path, until something else happens to it', async () => {
    const first = await open();
    const failed = (path: string) => ({ ...activity(path, 'no \u{1f4c4} "path":"d.pdf"'), what: 'failed' });
    first.add(activity('d.pdf'));
    for (const path of ['a.pdf', 'b "é".pdf', 'c.pdf', 'd.pdf', 'e\u009b.pdf']) first.add(failed(path));
    first.add(activity('b "é".pdf'));
    first.add({ ...activity('moved.pdf'), what: 'moved', from: 'inbox/c.pdf' });
    first.add({ ...activity('d.pdf'), folder: 'other' });
    first.close();
    const second = await open();
    const isTold = (path: string, message = failed(path).message) =>
      second.isTold({ folder: 'inbox', path }, message ?? '');
    expect(isTold('a.pdf')).toBe(true);
    expect(isTold('b "é".pdf')).toBe(false);
    expect(isTold('c.pdf')).toBe(false);
    expect(isTold('d.pdf')).toBe(true);
    second.add({ ...activity('gone.pdf'), what: 'moved', from: 'inbox/e\u009b.pdf' });
    expect(isTold('e\u009b.pdf')).toBe(false);
    second.add({ ...activity('a.pdf'), what: 'retried' });
    second.add(activity('a.pdf'));
    expect(second.open().map(({ path }) => path)).toEqual(['d.pdf']);
    expect((await second.readBack()).map(({ after }) => after).slice(0, 4)).toEqual([
      'failed',
      undefined,
      'failed',
      undefined,
    ]);
  });

  it('knows which problems of the daemon itself are not over', async () => {
    const first = await open();
    const said = (what: string, code: string, folder = '') =>
      first.add({ ...activity(''), folder, what, code, docId: null });
    said('problem', 'credentials-refused');
    said('problem', 'folder-missing', 'inbox');
    said('problem', 'folder-missing', 'second');
    said('recovered', 'folder-missing', 'inbox');
    said('problem', 'service-unavailable');
    said('recovered', 'service-unavailable');
    said('problem', 'service-unavailable');
    for (const path of ['a', 'b']) first.add({ ...activity(path), what: 'problem', code: 'unreadable' });
    first.add({ ...activity('a'), what: 'recovered', code: 'unreadable' });
    first.close();
    const second = await open();
    const where = second.open().map(({ folder, path, code }) => `${folder}/${path} ${code}`);
    expect(where.toSorted()).toEqual([
      '/ credentials-refused',
      '/ service-unavailable',
      'inbox/b unreadable',
      'second/ folder-missing',
    ]);
    second.close();
  });

  it('knows what is open however long ago it began, and that the run before did not stop', async () => {
    const first = await open();
    for (const what of ['failed', 'held', 'problem', 'limit'])
      first.add({ ...activity(what), what, code: 'x' });
    first.add({ ...activity(''), folder: '', what: 'started' });
    await endOfTurn();
    clock.jump(3 * dayMs);
    for (let index = 0; index < 9_000; index += 1) first.add(activity(`${index}.pdf`));
    await endOfTurn();
    const past: Activity[] = [];
    clock.jump(2 * dayMs);
    const second = await open(past);
    expect(second.open().map(({ what }) => what)).toEqual(['failed', 'held', 'problem', 'limit']);
    expect([second.wasKilled, past]).toEqual([true, []]);
  });

  it('is read as it is asked for: since a moment, or of what went wrong', async () => {
    const history = await open();
    const wrong = ['failed', 'warning', 'held', 'recovered', 'in doubt', 'problem', 'limit'];
    for (const what of ['uploaded', ...wrong]) history.add({ ...activity(`${what}.pdf`), what });
    history.add(activity('failed.pdf'));
    history.add({ ...activity(''), what: 'paused' });
    history.close();
    const read = async (filter: Partial<Parameters<typeof createLogReader>[1]>) => {
      const wanted = { since: null, failed: false, places: null, ...filter };
      return (await createLogReader(state.path, wanted)()).map(({ what }) => what);
    };
    expect(await read({ failed: true })).toEqual([...wrong, 'uploaded']);
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const counts = [-1, 0, 1].map(async (ms) => (await read({ since: at(ms) })).length);
    expect(await Promise.all(counts)).toEqual([10, 10, 0]);
    const places = [{ folder: 'inbox', path: 'held.pdf' }];
    expect(await read({ places })).toEqual(['held', 'paused']);
    // It came after that, or nothing happened to it.
    const later = await open();
    later.add(activity('later.pdf'));
    later.close();
    const of = (path: string) => read({ places: [{ folder: 'inbox', path }] });
    expect(await Promise.all(['later.pdf', 'none.pdf', ''].map(of))).toEqual([
      ['uploaded'],
      [],
      ['uploaded', ...wrong, 'uploaded', 'paused', 'uploaded'],
    ]);
  });
});
