import { link } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { directoryOf, joinPath } from '../../../src/model/document.ts';
import { uploadMetadata } from '../../../src/model/metadata/metadata-delta.ts';
import { eventually } from '../../support/eventually.ts';
import type { FolderSettings } from '../../../src/model/settings.ts';
import { servedFolder } from '../inspect/served-folder.ts';
import type { ServedFolder } from '../inspect/served-folder.ts';
import { folderWorld, scannedPaths } from '../support/folder-world.ts';
import type { FolderWorld } from '../support/folder-world.ts';

let world: FolderWorld;
let folder: ServedFolder | null = null;
afterEach(async () => {
  await folder?.remove();
  if (folder === null) await world.close();
  folder = null;
});

/** A folder with these files, scanned in this thread. Gives the paths of its documents. */
async function scanned(
  files: Readonly<Record<string, string>>,
  settings: Partial<FolderSettings> = {},
): Promise<readonly string[]> {
  folder = await servedFolder({ settings });
  for (const [path, content] of Object.entries(files)) await folder.write(path, content);
  return [...(await folder.scan()).values()].flatMap(scannedPaths).sort();
}

const inspect = async (path: string) => (await folder?.inspect(path)) ?? null;
const attachmentsOf = async (path: string) => {
  const found = await inspect(path);
  return found?.kind === 'document' ? found.document.attachments.map((one) => one.path) : found;
};

const many = (count: number) => Array.from({ length: count }, (_, at) => `x${at}.pdf`);

describe('what comes from a folder is bounded (I12)', () => {
  it.each([
    ['an attachment path of 255 KiB', JSON.stringify({ attachments: ['x'.repeat(255 * 1024)] })],
    ['a field name of 200 KiB', JSON.stringify({ ['k'.repeat(200_000)]: 1 })],
    [
      'a field name of 100 KiB that stands twice',
      `{"${'k'.repeat(100_000)}": 1, "${'k'.repeat(100_000)}": 2}`,
    ],
  ])('%s is an invalid sidecar, with a short message', async (_, sidecar) => {
    await scanned({ 'a.pdf': 'a', 'a.pdf.meta.json': sidecar });
    const found = await inspect('a.pdf');
    expect(found).toMatchObject({ kind: 'unfit', code: 'sidecar-invalid' });
    expect(found !== null && 'message' in found ? found.message.length : Infinity).toBeLessThan(600);
  });

  it('an attachment path of 2,200 bytes is quoted in part', async () => {
    const path = `${`${'d'.repeat(99)}/`.repeat(20)}${'x'.repeat(200)}.pdf`;
    await scanned({ 'a.pdf': 'a', 'a.pdf.meta.json': JSON.stringify({ attachments: [path] }) });
    const found = await inspect('a.pdf');
    expect(found).toMatchObject({ code: 'attachment-missing' });
    expect(found !== null && 'message' in found ? found.message.length : Infinity).toBeLessThan(300);
  });

  it.each([
    ['1,001 patterns', many(1_001).join('\n')],
    ['a pattern of 513 bytes', 'x'.repeat(513)],
    ['65 KiB', `# ${'x'.repeat(65 * 1024)}`],
  ])('an ignore file with %s is invalid, and nothing below it is sent or deleted', async (_, rules) => {
    world = await folderWorld({
      before: async (folder) => {
        await folder.write('fine.pdf', 'f');
        await folder.write('sub/.ingestignore', rules);
        await folder.write('sub/a.pdf', 'a');
        await folder.write('sub/deep/b.pdf', 'b');
      },
    });
    expect(world.documents()).toEqual(['fine.pdf']);
    expect(await world.port.inspect(joinPath('sub', 'a.pdf'))).toMatchObject({ kind: 'unknown' });
    expect(await world.port.inspect('sub/deep/b.pdf')).toMatchObject({ kind: 'unknown' });
    expect(
      world.port
        .health()
        .reasons.map(({ message }) => message)
        .join(),
    ).toContain('.ingestignore');
  });

  it('an ignore file with 1,000 patterns of 512 bytes at the most is used', async () => {
    world = await folderWorld({
      before: async (folder) => {
        await folder.write('.ingestignore', many(1_000).join('\n'));
        await folder.write('x999.pdf', 'x');
        await folder.write('x1000.pdf', 'x');
      },
    });
    expect(world.documents()).toEqual(['x1000.pdf']);
  });
});

