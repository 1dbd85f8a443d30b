import { chmod, rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requireRetriable, resolveDoubt } from '../../src/daemon/control/resolve-doubt.ts';
import { openDoubts } from '../../src/model/doubts.ts';
import type { Resolution } from '../../src/model/ports/control-port.ts';
import type { Outcome } from '../../src/model/ports/service-port.ts';
import type { ServiceSettings } from '../../src/model/settings.ts';
import { engineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';
import { syncedFolder } from '../scan/support/synced-folder.ts';

const unknownThere: Outcome = { kind: 'missing', message: 'not found' };
const ref = { folder: 'inbox', path: 'a.txt' };
let world: EngineWorld;

afterEach(() => world.close());

/** An upload whose answer was lost, although the service took it. */
async function lose(): Promise<string> {
  world.service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
  world.folder.write('a.txt', 'one');
  await world.sync();
  return [...world.service.documents.keys()].at(-1) ?? '';
}

async function resolve(resolution: Resolution): Promise<void> {
  const sources = { ref, port: world.folder, ledger: world.ledger() };
  expect(await world.engine().decide(ref, await resolveDoubt(sources, resolution))).toBe(true);
  await world.quiesce();
}

describe('an upload in doubt that is held', () => {
  beforeEach(async () => {
    world = await engineWorld({ safety: { inDoubt: 'hold' } });
  });

  it('is adopted under the docId that the service has, without its content being sent again', async () => {
    const docId = await lose();
    await resolve({ action: 'adopt', docId });
    expect(world.docIds()).toEqual(new Map([['a.txt', docId]]));
    expect(world.ledger().doubts()).toEqual([]);
    expect(world.ledger().get(ref)).toMatchObject({ possibleDuplicates: 0 });
    expect(world.service.documents.size).toBe(1);
    expect(world.service.documents.get(docId)).toMatchObject({ content: 'one' });
    world.folder.write('a.txt', 'two');
    await world.sync();
    expect(world.service.documents.get(docId)).toMatchObject({ content: 'two' });
    expect(world.service.documents.size).toBe(1);
  });

  it.each([
    ['its content sent again', 'two', 'two', 0],
    ['nothing sent', '', 'one', 1],
  ])('is adopted with %s where the file has changed since', async (_, now, content, kept) => {
    const docId = await lose();
    world.folder.write('a.txt', now);
    await world.sync();
    await resolve({ action: 'adopt', docId });
    expect([...world.service.documents.values()]).toMatchObject([{ content }]);
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ kept, withRecord: kept });
  });

  it.each<[string, Partial<ServiceSettings>]>([
    ['fail', { onMissing: 'fail' }],
    ['upload', { onMissing: 'upload' }],
  ])('is in doubt as before when the service does not know the docId (onMissing: %s)', async (_, service) => {
    await world.close();
    world = await engineWorld({ safety: { inDoubt: 'hold' }, service });
    const docId = await lose();
    const [before] = world.ledger().doubts();
    world.service.failNext(unknownThere);
    await resolve({ action: 'adopt', docId: 'ghost' });
    const message = 'the service does not know the document ghost: not found';
    const carried = { attachments: false, metadata: before?.carried?.metadata };
    expect(world.ledger().doubts()).toEqual([{ ...before, id: expect.any(String), carried }]);
    expect(world.ledger().get(ref)).toBeUndefined();
    expect(world.ledger().failure(ref)).toMatchObject({ code: 'in-doubt', message });
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ inDoubt: 1, withRecord: 0 });
    await world.restart();
    await world.sync();
    expect(world.service.documents.size).toBe(1);
    await resolve({ action: 'adopt', docId });
    expect([world.docIds(), world.ledger().doubts()]).toEqual([new Map([['a.txt', docId]]), []]);
    // It was theirs: what becomes of it now is no doubt about the upload.
    world.service.failNext(unknownThere);
    world.folder.write('a.txt', 'two');
    await world.sync();
    expect(world.ledger().doubts()).toEqual([]);
  });

  it('is decided under the path that its file was renamed to, seen or not', async () => {
    const docId = await lose();
    world.folder.rename('a.txt', 'b.txt');
    const before = { ref, port: world.folder, ledger: world.ledger() };
    for (const action of ['dismiss', 'again'] as const)
      await expect(resolveDoubt(before, { action })).rejects.toThrow(/inbox\/a\.txt is inbox\/b\.txt now/);
    const now = { ...before, ref: { folder: 'inbox', path: 'b.txt' } };
    await world.ledger().commit(await resolveDoubt(now, { action: 'adopt', docId }));
    expect([world.ledger().doubts(), world.ledger().failure(ref)]).toEqual([[], undefined]);
    await world.sync();
    expect(world.docIds()).toEqual(new Map([['b.txt', docId]]));
    expect(world.service.documents.size).toBe(1);
  });

  it('is decided under the path of its file though that cannot be sent there', async () => {
    await lose();
    world.folder.rename('a.txt', 'a.b.txt');
    const before = { ref, port: world.folder, ledger: world.ledger() };
    await expect(resolveDoubt(before, { action: 'dismiss' })).rejects.toThrow(/is inbox\/a\.b\.txt now/);
    const now = { ...before, ref: { folder: 'inbox', path: 'a.b.txt' } };
    await world.ledger().commit(await resolveDoubt(now, { action: 'dismiss' }));
    expect(openDoubts(world.ledger())).toEqual([]);
    expect(world.ledger().failure(ref)).toBeUndefined();
  });

  it.each<readonly [Resolution, string[]]>([
    [{ action: 'again' }, ['b.txt']],
    [{ action: 'dismiss' }, []],
  ])(
    'is decided (%j) under the path to which its file was moved when another one had its place',
    async (resolution, sent) => {
      await lose();
      world.folder.rename('a.txt', 'b.txt');
      world.folder.write('a.txt', 'two');
      await world.sync();
      const other = { folder: 'inbox', path: 'b.txt' };
      expect(world.docIds()).toEqual(new Map());
      const sources = { ref: other, port: world.folder, ledger: world.ledger() };
      await expect(requireRetriable(sources)).rejects.toThrow(
        /as inbox\/a\.txt is in doubt; run ingestd resolve/,
      );
      expect(await world.engine().decide(other, await resolveDoubt(sources, resolution))).toBe(true);
      await world.quiesce();
      expect(openDoubts(world.ledger())).toEqual([]);
      expect(world.docIds().has('b.txt')).toBe(sent.includes('b.txt'));
    },
  );

  it('holds back nothing of a hard link that is delivered', async () => {
    world.folder.write('b.txt', 'one');
    await world.sync();
    world.service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
    world.folder.link('b.txt', 'a.txt');
    await world.sync();
    expect(openDoubts(world.ledger())).toMatchObject([{ ref }]);
    const sources = { ref: { folder: 'inbox', path: 'b.txt' }, port: world.folder, ledger: world.ledger() };
    await requireRetriable(sources);
    await expect(resolveDoubt(sources, { action: 'again' })).rejects.toThrow('inbox/b.txt is not in doubt');
  });

  it('is on record once dismissed while its file cannot be sent: a copy to come is a possible duplicate', async () => {
    await lose();
    world.folder.rename('a.txt', 'a.b.txt');
    await world.sync();
    const now = { ref: { folder: 'inbox', path: 'a.b.txt' }, port: world.folder, ledger: world.ledger() };
    await world.ledger().commit(await resolveDoubt(now, { action: 'dismiss' }));
    world.folder.rename('a.b.txt', 'c.txt');
    await world.sync();
    expect(world.service.documents.size).toBe(1);
    world.folder.write('c.txt', 'two');
    await world.sync();
    expect(world.service.documents.size).toBe(2);
    expect(world.ledger().possibleDuplicates()).toBe(1);
  });

  it.each<[string, () => void, RegExp]>([
    ['is being saved', () => world.folder.write('a.txt', 'two'), /is still changing/],
    ['cannot be reached', () => world.folder.setAway(true), /cannot be read/],
  ])('is not dismissed while its file %s', async (_, begin, words) => {
    await lose();
    begin();
    const sources = { ref, port: world.folder, ledger: world.ledger() };
    await expect(resolveDoubt(sources, { action: 'dismiss' })).rejects.toThrow(words);
  });

  it.each([
    [0, 'when a person says that it is not there', () => resolve({ action: 'again' })],
    [1, 'when a person retries it', async () => void (await world.engine().retry([ref]))],
  ])('is sent again, and counts as %i possible duplicates then, %s', async (count, _, act) => {
    await lose();
    await act();
    await world.quiesce();
    expect(world.service.documents.size).toBe(2);
    expect(world.ledger().get(ref)).toMatchObject({ possibleDuplicates: count });
    expect(world.ledger().doubts()).toEqual([]);
  });

  it('is dismissed, and nothing is sent after a restart or with other rights or companions, until the file changes', async () => {
    const synced = await syncedFolder({ safety: { inDoubt: 'hold' } });
    const { inbox, service, ledger, engine } = synced;
    service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
    await inbox.write('a.txt', 'one');
    await synced.sync();
    const sources = { ref, port: synced.port(), ledger: ledger() };
    await engine().decide(ref, await resolveDoubt(sources, { action: 'dismiss' }));
    expect(openDoubts(ledger())).toEqual([]);
    const message = 'the doubt about its upload was dismissed';
    expect(ledger().failure(ref)).toMatchObject({ code: 'doubt-dismissed', message });
    await inbox.write('.meta.json', '{"title": "of all"}');
    await inbox.write('a.txt.meta.json', '{"title": "A"}');
    await synced.sync();
    await synced.restart();
    await synced.sync();
    await chmod(inbox.join('a.txt'), 0o600);
    await synced.sync();
    // Nor while it has another name, or is away for a while.
    for (const [from, to] of [
      ['a.txt', 'other.txt'],
      ['other.txt', '.away'],
      ['.away', 'a.txt'],
    ] as const) {
      await rename(inbox.join(from), inbox.join(to));
      await synced.sync();
    }
    expect([service.calls.length, engine().tasks.counts('inbox').dismissed]).toEqual([1, 1]);
    await inbox.write('a.txt', 'two');
    await synced.sync();
    expect([service.calls.length, ledger().failure(ref)]).toEqual([2, undefined]);
    expect([ledger().possibleDuplicates(), ledger().doubts()]).toEqual([1, []]);
    await synced.close();
  });

  it('stays dismissed where its file, changed since, is not whole: it does not go out by itself', async () => {
    await lose();
    Object.assign(world.folder, { missingPart: () => Promise.resolve('a file without its end') });
    world.folder.write('a.txt', 'two');
    await world.sync();
    await resolve({ action: 'dismiss' });
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ dismissed: 1, waiting: 0 });
    expect(world.service.calls).toHaveLength(1);
  });

  it.each<[string, string, RegExp]>([
    ['a docId that the ledger has', 'known', /already the document of inbox\/b\.txt/],
    ['what can be no docId', '..', /is not a docId/],
  ])('is not adopted under %s', async (_name, given, words) => {
    await lose();
    world.folder.write('b.txt', 'other');
    await world.sync();
    const docId = given === 'known' ? (world.docIds().get('b.txt') ?? '') : given;
    await expect(resolve({ action: 'adopt', docId })).rejects.toThrow(words);
    expect(world.ledger().doubts()).toHaveLength(1);
  });

  it('is not adopted or sent again when its file is gone, and can be dismissed', async () => {
    const docId = await lose();
    world.folder.remove('a.txt');
    await world.sync();
    await expect(resolve({ action: 'adopt', docId })).rejects.toThrow(/gone from the folder/);
    await expect(resolve({ action: 'again' })).rejects.toThrow(/gone from the folder/);
    await resolve({ action: 'dismiss' });
    expect(world.ledger().doubts()).toEqual([]);
  });
});

describe('a delivered document that may be in the service twice', () => {
  it('counts no longer when a person dismisses that, and is nothing to adopt or to send again', async () => {
    world = await engineWorld();
    await lose();
    expect(world.ledger().possibleDuplicates()).toBe(1);
    await expect(resolve({ action: 'adopt', docId: 'x' })).rejects.toThrow(/is delivered as/);
    await expect(resolve({ action: 'again' })).rejects.toThrow(/is delivered as/);
    await resolve({ action: 'dismiss' });
    expect(world.ledger().possibleDuplicates()).toBe(0);
    await expect(resolve({ action: 'dismiss' })).rejects.toThrow(/is not in doubt/);
    expect(world.service.documents.size).toBe(2);
  });
});
