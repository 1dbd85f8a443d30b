import { chown } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { describeWhere } from '../../support/needs.ts';
import { servedFolder, servedTiming } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

let folder: ServedFolder;

const anna = 1_001;
const ben = 1_002;

const isRoot = process.getuid?.() === 0;

describeWhere(
  isRoot ? null : { refused: 'giving files to other users' },
  'with sidecarOwner: same, of a document of Anna',
  () => {
    afterEach(() => folder.remove());

    /** Her document, and what stands beside it, by path, with whose it is. */
    async function beside(files: Readonly<Record<string, readonly [owner: number, content: string]>>) {
      folder = await servedFolder({ settings: { sidecarOwner: 'same' } });
      for (const [path, [owner, content]] of Object.entries({ 'd/a.pdf': [anna, 'a'], ...files } as const)) {
        await folder.write(path, content);
        await chown(folder.join(path), owner, owner);
      }
      await chown(folder.join('d'), anna, anna);
      return folder.scan();
    }

    /** When what does not count has been waited for as if it were gone. */
    const title = async (path = 'd/a.pdf') => {
      await folder.inspect(path);
      folder.pass(servedTiming.removeGraceMs);
      const found = await folder.inspect(path);
      return found.kind === 'document' ? found.document.metadata.title : found.kind;
    };

    it.each<readonly [string, string, number, string]>([
      ['her sidecar counts', 'd/a.pdf.meta.json', anna, 'beside'],
      ['a sidecar of root counts', 'd/a.pdf.meta.json', 0, 'beside'],
      ['Ben’s sidecar does not count', 'd/a.pdf.meta.json', ben, 'a'],
      ['her sidecar by its stem counts', 'd/a.meta.json', anna, 'beside'],
      ['Ben’s sidecar by its stem does not count', 'd/a.meta.json', ben, 'a'],
      ['the defaults of her directory count', 'd/.meta.json', anna, 'beside'],
      ['Ben’s defaults do not count', 'd/.meta.json', ben, 'a'],
    ])('%s', async (_, path, owner, expected) => {
      const scans = await beside({ [path]: [owner, '{"title": "beside"}'] });
      expect(await title()).toBe(expected);
      const isForeign = owner === ben && path !== 'd/.meta.json';
      const skips = isForeign ? [{ path, code: 'foreign-sidecar' }] : [];
      expect(scans.get('d')?.skips).toMatchObject(skips);
      expect(scans.get('d')?.skips).toHaveLength(skips.length);
      if (isForeign) expect(await folder.verdict(path)).toBe('skipped foreign-sidecar');
    });

    it.each([
      [anna, ['d/b.pdf'], 'ignored ignore-rule'],
      [ben, ['d/a.pdf', 'd/b.pdf'], 'document'],
    ])('the ignore rules of user %d in her directory leave %j', async (owner, documents, verdict) => {
      const scans = await beside({ 'd/.ingestignore': [owner, 'a.pdf'], 'd/b.pdf': [anna, 'b'] });
      expect(scans.get('d')?.entries.map(({ name }) => `d/${name}`)).toEqual(documents);
      expect(await folder.verdict('d/a.pdf')).toBe(verdict);
    });

    it('Ben makes no attachment of her file by a sidecar of his own document, and does not send it', async () => {
      const scans = await beside({
        'd/b.pdf': [ben, 'b'],
        'd/b.pdf.meta.json': [ben, '{"attachments": ["a.pdf"]}'],
      });
      expect(scans.get('d')?.entries.map(({ name }) => name)).toEqual(['a.pdf', 'b.pdf']);
      expect(await folder.verdict('d/a.pdf')).toBe('document');
      expect(await folder.verdict('d/b.pdf')).toBe('unfit attachment-invalid');
    });

    it('a file of another user in the directory of its attachments is not sent with it', async () => {
      await beside({ 'd/a.pdf.attachments/x.pdf': [ben, 'x'] });
      expect(await folder.verdict('d/a.pdf')).toBe('unfit attachment-invalid');
      await chown(folder.join('d/a.pdf.attachments/x.pdf'), 0, 0);
      folder.pass(servedTiming.settleMs);
      await folder.scan();
      expect(await folder.verdict('d/a.pdf')).toBe('document');
    });

    it('what Ben’s sidecar lists is no attachment', async () => {
      const scans = await beside({
        'd/b.pdf': [anna, 'b'],
        'd/a.pdf.meta.json': [ben, '{"attachments": ["b.pdf"]}'],
      });
      expect(scans.get('d')?.entries.map(({ name }) => name)).toEqual(['a.pdf', 'b.pdf']);
    });

    it('Ben’s file of the same stem leaves her sidecar hers', async () => {
      await beside({
        'd/a.txt': [ben, 'his'],
        'd/a.meta.json': [anna, '{"title": "beside"}'],
      });
      expect([await title(), await title('d/a.txt')]).toEqual(['beside', 'a']);
    });
  },
);
