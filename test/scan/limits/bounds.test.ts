import { link } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { directoryOf, joinPath } from '../../../src/model/document.ts';
import { uploadMetadata } from '../../../src/model/metadata/metadata-delta.ts';
import { eventually } from '../../support/eventually.ts';
import { folderWorld } from '../support/folder-world.ts';
import type { FolderWorld } from '../support/folder-world.ts';

let world: FolderWorld;
afterEach(() => world.close());

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
    world = await folderWorld({
      before: async (folder) => {
        await folder.write('a.pdf', 'a');
        await folder.write('a.pdf.meta.json', sidecar);
      },
    });
    const found = await world.inspect('a.pdf');
    expect(found).toMatchObject({ kind: 'unfit', code: 'sidecar-invalid' });
    expect('message' in found ? found.message.length : Infinity).toBeLessThan(600);
  });

  it('an attachment path of 4,096 bytes is quoted in part', async () => {
    const path = `${'d/'.repeat(1_000)}${'x'.repeat(200)}.pdf`;
    world = await folderWorld({
      timing: { removeGraceMs: 0 },
      before: async (folder) => {
        await folder.write('a.pdf', 'a');
        await folder.write('a.pdf.meta.json', JSON.stringify({ attachments: [path] }));
      },
    });
    const found = await world.inspect('a.pdf');
    expect(found).toMatchObject({ kind: 'unfit', code: 'attachment-missing' });
    expect('message' in found ? found.message.length : Infinity).toBeLessThan(300);
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
  const refused = () => world.port.health().reasons.filter(({ code }) => code === 'unreadable-directory');

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
  const tree = async (folder: { write: (file: string, content: string) => Promise<unknown> }) => {
    await folder.write('sub/a.pdf', 'a');
    await folder.write('sub/a.pdf.meta.json', '{"attachments": ["../other.csv"]}');
    await folder.write('other.csv', 'o');
  };

  it('only into its own directory and below: what lies elsewhere stays a document', async () => {
    world = await folderWorld({ before: tree });
    expect(world.documents()).toEqual(['other.csv', 'sub/a.pdf']);
    expect(await world.inspect('sub/a.pdf')).toMatchObject({ kind: 'unfit', code: 'attachment-outside' });
  });

  it('anywhere in the folder with attachments: folder', async () => {
    world = await folderWorld({ settings: { attachments: 'folder' }, before: tree });
    expect(world.documents()).toEqual(['sub/a.pdf']);
    const { attachments } = await world.document('sub/a.pdf');
    expect(attachments.map(({ path }) => path)).toEqual(['other.csv']);
  });

  it.each([
    ['hidden', '.secret.csv'],
    ['in a hidden directory', '.git/x.csv'],
    ['ignored', 'private/x.csv'],
    ['ignored by a file beside it', 'sub/x.csv'],
  ])('not to a file that is %s', async (_, path) => {
    world = await folderWorld({
      settings: { ignore: ['private/'] },
      before: async (folder) => {
        await folder.write('a.pdf', 'a');
        await folder.write('a.pdf.meta.json', JSON.stringify({ attachments: [path] }));
        await folder.write(path, 'secret');
        await folder.write('sub/.ingestignore', 'x.csv');
      },
    });
    expect(await world.inspect('a.pdf')).toMatchObject({ kind: 'unfit', code: 'attachment-invalid' });
  });

  it('to a file that include leaves out: it stays an attachment, and is no document', async () => {
    world = await folderWorld({
      settings: { include: ['*.pdf'] },
      before: async (folder) => {
        await folder.write('a.pdf', 'a');
        await folder.write('a.pdf.meta.json', JSON.stringify({ attachments: ['figures/x.csv'] }));
        await folder.write('a.pdf.attachments/y.csv', 'y');
        await folder.write('figures/x.csv', 'x');
        await folder.write('figures/z.csv', 'z');
        await folder.write('notes.unknown', 'of no type that the service takes');
      },
    });
    expect(world.documents()).toEqual(['a.pdf']);
    expect(world.skips()).toEqual([]);
    const { attachments } = await world.document('a.pdf');
    expect(attachments.map(({ path }) => path)).toEqual(['a.pdf.attachments/y.csv', 'figures/x.csv']);
    expect(await world.inspect('figures/x.csv')).toMatchObject({ kind: 'ignored', code: 'attachment' });
    expect(await world.inspect('figures/z.csv')).toMatchObject({ kind: 'ignored', code: 'not-included' });
  });

  it('a sidecar that was never valid attaches nothing', async () => {
    world = await folderWorld({
      before: async (folder) => {
        await folder.write('a.pdf', 'a');
        await folder.write('a.pdf.meta.json', '{"attachments": ["b.csv"], "nonsense": 1}');
        await folder.write('b.csv', 'b');
      },
    });
    expect(world.documents()).toEqual(['a.pdf', 'b.csv']);
  });
});
