import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { trialOfEachTest } from '../support/trial.ts';
import type { Part } from '../support/trial.ts';

const trial = trialOfEachTest();

const modify = (docId: string, ...parts: readonly Part[]) =>
  trial.form('PUT', `/modify-document/${docId}`, parts);
const metadataPart = (metadata: object): Part => ['metadata', JSON.stringify(metadata)];
const blobs = () => readdir(join(trial.dataDir, 'content'));
const only = () => trial.service.documents()[0];

it('replaces the content alone and leaves the rest', async () => {
  const docId = await trial.upload('a.txt', 'old', { title: 'T' });
  await trial.clock.advance(1000);
  const answer = await modify(docId, ['file', 'new', 'b.pdf']);
  expect([answer.status, answer.success?.docId]).toEqual([200, docId]);
  expect(await readFile(trial.service.contentPath(docId) ?? '', 'utf8')).toBe('new');
  expect(only()).toMatchObject({
    docId,
    fileName: 'b.pdf',
    size: 3,
    metadata: { title: 'T' },
    uploadedAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: '2026-01-01T00:00:01.000Z',
  });
  expect(await blobs()).toHaveLength(1);
});

it('replaces the whole set of attachments, and only when there are any', async () => {
  const { success } = await trial.form('POST', '/upload-document', [
    ['file', 'x', 'a.txt'],
    ['attachments', '1', 'one.txt'],
    ['attachments', '2', 'two.txt'],
  ]);
  const docId = success?.docId ?? '';
  await modify(docId, ['file', 'y', 'a.txt']);
  expect(only()?.attachments.map(({ name }) => name)).toEqual(['one.txt', 'two.txt']);
  await modify(docId, ['attachments', '3', 'three.txt']);
  expect(only()?.attachments.map(({ name }) => name)).toEqual(['three.txt']);
  expect(await readFile(trial.service.attachmentPath(docId, 0) ?? '', 'utf8')).toBe('3');
  expect(await readFile(trial.service.contentPath(docId) ?? '', 'utf8')).toBe('y');
  expect(await blobs()).toHaveLength(2);
});

it('replaces scalars, follows ADD and DELETE, adds authors', async () => {
  const docId = await trial.upload('a.txt', 'x', {
    title: 'old',
    sourceType: 's',
    companies: [{ value: 'A' }, { value: 'B', identifier: 'TICKER' }],
    customTags: [{ name: 't', visibility: 'PRIVATE' }],
    docAuthors: [{ authorName: 'one' }],
    shareInfo: { mode: 'NONE' },
  });
  await modify(
    docId,
    metadataPart({
      title: 'new',
      documentUrl: 'https://example.com',
      companies: [
        { value: 'A', operation: 'DELETE' },
        { value: 'B', identifier: 'TICKER', salience: 'PRIMARY', operation: 'ADD' },
        { value: 'C' },
      ],
      customTags: [{ name: 't', visibility: 'PUBLIC', operation: 'ADD' }],
      docAuthors: [{ authorName: 'two', operation: 'ADD' }, { authorName: 'one' }],
    }),
  );
  expect(only()?.metadata).toEqual({
    title: 'new',
    sourceType: 's',
    documentUrl: 'https://example.com',
    companies: [{ value: 'B', identifier: 'TICKER', salience: 'PRIMARY' }, { value: 'C' }],
    customTags: [
      { name: 't', visibility: 'PRIVATE' },
      { name: 't', visibility: 'PUBLIC' },
    ],
    docAuthors: [{ authorName: 'one' }, { authorName: 'two' }],
    shareInfo: { mode: 'NONE' },
  });
  await modify(docId, metadataPart({ shareInfo: {} }));
  expect(only()?.metadata.shareInfo).toEqual({ mode: 'DEFAULT' });
});

it('may give a document another owner', async () => {
  const docId = await trial.upload('a.txt', 'x');
  await modify(docId, metadataPart({ documentOwner: 'other' }));
  expect(only()).toMatchObject({ owner: 'other', metadata: { documentOwner: 'other' } });
});

it('warns of what was not there to be deleted and does the rest', async () => {
  const docId = await trial.upload('a.txt', 'x');
  const answer = await modify(
    docId,
    metadataPart({ companies: [{ value: 'X', operation: 'DELETE' }, { value: 'Y' }] }),
  );
  expect(answer.status).toBe(200);
  expect(answer.warning).toEqual({ docId, message: 'company X was not there to be deleted' });
  expect(only()?.metadata.companies).toEqual([{ value: 'Y' }]);
});

it.each<[string, readonly Part[], number]>([
  ['no part at all', [], 400],
  ['createdTimestamp', [['metadata', '{"createdTimestamp":"2024-01-01T00:00:00Z"}']], 422],
  ['a bad name', [['file', 'x', 'a.exe']], 415],
  [
    'an unknown field',
    [
      ['file', 'y', 'b.txt'],
      ['metadata', '{"x":1}'],
    ],
    422,
  ],
  ['JSON cut short', [['metadata', '{"title":"x"']], 400],
  ['eleven attachments', Array.from({ length: 11 }, (): Part => ['attachments', 'x', 'a.txt']), 422],
])('refuses %s, names the document and changes nothing', async (_name, parts, status) => {
  const docId = await trial.upload('a.txt', 'x', { title: 'T' });
  const before = trial.service.documents();
  const answer = await modify(docId, ...parts);
  expect([answer.status, answer.error?.docId]).toEqual([status, docId]);
  expect(trial.service.documents()).toEqual(before);
  expect(await blobs()).toHaveLength(1);
});

it('answers 404 for a document that is not there, whatever the docId looks like', async () => {
  for (const docId of ['unknown', '..%2F..%2Fidentity', '__proto__', '%00', 'x'.repeat(90)]) {
    const answer = await modify(docId, metadataPart({ title: 'x' }));
    expect([answer.status, answer.error?.docId]).toEqual([404, decodeURIComponent(docId)]);
  }
});

it('does not bring back a document that was deleted while its new content was coming', async () => {
  const docId = await trial.upload('a.txt', 'x');
  const [one, two] = await Promise.all([
    modify(docId, ['file', 'y'.repeat(2_000_000), 'a.txt']),
    trial.call('DELETE', `/delete-document/${docId}`),
  ]);
  expect(two.status).toBe(200);
  expect([200, 404]).toContain(one.status);
  expect(trial.service.documents()).toEqual([]);
  expect(await blobs()).toEqual([]);
});
