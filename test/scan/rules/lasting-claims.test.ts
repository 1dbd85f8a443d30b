import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { servePlan } from '../../../src/scan/worker/folder-worker.ts';
import type { ScanOutcome } from '../../../src/scan/walk/scan-request.ts';
import type { FromWorker } from '../../../src/scan/worker/protocol.ts';
import { unpackScan } from '../../../src/model/packed-files.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { folderSettingsOf } from '../../support/fixtures/default-settings.ts';
import { scannedPaths } from '../support/folder-world.ts';

const removeGraceMs = 5_000;
const settleMs = 2_000;
const listing = '{"attachments": ["salaries.csv"]}';

const folder = folderOfEachTest();
let ask: (fromScratch: boolean) => Promise<{ readonly documents: string[]; readonly outcome: ScanOutcome }>;
let monotonic: number;

/** A folder that is scanned when the test says so, at the time that it says. */
beforeEach(async () => {
  monotonic = 0;
  const settings = folderSettingsOf(folder.path, { watch: 'polling', attachments: 'folder' });
  const plan = { settings, maxFileBytes: 1_000_000, settleMs, removeGraceMs, root: folder.path };
  const told: FromWorker[] = [];
  let heard = () => {};
  const serve = servePlan(
    { ...plan, excluded: null, backend: null },
    (message) => {
      told.push(message);
      if (message.kind === 'answers') heard();
    },
    () => 0,
  );
  ask = async (fromScratch) => {
    told.length = 0;
    const answered = new Promise<void>((resolve) => (heard = resolve));
    const ask = { cause: 'event', targets: 'all', fromScratch } as const;
    serve({ kind: 'questions', moment: monotonic, questions: [{ kind: 'scan', id: 1, ask }] });
    await answered;
    const scans = told.flatMap((message) =>
      message.kind === 'batch' ? message.scans.map((packed) => unpackScan('inbox', packed)) : [],
    );
    const last = new Map(scans.map((scan) => [scan.directory, scannedPaths(scan)]));
    const answer = told.flatMap((message) => (message.kind === 'answers' ? message.answers : [])).at(0);
    if (answer?.kind !== 'answer') throw new Error(JSON.stringify(told));
    return { documents: [...last.values()].flat().sort(), outcome: answer.answer as ScanOutcome };
  };
});

/** What is a document after so many ms have passed. */
async function documents(afterMs = 0, { fromScratch = false } = {}): Promise<readonly string[]> {
  monotonic += afterMs;
  return (await ask(fromScratch)).documents;
}

async function attach(sidecar = 'report.pdf.meta.json'): Promise<void> {
  await folder.write('salaries.csv', 'jane,100');
  await folder.write('report.pdf', 'report');
  await folder.write(sidecar, listing);
  expect(await documents()).toEqual(['report.pdf']);
}

const away = (name: string) => async () => {
  await rename(folder.join(name), folder.join('~$away.tmp'));
  return () => rename(folder.join('~$away.tmp'), folder.join(name));
};
const becomes = (text: string) => async () => {
  await folder.write('report.pdf.meta.json', text);
  return () => folder.write('report.pdf.meta.json', listing);
};

