import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { asUser } from '../../support/processes/as-user.ts';
import { servedFolder } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

let folder: ServedFolder;

afterEach(() => folder.remove());

describe('a document is neither sent nor gone', () => {
  const files = {
    'd/e/a.pdf': 'a',
    'd/e/a.pdf.meta.json': '{}',
    'd/e/a.pdf.attachments/x.csv': 'x',
    'd/.meta.json': '{}',
  };

  it.each([
    ['its directory may be listed and not entered', 'd/e', 0o744, 'unknown unreadable'],
    ['a directory on the way may not be entered', 'd', 0o744, 'unknown unreadable'],
    ['its attachments cannot be listed', 'd/e/a.pdf.attachments', 0, 'unfit unreadable'],
    ['its sidecar cannot be read', 'd/e/a.pdf.meta.json', 0, 'unfit sidecar-unreadable'],
  ])('where %s', async (_, closed, mode, expected) => {
    folder = await servedFolder();
    for (const [path, content] of Object.entries(files)) await folder.write(path, content);
    await chmod(folder.path, 0o755);
    await folder.scan();
    await chmod(folder.join(closed), mode);
    await folder.scan();
    expect(await asUser(() => folder.verdict('d/e/a.pdf'))).toBe(expected);
    await chmod(folder.join(closed), 0o755);
    await folder.scan();
    expect(await asUser(() => folder.verdict('d/e/a.pdf'))).toBe('document');
  });

  it('where the defaults above it cannot be read', async () => {
    folder = await servedFolder();
    for (const [path, content] of Object.entries(files)) await folder.write(path, content);
    await chmod(folder.path, 0o755);
    await chmod(folder.join('d/.meta.json'), 0);
    await folder.scan();
    expect(await asUser(() => folder.verdict('d/e/a.pdf'))).toBe('unfit defaults-unreadable');
  });
});

describe('a companion whose path is longer than the system allows', () => {
  /** A directory in which the path of `a.pdf` is short enough, and that of its sidecar is not. */
  async function deepDirectory(): Promise<string> {
    folder = await servedFolder();
    const room = 4_095 - '/a.pdf'.length - folder.path.length;
    let path = '';
    while (path.length + 100 < room) path += `/${'d'.repeat(99)}`;
    path += `/${'e'.repeat(room - path.length - 1)}`;
    mkdirSync(`${folder.path}${path}`, { recursive: true });
    writeFileSync(`${folder.path}${path}/a.pdf`, 'a');
    return path.slice(1);
  }

  it.each([
    ['its sidecar stands there', 'a.pdf.meta.json', 'unfit path-too-long'],
    ['its defaults stand there', '.meta.json', 'unfit path-too-long'],
    ['none does', 'b.txt', 'document'],
  ])('keeps its document where the listing shows it: %s', async (_, name, expected) => {
    const directory = await deepDirectory();
    // Only by a path that begins in the directory can it be written.
    execFileSync('sh', ['-c', `echo '{}' > ${name}`], { cwd: folder.join(directory) });
    await folder.scan();
    const verdict = await folder.verdict(`${directory}/a.pdf`);
    execFileSync('rm', ['-r', directory.slice(0, directory.indexOf('/'))], { cwd: folder.path });
    expect(verdict).toBe(expected);
  });

  it.each([
    ['.ingestignore', 'unfit path-too-long'],
    ['a.pdf.meta.json', 'unfit path-too-long'],
    ['a.meta.json', 'unfit path-too-long'],
  ])('keeps its document before a scan has seen it: %s', async (name, expected) => {
    const directory = await deepDirectory();
    await folder.scan();
    const before = await folder.verdict(`${directory}/a.pdf`);
    execFileSync('sh', ['-c', `echo '*' > ${name}`], { cwd: folder.join(directory) });
    const verdict = await folder.verdict(`${directory}/a.pdf`);
    execFileSync('rm', ['-r', directory.slice(0, directory.indexOf('/'))], { cwd: folder.path });
    expect([before, verdict]).toEqual(['document', expected]);
  });

  it('may be meant for a document, as any that fits no file', async () => {
    const directory = await deepDirectory();
    execFileSync('sh', ['-c', `echo '{}' > A.pdf.meta.json`], { cwd: folder.join(directory) });
    await folder.scan();
    const found = await folder.inspect(`${directory}/a.pdf`);
    execFileSync('rm', ['-r', directory.slice(0, directory.indexOf('/'))], { cwd: folder.path });
    expect(found).toMatchObject({
      kind: 'document',
      document: { likelySidecar: `${directory}/A.pdf.meta.json` },
    });
  });
});

describe('an .ingestignore', () => {
  it.each([
    ['in UTF-16', Buffer.from('\uFEFF*.pdf\n', 'utf16le')],
    ['in UTF-16 without its mark', Buffer.from('*.pdf\n', 'utf16le')],
    ['in Latin-1', Buffer.from('Rechnungen für*.pdf\n', 'latin1')],
  ])('%s is not valid: nothing beside it is sent', async (_, bytes) => {
    folder = await servedFolder();
    await folder.write('d/a.pdf', 'a');
    await folder.scan();
    writeFileSync(folder.join('d/.ingestignore'), bytes);
    await folder.scan();
    expect(await folder.inspect('d/a.pdf')).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/\.ingestignore is (?:UTF-16|not UTF-8); save it as UTF-8/),
    });
  });

  it('may end its lines with CR', async () => {
    folder = await servedFolder();
    await folder.write('a.pdf', 'a');
    await folder.write('b.txt', 'b');
    await folder.write('c.txt', 'c');
    await folder.write('.ingestignore', 'a.*\rb.*\r');
    await folder.scan();
    const verdicts = await Promise.all(['a.pdf', 'b.txt', 'c.txt'].map(folder.verdict));
    expect(verdicts).toEqual(['ignored ignore-rule', 'ignored ignore-rule', 'document']);
  });
});
