import { afterEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../src/model/ports/service-port.ts';
import { busyOf } from '../support/fixtures/model-fixtures.ts';
import { engineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

const refused: Outcome = { kind: 'rejected', code: 'http-422', message: 'no' };
/** A token that ran out, and then an attachment that is gone: the second attempt sent nothing. */
const gone: Outcome = { kind: 'unreadable', code: 'unreadable-now', message: 'ENOENT', sent: 'nothing' };
const noAnswer = busyOf({ code: 'no-answer', message: 'the answer was lost', sent: 'all' });

async function held(content: string): Promise<void> {
  world = await engineWorld();
  world.folder.write('a.txt', content);
  await world.sync();
  world.service.forget();
}

async function asked(call: string): Promise<void> {
  await world.until(() => world.service.calls.includes(call));
}

/** What stands at the service now. */
function there(): unknown {
  return [...world.service.documents.values()].map(({ content, metadata: { title } }) => [content, title]);
}

describe('a change that is taken back', () => {
  it.each([
    ['content', () => world.folder.write('a.txt', 'mistake'), () => world.folder.write('a.txt', 'original')],
    [
      'metadata',
      () => world.folder.describe('a.txt', { title: 'mistake' }),
      () => world.folder.describe('a.txt', {}),
    ],
  ])('is taken back at the service too when its modify got no answer: %s', async (part, change, takeBack) => {
    await held('original');
    change();
    world.folder.scan();
    world.service.failNext(noAnswer, { taken: true });
    await asked('modify');
    expect(there()).toEqual([part === 'content' ? ['mistake', 'a.txt'] : ['original', 'mistake']]);
    takeBack();
    await world.sync();
    expect(there()).toEqual([['original', 'a.txt']]);
    await world.sync();
    expect(world.service.calls).toEqual(['modify', 'modify']);
  });

  it.each([
    ['was refused', refused],
    ['did not go out', gone],
  ])('needs no request when its modify %s, and the record says what it said before', async (_, outcome) => {
    await held('original');
    const record = () => world.ledger().get({ folder: 'inbox', path: 'a.txt' });
    const before = record();
    world.folder.write('a.txt', 'mistake');
    world.folder.scan();
    world.service.failNext(outcome);
    await asked('modify');
    await world.rest();
    expect(record()).toEqual(before);
    world.folder.write('a.txt', 'original');
    await world.sync();
    expect([world.service.calls, there()]).toEqual([['modify'], [['original', 'a.txt']]]);
  });

  it('is taken back at the service too when the process died before the answer', async () => {
    await held('original');
    world.folder.write('a.txt', 'mistake');
    world.folder.scan();
    const release = world.service.holdNext();
    await asked('modify');
    world.folder.write('a.txt', 'original');
    await world.restart();
    release();
    await world.quiesce();
    expect(there()).toEqual([['original', 'a.txt']]);
  });
});
