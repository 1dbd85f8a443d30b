import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { FolderSettings } from '../../../src/model/settings.ts';
import { servedFolder, servedTiming } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

let folder: ServedFolder;

afterEach(() => folder.remove());

/** A folder with these files, scanned. */
async function scanned(
  files: Readonly<Record<string, string>>,
  settings: Partial<FolderSettings> = {},
): Promise<void> {
  folder = await servedFolder({ settings });
  for (const [path, content] of Object.entries(files)) await folder.write(path, content);
  await folder.scan();
}

/** What an inspection says, when companions that are missing have had their time. */
async function words(path: string): Promise<string> {
  await folder.inspect(path);
  folder.pass(servedTiming.removeGraceMs);
  const found = await folder.inspect(path);
  return 'message' in found ? `${found.kind} ${found.code}: ${found.message}` : found.kind;
}

describe('attachments that cannot be sent keep their document back', () => {
  const sidecar = (...attachments: readonly string[]) => JSON.stringify({ attachments });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    [
      'by a name with two dots',
      { 'doc.pdf.attachments/x.y.csv': 'x' },
      'unfit attachment-invalid: the attachment doc.pdf.attachments/x.y.csv cannot be sent: the file name has 2 dots',
    ],
    [
      'by a name with two dots in a sidecar',
      { 'x.y.csv': 'x', 'doc.pdf.meta.json': sidecar('x.y.csv') },
      'unfit attachment-invalid: the attachment x.y.csv cannot be sent: the file name has 2 dots',
    ],
    [
      'because it is empty',
      { 'doc.pdf.attachments/x.csv': '' },
      'waiting attachment-empty: the attachment doc.pdf.attachments/x.csv is empty',
    ],
    [
      'because it is too large',
      { 'doc.pdf.attachments/x.csv': 'x'.repeat(1_000_001) },
      'unfit attachment-invalid: the attachment doc.pdf.attachments/x.csv cannot be sent: the file is larger than',
    ],
    [
      'because the ignore file beside it is not valid',
      { 'doc.pdf.attachments/x.csv': 'x', 'doc.pdf.attachments/.ingestignore': '*\n'.repeat(2_000) },
      'unfit attachment-invalid: the attachments cannot be sent: doc.pdf.attachments: its .ingestignore has 2000 patterns',
    ],
    [
      'because it has attachments of its own',
      {
        'doc.pdf.meta.json': sidecar('other.pdf'),
        'other.pdf': 'o',
        'other.pdf.meta.json': sidecar('x.csv'),
        'x.csv': 'x',
      },
      'unfit attachment-invalid: the attachment other.pdf cannot be sent: it has attachments of its own',
    ],
    [
      'because it is a temporary file',
      { 'doc.pdf.meta.json': sidecar('~$x.csv'), '~$x.csv': 'x' },
      'unfit attachment-invalid: the attachment ~$x.csv cannot be sent: its name is that of a temporary file',
    ],
    [
      'because it is hidden',
      { 'doc.pdf.meta.json': sidecar('.x.csv'), '.x.csv': 'x' },
      'unfit attachment-invalid: the attachment .x.csv cannot be sent: files whose names start with a dot are not documents',
    ],
    [
      'because its directory in one of attachments is hidden',
      { 'doc.pdf.meta.json': sidecar('doc.pdf.attachments/.d/x.csv'), 'doc.pdf.attachments/.d/x.csv': 'x' },
      'unfit attachment-invalid: the attachment doc.pdf.attachments/.d/x.csv cannot be sent: files in directories',
    ],
    [
      'because it is ignored in a directory of attachments',
      {
        '.ingestignore': '*.log',
        'doc.pdf.meta.json': sidecar('other.attachments/x.log'),
        'other.attachments/x.log': 'x',
      },
      'unfit attachment-invalid: the attachment other.attachments/x.log cannot be sent: the pattern "*.log" in',
    ],
    [
      'because it is not there',
      { 'doc.pdf.meta.json': sidecar('d/x.csv') },
      'unfit attachment-missing: the attachment d/x.csv does not exist',
    ],
  ])('%s', async (_, files, expected) => {
    await scanned({ 'doc.pdf': 'doc', ...files });
    expect(await words('doc.pdf')).toContain(expected);
  });

  it('and go with it where nothing is wrong with them, its own before those of its sidecar', async () => {
    await scanned({
      'doc.pdf': 'doc',
      'doc.pdf.attachments/y.csv': 'y',
      'doc.pdf.attachments/z/deeper.csv': 'z',
      'a.csv': 'a',
      'doc.pdf.meta.json': sidecar('./a.csv'),
    });
    const found = await folder.inspect('doc.pdf');
    const attachments = found.kind === 'document' ? found.document.attachments : [];
    expect(attachments.map(({ name, path }) => [name, path])).toEqual([
      ['y.csv', 'doc.pdf.attachments/y.csv'],
      ['a.csv', 'a.csv'],
    ]);
    expect(await words('a.csv')).toContain('ignored attachment: an attachment of doc.pdf');
    expect(await words('doc.pdf.attachments/y.csv')).toContain('an attachment of doc.pdf');
  });

  it('and stay behind where an ignore file in their directory says so', async () => {
    await scanned({ 'doc.pdf': 'doc', 'doc.pdf.attachments/x.csv': 'x', 'doc.pdf.attachments/y.csv': 'y' });
    const sent = async () => {
      const found = await folder.inspect('doc.pdf');
      return found.kind === 'document' ? found.document.attachments.map(({ name }) => name) : found.kind;
    };
    expect(await sent()).toEqual(['x.csv', 'y.csv']);
    await folder.write('doc.pdf.attachments/.ingestignore', 'x.*');
    expect(await sent()).toEqual(['y.csv']);
    await folder.scan();
    expect(await sent()).toEqual(['y.csv']);
  });

  it('for as long as it is missing, and no longer', async () => {
    await scanned({ 'doc.pdf': 'doc', 'doc.pdf.meta.json': sidecar('x.csv'), 'x.csv': 'x' });
    expect(await folder.verdict('doc.pdf')).toBe('document');
    await unlink(folder.join('x.csv'));
    expect(await folder.inspect('doc.pdf')).toMatchObject({ code: 'attachment-missing', againMs: 5_000 });
    folder.pass(4_000);
    expect(await folder.inspect('doc.pdf')).toMatchObject({ code: 'attachment-missing', againMs: 1_000 });
    await folder.write('x.csv', 'x');
    expect(await folder.verdict('doc.pdf')).toBe('document');
    await unlink(folder.join('x.csv'));
    expect(await folder.inspect('doc.pdf')).toMatchObject({ code: 'attachment-missing', againMs: 5_000 });
  });
});

