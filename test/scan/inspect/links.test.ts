import { mkdir, rm, symlink } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { servedFolder } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';
import { scannedPaths } from '../support/folder-world.ts';

let folder: ServedFolder;
let outside: string;

/** Files, and links to them: in the folder, out of it, in circles, to nothing. */
async function linked(followSymlinks: boolean) {
  folder = await servedFolder({ settings: { followSymlinks } });
  outside = `${folder.path}-outside`;
  await mkdir(outside);
  await folder.write('real/inner.pdf', 'inner');
  await folder.write('real/deep/deeper.pdf', 'deeper');
  await folder.write('plain.pdf', 'plain');
  await folder.write('..data/hidden.pdf', 'hidden');
  await folder.write('../outside.pdf', 'not ours');
  const links: Readonly<Record<string, string>> = {
    'file.pdf': 'plain.pdf',
    dir: 'real',
    'hidden.pdf': '..data/hidden.pdf',
    'far.pdf': outside,
    far: outside,
    'real/circle': '.',
    'real/deep/up': '..',
    nothing: 'nowhere',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, folder.join(name));
  return folder.scan();
}

afterEach(async () => {
  await folder.remove();
  await rm(outside, { recursive: true, force: true });
  await rm(`${folder.path}/../outside.pdf`, { force: true });
});

const real = ['plain.pdf', 'real/deep/deeper.pdf', 'real/inner.pdf'];

describe('symbolic links', () => {
  it.each([
    [true, 'ignored', ['far', 'far.pdf', 'hidden.pdf', 'nothing']],
    [false, 'skipped', ['dir', 'far', 'far.pdf', 'file.pdf', 'hidden.pdf', 'nothing']],
  ])(
    'F33: are no documents beside what they lead to, which is one (followSymlinks: %s)',
    async (followSymlinks, inner, skipped) => {
      const scans = await linked(followSymlinks);
      expect([...scans.values()].flatMap(scannedPaths).sort()).toEqual(real);
      expect(
        scans
          .get('')
          ?.skips.map(({ path }) => path)
          .sort(),
      ).toEqual(skipped);
      const paths = ['file.pdf', 'dir', 'dir/inner.pdf', 'far.pdf', 'real/circle/inner.pdf'];
      expect(await Promise.all(paths.map((path) => folder.verdict(path)))).toEqual([
        `${inner} symbolic-link`,
        `${inner} symbolic-link`,
        'ignored symbolic-link',
        'skipped symbolic-link',
        'ignored symbolic-link',
      ]);
    },
  );

  it.each([false, true])(
    'beside attachments are none of them, and are listed (followSymlinks: %s)',
    async (followSymlinks) => {
      await linked(followSymlinks);
      await folder.write('real/inner.pdf.attachments/own.csv', 'own');
      await symlink(folder.join('plain.pdf'), folder.join('real/inner.pdf.attachments/linked.pdf'));
      await symlink(folder.join('plain.pdf'), folder.join('real/inner.pdf.attachments/.hidden.pdf'));
      const scans = await folder.scan();
      const found = await folder.inspect('real/inner.pdf');
      expect(found).toMatchObject({
        kind: 'document',
        document: { attachments: [{ path: 'real/inner.pdf.attachments/own.csv' }] },
      });
      const skipped = scans.get('real')?.skips.map(({ path }) => path);
      expect(skipped).toContain('real/inner.pdf.attachments/linked.pdf');
      expect(skipped).not.toContain('real/inner.pdf.attachments/.hidden.pdf');
      expect(await folder.verdict('real/inner.pdf.attachments/linked.pdf')).toBe('skipped symbolic-link');
      expect(found.kind === 'document' && found.document.fingerprint).toBe(
        scans.get('real')?.entries.find(({ name }) => name === 'inner.pdf')?.fingerprint,
      );
    },
  );
});
