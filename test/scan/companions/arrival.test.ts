import { lstatSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { hasLateFile } from '../../../src/scan/companions/arrival.ts';
import { recentLook } from '../../../src/scan/companions/recent-look.ts';
import type { ScanRequest } from '../../../src/scan/walk/scan-request.ts';
import { eventually } from '../../support/eventually.ts';
import { folderWorld } from '../support/folder-world.ts';
import { servedFolder } from '../inspect/served-folder.ts';
import type { ServedFolder } from '../inspect/served-folder.ts';

/** Long, so that ten minutes are few scans. */
const settleMs = 20_000;
const sidecar = '{"title": "One"}';
const longestMs = 10 * 60_000;

let folder: ServedFolder;

afterEach(() => folder.remove());

async function open(mode: 'EVERYONE' | 'NONE'): Promise<void> {
  folder = await servedFolder({
    settings: { metadata: { shareInfo: { mode } } },
    isPatient: false,
    settleMs,
  });
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

const growing = (path: string) => (step: number) => folder.write(path, 'x'.repeat(step + 1));
/** A new name, in place of the one before: hundreds would take long to list. */
const writeAnother = (directory: string) => async (step: number) => {
  await folder.write(`${directory}/${step}.pdf`, 'pdf');
  await rm(folder.join(`${directory}/${step - 1}.pdf`), { force: true });
};

describe('I19: where documents have sidecars, one of a new document', () => {
  it.each<readonly [string, (step: number) => Promise<unknown>, string?, isStart?: boolean]>([
    ['as long as names come', writeAnother('proj')],
    ['as long as a large file comes', growing('proj/large.pdf')],
    ['as long as a file of any type comes', (step: number) => folder.write('proj/.film.zip.part', `${step}`)],
    ['as long as names come below its directory', writeAnother('proj/sub/deep')],
    [
      'as long as names come below the topmost new directory',
      writeAnother('proj/sub/deep'),
      'proj/sib/a.pdf',
    ],
    ['as long as a large file comes there', growing('proj/sub/deep/large.pdf'), 'proj/sib/a.pdf'],
    ['at a start as long as names come there', writeAnother('proj/sub/deep'), 'proj/sib/a.pdf', true],
  ])('is expected %s, ten minutes at most', async (_, happen, path = 'proj/a.pdf', isStart = false) => {
    await open('EVERYONE');
    await folder.write('proj/old.pdf.meta.json', sidecar);
    if (!isStart) await folder.scan();
    await folder.write(path, 'pdf');
    await folder.scan(isStart ? { cause: 'start', fromScratch: true } : {});
    await goOn(longestMs / 2, happen);
    expect(await stateOf(path)).toBe('is expected');
    await goOn(longestMs / 2, happen);
    expect(await stateOf(path)).toBe('does not come');
  });

  it('is not expected because names come below a directory that is not new', async () => {
    await open('EVERYONE');
    await folder.write('proj/old.pdf.meta.json', sidecar);
    await folder.write('proj/sub/deep/old.pdf', 'pdf');
    await folder.scan({ cause: 'start', fromScratch: true });
    folder.pass(longestMs);
    await folder.write('proj/a.pdf', 'pdf');
    await folder.scan();
    await goOn(4 * settleMs, writeAnother('proj/sub/deep'));
    expect(await stateOf('proj/a.pdf')).toBe('does not come');
  });

  it.each<readonly [string, number, boolean]>([
    ['a file that was made a minute before another changed', 60_000, true],
    ['one whose birth the file system does not know', 0, true],
    ['a log that was made an hour before, and grows', 3_600_000, false],
  ])('%s may still be coming: %s ms, %s', async (_, agoMs, expected) => {
    await open('EVERYONE');
    await folder.write('log.txt', 'text');
    const stats = lstatSync(folder.join('log.txt'));
    const birthtimeMs = agoMs === 0 ? 0 : stats.ctimeMs - agoMs;
    const log = { name: 'log.txt', stats: Object.assign(lstatSync(folder.join('log.txt')), { birthtimeMs }) };
    const entries = [log, { name: 'b', stats: null }, { name: 'c', stats }];
    const isNew = (name: string) => name === 'log.txt';
    const asked: string[] = [];
    const judge = (path: string) => {
      asked.push(path);
      return null;
    };
    const rules = [{ directory: '', rules: { judge } }];
    expect(hasLateFile(entries, { path: '', rules, isNew })).toBe(expected);
    // Of what is as it was, or an old one, no rule is asked.
    expect(asked).toEqual(expected ? ['log.txt'] : []);
  });

  it.each<readonly [string, Partial<ScanRequest>, Partial<ScanRequest>]>([
    ['a listing', {}, {}],
    [
      'at a start, a second listing',
      { cause: 'start', fromScratch: true },
      { cause: 'poll', targets: 'withoutEvents' },
    ],
  ])(
    'is expected until %s says that the directory has been quiet for the settle time',
    async (_, first, next) => {
      await open('EVERYONE');
      await folder.write('proj/old.pdf.meta.json', sidecar);
      await folder.write('proj/a.pdf', 'pdf');
      await folder.scan(first);
      expect(await stateOf('proj/a.pdf')).toBe('settling');
      folder.pass(settleMs);
      expect(await stateOf('proj/a.pdf')).toBe('is expected');
      await folder.scan(next);
      expect(await stateOf('proj/a.pdf')).toBe('does not come');
    },
  );

  it.each([
    ['a new file beside it has grown', 'proj/b.pdf'],
    ['a name has come below the topmost new directory', 'proj/sub/new.pdf'],
    ['a directory has come there', 'proj/sub/deep/new.pdf'],
  ])('is expected again a moment after %s, though no scan tells it (7.30)', async (_, path) => {
    await open('EVERYONE');
    await folder.scan();
    await folder.write('proj/old.pdf.meta.json', sidecar);
    await folder.write('proj/a.pdf', 'pdf');
    await folder.write('proj/b.pdf', 'pdf');
    await folder.write('proj/sub/c.pdf', 'pdf');
    await folder.scan();
    folder.pass(settleMs);
    await folder.scan();
    expect(await stateOf('proj/a.pdf')).toBe('does not come');
    await folder.write(path, 'larger');
    folder.pass(100);
    expect(await stateOf('proj/a.pdf')).toBe('is expected');
  });

  it('is not expected for ever beside names that stand twice, by how accents are encoded, or are not UTF-8', async () => {
    const world = await folderWorld({
      settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } },
      before: async (home) => {
        await home.write('old.pdf.meta.json', sidecar);
        await home.write('\u00e9.pdf', 'composed');
        await home.write('e\u0301.pdf', 'decomposed');
        await writeFile(Buffer.concat([Buffer.from(home.join('/')), Buffer.of(0xe9)]), 'bytes');
        await home.write('a.pdf', 'pdf');
      },
    });
    const arrives = async () => (await world.document('a.pdf')).arrival !== undefined;
    try {
      await eventually(async () => !(await arrives()));
    } finally {
      await world.close();
    }
  });

  it('is expected in a directory that has just been made, if any directory of the folder has one', async () => {
    await open('EVERYONE');
    await folder.write('new/a.pdf', 'pdf');
    await folder.scan();
    await goOn(15 * settleMs, writeAnother('new'));
    expect(await stateOf('new/a.pdf')).toBe('does not come');
    await folder.write('elsewhere/old.pdf.meta.json', sidecar);
    await goOn(settleMs, (step) => folder.write(`new/late-${step}.pdf`, 'pdf'));
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

it.each([
  ['no more often than one part in five of the time', true, 4_000],
  ['no more often than half of the time, where nothing comes', false, 1_000],
])('what takes long to look at is looked at %s', (_, seen, restMs) => {
  const looks = new Map<string, { seen: boolean; until: number }>();
  let present = 0;
  let count = 0;
  const look = () => {
    present += 1_000;
    count += 1;
    return seen;
  };
  const looksAfter = (ms: number) => {
    present += ms;
    recentLook(looks, 'd', () => present, look);
    return count;
  };
  expect([looksAfter(0), looksAfter(restMs - 1), looksAfter(1)]).toEqual([1, 1, 2]);
});
