import { utimes } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

async function writeFiles(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await place.home.write(`inbox/file-${index}.txt`, `text ${index}`);
}

describe('A9: a state directory that was lost', () => {
  it('is not begun anew where state.mustExist is true, and not planned for', async () => {
    place = await installationWithService({ more: { state: { dir: './state', mustExist: true } } });
    await writeFiles(1);
    for (const command of ['run', 'sync', 'plan']) {
      const { code, err } = await place.run(command);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('there is no ledger in') });
      expect(err).toContain('INGESTD_STATE__MUST_EXIST=false');
    }
    const check = await place.run('check');
    expect([check.code, check.out]).toEqual([4, expect.stringContaining('state.mustExist is true')]);
    for (const command of ['status', 'why'] as const) {
      const { out } = await place.run(command, ...(command === 'why' ? ['inbox/file-0.txt'] : []));
      expect(out).toContain('state.mustExist is true');
    }
    expect(place.service.requests).toEqual([]);
    // A person's own beginning: from there on it is no new one.
    const nothing = await place.home.write('nothing.json', '{"version": 1, "documents": []}');
    expect(await place.run('ledger', 'import', nothing)).toMatchObject({ code: 0 });
    expect((await place.run('sync')).code).toBe(0);
  });

  it('is said where a new ledger comes before more than 20 files, for an hour, and is no problem', async () => {
    place = await installationWithService();
    await writeFiles(21);
    const daemon = await place.start();
    const message = expect.stringMatching(
      /^new ledger in .*state: if the 21 documents found when it began were delivered/,
    );
    await daemon.settled((status) =>
      expect(status).toMatchObject({
        reasons: [{ code: 'new-ledger', message }],
        health: 'ok',
        folders: [{ synced: 21 }],
      }),
    );
    expect((await daemon.fetch('/readyz')).status).toBe(200);
    expect((await place.run('status')).out.match(/new ledger/gi)).toHaveLength(1);
    const { err } = await daemon.end('SIGTERM');
    expect(err.match(/the 21 documents found/g)).toHaveLength(1);
    // One number, of one moment, for the whole hour, whatever is in the ledger and the folders by now.
    await place.home.write('inbox/later.txt', 'later');
    expect((await place.run('status')).out).toContain('if the 21 documents found');
    const second = await place.start();
    expect((await second.idle()).reasons).toEqual([{ code: 'new-ledger', message }]);
    await second.end('SIGTERM');
    expect((await place.run('log')).out.match(/warning .*the 21 documents found/g)).toHaveLength(1);
  });

  it('is not said of 20 files, nor of a ledger that has documents', async () => {
    place = await installationWithService();
    await writeFiles(20);
    const daemon = await place.start();
    expect((await daemon.idle(({ folders }) => folders[0]?.synced === 20)).reasons).toEqual([]);
    await daemon.end('SIGTERM');
    await Promise.all(
      Array.from({ length: 22 }, (_, index) => place.home.write(`inbox/late-${index}.txt`, `late ${index}`)),
    );
    const second = await place.start();
    expect((await second.idle(({ folders }) => folders[0]?.synced === 42)).reasons).toEqual([]);
    await second.end('SIGTERM');
  });

  it('is not said of one that is older', async () => {
    place = await installationWithService();
    await (await place.start()).end('SIGTERM');
    await writeFiles(21);
    const hourAgo = new Date(Date.now() - 3_601_000);
    await utimes(place.home.join('state/ledger.used'), hourAgo, hourAgo);
    const second = await place.start();
    expect((await second.idle(({ folders }) => folders[0]?.synced === 21)).reasons).toEqual([]);
    await second.end('SIGTERM');
  });
});
