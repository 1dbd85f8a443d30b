import { createHash } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../support/eventually.ts';
import { fileSource } from '../support/fixtures/file-source.ts';
import { steps } from '../support/services/scripted-service.ts';
import { plantedCredentials } from '../support/planted-secrets.ts';
import { closeWorlds, startClientWorld, unwatched } from './client-world.ts';
import type { ClientWorld } from './client-world.ts';

const prefix = '/services/i/ingestion-api/v1';

describe('the ingestion client', () => {
  let world: ClientWorld;

  beforeEach(async () => {
    world = await startClientWorld();
  });
  afterEach(closeWorlds);

  it('uploads metadata, document and attachments as one form and gives the docId and the hashes', async () => {
    const { service, client, limiter } = world;
    const metadata = { title: 'Übersicht', companies: [{ value: 'ACME', operation: 'ADD' as const }] };
    const file = await world.file('Bericht ü.pdf', 'the document');
    const attachments = [await world.file('a.xlsx', 'first'), await world.file('b.csv', '')];
    const permit = await limiter.take();
    const result = await client.upload({ file, attachments, metadata }, permit, unwatched);

    expect(result.outcome).toEqual({ kind: 'accepted', docId: 'doc-1', warning: null });
    expect(result.sent).toEqual(
      ['the document', 'first', ''].map((text) => ({
        sha256: createHash('sha256').update(text).digest('hex'),
      })),
    );
    const [request] = service.requests;
    expect(request?.method).toBe('POST');
    expect(request?.url).toBe(`${prefix}/upload-document`);
    expect(request?.headers['authorization']).toBe('Bearer token-1');
    expect(request?.headers['clientid']).toBe(plantedCredentials.clientId);
    expect(request?.headers['x-api-key']).toBeUndefined();
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(
      request
        ?.parts()
        .map(({ name, fileName, contentType, body }) => [name, fileName, contentType, body.toString()]),
    ).toEqual([
      ['metadata', null, null, JSON.stringify(metadata)],
      ['file', 'Bericht ü.pdf', 'application/pdf', 'the document'],
      ['attachments', 'a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'first'],
      ['attachments', 'b.csv', 'text/csv', ''],
    ]);
    expect([file, ...attachments].map(({ opened, closed }) => [opened(), closed()])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  it('modifies with only the parts that are given', async () => {
    const { service, client, limiter } = world;
    const docId = 'a b?c#ü';
    const metadata = { title: 'New' };
    const only = { docId, file: null, attachments: null, metadata: null };
    const [file, attachment] = [await world.file('x.txt', 'x'), await world.file('y.txt', 'y')];
    await client.modify({ ...only, metadata }, await limiter.take(), unwatched);
    await client.modify({ ...only, file }, await limiter.take(), unwatched);
    await client.modify({ ...only, attachments: [attachment] }, await limiter.take(), unwatched);
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array<string>(3).fill(`PUT ${prefix}/modify-document/a%20b%3Fc%23%C3%BC`),
    );
    expect(service.requests.map((request) => request.parts().map(({ name }) => name))).toEqual([
      ['metadata'],
      ['file'],
      ['attachments'],
    ]);
  });

  it('removes by address and owner, without a body', async () => {
    const { service, client, limiter } = world;
    await client.remove({ docId: 'd-1', documentOwner: 'jane&co' }, await limiter.take(), unwatched);
    await client.remove({ docId: 'd-1' }, await limiter.take(), unwatched);
    await client.remove({ docId: 'd-1', documentOwner: '\ud800' }, await limiter.take(), unwatched);
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `DELETE ${prefix}/delete-document/d-1?documentOwner=jane%26co`,
      `DELETE ${prefix}/delete-document/d-1`,
      `DELETE ${prefix}/delete-document/d-1?documentOwner=%EF%BF%BD`,
    ]);
    for (const { headers } of service.requests) {
      expect(headers['content-type']).toBeUndefined();
      expect(headers['content-length'] ?? '0').toBe('0');
      expect(headers['transfer-encoding']).toBeUndefined();
    }
  });

  it("names the user who is signed in, where a removal has no owner and service.documentOwner is 'always'", async () => {
    const { service, client, limiter } = await startClientWorld({ documentOwner: 'always' });
    await client.remove({ docId: 'd-1' }, await limiter.take(), unwatched);
    await client.remove({ docId: 'd-1', documentOwner: 'jane' }, await limiter.take(), unwatched);
    await client.bulkRemove({ docIds: ['a', 'b'] }, await limiter.take(), unwatched);
    await client.bulkRemove({ docIds: ['a', 'b'], documentOwner: 'jane' }, await limiter.take(), unwatched);
    const { username } = plantedCredentials;
    expect(service.requests.map(({ url }) => url)).toEqual([
      `${prefix}/delete-document/d-1?documentOwner=${encodeURIComponent(username)}`,
      `${prefix}/delete-document/d-1?documentOwner=jane`,
      `${prefix}/bulk/delete`,
      `${prefix}/bulk/delete`,
    ]);
    expect(service.requests.slice(2).map((request) => request.json())).toEqual([
      { docIds: ['a', 'b'], documentOwner: username },
      { docIds: ['a', 'b'], documentOwner: 'jane' },
    ]);
  });

  it('sends bulk calls as JSON', async () => {
    const { service, client, limiter } = world;
    const change = { docIds: ['a', 'b'], shareInfo: {}, customTags: [{ name: 't', operation: 'DELETE' }] };
    await client.bulkModify(
      change as Parameters<typeof client.bulkModify>[0],
      await limiter.take(),
      unwatched,
    );
    await client.bulkRemove({ docIds: ['a'], documentOwner: 'jane' }, await limiter.take(), unwatched);
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `PATCH ${prefix}/bulk/modify/metadata`,
      `DELETE ${prefix}/bulk/delete`,
    ]);
    expect(service.requests.map((request) => request.json())).toEqual([
      change,
      { docIds: ['a'], documentOwner: 'jane' },
    ]);
    for (const { headers } of service.requests) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['accept']).toBe('application/json');
    }
  });

  it('sends x-api-key to the ingestion operations only when told to', async () => {
    const other = await startClientWorld({ sendApiKey: true });
    await other.call('remove');
    expect(other.service.requests[0]?.headers['x-api-key']).toBe(plantedCredentials.apiKey);
  });

  it('gives every request a connection of its own, so that none can go into one that is closing (N28, N29)', async () => {
    const { service } = world;
    for (const name of ['upload', 'remove', 'remove'] as const) await world.call(name);
    expect(service.requests.map(({ connection }) => connection)).toEqual([2, 3, 4]);
  });

  it.each(['.', '..', '\ud800'])(
    'sends nothing about the docId %j, and gives the permit back',
    async (docId) => {
      const { service, client, limiter } = world;
      const content = { file: await world.file('x.txt', 'x'), attachments: null, metadata: null };
      const refused = { outcome: { kind: 'rejected', code: 'invalid-request' } };
      const modified = client.modify({ docId, ...content }, await limiter.take(), unwatched);
      await expect(modified).resolves.toMatchObject(refused);
      const removed = client.remove({ docId }, await limiter.take(), unwatched);
      await expect(removed).resolves.toMatchObject(refused);
      expect(service.requests).toHaveLength(0);
      expect(limiter.status().used).toBe(0);
    },
  );

  it('tells the watch before it sends and when the answer is here, and counts the bytes', async () => {
    const told: string[] = [];
    let bytes = 0;
    await world.call('upload', {
      beforeSend: async (id) => {
        expect(world.service.requests).toHaveLength(0);
        told.push(`send ${id}`);
      },
      onAnswer: (id) => {
        told.push(`answer ${id}`);
      },
      onBytes: (more) => {
        bytes += more;
      },
    });
    const id = told[0]?.slice('send '.length) ?? '';
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(told).toEqual([`send ${id}`, `answer ${id}`]);
    expect(bytes).toBe(world.service.requests[0]?.bytes());
  });

  it('sends nothing when the intent cannot be written, and gives the permit back', async () => {
    const result = await world.call('upload', {
      beforeSend: () => Promise.reject(new Error('no space left on device')),
    });
    expect(result).toMatchObject({
      outcome: { kind: 'unavailable', code: 'ledger-unwritable', sent: 'nothing' },
    });
    expect(world.service.requests).toHaveLength(0);
    expect(world.limiter.status().used).toBe(0);
  });

  it('sends nothing when a file is not there any more, and closes those that were opened', async () => {
    const { service, limiter } = world;
    const file = await world.file('x.txt', 'x');
    const gone = fileSource(world.folder.join('gone.txt'), { name: 'gone.txt' });
    const result = await world.upload(file, [gone]);
    expect(result).toMatchObject({ outcome: { kind: 'unreadable' } });
    expect([file.opened(), file.closed()]).toEqual([1, 1]);
    expect(service.requests).toHaveLength(0);
    expect(limiter.status().used).toBe(0);
  });

  it('cuts the connection before the last byte when the file shrinks (F29)', async () => {
    const { service } = world;
    const path = await world.folder.write('short.pdf', Buffer.alloc(3_000_000, 'x'));
    const file = fileSource(path, { name: 'short.pdf', size: 4_000_000 });
    const result = await world.upload(file);
    expect(result.outcome.kind).toBe('changed');
    expect(result.sent).toEqual([]);
    expect(service.requests[0]?.complete()).toBe(false);
    expect(file.closed()).toBe(1);
  });

  it('cannot be made to send a second request by a file that grows (S13)', async () => {
    const { service } = world;
    const smuggled = `DELETE ${prefix}/delete-document/VICTIM HTTP/1.1\r\nHost: x\r\n\r\n`;
    const path = await world.folder.write('grow.pdf', `${'x'.repeat(100_000)}\r\n${smuggled.repeat(100)}`);
    const file = fileSource(path, { name: 'grow.pdf', size: 100_000 });
    const result = await world.upload(file);
    expect(result.outcome.kind).toBe('accepted');

    // A source that breaks its word: more bytes than it announced.
    const liar = {
      name: 'liar.pdf',
      open: async () => ({ ...(await fileSource(path, { name: 'x' }).open()), size: 100_000 }),
    };
    const lied = await world.upload(liar);
    expect(lied.outcome.kind).toBe('changed');
    expect(service.requests.filter(({ method }) => method !== 'POST')).toEqual([]);
    expect(service.requests.filter((request) => request.complete())).toHaveLength(1);
  });

  it.each([
    'quote".pdf',
    'line\r\nX-Evil: 1\r\n\r\nbody.pdf',
    "semi;colon='x'.pdf",
    'per%22cent.pdf',
    'tab\t\\back.pdf',
  ])('cannot be made to send another header by the file name %j (F21, S12)', async (name) => {
    const { service } = world;
    const path = await world.folder.write('plain.pdf', 'x');
    await world.upload(fileSource(path, { name }));
    const parts = service.requests[0]?.parts() ?? [];
    expect(parts.map((part) => part.name)).toEqual(['metadata', 'file']);
    expect(parts[1]?.head.split('\r\n').map((line) => line.slice(0, line.indexOf(':')))).toEqual(
      ['', 'Content-Disposition', 'Content-Type'].slice(1),
    );
    expect(parts[1]?.body.toString()).toBe('x');
  });

  it('believes a success only when everything had gone out (N27)', async () => {
    const big = await startClientWorld({ bytes: 12_000_000 });
    big.service.script(
      steps.answerEarly(200, '{"success":{"docId":"early","message":""}}', { drain: false }),
    );
    expect((await big.call('upload')).outcome).toMatchObject({ kind: 'unknown', code: 'answer-early' });
  });

  it('is not misled by 100 and 103 (N27)', async () => {
    world.service.script(steps.informational(steps.accept('d-1')));
    expect((await world.call('upload')).outcome).toMatchObject({ kind: 'accepted', docId: 'd-1' });
  });

  it.each([401, 413])('uses an answer of %i that comes before the body was read (N6)', async (status) => {
    const big = await startClientWorld({ bytes: 30_000_000 });
    big.service.always(steps.answerEarly(status, '{"error":{"message":"no"}}'));
    const { outcome } = await big.call('upload');
    expect(outcome.kind).toBe(status === 401 ? 'unauthorized' : 'rejected');
    expect(big.service.requests[0]?.complete()).toBe(false);
  });

  it('lets a slow line take its time: idle means that nothing moves at all', async () => {
    const slow = await startClientWorld({ idleSeconds: 0.8, bytes: 12_000_000 });
    slow.service.script(steps.readSlowly(10, steps.accept('d-1')));
    const start = performance.now();
    expect((await slow.call('upload')).outcome).toMatchObject({ kind: 'accepted', docId: 'd-1' });
    expect(performance.now() - start).toBeGreaterThan(1000);
  });

  it('ends what is under way when it is closed', async () => {
    world.service.script(steps.silence());
    const running = world.call('upload');
    await eventually(() => world.service.requests[0]?.complete());
    world.client.close();
    expect((await running).outcome).toMatchObject({ kind: 'unknown', code: 'stopped' });
  });
});
