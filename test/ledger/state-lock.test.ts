import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { Change } from '../../src/model/ports/ledger-port.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { ownIdentity } from '../../src/lib/process/process-lock.ts';
import type { ProcessIdentity } from '../../src/lib/process/process-lock.ts';
import { takeStateLock } from '../../src/ledger/lock-state-directory.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { makeZombie } from '../support/processes/zombie.ts';
import { contentOf, put, recordOf } from './support/samples.ts';

const folder = folderOfEachTest();
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const script = `
import { openLedger } from ${JSON.stringify(join(import.meta.dirname, '../../build/ledger/open-ledger.js'))};

const quiet = () => undefined;
const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
let now = Date.now();
// It leaps: nobody is waited for as a command that is done in a moment.
const clock = { now: () => (now += 10_000), monotonic: () => performance.now(), after: quiet };
const record = (number) => ({ ...JSON.parse(process.argv[4]), docId: 'doc-' + number });
process.stdout.write('ready\\n');
await new Promise((go) => process.stdin.once('data', go));
try {
  const ledger = await openLedger({ dir: process.argv[2], clock, log });
  process.stdout.write('holds\\n');
  for (let number = 0; process.argv[3] === 'work'; number += 1) {
    await ledger.commit([{ kind: 'put', ref: { folder: 'inbox', path: number + '.pdf' }, record: record(number) }]);
    process.stdout.write(number + '\\n');
  }
  setInterval(quiet, 1000);
} catch (error) {
  process.stdout.write((error.code === 'state-locked' ? 'locked ' : 'failed ') + error.message + '\\n');
}
`;

interface Starter {
  readonly child: ChildProcess;
  readonly go: () => void;
  readonly next: () => Promise<string>;
  readonly kill: () => Promise<void>;
}

