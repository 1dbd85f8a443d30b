import { spawnSync } from 'node:child_process';
import { appendFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { beforeEach, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const hourMs = 3_600_000;

/** faketime's library, as its own command would preload it; null: it is not installed. */
const library = /^LD_PRELOAD=(.*)$/m.exec(
  spawnSync('faketime', ['-f', '+0', 'env'], { encoding: 'utf8' }).stdout ?? '',
)?.[1];

describeWhere(library === undefined ? 'faketime' : null, 'a wall clock that jumps (F49)', () => {
  const clock = folderOfEachTest();
  const place = ofEachTest(() =>
    installationWithService({
      environment: {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: clock.join('offset'),
        FAKETIME_CACHE_DURATION: '1',
        // As with a real clock: what counts monotonically does not jump, and files keep the times they have.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        NO_FAKE_STAT: '1',
      },
    }),
  );
  let offsetMs = 0;

  beforeEach(() => setClock(0));

  async function setClock(ms: number): Promise<void> {
    offsetMs = ms;
    await clock.write('next', `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1000}\n`);
    await rename(clock.join('next'), clock.join('offset'));
  }

  it.each([
    ['back', -hourMs],
    ['ahead', hourMs],
  ])(
    'I10: set %s while a file is written and while a retry waits, sends no half of the file and lets nothing wait longer',
    async (_name, ms) => {
      await place.configure({ timing: { settleMs: 3_000, removeGraceMs: 400 } });
      const daemon = await place.start();
      await daemon.idle();
      const file = join(place.inbox, 'written.txt');
      for (let part = 1; part <= 8; part += 1) {
        await appendFile(file, `part ${part}\n`);
        const now = new Date(Date.now() + offsetMs);
        await utimes(file, now, now);
        if (part === 3) await setClock(ms);
        await delay(700);
      }
      await eventually(() => place.service.requests[0]?.text().includes('part 8'));
      // Its answer has arrived, too: cut off, it would be sent once more.
      await daemon.idle(({ totals }) => totals.uploaded === 1);
      expect(place.service.requests).toHaveLength(1);

      await place.service.away();
      await writeFile(join(place.inbox, 'retried.txt'), 'retried');
      await eventually(async () => (await daemon.status()).reasons.length > 0);
      await setClock(0);
      await delay(1_500);
      await place.service.back();
      await daemon.idle(({ totals, failures }) => totals.uploaded === 2 && failures.length === 0);
      expect(place.service.requests).toHaveLength(2);
    },
  );
});
