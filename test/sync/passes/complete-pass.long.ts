import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { adoptDocuments } from '../../support/processes/adopt-documents.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { steps } from '../../support/services/scripted-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService({ more: { safety, timing } }));

const safety = { maxDeletePercent: 100 };
const timing = { settleMs: 150, removeGraceMs: 400, stopSeconds: 1 };

/** A file that is written to every 50 ms does not settle, though a busy machine may be late with it. */
const neverSettles = { ...timing, settleMs: 2_000 };

/** While something is appended to a file all the time. */
async function whileGrowing(path: string, act: () => Promise<void>): Promise<void> {
  const writer = setInterval(() => void appendFile(join(place.inbox, path), 'x'), 50);
  try {
    await act();
  } finally {
    clearInterval(writer);
  }
}

/** Ends with exit code 4, and says so much. */
async function expectLeft(words: string): Promise<void> {
  const { code, out } = await place.run('sync');
  expect([code, out]).toEqual([4, expect.stringContaining(words)]);
}

describe('sync as a process', () => {
  it('I8: deletes each of 400 documents that were removed among 4,000 directories', async () => {
    const paths = Array.from({ length: 4_000 }, (_, index) => `d${index % 40}/e${index}/a.txt`);
    for (const path of paths) {
      await mkdir(join(place.inbox, path, '..'), { recursive: true });
      await writeFile(join(place.inbox, path), path);
    }
    await adoptDocuments(
      place,
      paths.filter((_, index) => index % 10 === 0),
    );
    for (const path of paths) await rm(join(place.inbox, path));
    expect(await place.run('sync')).toMatchObject({
      code: 0,
      out: '0 uploads, 0 changes, 0 moves, 400 deletions.\n',
    });
  });

  it('I8: exits 4 when the folder vanishes midway, and names it', async () => {
    place.service.script(async (request) => {
      await rename(place.inbox, place.home.join('elsewhere'));
      await steps.answer(503, '')(request);
    });
    await place.home.write('inbox/a.txt', 'one');
    await expectLeft('inbox');
    expect(place.service.requests).toHaveLength(1);
  });

  it.each([
    [
      'I8: ends beside a file that is renamed while it never stops growing, and names it',
      'new.txt',
      'inbox/new.txt',
      () => rename(join(place.inbox, 'old.txt'), join(place.inbox, 'new.txt')),
    ],
    [
      'deletes what was removed beside a file that never stops growing',
      'old.txt',
      '1 deletion',
      () => rm(join(place.inbox, 'removed.txt')),
    ],
  ])('%s', async (_, grows, words, act) => {
    await place.configure({ safety, timing: neverSettles });
    for (const name of ['old.txt', 'removed.txt']) await place.home.write(`inbox/${name}`, name);
    expect(await place.run('sync')).toMatchObject({ code: 0 });
    await act();
    await whileGrowing(grows, () => expectLeft(words));
  });

  it('ends with nothing left to do beside an ignored file that never stops growing', async () => {
    await place.home.write('inbox/.ingestignore', '*.log.txt');
    await place.home.write('inbox/a.txt', 'one');
    await whileGrowing('b.log.txt', async () => expect(await place.run('sync')).toMatchObject({ code: 0 }));
  });

  it('ends beside a file that changes again as often as it is sent', async () => {
    place.service.always(async (request) => {
      await place.home.write('inbox/a.txt', `text ${place.service.requests.length}`);
      // Longer than the watcher needs to report it.
      await delay(300);
      await steps.accept('doc-a')(request);
    });
    await place.home.write('inbox/a.txt', 'one');
    await expectLeft('inbox/a.txt');
    expect(place.service.requests.length).toBeGreaterThan(2);
  });
});
