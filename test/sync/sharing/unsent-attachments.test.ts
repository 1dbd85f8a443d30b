import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

const long = new Date(Date.now() - 86_400_000);
const secret = { shareInfo: { mode: 'NONE' } };
/** A restart reads them again. */
let settings: { attachments: 'folder' | 'below'; sidecarOwner: 'any' | 'same' };
let world: SyncedFolder;

beforeEach(async () => {
  settings = { attachments: 'folder', sidecarOwner: 'any' };
  world = await syncedFolder({ settings });
});

afterEach(() => world.close());

const at = (path: string) => world.inbox.join(path);

function put(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
  utimesSync(at(path), long, long);
}

function list(sidecar: string, ...attachments: readonly string[]): void {
  put(sidecar, JSON.stringify({ attachments, ...secret }));
}

/** What the service holds, attachments too. */
function sent(): readonly string[] {
  return [...world.service.documents.values()]
    .flatMap(({ content, attachmentContents }) => [content, ...attachmentContents])
    .sort();
}

const own = () => [...world.docIds().keys()].sort();

/** The process is killed before anything of the folder is sent. */
async function killUnsent(meanwhile: () => void): Promise<void> {
  world.engine().setPaused(['inbox']);
  await world.rescan();
  await world.until(() => world.ledger().claims('inbox').size === 1);
  await world.restart(meanwhile);
  await world.sync();
}

/** What documents claim is written in the background. */
async function untilClaimed(...owners: readonly string[]): Promise<void> {
  await world.until(() => [...world.ledger().claims('inbox').keys()].sort().join() === owners.join());
}

async function laterOn(ms: number): Promise<void> {
  await world.rescan();
  await world.pass(ms);
  await world.sync();
}

