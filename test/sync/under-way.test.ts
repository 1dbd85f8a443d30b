import { afterEach, describe, expect, it } from '@jest/globals';

import type { FileStat } from '../../src/model/document.ts';
import type { Outcome } from '../../src/model/ports/service-port.ts';
import { filledEngineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld, EngineWorldOptions } from '../support/worlds/engine-world.ts';
import { busyOf } from '../support/fixtures/model-fixtures.ts';

let world: EngineWorld;

afterEach(() => world.close());

const rejected: Outcome = { kind: 'rejected', code: 'http-422', message: 'no' };
const unknownThere: Outcome = { kind: 'missing', message: 'no such document' };
const busy = busyOf();

/** How long the next commits and requests take, ms; empty: no time. */
let waits: number[] = [];

function filled(count: number, options: EngineWorldOptions = {}): Promise<EngineWorld> {
  waits = [];
  return filledEngineWorld(count, {
    service: { requestsPerMinute: 50_000 },
    slow: () => waits.shift() ?? 0,
    ...options,
  });
}

/** Lets time pass until the service has been asked for so much. */
async function asked(...calls: string[]): Promise<void> {
  await world.until(() => world.service.calls.length >= calls.length);
  expect(world.service.calls).toEqual(calls);
}

/** `a.txt` has been sent and will be refused; gives what lets that happen. */
async function refusedOnItsWay(): Promise<() => void> {
  world = await filled(0);
  world.folder.write('a.txt', 'refused');
  world.folder.scan();
  const release = world.service.holdNext();
  world.service.failNext(rejected);
  await asked('upload');
  return release;
}

describe('what comes while something else is under way', () => {
  it('deletes nothing at a path whose document is being moved, however slow the disk is', async () => {
    world = await filled(2);
    const docId = world.docIds().get('0.txt') ?? '';
    world.folder.rename('0.txt', '1.txt');
    waits = [30_000];
    world.folder.scan();
    await world.clock.advance(3_000);
    await world.sync();
    expect([...world.docIds()]).toEqual([['1.txt', docId]]);
    expect([...world.service.documents.keys()]).toEqual([docId]);
  });

  it('counts a file that comes to a path whose document is being moved', async () => {
    world = await filled(1);
    world.folder.rename('0.txt', 'new.txt');
    waits = [3_000];
    world.folder.scan();
    await world.clock.advance(300);
    world.folder.write('0.txt', 'another');
    world.folder.scan();
    await world.clock.advance(100);
    world.service.failNext(rejected);
    world.service.failNext(rejected);
    await world.quiesce();
    const { failed, withRecord } = world.engine().tasks.counts('inbox');
    expect([failed, world.ledger().count('inbox') - withRecord]).toEqual([2, 0]);
  });

  it('waits the whole grace period again for a file that came and went while its deletion was refused', async () => {
    world = await filled(2);
    world.folder.remove('0.txt');
    world.folder.scan();
    const release = world.service.holdNext();
    world.service.failNext(busy);
    await asked('delete');
    world.folder.write('0.txt', 'back');
    world.folder.scan();
    await world.clock.advance(500);
    world.folder.remove('0.txt');
    world.folder.scan();
    const goneAt = world.clock.monotonic();
    release();
    await world.until(() => world.service.calls.length >= 2);
    expect(world.service.calls).toEqual(['delete', 'delete']);
    expect(world.clock.monotonic() - goneAt).toBeGreaterThanOrEqual(5_000);
  });

  it('sends an upload once that comes due while a retry is being recorded', async () => {
    world = await filled(1);
    world.service.failNext(rejected);
    world.folder.write('bad.txt', 'bad');
    world.folder.scan();
    await asked('upload');
    world.service.failNext(busy);
    world.folder.write('new.txt', 'new');
    world.folder.scan();
    await asked('upload', 'upload');
    await world.until(() => world.engine().tasks.in('retry').size === 1);
    expect(world.engine().tasks.in('retry').size).toBe(1);
    world.folder.remove('bad.txt');
    waits = [60_000];
    const retried = world.engine().retry(null);
    await world.quiesce();
    await retried;
    await world.quiesce();
    expect(world.service.calls).toEqual(['upload', 'upload', 'upload']);
    expect(world.service.documents.size).toBe(2);
  });

  it('sends what came while the bytes before it were being refused, though the process dies in between', async () => {
    const release = await refusedOnItsWay();
    world.folder.write('a.txt', 'edited meanwhile');
    world.folder.scan();
    release();
    await world.until(() => world.ledger().failure({ folder: 'inbox', path: 'a.txt' }) !== undefined);
    await world.restart();
    await world.quiesce();
    expect([...world.service.documents.values()].map(({ content }) => content)).toEqual(['edited meanwhile']);
  });

  it('sends nothing again where two answers of the same moment bear one docId', async () => {
    world = await filled(0);
    const same: Outcome = { kind: 'accepted', docId: 'same', warning: null };
    world.service.failNext(same);
    world.service.failNext(same);
    world.folder.write('a.txt', 'a');
    world.folder.write('b.txt', 'b');
    await world.sync();
    expect(world.service.calls).toEqual(['upload', 'upload']);
    expect(world.engine().tasks.counts('inbox').failed).toBe(1);
    expect(world.ledger().doubts()).toHaveLength(1);
    expect(world.ledger().intents()).toEqual([]);
  });

  it('is not sent again when an event comes while it is refused and nothing has changed', async () => {
    const release = await refusedOnItsWay();
    world.folder.scan();
    release();
    await world.quiesce();
    expect(world.service.calls).toEqual(['upload']);
    expect(world.engine().tasks.counts('inbox').failed).toBe(1);
    await world.engine().retry(null);
    await world.quiesce();
    expect(world.service.documents.size).toBe(1);
  });

  it('sends one modify at a time of a document that fell out of a bulk call', async () => {
    world = await filled(10);
    for (const path of ['0.txt', '1.txt', '2.txt']) world.folder.takeAway(path);
    world.folder.scan();
    await world.until(() => world.engine().tasks.in('ready').size === 3);
    world.folder.write('0.txt', 'saved again');
    const release = world.service.holdNext();
    await asked('bulk delete 2');
    await world.clock.advance(100);
    const releaseModify = world.service.holdNext();
    await asked('bulk delete 2', 'modify');
    release();
    await world.until(() => world.docIds().size === 8);
    const seen = world.clock.monotonic();
    await world.until(() => world.clock.monotonic() - seen >= 2_000);
    expect(world.service.calls).toEqual(['bulk delete 2', 'modify']);
    releaseModify();
    await world.quiesce();
    expect(world.service.calls).toEqual(['bulk delete 2', 'modify']);
  });
});

