import { createHash } from 'node:crypto';
import { open, truncate } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { fileSource } from '../../support/fixtures/file-source.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { steps } from '../../support/services/scripted-service.ts';
import { closeWorlds, startClientWorld } from '../client-world.ts';

const mebibyte = 1024 * 1024;

describe('a file of 150 MB (F27)', () => {
  afterEach(closeWorlds);

  it('goes out byte for byte and is never in memory as a whole, on a second attempt either', async () => {
    const world = await startClientWorld();
    const path = world.folder.join('large.pdf');
    const handle = await open(path, 'w');
    const block = Buffer.alloc(mebibyte, 'ingestd ');
    const hash = createHash('sha256');
    for (let index = 0; index < 150; index += 1) {
      block.writeUInt32LE(index);
      hash.update(block);
      await handle.write(block);
    }
    await handle.close();
    const sha256 = hash.digest('hex');

    let peak = 0;
    let before = process.memoryUsage().rss;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    try {
      // The first time the end of it is answered with 401: another body has to be made from the file.
      world.service.script(steps.xml(401));
      const file = fileSource(path, { name: 'large.pdf' });
      before = process.memoryUsage().rss;
      const result = await world.upload(file);
      expect(result).toMatchObject({
        outcome: { kind: 'accepted' },
        sent: [{ sha256 }],
      });
      expect([file.opened(), file.closed()]).toEqual([2, 2]);
    } finally {
      clearInterval(sampling);
    }
    const [first, second] = world.service.requests;
    expect(first?.complete()).toBe(true);
    expect(second?.complete()).toBe(true);
    expect(second?.bytes()).toBe(Number(second?.headers['content-length']));
    // Client and service share this process: buffers on both sides, and what the collector has not taken yet.
    expect((peak - before) / mebibyte).toBeLessThan(110);
  });

  it('is not begun with a token that it would outlast (N12)', async () => {
    const clock = manualClock();
    const world = await startClientWorld({ clock });
    world.service.scriptTokens(steps.token({ access_token: 'short', expires_in: 400 }));
    await world.tokens.access();
    await clock.advance(355_000);
    const path = world.folder.join('sparse.pdf');
    await (await open(path, 'w')).close();
    await truncate(path, 60_000_000);
    const file = fileSource(path, { name: 'sparse.pdf' });
    expect((await world.call('remove')).outcome.kind).toBe('accepted');
    await world.upload(file);
    expect(world.service.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer short',
      'Bearer token-1',
    ]);
  });
});
