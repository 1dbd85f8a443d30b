import { chmod, writeFile } from 'node:fs/promises';
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
    ['the defaults above it cannot be read', 'd/.meta.json', 0, 'unfit defaults-unreadable'],
  ])('where %s', async (_, closed, mode, expected) => {
    folder = await servedFolder();
    for (const [path, content] of Object.entries(files)) await folder.write(path, content);
    await chmod(folder.path, 0o755);
    await folder.scan();
    await chmod(folder.join(closed), mode);
    expect(await asUser(() => folder.verdict('d/e/a.pdf'))).toBe(expected);
    await chmod(folder.join(closed), 0o755);
    expect(await asUser(() => folder.verdict('d/e/a.pdf'))).toBe('document');
  });
});

it('an attachment stays one where its owner’s sidecar cannot be read any more', async () => {
  folder = await servedFolder();
  await folder.write('a.pdf', 'a');
  await folder.write('a.pdf.meta.json', '{"attachments": ["x.csv"]}');
  await folder.write('x.csv', 'x');
  await chmod(folder.path, 0o755);
  await folder.scan();
  await writeFile(folder.join('a.pdf.meta.json'), '{}');
  await chmod(folder.join('a.pdf.meta.json'), 0);
  const scans = await asUser(() => folder.scan());
  expect(scans.get('')?.entries.map(({ name }) => name)).toEqual(['a.pdf']);
  expect(await asUser(() => folder.verdict('x.csv'))).toBe('ignored attachment');
});
