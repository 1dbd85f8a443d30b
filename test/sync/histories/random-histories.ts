import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { sameFile } from '../../../src/model/document.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';
import { engineTiming, engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import type { SimulatedSource } from '../../support/worlds/simulated-folder.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';

const hourMs = 3_600_000;

const paths = ['a.txt', 'b.txt', 'd/a.txt', 'd/b.txt', 'd/e/c.txt'] as const;

const lost: Outcome = { kind: 'unknown', code: 'no-answer', message: 'the answer was lost' };
const refused: Outcome = { kind: 'rejected', code: 'http-422', message: 'no' };
/** What can go wrong with a request. */
export const failures = { busy: busyOf(), lost, refused } as const;

type Step = (world: EngineWorld) => Promise<void> | void;

const path = fc.constantFrom(...paths);
/** Few contents, so that equal ones stand beside each other. */
const content = fc.constantFrom('x', 'yy', 'zzz', 'xx');

/** `lostWeight`: how often an answer is lost. */
const stepWith = (lostWeight: number): fc.Arbitrary<readonly [string, Step]> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(path, content)
        .map(([to, text]): [string, Step] => [`write ${to} ${text}`, ({ folder }) => folder.write(to, text)]),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(path, path)
        .map(([from, to]): [string, Step] => [
          `rename ${from} ${to}`,
          ({ folder }) => folder.rename(from, to),
        ]),
    },
    {
      weight: 2,
      arbitrary: path.map((one): [string, Step] => [`remove ${one}`, ({ folder }) => folder.remove(one)]),
    },
    {
      weight: 2,
      arbitrary: path.map((one): [string, Step] => [`away ${one}`, ({ folder }) => folder.takeAway(one)]),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(path, path)
        .map(([one, to]): [string, Step] => [`back ${one} ${to}`, ({ folder }) => folder.bringBack(one, to)]),
    },
    {
      weight: 1,
      arbitrary: fc.constant<[string, Step]>(['rename d', ({ folder }) => folder.rename('d', 'f')]),
    },
    {
      weight: 1,
      arbitrary: fc.constant<[string, Step]>(['rename f', ({ folder }) => folder.rename('f', 'd')]),
    },
    { weight: 4, arbitrary: fc.constant<[string, Step]>(['scan', ({ folder }) => folder.scan()]) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(300, 2_500, 6_000)
        .map((ms): [string, Step] => [`wait ${ms}`, ({ clock }) => clock.advance(ms)]),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(path, content, fc.constantFrom('Word', 'vim', 'LibreOffice'))
        .map(([at, text, program]): [string, Step] => [
          `save ${at} ${text} as ${program}`,
          (world) => saveAs(world, program, { at, text }),
        ]),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(-hourMs, hourMs)
        .map((ms): [string, Step] => [`clock ${ms}`, ({ clock }) => clock.jump(ms)]),
    },
    { weight: 1, arbitrary: fc.constant<[string, Step]>(['restart', (world) => world.restart()]) },
    {
      weight: 1,
      arbitrary: fc.constant<[string, Step]>(['busy', ({ service }) => service.failNext(busyOf())]),
    },
    {
      weight: lostWeight,
      arbitrary: fc.constant<[string, Step]>([
        'lost',
        ({ service }) => service.failNext(lost, { taken: true }),
      ]),
    },
  );

/** Of commits and requests, in turn: a slow disk and a slow service bring everything out of step. */
const delays = fc.array(fc.constantFrom(0, 0, 0, 150, 700, 6_000), { minLength: 1, maxLength: 7 });

/**
 * A random history of a folder, with a slow disk and a slow service. Every request is judged as it goes out, and what
 * has become of everything at the end.
 */