describe('what is no longer as it was scanned', () => {
  it('is nothing to be followed where a directory has become a link', async () => {
    await scanned({ 'd/a.pdf': 'a' });
    await rename(folder.join('d'), `${folder.path}-away`);
    await symlink(`${folder.path}-away`, folder.join('d'));
    expect(await folder.verdict('d/a.pdf')).toBe('ignored symbolic-link');
    expect(await folder.verdict('d')).toBe('skipped symbolic-link');
    await rm(`${folder.path}-away`, { recursive: true });
  });

  it('is the same file under the other form of its name, and not gone', async () => {
    await scanned({ 'caf\u00e9.pdf': 'composed' });
    await rename(folder.join('caf\u00e9.pdf'), folder.join('cafe\u0301.pdf'));
    expect(await folder.verdict('caf\u00e9.pdf')).toBe('settling');
    await folder.scan();
    expect(await folder.verdict('caf\u00e9.pdf')).toBe('document');
    await unlink(folder.join('cafe\u0301.pdf'));
    expect(await folder.verdict('caf\u00e9.pdf')).toBe('absent');
  });

  it('is unknown where the root is another one, and before it was scanned', async () => {
    await scanned({ 'a.pdf': 'a' });
    await rename(folder.path, `${folder.path}-away`);
    expect(await folder.verdict('a.pdf')).toBe('unknown folder-missing');
    await mkdir(folder.path);
    expect(await folder.verdict('a.pdf')).toBe('unknown folder-changed');
    await folder.scan();
    expect(await folder.verdict('a.pdf')).toBe('absent');
    await rm(`${folder.path}-away`, { recursive: true });
  });

  it('is not said to be gone before anything was scanned', async () => {
    folder = await servedFolder();
    expect(await folder.verdict('a.pdf')).toBe('unknown not-scanned');
  });

  it('is gone where rules hide it and a file stands in the place of its directory', async () => {
    await scanned({ 'd/a.pdf': 'a', 'b.pdf': 'b', '.ingestignore': 'a.pdf' });
    expect(await folder.inspect('d/a.pdf')).not.toHaveProperty('presence');
    await rm(folder.join('d'), { recursive: true });
    await writeFile(folder.join('d'), 'a file');
    expect(await folder.inspect('d/a.pdf')).toMatchObject({ kind: 'ignored', presence: 'gone' });
  });

  it('is unknown where a file stands in the place of the root', async () => {
    await scanned({ 'a.pdf': 'a' });
    await rename(folder.path, `${folder.path}-away`);
    await writeFile(folder.path, 'a file');
    expect(await folder.inspect('a.pdf')).toEqual({
      kind: 'unknown',
      code: 'folder-unavailable',
      message: `${folder.path} is not a directory`,
    });
    await rm(`${folder.path}-away`, { recursive: true });
  });

  it('is told all the same where it came since', async () => {
    await scanned({});
    await folder.write('new/a.pdf', 'a');
    await folder.write('new/.ingestignore', '*.log');
    await folder.write('new/b.meta.json', '{}');
    folder.pass(60_000);
    expect(await words('new/.ingestignore')).toBe('ignored dot-name: ignore rules for new and below');
    expect(await words('new/b.meta.json')).toContain('ignored sidecar');
    expect(['document', 'settling']).toContain(await folder.verdict('new/a.pdf'));
  });

  it('is in doubt below a directory whose rules cannot be used', async () => {
    await scanned({ 'd/a.pdf': 'a', 'd/b.pdf': 'b' });
    await mkdir(folder.join('d/.ingestignore'));
    await folder.scan();
    expect(await folder.verdict('d/a.pdf')).toBe('unknown ignore-file-invalid');
    await rm(folder.join('d/.ingestignore'), { recursive: true });
    await folder.scan();
    folder.pass(60_000);
    expect(await folder.verdict('d/a.pdf')).toBe('document');
    await folder.write('d/.ingestignore', 'x\n'.repeat(1_001));
    await unlink(folder.join('d/b.pdf'));
    await folder.scan();
    expect(await folder.verdict('d/b.pdf')).toBe('unknown ignore-file-invalid');
    expect(await words('d/.ingestignore')).toMatch(
      /^ignored ignore-file-invalid: ignore rules for d and below, where nothing/,
    );
  });
});