describe('a file that a valid sidecar attached stays an attachment (I5)', () => {
  it.each([
    ['its document', away('report.pdf')],
    ['the sidecar', away('report.pdf.meta.json')],
  ])('while %s is away, for the grace period', async (_, takeAway) => {
    await attach();
    const bringBack = await takeAway();
    expect(await documents()).not.toContain('salaries.csv');
    expect(await documents(removeGraceMs - 1)).not.toContain('salaries.csv');
    await bringBack();
    expect(await documents()).toEqual(['report.pdf']);
    await takeAway();
    expect(await documents()).not.toContain('salaries.csv');
    const { outcome } = await ask(false);
    expect(outcome).toMatchObject({ rescanIn: [['', removeGraceMs]] });
    expect(await documents(removeGraceMs)).toContain('salaries.csv');
  });

  it('while the directory of its document is away, for the grace period', async () => {
    await folder.write('sub/report.pdf', 'report');
    await folder.write('sub/report.pdf.meta.json', '{"attachments": ["../salaries.csv"]}');
    await folder.write('salaries.csv', 'jane,100');
    expect(await documents()).toEqual(['sub/report.pdf']);
    await rename(folder.join('sub'), folder.join('.sub'));
    expect(await documents()).toEqual([]);
    expect(await documents(removeGraceMs - 1)).toEqual([]);
    expect(await documents(1)).toEqual(['salaries.csv']);
  });

  it.each([
    ['is gone', () => rm(folder.join('sub/report.pdf'))],
    ['has lost its sidecar', () => rm(folder.join('sub/report.pdf.meta.json'))],
  ])('while the directory of its document is ignored, until the document %s', async (_, end) => {
    await folder.write('sub/report.pdf', 'report');
    await folder.write('sub/report.pdf.meta.json', '{"attachments": ["../salaries.csv"]}');
    await folder.write('salaries.csv', 'jane,100');
    expect(await documents()).toEqual(['sub/report.pdf']);
    await folder.write('.ingestignore', 'sub/');
    expect(await documents()).toEqual([]);
    expect(await documents(10 * removeGraceMs)).toEqual([]);
    await end();
    expect(await documents()).toEqual([]);
    expect(await documents(removeGraceMs - 1)).toEqual([]);
    expect(await documents(1)).toEqual(['salaries.csv']);
  });

  it.each([
    ['is half written', becomes('{"attachments": ["sal')],
    ['is empty', becomes('')],
    ['is not valid', becomes('{"attachments": ["salaries.csv"], "nonsense": 1}')],
    [
      'is a link',
      async () => {
        await folder.write('.real.json', listing);
        await rm(folder.join('report.pdf.meta.json'));
        await symlink('.real.json', folder.join('report.pdf.meta.json'));
        return async () => {
          await rm(folder.join('report.pdf.meta.json'));
          await folder.write('report.pdf.meta.json', listing);
        };
      },
    ],
    [
      'is ignored',
      async () => {
        await folder.write('.ingestignore', '*.meta.json');
        return () => rm(folder.join('.ingestignore'));
      },
    ],
    [
      'is ignored with its document',
      async () => {
        await folder.write('.ingestignore', 'report*');
        return () => rm(folder.join('.ingestignore'));
      },
    ],
  ])('while its sidecar %s, however long', async (_, spoil) => {
    await attach();
    const restore = await spoil();
    expect(await documents()).not.toContain('salaries.csv');
    expect(await documents(10 * removeGraceMs)).not.toContain('salaries.csv');
    expect(await documents(1, { fromScratch: true })).not.toContain('salaries.csv');
    expect(await documents(10 * removeGraceMs)).not.toContain('salaries.csv');
    await restore();
    expect(await documents()).toEqual(['report.pdf']);
  });

  it.each([
    ['its name', 'report.pdf.meta.json'],
    ['its stem', 'report.meta.json'],
  ])('of a document that was ignored when it was first seen, by a sidecar of %s', async (_, sidecar) => {
    await folder.write('.ingestignore', '*.pdf');
    await folder.write('salaries.csv', 'jane,100');
    await folder.write('report.pdf', 'report');
    await folder.write(sidecar, listing);
    expect(await documents()).toEqual([]);
    expect(await documents(10 * removeGraceMs)).toEqual([]);
    await writeFile(folder.join(sidecar), '{}');
    await documents();
    expect(await documents(settleMs)).toEqual(['salaries.csv']);
  });

  it('while its sidecar could be that of several documents', async () => {
    await attach('report.meta.json');
    await folder.write('report.txt', 'another');
    expect(await documents()).toEqual(['report.pdf', 'report.txt']);
    expect(await documents(10 * removeGraceMs)).toEqual(['report.pdf', 'report.txt']);
  });

  it('when everything is scanned from scratch, as with another watcher', async () => {
    await attach();
    await rename(folder.join('report.pdf'), folder.join('~$report.tmp'));
    expect(await documents(1, { fromScratch: true })).toEqual([]);
    expect(await documents(removeGraceMs - 1)).toEqual([]);
  });

  it('until a settled, valid sidecar lists it no longer', async () => {
    await attach();
    await writeFile(folder.join('report.pdf.meta.json'), '{}');
    expect(await documents()).toEqual(['report.pdf']);
    expect(await documents(settleMs)).toEqual(['report.pdf', 'salaries.csv']);
  });

  it('and a directory of the name of its document is not that document', async () => {
    await attach();
    await rm(folder.join('report.pdf'));
    await mkdir(folder.join('report.pdf'));
    expect(await documents()).toEqual([]);
    expect(await documents(removeGraceMs)).toEqual(['salaries.csv']);
  });

  it('for the grace period alone, also beside a directory that is named as the end of its document', async () => {
    await folder.write('salaries.csv', 'jane,100');
    await folder.write('in d.pdf', 'report');
    await folder.write('in d.pdf.meta.json', listing);
    await folder.write('d.pdf/other.pdf', 'other');
    await folder.write('d.pdf/other.pdf.meta.json', '{"attachments": ["c.csv"]}');
    await folder.write('d.pdf/c.csv', 'c');
    expect(await documents()).toEqual(['d.pdf/other.pdf', 'in d.pdf']);
    await rm(folder.join('in d.pdf'));
    await rm(folder.join('in d.pdf.meta.json'));
    expect(await documents(1)).toEqual(['d.pdf/other.pdf']);
    expect(await documents(removeGraceMs)).toEqual(['d.pdf/other.pdf', 'salaries.csv']);
  });
});

it.each([2, 3])(
  'what directories claim follows them when %i of them change names while their sidecars are not valid (I5)',
  async (count) => {
    const names = ['p', 'q', 'r'].slice(0, count);
    for (const name of names) {
      await folder.write(`${name}/report.pdf`, name);
      await folder.write(`${name}/report.pdf.meta.json`, JSON.stringify({ attachments: [`${name}.csv`] }));
      await folder.write(`${name}/${name}.csv`, '1,2');
    }
    const reports = names.map((name) => `${name}/report.pdf`);
    expect(await documents()).toEqual(reports);
    for (const name of names) await folder.write(`${name}/report.pdf.meta.json`, '{"attach');
    expect(await documents()).toEqual(reports);
    await rename(folder.join('p'), folder.join('t'));
    for (const [index, name] of names.slice(1).entries())
      await rename(folder.join(name), folder.join(names[index] ?? ''));
    await rename(folder.join('t'), folder.join(names.at(-1) ?? ''));
    expect(await documents()).toEqual(reports);
    expect(await documents(removeGraceMs)).toEqual(reports);
  },
);
