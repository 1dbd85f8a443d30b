import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { trialOfEachTest } from '../support/trial.ts';

const trial = trialOfEachTest();

const remaining = () => trial.service.documents().map(({ fileName }) => fileName);

describe('a delete', () => {
  const remove = (docId: string, query = '') => trial.call('DELETE', `/delete-document/${docId}${query}`);

  it('removes the document and its bytes, once', async () => {
    const docId = await trial.upload('a.txt', 'x');
    await trial.upload('b.txt', 'x');
    const answer = await remove(docId);
    expect([answer.status, answer.success?.docId]).toEqual([200, docId]);
    expect(remaining()).toEqual(['b.txt']);
    expect(await readdir(join(trial.dataDir, 'content'))).toHaveLength(1);
    const again = await remove(docId);
    expect([again.status, again.error?.docId]).toEqual([404, docId]);
    expect(trial.service.contentPath(docId)).toBeNull();
  });

  it('takes the owner when it is right and refuses another', async () => {
    const mine = await trial.upload('a.txt', 'x');
    const theirs = await trial.upload('b.txt', 'x', { documentOwner: 'müller+1@example.com' });
    const me = encodeURIComponent(trial.service.credentials.username);
    expect((await remove(theirs, `?documentOwner=${me}`)).status).toBe(403);
    expect((await remove(mine, '?documentOwner=somebody')).error?.docId).toBe(mine);
    expect((await remove(mine, '?documentOwner=')).status).toBe(400);
    expect((await remove(mine, '?documentOwner=a&documentOwner=b')).status).toBe(400);
    expect(remaining()).toEqual(['a.txt', 'b.txt']);
    expect((await remove(mine, `?documentOwner=${me}`)).status).toBe(200);
    expect(
      (await remove(theirs, `?documentOwner=${encodeURIComponent('müller+1@example.com')}`)).status,
    ).toBe(200);
    expect(remaining()).toEqual([]);
  });

  it('needs no owner from whoever uploaded', async () => {
    const docId = await trial.upload('a.txt', 'x', { documentOwner: 'other' });
    expect((await remove(docId)).status).toBe(200);
  });
});

