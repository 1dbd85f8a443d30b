import { copyFile, link, mkdir, symlink } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';

import { readSidecarFile } from '../../../src/scan/companions/read-sidecar.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

beforeEach(async () => {
  await folder.write('valid.json', '\uFEFF{"title": "A", "attachments": ["x.csv"]}');
  await folder.write('broken.json', '{"title": "A"');
  await folder.write('unknown.json', '{"tilte": "A"}');
  await mkdir(folder.join('directory.json'));
  await symlink('valid.json', folder.join('link.json'));
});

// One that is gone is looked for again, one that cannot be used keeps its document back.
it.each([
  ['valid.json', 'valid'],
  ['missing.json', 'unreadable ENOENT'],
  ['valid.json/missing.json', 'unreadable ENOTDIR'],
  ['broken.json', 'invalid'],
  ['unknown.json', 'invalid'],
  ['link.json', 'invalid'],
])('a sidecar %s is %s', (name, expected) => {
  const reading = readSidecarFile(folder.join(name));
  expect('code' in reading ? `${reading.kind} ${reading.code}` : reading.kind).toBe(expected);
});

it('a directory in its place is not gone, and states nothing; a link is said to be one', () => {
  expect(readSidecarFile(folder.join('directory.json')).kind).toBe('invalid');
  expect(JSON.stringify(readSidecarFile(folder.join('link.json')))).toContain('it is a symbolic link');
});

it('what it states is what stands in it', () => {
  expect(readSidecarFile(folder.join('valid.json'))).toMatchObject({
    value: { metadata: { title: 'A' }, attachments: ['x.csv'] },
  });
});

it('one content under many names is read into one value', async () => {
  await link(folder.join('valid.json'), folder.join('linked.json'));
  await copyFile(folder.join('valid.json'), folder.join('copied.json'));
  const [first, ...others] = ['valid.json', 'linked.json', 'copied.json'].map((name) => {
    const reading = readSidecarFile(folder.join(name));
    return reading.kind === 'valid' ? reading.value : null;
  });
  expect(first).not.toBeNull();
  for (const other of others) expect(other).toBe(first);
});
