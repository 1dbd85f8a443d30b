import { mkdir, rename, rm, unlink } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';

import type { ScanRequest } from '../../../src/scan/walk/scan-request.ts';
import { servedFolder } from '../inspect/served-folder.ts';
import { scannedPaths } from '../support/folder-world.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const folder = ofEachTest(() => servedFolder());

beforeEach(async () => {
  await folder.write('a.pdf', 'a');
  await folder.write('d/b.pdf', 'b');
  await folder.write('d/e/c.pdf', 'c');
  await folder.scan();
});

/** The directories that a scan lists, and their documents. */
async function listed(
  request: Partial<ScanRequest> = {},
): Promise<Readonly<Record<string, readonly string[]>>> {
  const before = new Map(await folder.scan({ targets: [] }));
  const after = await folder.scan(request);
  const found = [...after].filter(([directory, scan]) => before.get(directory) !== scan);
  return Object.fromEntries(found.map(([directory, scan]) => [directory, scannedPaths(scan)]));
}

const changed = () => {
  const outcome = folder.outcome();
  return outcome?.kind === 'scanned' ? outcome.changed : outcome;
};

describe('a scan', () => {
  it('lists what it is asked for, and all below only where it is asked for everything', async () => {
    expect(await listed({ targets: [''] })).toEqual({ '': ['a.pdf'] });
    expect(await listed({ targets: ['d'] })).toEqual({ d: ['d/b.pdf'] });
    expect(await listed()).toEqual({ '': ['a.pdf'], d: ['d/b.pdf'], 'd/e': ['d/e/c.pdf'] });
  });

  it('tells how it stands', () => {
    expect(folder.outcome()).toMatchObject({
      kind: 'scanned',
      full: true,
      report: { directories: 3, watches: 0, backend: null, polled: true, withoutEvents: true, unwatched: 0 },
    });
  });

  it('lists what is in a directory whatever its name, but where it holds attachments', async () => {
    await folder.write('a directory with a long name/x.pdf', 'x');
    await folder.write('a.pdf.attachments/y.csv', 'y');
    await folder.write('attachments/z.pdf', 'z');
    expect(await listed()).toMatchObject({
      '': ['a.pdf'],
      'a directory with a long name': ['a directory with a long name/x.pdf'],
      attachments: ['attachments/z.pdf'],
    });
    expect(await folder.verdict('a.pdf.attachments/y.csv')).toBe('ignored attachment');
  });

  it('lists a new directory with all below', async () => {
    await folder.write('n/o/new.pdf', 'new');
    expect(await listed({ targets: [''] })).toEqual({ '': ['a.pdf'], n: [], 'n/o': ['n/o/new.pdf'] });
  });

  // A file system gives an inode number that is free to the next directory that is made.
  it.each([
    ['of one', () => rename(folder.join('d'), folder.join('.away'))],
    ['of one whose inode number it has', () => rm(folder.join('d'), { recursive: true })],
  ])('lists another directory in the place %s with all below', async (_, take) => {
    await take();
    await folder.write('d/e/other.pdf', 'other');
    expect(await listed({ targets: [''] })).toEqual({ '': ['a.pdf'], d: [], 'd/e': ['d/e/other.pdf'] });
  });

  it('of a directory that is gone lists the nearest that is there', async () => {
    await rm(folder.join('d'), { recursive: true });
    expect(await listed({ targets: ['d/e'] })).toEqual({ '': ['a.pdf'] });
  });

  it('tells what has changed since the last one', async () => {
    await folder.scan();
    expect(changed()).toEqual([]);
    await folder.write('d/b.pdf.meta.json', '{"title": "B"}');
    await folder.scan();
    expect(changed()).toEqual(['d']);
    await folder.write('d/b.pdf.meta.json', '{"title": "other"}');
    await folder.scan();
    expect(changed()).toEqual(['d']);
    await folder.write('d/e/c.pdf', 'changed');
    await mkdir(folder.join('new'));
    await folder.scan();
    expect(new Set(changed() as string[])).toEqual(new Set(['', 'd/e', 'new']));
  });

  it('tells of no change in what is no document: it may be written all the time', async () => {
    await folder.write('d/app.log', 'one');
    await folder.scan();
    await folder.write('d/app.log', 'two lines');
    await folder.scan();
    expect(changed()).toEqual([]);
  });
});

describe('rules that cannot be used', () => {
  const tooMany = 'x\n'.repeat(1_001);

  it('freeze a directory and all below, until they can be used again', async () => {
    await folder.write('d/.ingestignore', tooMany);
    await folder.scan();
    expect(await Promise.all(['a.pdf', 'd/b.pdf', 'd/e/c.pdf'].map(folder.verdict))).toEqual([
      'document',
      'unknown ignore-file-invalid',
      'unknown ignore-file-invalid',
    ]);
    expect(folder.outcome()).toMatchObject({
      report: {
        withoutEvents: true,
        unreadableTotal: 1,
        unreadable: [
          {
            path: 'd',
            code: 'ignore-file-invalid',
            message: 'its .ingestignore has 1001 patterns, but at most 1000 are allowed; remove some',
          },
        ],
      },
    });
    await unlink(folder.join('d/.ingestignore'));
    await folder.scan({ targets: [''] });
    folder.pass(5_000);
    expect(await Promise.all(['d/b.pdf', 'd/e/c.pdf'].map(folder.verdict))).toEqual(['document', 'document']);
    expect(folder.outcome()).toMatchObject({ report: { unreadableTotal: 0, unreadable: [] } });
  });

  it('are looked at again by a scan of what reports no events', async () => {
    await folder.write('d/.ingestignore', tooMany);
    await folder.scan();
    await unlink(folder.join('d/.ingestignore'));
    await folder.scan({ targets: 'withoutEvents' });
    folder.pass(5_000);
    expect(await folder.verdict('d/b.pdf')).toBe('document');
  });
});

describe('rules that change', () => {
  it('hold for all below at once', async () => {
    await folder.write('.ingestignore', 'c.*');
    expect(await listed({ targets: [''] })).toEqual({ '': ['a.pdf'], d: ['d/b.pdf'], 'd/e': [] });
    await folder.write('d/.ingestignore', '!c.*');
    expect(await listed({ targets: ['d'] })).toEqual({ d: ['d/b.pdf'], 'd/e': ['d/e/c.pdf'] });
    await folder.write('d/e/.ingestignore', 'c.pdf/');
    expect(await listed({ targets: ['d/e'] })).toEqual({ 'd/e': ['d/e/c.pdf'] });
  });

  it('of defaults change the fingerprints of all below', async () => {
    const prints = async () =>
      [...(await folder.scan({ targets: [''] })).values()].flatMap(({ entries }) =>
        entries.map((one) => one.fingerprint),
      );
    const before = await prints();
    await folder.write('.meta.json', '{"title": "all"}');
    const after = await prints();
    expect(after).toHaveLength(3);
    for (const [index, one] of after.entries()) expect(one).not.toBe(before[index]);
  });
});