describe('a bulk modify', () => {
  const modify = (body: unknown) => trial.json('PATCH', '/bulk/modify/metadata', body);

  it('changes companies, tags and sharing of all', async () => {
    const docIds = [
      await trial.upload('a.txt', 'x', { customTags: [{ name: 'old' }] }),
      await trial.upload('b.txt', 'x', { title: 'B' }),
    ];
    await trial.clock.advance(1000);
    const answer = await modify({
      docIds,
      companies: [{ value: 'X', identifier: 'NAME', operation: 'ADD' }],
      customTags: [{ name: 'old', operation: 'DELETE' }],
      shareInfo: { mode: 'NONE' },
    });
    expect(answer.status).toBe(200);
    expect(answer.success).toEqual({ docId: docIds[0], message: '2 documents modified' });
    expect(answer.warning?.message).toBe('tag old was not there to be deleted');
    const [a, b] = trial.service.documents();
    expect(a?.metadata).toEqual({
      companies: [{ value: 'X', identifier: 'NAME' }],
      customTags: [],
      shareInfo: { mode: 'NONE' },
    });
    expect(b?.metadata).toMatchObject({ title: 'B', companies: [{ value: 'X', identifier: 'NAME' }] });
    expect(b?.modifiedAt).toBe('2026-01-01T00:00:01.000Z');
  });

  it('accepts owner and source type, checks the one and does not change the other', async () => {
    const docId = await trial.upload('a.txt', 'x', { documentOwner: 'o', sourceType: 's' });
    const answer = await modify({ docIds: [docId], documentOwner: 'o', sourceType: 'other' });
    expect(answer.status).toBe(200);
    expect(answer.warning?.message).toBe('sourceType is not changed in bulk');
    expect(trial.service.documents()[0]?.metadata.sourceType).toBe('s');
    const refused = await modify({ docIds: [docId], documentOwner: 'p', shareInfo: {} });
    expect([refused.status, refused.error?.docId]).toEqual([403, docId]);
  });

  it('does all or nothing, and names the first that is not there', async () => {
    const docId = await trial.upload('a.txt', 'x');
    const answer = await modify({ docIds: [docId, 'unknown', 'other'], shareInfo: { mode: 'NONE' } });
    expect([answer.status, answer.error?.docId]).toEqual([404, 'unknown']);
    expect(trial.service.documents()[0]?.metadata.shareInfo).toEqual({ mode: 'DEFAULT' });
  });

  it.each([
    ['no docIds', {}],
    ['an empty list', { docIds: [] }],
    ['251 documents', { docIds: Array.from({ length: 251 }, (_, index) => `d${index}`) }],
    ['a docId that is no string', { docIds: [1] }],
    ['an empty docId', { docIds: [''] }],
    ['a title', { docIds: ['x'], title: 'y' }],
    ['authors', { docIds: ['x'], docAuthors: [] }],
    ['an unknown mode', { docIds: ['x'], shareInfo: { mode: 'ALL' } }],
    ['an array', []],
  ])('refuses %s', async (_name, body) => {
    expect((await modify(body)).status).toBe(422);
  });

  it('refuses a docId that is named twice', async () => {
    const docId = await trial.upload('a.txt', 'x');
    expect((await modify({ docIds: [docId, docId] })).status).toBe(422);
  });

  it.each([
    ['PATCH', '/bulk/modify/metadata'],
    ['DELETE', '/bulk/delete'],
  ])('takes JSON alone and gives JSON alone: %s %s', async (method, path) => {
    const send = async (headers: Record<string, string>, body = '{"docIds":["x"]}') =>
      (
        await trial.call(method, path, {
          headers: { ...(await trial.headers()), ...headers },
          body,
        })
      ).status;
    const json = { 'Content-Type': 'application/json' };
    expect(await send({ 'Content-Type': 'application/json; charset=utf-8' })).toBe(404);
    expect(await send({ ...json, accept: 'text/html, application/*;q=0.5' })).toBe(404);
    expect(await send({ ...json, accept: 'text/html' })).toBe(406);
    expect(await send({ 'Content-Type': 'text/plain' })).toBe(415);
    expect(await send({ 'Content-Type': 'multipart/form-data; boundary=x' })).toBe(415);
    expect(await send(json, '{')).toBe(400);
    expect(await send(json, '')).toBe(400);
    expect(await send(json, '{"docIds":["x"],"__proto__":{}}')).toBe(422);
    expect(await send(json, `{"docIds":["${'x'.repeat(1024 * 1024)}"]}`)).toBe(413);
  });
});

describe('a bulk delete', () => {
  const remove = (body: unknown) => trial.json('DELETE', '/bulk/delete', body);

  it('removes 250 documents at once', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `d${index}.txt`);
    const docIds = await Promise.all(names.map((name) => trial.upload(name, 'x')));
    await trial.upload('kept.txt', 'x');
    const answer = await remove({ docIds });
    expect(answer.success).toEqual({ docId: docIds[0], message: '250 documents deleted' });
    expect(remaining()).toEqual(['kept.txt']);
    expect(await readdir(join(trial.dataDir, 'content'))).toHaveLength(1);
  });

  it('does all or nothing', async () => {
    const mine = await trial.upload('a.txt', 'x');
    const theirs = await trial.upload('b.txt', 'x', { documentOwner: 'o' });
    const unknown = await remove({ docIds: [mine, 'unknown'] });
    expect([unknown.status, unknown.error?.docId]).toEqual([404, 'unknown']);
    const foreign = await remove({ docIds: [theirs, mine], documentOwner: 'o' });
    expect([foreign.status, foreign.error?.docId]).toEqual([403, mine]);
    expect(remaining()).toEqual(['a.txt', 'b.txt']);
    expect((await remove({ docIds: [theirs], documentOwner: 'o' })).status).toBe(200);
    expect(remaining()).toEqual(['a.txt']);
  });

  it.each([
    ['no docIds', { documentOwner: 'x' }],
    ['an empty list', { docIds: [] }],
    ['251 documents', { docIds: Array.from({ length: 251 }, (_, index) => `d${index}`) }],
    ['an unknown field', { docIds: ['x'], shareInfo: {} }],
  ])('refuses %s', async (_name, body) => {
    expect((await remove(body)).status).toBe(422);
  });
});
