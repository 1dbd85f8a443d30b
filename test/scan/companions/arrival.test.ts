import { utimes } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { cameOfLate } from '../../../src/scan/companions/arrival.ts';
import { servedFolder, servedTiming } from '../inspect/served-folder.ts';
import type { ServedFolder } from '../inspect/served-folder.ts';

const { settleMs } = servedTiming;
const sidecar = '{"title": "One"}';
const longestMs = 10 * 60_000;

let folder: ServedFolder;

afterEach(() => folder.remove());

async function open(mode: 'EVERYONE' | 'NONE'): Promise<void> {
  folder = await servedFolder({ settings: { metadata: { shareInfo: { mode } } }, aheadMs: 0 });
}

/** What is to be said of a document without a sidecar. */
async function stateOf(path: string): Promise<string> {
  const found = await folder.inspect(path);
  if (found.kind !== 'document') return found.kind;
  const { arrival } = found.document;
  return arrival === undefined ? 'does not come' : arrival.isExpected ? 'is expected' : 'may come';
}

/** Something happens more often than a file takes to settle, for so long. */
async function goOn(ms: number, happen: (step: number) => Promise<unknown>): Promise<void> {
  for (let step = 0; step * (settleMs - 500) < ms; step += 1) {
    folder.pass(settleMs - 500);
    await happen(step);
    await folder.scan();
  }
}

const writeAnother = (directory: string) => (step: number) => folder.write(`${directory}/${step}.pdf`, 'pdf');

describe('I19: where documents have sidecars, one of a new document', () => {
  it.each([
    ['as long as names come', writeAnother('proj')],
    ['as long as a large file comes', (step: number) => folder.write('proj/large.pdf', 'x'.repeat(step + 1))],
  ])('is expected %s, ten minutes at most', async (_, happen) => {
    await open('EVERYONE');
    await folder.write('proj/old.pdf.meta.json', sidecar);
    await folder.scan();
    await folder.write('proj/a.pdf', 'pdf');
    await folder.scan();
    await goOn(longestMs / 2, happen);
    expect(await stateOf('proj/a.pdf')).toBe('is expected');
    await goOn(longestMs / 2, happen);
    expect(await stateOf('proj/a.pdf')).toBe('does not come');
  });

  it.each<readonly [string, number, boolean]>([
    ['a file that was made a minute ago', 60_000, true],
    ['one whose birth the file system does not know', 0, true],
    ['a log that was made an hour ago, and grows', 3_600_000, false],
  ])('%s may still be coming: %s ms, %s', (_, agoMs, expected) => {
    const now = Date.now();
    expect(cameOfLate({ birthtimeMs: agoMs === 0 ? 0 : now - agoMs }, now)).toBe(expected);
  });

  it('is not expected any more when the directory has been quiet for the settle time', async () => {
    await open('EVERYONE');
    await folder.write('proj/old.pdf.meta.json', sidecar);
    await folder.write('proj/a.pdf', 'pdf');
    await folder.scan();
    expect(await stateOf('proj/a.pdf')).toBe('settling');
    folder.pass(settleMs);
    expect(await stateOf('proj/a.pdf')).toBe('does not come');
  });

  it('is expected at a start, too, where files are younger than the settle time', async () => {
    await open('EVERYONE');
    await folder.write('proj/old.pdf.meta.json', sidecar);
    await folder.write('proj/a.pdf', 'pdf');
    folder.pass(20 * settleMs);
    const start = { cause: 'start', fromScratch: true } as const;
    await folder.scan(start);
    expect(await stateOf('proj/a.pdf')).toBe('does not come');
    const large = await folder.write('proj/large.pdf', 'x');
    const now = new Date(Date.now() + 20 * settleMs);
    await utimes(large, now, now);
    await folder.scan(start);
    expect(await stateOf('proj/a.pdf')).toBe('is expected');
  });

  it('is expected in a directory that has just been made, if any directory of the folder has one', async () => {
    await open('EVERYONE');
    await folder.write('new/a.pdf', 'pdf');
    await folder.scan();
    await goOn(15 * settleMs, writeAnother('new'));
    expect(await stateOf('new/a.pdf')).toBe('does not come');
    await folder.write('elsewhere/old.pdf.meta.json', sidecar);
    await goOn(settleMs, writeAnother('new'));
    expect(await stateOf('new/a.pdf')).toBe('is expected');
  });

  it('may come, for ten settle times at most, where the document is private without it', async () => {
    await open('NONE');
    await folder.write('proj/old.pdf.meta.json', sidecar);
    await folder.write('proj/a.pdf', 'pdf');
    await folder.scan();
    folder.pass(settleMs - 500);
    await folder.write('proj/b.pdf', 'pdf');
    folder.pass(500);
    await folder.scan();
    expect(await stateOf('proj/a.pdf')).not.toBe('is expected');
    await goOn(10 * settleMs, writeAnother('proj'));
    expect(await stateOf('proj/a.pdf')).toBe('does not come');
  });
});