describe('ignore files of a folder together (section 6 of issue 44)', () => {
  const write = async (folder: { readonly write: FolderWorld['write'] }, rulesOf: (at: number) => string) => {
    for (let at = 0; at < 51; at += 1) {
      await folder.write(`d${at}/.ingestignore`, rulesOf(at));
      await folder.write(`d${at}/a.pdf`, 'a');
    }
  };
  const refused = () => world.port.health().reasons.filter(({ code }) => code === 'ignore-file-invalid');

  it('have 50,000 patterns at most; what is beyond that is said, and read when there is room', async () => {
    world = await folderWorld({
      timing: { pollSeconds: 0.2 },
      before: (folder) => write(folder, (at) => many(1_000).join(`${at}\n`)),
    });
    expect(world.documents()).toHaveLength(50);
    expect(refused()).toMatchObject([
      { message: expect.stringMatching(/has 1000 patterns, but .* 50000 at most; remove some/) },
    ]);
    await world.write(joinPath(directoryOf(world.documents()[0] ?? ''), '.ingestignore'), '# none');
    await eventually(() => world.documents().length === 51 && refused().length === 0);
  });

  it('that are equal count once', async () => {
    world = await folderWorld({ before: (folder) => write(folder, () => many(1_000).join('\n')) });
    expect(world.documents()).toHaveLength(51);
    await world.write('d7/x3.pdf', 'x');
    expect(await world.inspect('d7/x3.pdf')).toMatchObject({
      kind: 'ignored',
      message: expect.stringContaining('d7/.ingestignore:4'),
    });
  });
});

it('links to one sidecar give one list, which is worked out once', async () => {
  const companies = [{ value: 'Nordvik' }, { value: 'ACME' }];
  world = await folderWorld({
    before: async (folder) => {
      await folder.write('a.pdf', 'a');
      await folder.write('b.pdf', 'b');
      await folder.write('a.pdf.meta.json', JSON.stringify({ companies }));
      await link(folder.join('a.pdf.meta.json'), folder.join('b.pdf.meta.json'));
    },
  });
  const documents = [await world.document('a.pdf'), await world.document('b.pdf')];
  const [one, other] = documents.map(({ metadata }) => metadata);
  expect(one?.companies).toEqual(companies);
  expect(other?.companies).toBe(one?.companies);
  const [sent, alsoSent] = documents.map(({ metadata }) => uploadMetadata(metadata));
  expect(sent?.send.companies).toEqual(companies.map((company) => ({ ...company, operation: 'ADD' })));
  expect(alsoSent?.send.companies).toBe(sent?.send.companies);
  expect(alsoSent?.accepted.companies).toBe(sent?.accepted.companies);
});

describe('a sidecar reaches no further than it should (I12)', () => {
  const tree = {
    'sub/a.pdf': 'a',
    'sub/a.pdf.meta.json': '{"attachments": ["../other.csv"]}',
    'other.csv': 'o',
  };

  it('only into its own directory and below: what lies elsewhere stays a document', async () => {
    expect(await scanned(tree)).toEqual(['other.csv', 'sub/a.pdf']);
    expect(await inspect('sub/a.pdf')).toMatchObject({ kind: 'unfit', code: 'attachment-outside' });
  });

  it('anywhere in the folder with attachments: folder', async () => {
    expect(await scanned(tree, { attachments: 'folder' })).toEqual(['sub/a.pdf']);
    expect(await attachmentsOf('sub/a.pdf')).toEqual(['other.csv']);
  });

  it.each([
    ['hidden', '.secret.csv'],
    ['in a hidden directory', '.git/x.csv'],
    ['ignored', 'private/x.csv'],
    ['ignored by a file beside it', 'sub/x.csv'],
  ])('not to a file that is %s', async (_, path) => {
    const sidecar = JSON.stringify({ attachments: [path] });
    const files = {
      'a.pdf': 'a',
      'a.pdf.meta.json': sidecar,
      [path]: 'secret',
      'sub/.ingestignore': 'x.csv',
    };
    await scanned(files, { ignore: ['private/'] });
    expect(await inspect('a.pdf')).toMatchObject({ kind: 'unfit', code: 'attachment-invalid' });
  });

  it('to a file that include leaves out: it stays an attachment, and is no document', async () => {
    const files = {
      'a.pdf': 'a',
      'a.pdf.meta.json': JSON.stringify({ attachments: ['figures/x.csv'] }),
      'a.pdf.attachments/y.csv': 'y',
      'figures/x.csv': 'x',
      'figures/z.csv': 'z',
      'notes.unknown': 'of no type that the service takes',
    };
    expect(await scanned(files, { include: ['*.pdf'] })).toEqual(['a.pdf']);
    expect([...((await folder?.scan())?.values() ?? [])].flatMap(({ skips }) => skips)).toEqual([]);
    expect(await attachmentsOf('a.pdf')).toEqual(['a.pdf.attachments/y.csv', 'figures/x.csv']);
    expect(await inspect('figures/x.csv')).toMatchObject({ kind: 'ignored', code: 'attachment' });
    expect(await inspect('figures/z.csv')).toMatchObject({ kind: 'ignored', code: 'not-included' });
  });

  it('a sidecar that was never valid attaches nothing', async () => {
    const sidecar = '{"attachments": ["b.csv"], "nonsense": 1}';
    expect(await scanned({ 'a.pdf': 'a', 'a.pdf.meta.json': sidecar, 'b.csv': 'b' })).toEqual([
      'a.pdf',
      'b.csv',
    ]);
  });
});
