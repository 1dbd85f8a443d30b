import { afterEach, describe, expect, it } from '@jest/globals';

import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld, EngineWorldOptions } from '../../support/worlds/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

async function delivered(count: number, options: EngineWorldOptions = {}): Promise<void> {
  world = await engineWorld(options);
  for (let number = 1; number <= count; number += 1) world.folder.write(`${number}.txt`, `text ${number}`);
  await world.sync();
  expect(world.service.documents.size).toBe(count);
  world.service.forget();
}

/** Has something happen while the connection of the next request is made. */
async function whileConnecting(happens: () => void): Promise<void> {
  const connect = world.service.connectNext();
  await world.until(() => world.service.isHolding());
  happens();
  connect();
  await world.quiesce();
}

function modesThere(): readonly unknown[] {
  return [...world.service.documents.values()].map(({ metadata }) => metadata.shareInfo?.mode);
}

const mode = (value: 'NONE' | 'EVERYONE') => ({ shareInfo: { mode: value } });

describe('what is asked again when the connection stands', () => {
  it.each(['as it was', 'as another one'])('a file that is back, %s, is not deleted', async (how) => {
    await delivered(1);
    world.folder.takeAway('1.txt');
    world.folder.scan();
    await whileConnecting(() => {
      if (how === 'as it was') world.folder.bringBack('1.txt', '1.txt');
      else world.folder.write('1.txt', 'another text');
    });
    expect(world.service.calls).toEqual(how === 'as it was' ? [] : ['modify']);
    expect([...world.docIds().values()]).toEqual([...world.service.documents.keys()]);
    const [entry] = world.ledger().recordsIn('inbox', '').keys();
    expect(entry).toBe('1.txt');
    expect(world.ledger().get({ folder: 'inbox', path: '1.txt' })?.unsure).toBeUndefined();
  });

  it('nor is one that was put back under a name that is not sent', async () => {
    await delivered(1);
    world.folder.takeAway('1.txt');
    world.folder.scan();
    await whileConnecting(() => world.folder.bringBack('1.txt', '1.2.txt'));
    expect([world.service.calls, world.service.documents.size]).toEqual([[], 1]);
  });

  it.each([
    ['as it was', 'txt'],
    ['under a name that is not sent', '2.txt'],
  ])('nor is one whose deletion a person has approved and that is back, %s', async (_, ending) => {
    await delivered(30);
    for (let number = 1; number <= 30; number += 1) world.folder.takeAway(`${number}.txt`);
    await world.sync();
    expect(await world.engine().approve('inbox')).toHaveLength(30);
    await whileConnecting(() => {
      for (let number = 1; number <= 20; number += 1)
        world.folder.bringBack(`${number}.txt`, `${number}.${ending}`);
    });
    expect([world.service.calls, world.service.documents.size]).toEqual([['bulk delete 10'], 20]);
  });

  it('a sharing mode that a sidecar states no more does not go out', async () => {
    await delivered(1);
    world.folder.describe('1.txt', mode('EVERYONE'));
    world.folder.scan();
    await whileConnecting(() => {
      world.folder.describe('1.txt', mode('NONE'));
      world.folder.scan();
    });
    expect([world.service.parts.map(({ metadata }) => metadata), modesThere()]).toEqual([
      [mode('NONE')],
      ['NONE'],
    ]);
  });

  it('a bulk call is formed of those for which it follows, and one that keeps changing keeps none back', async () => {
    await delivered(5);
    for (let number = 1; number <= 5; number += 1) world.folder.describe(`${number}.txt`, mode('EVERYONE'));
    world.folder.scan();
    await whileConnecting(() => {
      world.folder.describe('3.txt', mode('NONE'));
      world.folder.scan();
    });
    expect(world.service.calls).toEqual(['bulk modify 4', 'modify']);
    expect(modesThere().filter((there) => there === 'EVERYONE')).toHaveLength(4);
  });

  it('what is written meanwhile is not sent as it was before, and nothing is in doubt', async () => {
    world = await engineWorld();
    world.folder.write('1.txt', 'before');
    world.folder.scan();
    await whileConnecting(() => world.folder.write('1.txt', 'after'));
    expect([...world.service.documents.values()].map(({ content }) => content)).toEqual(['after']);
    expect([world.service.calls, world.ledger().doubts(), world.ledger().intents()]).toEqual([
      ['upload'],
      [],
      [],
    ]);
  });

  it('what changes each time that it is to be sent waits after the fifth, with its reason, and goes out when it rests', async () => {
    world = await engineWorld();
    world.folder.write('1.txt', 'text');
    world.folder.scan();
    const task = () => world.engine().tasks.get({ folder: 'inbox', path: '1.txt' });
    for (let time = 1; time <= 5; time += 1) {
      const connect = world.service.connectNext();
      await world.until(() => world.service.isHolding());
      world.folder.write('1.txt', `text ${time}`);
      connect();
      await world.until(() => task()?.withdrawals === time);
      const now = task();
      expect(now === undefined ? null : reasonOf(now)?.code).toBe(time < 5 ? undefined : 'keeps-changing');
    }
    await world.quiesce();
    expect([world.service.calls, [...world.service.documents.values()][0]?.content]).toEqual([
      ['upload'],
      'text 5',
    ]);
  });

  it('a pause that came meanwhile keeps the request back, and its end lets it out', async () => {
    await delivered(1);
    world.folder.takeAway('1.txt');
    world.folder.scan();
    const connect = world.service.connectNext();
    await world.until(() => world.service.isHolding());
    world.engine().setPaused(['inbox']);
    connect();
    await world.until(() => world.engine().isAtRest());
    expect(world.service.calls).toEqual([]);
    world.engine().setPaused([]);
    await world.quiesce();
    expect(world.service.calls).toEqual(['delete']);
  });
});