export function histories(inDoubt: 'retry' | 'hold') {
  const step = stepWith(inDoubt === 'hold' ? 4 : 1);
  return fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), delays, async (steps, waits) => {
    let turn = 0;
    const slow = () => waits[(turn += 1) % waits.length] ?? 0;
    const world = await engineWorld({ safety: { maxDeleteCount: 1_000, inDoubt }, slow });
    const violations: string[] = [];
    world.service.beStrict();
    world.service.observe((request) => violations.push(...violationsOf(world, request)));
    try {
      // What is done to a document that the service has, or may have, matters most: there are some from the beginning.
      if (inDoubt === 'hold') world.service.failNext(lost, { taken: true });
      for (const [index, at] of ['a.txt', 'd/a.txt', 'd/e/c.txt'].entries())
        world.folder.write(at, `${index}`);
      world.folder.scan();
      await world.quiesce();
      for (const [, act] of steps) await act(world);
      world.folder.scan();
      await world.quiesce();
      // What changed under a move that was being written down is found by the next scan of everything.
      world.folder.scan();
      await world.quiesce();
      assert.deepEqual(violations, []);
      if (inDoubt === 'retry') assertAgreement(world);
    } finally {
      await world.close();
    }
  });
}

/** What must never go out, as things stand at this moment. */
function* violationsOf(world: EngineWorld, { kind, docIds, sources }: OutgoingRequest): Iterable<string> {
  const ledger = world.ledger();
  const standing = [...world.folder.stats()];
  if (kind === 'delete') {
    for (const docId of docIds) {
      const ref = ledger.findByDocId(docId);
      const record = ref === undefined ? undefined : ledger.get(ref);
      if (ref === undefined || record === undefined) continue;
      for (const [path, stat] of standing) {
        // A file that has come to the path of another document is that one's from now on.
        const isOthers = path !== ref.path && ledger.get({ folder: ref.folder, path }) !== undefined;
        if (path === ref.path || (sameFile(record.stat, stat) && !isOthers))
          yield `${ref.path} is deleted, and its file stands at ${path}`;
      }
    }
  }
  const [file] = sources as readonly SimulatedSource[];
  if (file === undefined) return;
  if (file.settledMs < engineTiming.settleMs)
    yield `${file.path} goes out ${file.settledMs} ms after a write`;
  if (kind !== 'upload') return;
  for (const { ref, record } of ledger.entries()) {
    if (!sameFile(record.stat, file.stat) || record.stat.size !== file.stat.size) continue;
    const isThere = standing.some(([path]) => path === ref.path);
    if (!isThere) yield `${file.path} is uploaded, and is what was ${ref.path}`;
  }
  for (const { ref, stat, holds } of ledger.doubts()) {
    const isSame = ref.path === file.path || (stat !== undefined && sameFile(stat, file.stat));
    if (holds && isSame) yield `${file.path} is uploaded, and in doubt as ${ref.path}`;
  }
}

/** A save as programs do it: the old file is pushed aside, under a name that is ignored, or replaced by a new one. */
async function saveAs(
  { folder, clock }: EngineWorld,
  program: string,
  { at, text }: { at: string; text: string },
): Promise<void> {
  if (program === 'LibreOffice') folder.remove(at);
  else folder.takeAway(at);
  if (program === 'Word') {
    folder.scan();
    await clock.advance(50);
  }
  folder.write(at, text);
}

function assertAgreement(world: EngineWorld): void {
  const onDisk = world.folder.contents();
  const docIds = world.docIds();
  assert.deepEqual([...docIds.keys()].sort(), [...onDisk.keys()].sort());
  assert.equal(new Set(docIds.values()).size, docIds.size);
  for (const [where, docId] of docIds) {
    assert.deepEqual([where, world.service.documents.get(docId)?.content], [where, onDisk.get(where)]);
  }
  const reported =
    [...world.ledger().entries()].reduce((total, { record }) => total + record.possibleDuplicates, 0) +
    world
      .ledger()
      .doubts()
      .reduce((total, { count }) => total + count, 0);
  assert.ok(world.service.documents.size - docIds.size <= reported, 'a duplicate is reported nowhere');
  const counts = world.engine().tasks.counts('inbox');
  const synced = world.ledger().count('inbox') - counts.withRecord;
  assert.equal(synced + counts.pending + counts.waiting + counts.failed, onDisk.size);
  assert.deepEqual(world.ledger().intents(), []);
}