async function start(work: 'hold' | 'work' = 'hold'): Promise<Starter> {
  const record = JSON.stringify(recordOf(1));
  const child = spawn(process.execPath, [folder.join('child.mjs'), folder.join('state'), work, record], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value } = await lines.next();
    return String(value);
  };
  expect(await next()).toBe('ready');
  return {
    child,
    next,
    go: () => child.stdin.write('go\n'),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A lock of a process that is this one, but for this. */
async function leave(parts: Partial<ProcessIdentity>): Promise<ProcessIdentity> {
  const own = await ownIdentity('2025-01-01T00:00:00.000Z');
  await writeFile(folder.join('lock'), JSON.stringify({ ...own, ...parts }));
  return own;
}

/** It can be taken, and is released again. */
async function expectTaken(options?: Parameters<typeof takeStateLock>[2]): Promise<void> {
  const lock = await takeStateLock(folder.path, manualClock(), options);
  expect(lock.isHeld()).toBe(true);
  expect(JSON.parse(await readFile(folder.join('lock'), 'utf8'))).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(await readdir(folder.path)).toEqual([]);
}

describe('P4: the lock of the state directory', () => {
  it('is refused to a second process, with the number of the first, and to a second opening in one process', async () => {
    await folder.write('child.mjs', script);
    const options = { dir: folder.join('state'), clock: manualClock(), log: recordedLog() };
    const ledger = await openLedger(options);
    const second = await start();
    second.go();
    expect(await second.next()).toMatch(
      new RegExp(`^locked .*process ${process.pid} .*2026-01-01T00:00:00.000Z`),
    );
    await options.clock.advance(5_000);
    await expect(openLedger(options)).rejects.toMatchObject({ code: 'state-locked', exitCode: 5 });
    await ledger.commit([put('a.pdf', recordOf(1))]);
    await ledger.close();
    const third = await openLedger(options);
    await third.close();
    expect(await readdir(folder.join('state'))).not.toContain('lock');
  });

  it('of a command, which holds it for a moment, is waited for', async () => {
    const clock = manualClock();
    const command = await takeStateLock(folder.path, clock);
    const waiting = takeStateLock(folder.path, clock);
    // It has found the lock taken when what it tried with is gone again.
    await eventually(async () => (await readdir(folder.path)).join() === 'lock');
    await command.release();
    const lock = await waiting;
    expect(lock.isHeld()).toBe(true);
    await clock.advance(5_000);
    await expect(takeStateLock(folder.path, clock)).rejects.toMatchObject({ code: 'state-locked' });
    await lock.release();
  });

  it('of a killed process goes to one of many that start at once', async () => {
    await folder.write('child.mjs', script);
    for (let round = 0; round < 3; round += 1) {
      const starters = await Promise.all(Array.from({ length: 5 }, () => start()));
      for (const { go } of starters) go();
      const answers = await Promise.all(starters.map(({ next }) => next()));
      expect(answers.map((answer) => answer.slice(0, 5)).sort()).toEqual([
        'holds',
        'locke',
        'locke',
        'locke',
        'locke',
      ]);
      for (const { kill } of starters) await kill();
    }
    const files = await readdir(folder.join('state'));
    expect(files.filter((name) => name.startsWith('lock'))).toEqual(['lock']);
  });

  it('that was taken from a process lets it change nothing of what the next one has', async () => {
    const options = { dir: folder.join('state'), clock: manualClock(), log: recordedLog() };
    const intent = (id: string): Change => ({
      kind: 'intent',
      intent: { id, ref: { folder: 'inbox', path: `${id}.pdf` }, size: 1, at: 5 },
    });
    const before = await openLedger({ ...options, compactAfterBytes: 1 });
    await before.commit([intent('a')]);
    await rm(folder.join('state/lock'));
    const next = await openLedger(options);
    await next.commit([intent('b')]);
    await expect(before.commit([put('c.pdf', recordOf(1))])).rejects.toMatchObject({
      code: 'ledger-unwritable',
    });
    await before.close();
    await next.commit([put('d.pdf', recordOf(2))]);
    const known = contentOf(next);
    await next.close();
    expect(contentOf(await readLedger(folder.join('state')))).toEqual(known);
  });

  it.each<readonly [string, Partial<ProcessIdentity> | string]>([
    ['after a restart of the machine', { boot: 'another' }],
    ['from a later process of the same number', { start: '1' }],
    ['from a process that is not there', { pid: 2 ** 30 }],
    ['when it is empty', ''],
    ['when it is damaged', '{"pid": 1'],
  ])('is taken over %s', async (_, left) => {
    if (typeof left === 'string') await writeFile(folder.join('lock'), left);
    else await leave(left);
    await expectTaken();
  });

  it('is taken over from a process that was killed and that nobody has waited for', async () => {
    const { pid, start, bury } = await makeZombie();
    try {
      await leave({ pid, start });
      await expectTaken();
    } finally {
      bury();
    }
  });

  it('is refused when another machine may hold it', async () => {
    const own = await leave({ boot: 'another', machine: 'another' });
    const taken = takeStateLock(folder.path, manualClock());
    if (own.machine === null) await (await taken).release();
    else await expect(taken).rejects.toMatchObject({ code: 'state-locked' });
  });

  it.each([
    ['of another container', {}],
    ['of a container on what may be another machine', { boot: 'another', machine: null }],
  ])('%s is refused while it is touched, and taken over when it is not', async (_, where) => {
    await leave({ namespace: 'pid:[1]', ...where });
    const beat = setInterval(() => void utimes(folder.join('lock'), new Date(), new Date()), 50);
    await expect(takeStateLock(folder.path, manualClock(), { silenceMs: 300 })).rejects.toMatchObject({
      code: 'state-locked',
    });
    clearInterval(beat);
    await eventually(async () => {
      const lock = await takeStateLock(folder.path, manualClock(), { silenceMs: 300 });
      await lock.release();
      return true;
    });
  });
});
