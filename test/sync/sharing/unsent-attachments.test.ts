import { chownSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { modeOf } from '../../../src/model/metadata/metadata.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const long = new Date(Date.now() - 86_400_000);
const secret = { shareInfo: { mode: 'NONE' } };
/** A restart reads them again. */
let settings: {
  attachments: 'folder' | 'below';
  sidecarOwner: 'any' | 'same';
  metadata: { shareInfo: { mode: 'EVERYONE' } };
};
const world = ofEachTest(() => {
  settings = { attachments: 'folder', sidecarOwner: 'any', metadata: { shareInfo: { mode: 'EVERYONE' } } };
  return syncedFolder({ settings });
});

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

const rename = (from: string, to: string) => renameSync(at(from), at(to));

/** Saved by rename, with other content. */
function saved(path: string): void {
  put('.new', 'jane,200');
  rename('.new', path);
}

const own = () => [...world.docIds().keys()].sort();

/** Contents of documents, with the mode that the service has for each. */
const shared = () =>
  Object.fromEntries(
    [...world.service.documents.values()].map(({ content, metadata }) => [content, modeOf(metadata)]),
  );

/** The sidecar of the report has stopped to be valid, and then this happens. */
const spoilt = (act: () => void) => () => {
  put('report.pdf.meta.json', '');
  act();
};

async function laterOn(ms: number): Promise<void> {
  await world.rescan();
  await world.pass(ms);
  await world.sync();
}

/** Scans see it, and nothing of it is sent before something has happened. */
async function unsent(meanwhile: () => void): Promise<void> {
  world.engine().setPaused(['inbox']);
  await world.rescan();
  meanwhile();
  await world.rescan();
  for (let passed = 0; passed < 10_000; passed += 100) await world.clock.advance(100);
  world.engine().setPaused([]);
  await world.sync();
  await laterOn(60_000);
}

describe('I5: what was attached to a document that was not sent is not sent by itself', () => {
  beforeEach(() => {
    put('sub/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    list('report.pdf.meta.json', 'sub/salaries.csv');
  });

  it.each<[string, () => void]>([
    ['is half written', () => put('report.pdf.meta.json', '{"attachments": ["sal')],
    [
      'is not valid',
      () => put('report.pdf.meta.json', '{"attachments": ["sub/salaries.csv"], "nonsense": 1}'),
    ],
    ['is not valid, and its document is ignored', spoilt(() => put('.ingestignore', 'report.pdf\n'))],
    ['is not valid, and the file is renamed', spoilt(() => renameSync(at('sub'), at('other')))],
    [
      'is not valid, and the document is renamed',
      spoilt(() => {
        for (const end of ['', '.meta.json']) renameSync(at(`report.pdf${end}`), at(`final.pdf${end}`));
      }),
    ],
    ['is there without its document', () => rmSync(at('report.pdf'))],
    [
      'is gone, and the document has a name that is not sent',
      () => {
        rmSync(at('report.pdf.meta.json'));
        renameSync(at('report.pdf'), at('report.bak'));
      },
    ],
  ])('where its sidecar %s, however long, until that is valid again', async (_, spoil) => {
    await unsent(spoil);
    expect(sent()).toEqual([]);
    for (const name of ['report.pdf', 'report.pdf.meta.json', '.ingestignore'])
      rmSync(at(name), { recursive: true, force: true });
    put('sub/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    list('report.pdf.meta.json', 'sub/salaries.csv');
    await laterOn(60_000);
    expect(sent()).toContain('jane,100');
    expect(own()).toContain('report.pdf');
    expect(own()).not.toContain('sub/salaries.csv');
  });

  it('where its document was ignored, and goes when it is no longer', async () => {
    put('.ingestignore', 'report.pdf\n');
    await world.sync();
    await unsent(() => {
      rmSync(at('.ingestignore'));
      rmSync(at('report.pdf'));
    });
    expect(sent()).toEqual([]);
  });

  it.each([
    ['which lists it still, until it follows, or another file stands there', 'moved/report.pdf', []],
    ['from which the list does not reach it', 'sub/deep/report.pdf', ['jane,100', 'joe,90', 'report']],
  ])('where document and sidecar have moved to a place %s', async (_, to, expected) => {
    await unsent(() => {
      if (expected.length > 0) put('sub/deep/sub/salaries.csv', 'joe,90');
      mkdirSync(dirname(at(to)), { recursive: true });
      for (const end of ['', '.meta.json']) renameSync(at(`report.pdf${end}`), at(`${to}${end}`));
    });
    expect(sent()).toEqual(expected);
  });

  it('where its sidecar bears the stem of a second document', async () => {
    rmSync(at('report.pdf.meta.json'));
    list('report.meta.json', 'sub/salaries.csv');
    await unsent(() => put('report.txt', 'another'));
    expect(sent()).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['is ignored', () => put('.ingestignore', 'years/\n')],
    ['is in one that cannot be listed for its ignore file', () => mkdirSync(at('years/.ingestignore'))],
  ])('where the directory of its document %s, until that is gone', async (_, leaveOut) => {
    rmSync(at('report.pdf'));
    rmSync(at('report.pdf.meta.json'));
    put('years/2026/report.pdf', 'report');
    list('years/2026/report.pdf.meta.json', '../../sub/salaries.csv');
    await unsent(leaveOut);
    expect(sent()).toEqual([]);
    rmSync(at('years'), { recursive: true });
    await laterOn(60_000);
    expect(shared()).toEqual({ 'jane,100': 'NONE' });
  });

  it('where its sidecar may not reach it, until it lists it no longer', async () => {
    put('salaries.csv', 'joe,90');
    list('sub/more.pdf.meta.json', '../salaries.csv');
    put('sub/more.pdf', 'more');
    await world.sync();
    await world.restart(() => (settings.attachments = 'below'));
    await laterOn(10_000);
    expect(own()).toEqual(['report.pdf', 'sub/more.pdf']);
    list('sub/more.pdf.meta.json');
    await laterOn(60_000);
    expect(own()).toEqual(['report.pdf', 'salaries.csv', 'sub/more.pdf']);
    expect(shared()).toHaveProperty(['joe,90'], 'NONE');
  });

  it('though Unicode spells its name and those of its directories in another way', async () => {
    put('other/salári.csv'.normalize('NFD'), 'joe,90');
    put('döc/minutes.pdf'.normalize('NFD'), 'minutes');
    list('döc/minutes.pdf.meta.json'.normalize('NFD'), '../other/salári.csv');
    await unsent(() => put('döc/minutes.pdf.meta.json'.normalize('NFD'), ''));
    expect(sent()).toEqual(['jane,100', 'report']);
  });

  it('where the document itself was sent without it', async () => {
    await world.sync();
    put('more.csv', 'joe,90');
    list('report.pdf.meta.json', 'sub/salaries.csv', 'more.csv');
    await unsent(() => put('report.pdf.meta.json', ''));
    expect([sent(), own()]).toEqual([['jane,100', 'report'], ['report.pdf']]);
  });

  it('and a restart forgets it', async () => {
    world.engine().setPaused(['inbox']);
    await world.rescan();
    await world.restart(() => put('report.pdf.meta.json', ''));
    await laterOn(60_000);
    expect(own()).toEqual(['sub/salaries.csv']);
  });
});

describe('I5: what was attached to a document that was sent without it and without a sidecar is held by nobody else', () => {
  beforeEach(async () => {
    put('sub/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    list('report.pdf.meta.json', 'sub/salaries.csv');
    settings.sidecarOwner = process.getuid?.() === 0 ? 'same' : 'any';
    await world.restart();
  });

  const ways: readonly (readonly [string, () => void])[] = [
    ['is gone', () => rmSync(at('report.pdf.meta.json'))],
    [
      'is gone, and the file is renamed',
      () => {
        rmSync(at('report.pdf.meta.json'));
        renameSync(at('sub'), at('other'));
      },
    ],
    [
      'is gone, and the document is renamed',
      () => {
        rmSync(at('report.pdf.meta.json'));
        renameSync(at('report.pdf'), at('final.pdf'));
      },
    ],
    ...(process.getuid?.() === 0
      ? ([['is another user’s', () => chownSync(at('report.pdf.meta.json'), 1_001, 1_001)]] as const)
      : []),
  ];

  it.each(ways)('where that %s: a document of its own, and a restart changes nothing', async (_, change) => {
    await unsent(change);
    expect(shared()).toEqual({ report: 'NONE', 'jane,100': 'NONE' });
    world.service.forget();
    await world.restart();
    await laterOn(60_000);
    expect([world.service.calls, shared()]).toEqual([[], { report: 'NONE', 'jane,100': 'NONE' }]);
  });
});

describe('I5: an attachment stays one when directories are renamed', () => {
  it.each([2, 3])('%i of which change names while their sidecars are not valid', async (count) => {
    const names = ['p', 'q', 'r'].slice(0, count);
    for (const name of names) {
      put(`${name}/report.pdf`, name);
      list(`${name}/report.pdf.meta.json`, `${name}.csv`);
      put(`${name}/${name}.csv`, `${name},2`);
    }
    await unsent(() => {
      for (const name of names) put(`${name}/report.pdf.meta.json`, '{"attach');
      renameSync(at('p'), at('t'));
      for (const [index, name] of names.slice(1).entries()) renameSync(at(name), at(names[index] ?? ''));
      renameSync(at('t'), at(names.at(-1) ?? ''));
    });
    expect(sent()).toEqual([]);
  });

  it('that lie beside a private document that was not sent: what its sidecar lists is not published', async () => {
    put('extra/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    list('report.pdf.meta.json', 'extra/salaries.csv');
    await unsent(() => renameSync(at('extra'), at('other')));
    expect(sent()).toEqual([]);
    list('report.pdf.meta.json');
    await laterOn(60_000);
    expect(shared()).toEqual({ report: 'NONE', 'jane,100': 'NONE' });
  });

  it.each<readonly [string, () => void, readonly string[]]>([
    ['moves without it and its sidecar, and it is saved', () => saved('deep/salaries.csv'), ['report']],
    ['moves without it, and it is renamed', () => rename('deep/salaries.csv', 'pay.csv'), ['report']],
    [
      'stays, and it is renamed over another one',
      () => rename('deep/salaries.csv', 'minutes.pdf'),
      ['minutes', 'report'],
    ],
  ])('of which the document that was sent with it %s', async (what, change, expected) => {
    put('deep/salaries.csv', 'jane,100');
    put('deep/report.pdf', 'report');
    put('salaries.csv', 'joe,90');
    list('deep/report.pdf.meta.json', 'salaries.csv');
    if (expected.includes('minutes')) put('minutes.pdf', 'minutes');
    await world.sync();
    if (what.startsWith('moves')) rename('deep/report.pdf', 'report.pdf');
    await laterOn(10_000);
    change();
    await laterOn(60_000);
    await world.restart();
    await laterOn(60_000);
    expect(
      Object.keys(shared())
        .filter((content) => content !== 'joe,90')
        .sort(),
    ).toEqual(expected);
  });

  it('of attachments of a document that was sent, and that get an ordinary name', async () => {
    put('report.pdf.attachments/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    await world.sync();
    renameSync(at('report.pdf.attachments'), at('extra'));
    await laterOn(60_000);
    await world.restart();
    await laterOn(60_000);
    expect(own()).toEqual(['report.pdf']);
    put('report.pdf.meta.json', '{}');
    await laterOn(60_000);
    expect(own()).toEqual(['extra/salaries.csv', 'report.pdf']);
    expect(shared()).toHaveProperty(['jane,100'], 'NONE');
  });

  it('of attachments of a document that was not sent, too: they are held by nobody else', async () => {
    put('report.pdf.attachments/salaries.csv', 'jane,100');
    put('report.pdf', 'report');
    await unsent(() => renameSync(at('report.pdf.attachments'), at('extra')));
    expect(shared()).toEqual({ report: 'EVERYONE', 'jane,100': 'NONE' });
  });
});

describe('I5: what was attached to a document that was not sent becomes a document', () => {
  beforeEach(async () => {
    put('salaries.csv', 'jane,100');
    put('report.v2.pdf', 'its name is refused');
    list('report.v2.pdf.meta.json', 'salaries.csv');
    await world.sync();
    expect(sent()).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['a valid sidecar lists it no longer', () => list('report.v2.pdf.meta.json')],
    ['a valid sidecar lists others', () => list('report.v2.pdf.meta.json', 'figures.csv')],
    [
      'another file stands in its place',
      () => {
        renameSync(at('salaries.csv'), at('old.csv'));
        put('salaries.csv', 'joe,90');
      },
    ],
    [
      'neither its document nor the sidecar exists',
      () => {
        rmSync(at('report.v2.pdf'));
        rmSync(at('report.v2.pdf.meta.json'));
      },
    ],
  ])('that is held by nobody else, when %s', async (_, change) => {
    change();
    await laterOn(60_000);
    expect(shared()).toEqual({ 'jane,100': 'NONE' });
  });

  it.each<[string, () => void]>([
    ['its document', () => rmSync(at('report.v2.pdf'))],
    ['its sidecar', () => rmSync(at('report.v2.pdf.meta.json'))],
  ])('and does not while only %s is gone', async (_, remove) => {
    remove();
    await laterOn(60_000);
    expect(sent()).toEqual([]);
  });
});