describe('I5: the attachment of a document that was not sent before a restart is not sent by itself', () => {
  it.each<[string, () => void]>([
    ['is half written', () => put('report.pdf.meta.json', '{"attachments": ["sal')],
    [
      'is a link',
      () => {
        rmSync(at('report.pdf.meta.json'));
        symlinkSync('/nonexistent', at('report.pdf.meta.json'));
      },
    ],
    [
      'is not valid, and its document is ignored',
      () => {
        put('report.pdf.meta.json', '');
        put('.ingestignore', 'report.pdf\n');
      },
    ],
  ])('where its sidecar %s by then, until it is valid again', async (_, spoil) => {
    put('sub/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    list('report.pdf.meta.json', 'sub/salaries.csv');
    await killUnsent(spoil);
    expect(sent()).toEqual([]);
    await laterOn(10_000);
    await world.restart();
    await laterOn(10_000);
    expect([sent(), world.port().health().attached]).toEqual([[], 1]);
    rmSync(at('report.pdf.meta.json'), { recursive: true });
    rmSync(at('.ingestignore'), { force: true });
    put('report.pdf', 'report');
    list('report.pdf.meta.json', 'sub/salaries.csv');
    await laterOn(10_000);
    expect([sent(), own()]).toEqual([['jane,100', 'report'], ['report.pdf']]);
    await untilClaimed();
  });

  it('where its sidecar bears the stem of a second document by then', async () => {
    put('report.csv', 'jane,100');
    put('report.pdf', 'report');
    list('report.meta.json', 'report.csv');
    await killUnsent(() => put('report.txt', 'another'));
    expect(sent()).toEqual([]);
  });

  it('where another directory holds it, and Unicode spells its name in another way', async () => {
    put('other/salári.csv'.normalize('NFD'), 'jane,100');
    put('döc/report.pdf'.normalize('NFD'), 'report');
    list('döc/report.pdf.meta.json'.normalize('NFD'), '../other/salári.csv');
    await killUnsent(() => put('döc/report.pdf.meta.json'.normalize('NFD'), ''));
    expect(sent()).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['is ignored', () => put('.ingestignore', 'years/\n')],
    ['is in one that cannot be listed for its ignore file', () => mkdirSync(at('years/.ingestignore'))],
  ])('where the directory of its document %s by then, however long', async (_, leaveOut) => {
    put('salaries.csv', 'jane,100');
    put('years/2026/report.pdf', 'report');
    list('years/2026/report.pdf.meta.json', '../../salaries.csv');
    await killUnsent(leaveOut);
    await laterOn(10_000);
    await world.restart();
    await laterOn(10_000);
    expect([sent(), world.port().health().attached]).toEqual([[], 1]);
    rmSync(at('years'), { recursive: true });
    await laterOn(10_000);
    expect(own()).toEqual(['salaries.csv']);
  });

  it('where its sidecar may not reach it by then, until it lists it no longer', async () => {
    put('salaries.csv', 'jane,100');
    put('d/report.pdf', 'report');
    list('d/report.pdf.meta.json', '../salaries.csv');
    await killUnsent(() => (settings.attachments = 'below'));
    expect(sent()).toEqual([]);
    list('d/report.pdf.meta.json');
    await world.sync();
    expect(own()).toEqual(['d/report.pdf', 'salaries.csv']);
  });

  describeWhere(process.getuid?.() === 0 ? null : 'root, to be somebody else', 'of another user', () => {
    it('where its sidecar is another user’s by then', async () => {
      settings.sidecarOwner = 'same';
      put('salaries.csv', 'jane,100');
      put('report.pdf', 'report');
      list('report.pdf.meta.json', 'salaries.csv');
      await killUnsent(() => chownSync(at('report.pdf.meta.json'), 1_001, 1_001));
      await world.restart();
      await world.sync();
      expect(own()).toEqual(['report.pdf']);
    });
  });

  it('where the document itself was sent, without it, and its sidecar is not valid by then', async () => {
    put('report.pdf', 'report');
    list('report.pdf.meta.json');
    await world.sync();
    put('figures.csv', 'q1');
    list('report.pdf.meta.json', 'figures.csv');
    await world.sync();
    await untilClaimed();
    put('salaries.csv', 'jane,100');
    list('report.pdf.meta.json', 'figures.csv', 'salaries.csv');
    await killUnsent(() => put('report.pdf.meta.json', ''));
    expect([sent(), own()]).toEqual([['q1', 'report'], ['report.pdf']]);
  });
});

describe('I5: the attachment of a document that was not sent comes along when its directory is renamed', () => {
  const places = ['d/e/report.pdf', 'd/e/salaries.csv', 'd/parts/more.csv'];

  beforeEach(() => {
    put('d/e/salaries.csv', 'jane,100');
    put('d/parts/more.csv', 'joe,90');
    put('d/e/report.pdf', 'report');
    list('d/e/report.pdf.meta.json', 'salaries.csv', '../parts/more.csv');
  });

  const spoil = () => put('d/e/report.pdf.meta.json', '{"attachments": [');

  it('and its sidecar is not valid', async () => {
    world.engine().setPaused(['inbox']);
    await world.rescan();
    spoil();
    await laterOn(10_000);
    renameSync(at('d'), at('f'));
    world.engine().setPaused([]);
    await laterOn(10_000);
    expect([sent(), world.port().health().attached]).toEqual([[], 2]);
    await untilClaimed('f/e/report.pdf');
    list('f/e/report.pdf.meta.json', 'salaries.csv', '../parts/more.csv');
    await laterOn(10_000);
    expect(own()).toEqual(['f/e/report.pdf']);
  });

  it.each<[string, () => void]>([
    ['renamed', () => renameSync(at('d'), at('f'))],
    [
      'renamed, and a new one is in its place',
      () => {
        renameSync(at('d'), at('f'));
        for (const path of places) put(path, `another ${path}`);
      },
    ],
  ])('while no process runs: it is %s, and its sidecar is not valid', async (_, rename) => {
    await killUnsent(() => {
      spoil();
      rename();
    });
    await laterOn(10_000);
    await world.restart();
    await laterOn(10_000);
    expect(sent().filter((content) => !content.startsWith('another'))).toEqual([]);
    await untilClaimed('f/e/report.pdf');
    expect(world.ledger().claims('inbox').get('f/e/report.pdf')?.paths).toEqual([
      'f/e/salaries.csv',
      'f/parts/more.csv',
    ]);
  });
});

describe('I5: the attachment of a document that was not sent before a restart becomes a document', () => {
  beforeEach(() => {
    put('salaries.csv', 'jane,100');
    put('report.v2.pdf', 'its name is refused');
    list('report.v2.pdf.meta.json', 'salaries.csv');
  });

  it.each<[string, () => void]>([
    ['a valid sidecar lists it no longer', () => list('report.v2.pdf.meta.json')],
    ['a valid sidecar lists others', () => list('report.v2.pdf.meta.json', 'figures.csv')],
  ])('at once when %s', async (_, change) => {
    await killUnsent(change);
    expect(own()).toEqual(['salaries.csv']);
  });

  it.each<[string, () => void]>([
    ['its document', () => rmSync(at('report.v2.pdf'))],
    ['its sidecar', () => rmSync(at('report.v2.pdf.meta.json'))],
  ])('when %s has been gone for the grace period', async (_, remove) => {
    await killUnsent(remove);
    expect(own()).toEqual(['salaries.csv']);
    await untilClaimed();
  });

  it('while the process runs, too', async () => {
    await world.sync();
    await world.until(() => world.ledger().claims('inbox').size === 1);
    list('report.v2.pdf.meta.json');
    await world.sync();
    expect(own()).toEqual(['salaries.csv']);
    await untilClaimed();
  });
});

it('others have their turn while many sidecars are compared with what was sent', async () => {
  let compared = 0;
  Object.assign(world.ledger(), {
    get: () => {
      for (const began = performance.now(); performance.now() - began < 0.01;);
      compared += 1;
    },
  });
  const claim = { sidecar: 'x.meta.json', paths: [] };
  const claims = new Map(Array.from({ length: 10_000 }, (_, number) => [`${number}.pdf`, claim]));
  /** How many had been compared at each turn of somebody else. */
  const turns: number[] = [];
  const takeTurn = () => {
    turns.push(compared);
    if (compared < claims.size) setImmediate(takeTurn);
  };
  world.engine().listener('inbox').claimed(claims);
  takeTurn();
  await eventually(() => turns.at(-1) === claims.size);
  expect(turns.filter((count) => count > 0 && count < claims.size).length).toBeGreaterThan(0);
});
