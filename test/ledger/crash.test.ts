import { describe, expect, it } from '@jest/globals';

import type { Change } from '../../src/model/ports/ledger-port.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { modelOf } from './support/model.ts';
import { recordingDisk } from './support/recording-disk.ts';
import type { Moment } from './support/recording-disk.ts';
import { contentOf, put, recordOf } from './support/samples.ts';
import { layOut } from './support/state-image.ts';
import type { Image } from './support/state-image.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const commits: readonly (readonly Change[])[] = Array.from({ length: 12 }, (_, index) => [
  put(`d${index % 3}/report-${index}.pdf`, recordOf(index)),
  { kind: 'sent', id: String(index), at: Date.UTC(2026, 0, 1) + index },
  ...(index % 4 === 3
    ? [{ kind: 'drop' as const, ref: { folder: 'inbox', path: `d0/report-${index - 3}.pdf` } }]
    : []),
]);

const folder = folderOfEachTest();

/** Commits everything, compacting often, twice from the start; gives each moment at which it could have stopped. */
async function live(): Promise<readonly Moment[]> {
  const disk = recordingDisk();
  for (const part of [commits.slice(0, 7), commits.slice(7)]) {
    const ledger = await openLedger({
      dir: folder.join('live'),
      clock: manualClock(),
      log: recordedLog(),
      compactAfterBytes: 900,
      disk,
    });
    for (const changes of part) {
      disk.counts.asked += 1;
      await ledger.commit(changes);
      disk.counts.acknowledged += 1;
    }
    await ledger.close();
  }
  return disk.moments;
}

async function contentAfter(image: Image): Promise<object> {
  const dir = folder.join('crashed');
  await layOut(dir, image);
  const beside = contentOf(await readLedger(dir));
  const ledger = await openLedger({ dir, clock: manualClock(), log: recordedLog() });
  const content = contentOf(ledger);
  expect(beside).toEqual(content);
  await ledger.commit([put('after/the crash.pdf', recordOf(99))]);
  await ledger.close();
  const again = await readLedger(dir);
  expect(again.get({ folder: 'inbox', path: 'after/the crash.pdf' })).toEqual(recordOf(99));
  expect([...again.entries()]).toHaveLength(
    Object.keys((content as { documents: object }).documents).length + 1,
  );
  return content;
}

describe.each(['killed', 'powerLost'] as const)(
  'P1, P12: a daemon that is stopped at any step (%s)',
  (kind) => {
    it('has every acknowledged commit after the restart, and none by half', async () => {
      const moments = await live();
      expect(moments.some(({ step }) => step === 'rename to ledger.previous.json')).toBe(true);
      expect(moments.filter(({ step }) => step === 'rename to ledger.json').length).toBeGreaterThan(3);
      const seen = new Set<string>();
      for (const moment of moments) {
        const { acknowledged, asked } = moment;
        const key = JSON.stringify([acknowledged, asked, ...moment[kind]]);
        if (seen.has(key)) continue;
        seen.add(key);
        const allowed = Array.from({ length: asked - acknowledged + 1 }, (_, more) =>
          modelOf(commits.slice(0, acknowledged + more)),
        );
        const content = await contentAfter(moment[kind]).catch((error: unknown) => ({
          step: moment.step,
          error,
        }));
        expect(allowed).toContainEqual(content);
      }
    });
  },
);
