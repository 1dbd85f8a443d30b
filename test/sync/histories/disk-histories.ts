import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { nameOf } from '../../../src/model/document.ts';
import { ignores } from './chronicle.ts';
import { assertAgreement, forgottenApprovalsOf, staleOf, violationsOf } from './disk-judge.ts';
import { diskStep } from './disk-steps.ts';
import { sidecarTexts } from './disk-texts.ts';
import { diskWorld } from './disk-world.ts';
import type { DiskWorld } from './disk-world.ts';
import { failures } from './failures.ts';

const delays = fc.array(fc.constantFrom(0, 0, 0, 150, 700, 3_000), { minLength: 1, maxLength: 7 });
const limits = fc.record({
  /** With few permits what was found waits, and the disk goes on. */
  requestsPerMinute: fc.constantFrom(1_000, 1_000, 1_000, 8),
  /** With none what goes at once waits for a person. */
  maxDeleteCount: fc.constantFrom(1_000, 1_000, 0),
});

/**
 * A random history of a folder on disk. Every request is judged as it goes out, and what has become of all at the end.
 * `barred`: with directories that the engine may not read, and mounts; needs root, and a mount namespace of its own.
 */
export function diskHistories(inDoubt: 'retry' | 'hold', { barred = false } = {}) {
  const step = diskStep({ lostWeight: inDoubt === 'hold' ? 4 : 1, barred });
  const steps = fc.array(step, { minLength: 3, maxLength: 20 });
  const named = steps.map((list) =>
    Object.assign(list, { [fc.toStringMethod]: () => list.map(([name]) => name).join('; ') }),
  );
  return fc.asyncProperty(named, delays, limits, async (list, waits, within) => {
    let turn = 0;
    const slow = () => waits[(turn += 1) % waits.length] ?? 0;
    const slowestMs = Math.max(...waits);
    const world = await diskWorld({ slow, slowestMs, inDoubt, ...within, barred });
    const violations: string[] = [];
    world.service.observe((request) => violations.push(...violationsOf(world, request)));
    // What cannot be read may be another file by now, and nobody knows.
    const note = () => {
      if (!barred && world.engine().isIdle()) violations.push(...staleOf(world));
    };
    try {
      if (inDoubt === 'hold') world.service.failNext(failures.lost, { taken: true });
      await world.change(({ write, mount }) => {
        if (barred) mount('disk');
        for (const path of ['a.txt', 'd/a.txt', 'd/e/c.txt', 'x.csv', 'd/x.csv']) write(path, path);
        if (barred) for (const path of ['m/a.txt', 'm/b.txt']) write(path, path);
        write('a.txt.meta.json', sidecarTexts[0]);
        write('d/a.txt.meta.json', sidecarTexts[1]);
      });
      await world.quiesce();
      for (const [, act] of list) {
        await act(world);
        await world.rest();
        note();
      }
      await world.quiesce();
      note();
      await fixAll(world, barred);
      // What only a poll finds has been found by then.
      await world.pass(61_000);
      await world.quiesce();
      violations.push(...forgottenApprovalsOf(world));
      await answerAll(world);
      // What waits for another document is looked at again no more often than a poll.
      if (world.engine().tasks.in('waiting').size > 0) await world.pass(61_000);
      await world.quiesce();
      assert.deepEqual(violations, []);
      assertAgreement(world);
    } finally {
      await world.close();
    }
  });
}

/** What nothing is decided about comes to an end: below an ignore file that is not valid, what cannot be read. */
async function fixAll(world: DiskWorld, barred: boolean): Promise<void> {
  if (barred) {
    await world.change(({ setAway }) => setAway(false));
    await world.change(({ mount }) => mount('disk'));
    await world.change(({ openAll }) => openAll());
  }
  const isValid = (path: string) => ignores(world.files().get(path)?.content ?? '', '', '') !== null;
  for (const path of world.files().keys())
    if (nameOf(path) === '.ingestignore' && !isValid(path)) await world.change(({ remove }) => remove(path));
}

/**
 * What a person is asked about is answered: what is in doubt or was refused goes out again, and what is held is
 * deleted.
 */
async function answerAll(world: DiskWorld): Promise<void> {
  const engine = world.engine();
  const doubtful = () =>
    world
      .ledger()
      .doubts()
      .filter(({ holds }) => holds);
  // Its answer may be lost once more.
  for (let turn = 0; turn < 20 && doubtful().length > 0; turn += 1) {
    await world.withTime(engine.retry(doubtful().map(({ ref }) => ref)));
    await world.quiesce();
  }
  const refused = () =>
    [...engine.tasks.in('failed')].filter(({ state }) => state.kind === 'failed' && state.recorded);
  const retryRefused = async (): Promise<void> => {
    for (let turn = 0; turn < 20 && refused().length > 0; turn += 1) {
      await world.withTime(engine.retry(refused().map(({ ref }) => ref)));
      await world.quiesce();
    }
  };
  await retryRefused();
  // What waited for an approval is looked at once more, and may have to be approved in its turn.
  for (let turn = 0; turn < 20 && world.ledger().hold('inbox') !== undefined; turn += 1) {
    await world.approve();
    await world.quiesce();
    await world.pass(61_000);
    await world.quiesce();
  }
  // Of the deletions, too.
  await retryRefused();
}