describe('a person’s word', () => {
  it('is kept: approved deletions of documents that the service does not know are done', async () => {
    world = await filled(6);
    for (let index = 0; index < 30; index += 1) world.service.failNext(unknownThere);
    for (let index = 0; index < 5; index += 1) world.folder.remove(`${index}.txt`);
    await world.sync();
    expect(world.engine().tasks.counts('inbox').held).toBeGreaterThan(0);
    await world.engine().approve('inbox');
    await world.quiesce();
    expect([...world.docIds().keys()]).toEqual(['5.txt']);
    expect(world.engine().tasks.counts('inbox').held).toBe(0);
  });

  it('about a path to which a document is moving is not overwritten by the move', async () => {
    world = await filled(2);
    const { hash } = world.folder;
    let goOn = () => {};
    const asked = new Promise<void>((resolve) => (goOn = resolve));
    let isHashed = false;
    Object.assign(world.folder, {
      hash: async (path: string, stat: FileStat) => {
        if (path === '1.txt') isHashed = true;
        if (path === '1.txt') await asked;
        return hash(path, stat);
      },
    });
    const record = world.ledger().get({ folder: 'inbox', path: '1.txt' });
    world.folder.rename('1.txt', '2.txt');
    world.folder.rename('0.txt', '1.txt');
    world.folder.scan();
    await world.until(() => isHashed);
    const ref = { folder: 'inbox', path: '2.txt' };
    if (record !== undefined)
      await world.engine().decide(ref, [{ kind: 'put', ref, record: { ...record, docId: 'by hand' } }]);
    goOn();
    await world.quiesce();
    expect(world.docIds().get('2.txt')).toBe('by hand');
    expect(world.service.documents.get(world.docIds().get('1.txt') ?? '')?.content).toBe('text 0');
  });

  it('is not waited for when the file came back while the service was asked to delete it', async () => {
    world = await filled(6, { service: { requestsPerMinute: 50_000, concurrency: 1 } });
    for (let index = 0; index < 3; index += 1) world.service.failNext(unknownThere);
    for (const path of ['0.txt', '1.txt']) world.folder.remove(path);
    world.folder.scan();
    await asked('bulk delete 2', 'delete');
    const release = world.service.holdNext();
    await asked('bulk delete 2', 'delete', 'delete');
    const [last] = world.engine().tasks.in('sending');
    world.folder.write(last?.ref.path ?? '', 'back');
    world.folder.scan();
    release();
    await world.quiesce();
    expect(world.engine().tasks.counts('inbox').held).toBe(0);
    expect(world.service.calls).toEqual(['bulk delete 2', 'delete', 'delete', 'modify']);
  });
});