describe('where a file stands on disk', () => {
  it('is told by its name in whatever form, before and after a scan', async () => {
    folder = await servedFolder();
    await folder.write('cafe\u0301/re\u0301sume\u0301.pdf', 'x');
    await folder.write('a.pdf', 'a');
    const located = async (path: string) => (await folder.ask('locate', path)).slice(folder.path.length);
    const wanted = ['caf\u00e9/r\u00e9sum\u00e9.pdf', 'caf\u00e9/\u00e9.pdf', 'a.pdf'];
    const there = ['/cafe\u0301/re\u0301sume\u0301.pdf', '/caf\u00e9/\u00e9.pdf', '/a.pdf'];
    expect(await Promise.all(wanted.map(located))).toEqual(there);
    await folder.scan();
    there[1] = '/cafe\u0301/\u00e9.pdf';
    expect(await Promise.all(wanted.map(located))).toEqual(there);
    expect(await folder.verdict(wanted[0] ?? '')).toBe('document');
  });
});

describe('what a file beside documents is', () => {
  it.each([
    ['a.pdf.meta.json', 'ignored sidecar: the sidecar of a.pdf'],
    ['b.meta.json', 'ignored sidecar: the sidecar of b.pdf'],
    ['c.meta.json', 'ambiguous-sidecar: it could be the sidecar of c.pdf and c.txt'],
    ['d.meta.json', 'orphan-sidecar'],
    ['none.meta.json', 'no such file in the folder; its name is that of a sidecar'],
    ['.meta.json', 'metadata for the documents in the folder and below'],
    [
      'e/.meta.json',
      'ignored defaults-invalid: metadata for the documents in e and below, none of which is sent',
    ],
    ['.ingestignore', 'ignore rules for the folder and below'],
    ['e/.ingestignore', 'ignore rules for e and below'],
    ['f.log', 'ignored'],
    ['e', 'absent'],
  ])('%s', async (path, expected) => {
    await scanned({
      'a.pdf': 'a',
      'a.pdf.meta.json': '{}',
      'b.pdf': 'b',
      'b.meta.json': '{}',
      'c.pdf': 'c',
      'c.txt': 'c',
      'c.meta.json': '{}',
      'd.meta.json': '{}',
      'e/.meta.json': '{',
      '.ingestignore': '*.log',
      'f.log': 'f',
    });
    expect(await words(path)).toContain(expected);
  });

  it('is in force though a pattern ignores *.json', async () => {
    const files = { 'a.pdf': 'a', 'a.pdf.meta.json': '{"title": "A"}', '.ingestignore': '*.json\n' };
    await scanned({ ...files, 'c.json': '{}' });
    expect(await folder.inspect('a.pdf')).toMatchObject({ document: { metadata: { title: 'A' } } });
    expect(await folder.verdict('c.json')).toBe('ignored ignore-rule');
  });

  it('is ambiguous where an attachment has the stem of its document', async () => {
    await scanned({
      'a.pdf': 'a',
      'a.csv': 'a',
      'a.meta.json': '{"title": "A"}',
      'other.pdf': 'o',
      'other.pdf.meta.json': '{"attachments": ["a.csv"]}',
    });
    expect(await words('a.meta.json')).toContain('it could be the sidecar of a.csv and a.pdf');
    expect(await words('a.csv')).toContain('an attachment of other.pdf');
    expect(await folder.inspect('a.pdf')).toMatchObject({ kind: 'unfit', code: 'ambiguous-sidecar' });
  });

  it.each([
    [['d/a.pdf.meta.json'], { sidecar: 'name', defaults: [] }],
    [['d/a.meta.json'], { sidecar: 'stem', defaults: [] }],
    [['d/a.pdf.meta.json', 'd/a.meta.json'], { sidecar: 'name', defaults: [] }],
    [['.meta.json', 'd/.meta.json'], { sidecar: null, defaults: ['', 'd'] }],
    [[], undefined],
  ])('is remembered with its document: %j', async (beside, companions) => {
    await scanned({ 'd/a.pdf': 'a', ...Object.fromEntries(beside.map((path) => [path, '{}'])) });
    const found = await folder.inspect('d/a.pdf');
    expect(found.kind === 'document' ? found.document.companions : found).toEqual(companions);
  });

  it('says where each field of its metadata comes from', async () => {
    await scanned(
      {
        'd/a.pdf': 'a',
        'd/.meta.json': '{"sourceType": "research"}',
        'd/a.pdf.meta.json': '{"documentUrl": "https://example.com/a"}',
      },
      { metadata: { shareInfo: { mode: 'NONE' } } },
    );
    const found = await folder.inspect('d/a.pdf');
    expect(found.kind === 'document' ? found.document.sources : found).toEqual({
      documentUrl: 'd/a.pdf.meta.json',
      sourceType: 'd/.meta.json',
      shareInfo: 'folder settings',
      title: 'file name',
      createdTimestamp: 'modification time',
    });
  });
});
