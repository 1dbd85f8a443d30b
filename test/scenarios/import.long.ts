import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { systemClock } from '../../src/lib/time/clock.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { startTrial } from '../embedded/support/trial.ts';
import type { Trial } from '../embedded/support/trial.ts';
import { installation } from '../support/processes/daemon-process.ts';
import type { Installation } from '../support/processes/daemon-process.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { environmentOf, plantedCredentials } from '../support/planted-secrets.ts';
import { recordedLog } from '../support/recorded-log.ts';

let trial: Trial;
let place: Installation;
/** Path → docId, as they were delivered by a daemon whose state is lost. */
let docIds: ReadonlyMap<string, string>;
let exported: string;

beforeEach(async () => {
  trial = await startTrial({ clock: systemClock });
  place = await installation(trial.service);
  await mkdir(join(place.inbox, 'sub'));
  for (const path of ['a.txt', 'sub/b.txt', 'sub/c, d.txt']) await writeFile(join(place.inbox, path), path);
  const sidecar = { sourceType: 'research', createdTimestamp: '2026-01-31T09:00:00Z' };
  await writeFile(join(place.inbox, 'sub/c, d.txt.meta.json'), JSON.stringify(sidecar));
  expect((await place.run('sync')).code).toBe(0);
  exported = (await place.run('ledger', 'export', '--json')).out;
  const { documents } = JSON.parse(exported) as { documents: { path: string; docId: string }[] };
  docIds = new Map(documents.map(({ path, docId }) => [path, docId]));
  expect(docIds.size).toBe(3);
  await place.configure({ state: { dir: './fresh' } });
});

afterEach(async () => {
  await place.remove();
  await trial.close();
});

interface Planned {
  readonly kind: string;
  readonly path: string;
  readonly parts: readonly string[];
}

async function planned(): Promise<readonly Planned[]> {
  const { out } = await place.run('plan', '--json');
  return (JSON.parse(out) as { operations: Planned[] }).operations;
}

const plannedKinds = async () => (await planned()).map(({ kind }) => kind);

async function importText(name: string, text: string): ReturnType<Installation['run']> {
  await writeFile(place.home.join(name), text);
  return place.run('ledger', 'import', place.home.join(name));
}

const csvOf = (documents: ReadonlyMap<string, string>) =>
  ['path,docId', ...Array.from(documents, ([path, docId]) => `"${path}",${docId}`), ''].join('\n');

const sent = () => trial.service.requestLog().filter(({ operation }) => operation !== 'auth').length;

describe('ledger import', () => {
  it('takes what export prints, with the metadata of a sidecar: nothing has to be sent, the docIds are kept', async () => {
    expect(await plannedKinds()).toEqual(['upload', 'upload', 'upload']);
    expect(await importText('export.json', exported)).toMatchObject({ code: 0 });
    expect(await plannedKinds()).toEqual([]);
    expect(await importText('again.json', exported)).toMatchObject({
      code: 0,
      out: '0 documents adopted, 3 already known.\n',
    });
    const before = sent();
    await writeFile(join(place.inbox, 'a.txt'), 'edited');
    expect((await place.run('sync')).code).toBe(0);
    expect(sent() - before).toBe(1);
    const stored = trial.service.documents();
    expect(stored.map(({ docId }) => docId).sort()).toEqual([...docIds.values()].sort());
  }, 60_000);

  it('I7: takes what was not certain too: what may be public is made private, what is in doubt is not sent again', async () => {
    await place.configure({ state: { dir: './state' }, safety: { inDoubt: 'hold' } });
    const docId = docIds.get('a.txt') ?? '';
    const inbox = (path: string) => ({ folder: 'inbox', path });
    const options = { dir: place.home.join('state'), clock: systemClock, log: recordedLog() };
    const ledger = await openLedger(options);
    const record = ledger.get(inbox('a.txt'));
    if (record === undefined) throw new Error('a.txt is not in the ledger');
    const metadata = [{ ...record.metadata, shareInfo: { mode: 'EVERYONE' as const } }];
    await ledger.commit([
      {
        kind: 'put',
        ref: inbox('a.txt'),
        record: { ...record, fingerprint: '', unsure: { content: false, attachments: false, metadata } },
      },
      {
        kind: 'doubt',
        doubt: { id: 'd', ref: inbox('lost.txt'), count: 1, since: 1, message: 'no answer', holds: true },
      },
    ]);
    await ledger.close();
    await writeFile(join(place.inbox, 'lost.txt'), 'lost');
    const uncertain = (await place.run('ledger', 'export')).out;
    const before = await planned();
    expect(before.map(({ kind, path }) => [kind, path])).toEqual([
      ['modify', 'a.txt'],
      ['failed', 'lost.txt'],
    ]);

    await place.configure({ state: { dir: './fresh' }, safety: { inDoubt: 'hold' } });
    expect(await importText('uncertain.json', uncertain)).toMatchObject({ code: 0 });
    expect(await planned()).toEqual(before);
    expect((await place.run('sync')).code).toBe(4);
    const modified = trial.service.requestLog().filter(({ operation }) => operation !== 'auth');
    expect(modified.at(-1)?.operation).toContain('modify');
    expect(trial.service.documents().map(({ docId }) => docId)).toHaveLength(3);
    expect(trial.service.documents().map(({ docId }) => docId)).toContain(docId);
    const { inDoubt } = JSON.parse((await place.run('status', '--json')).out) as {
      inDoubt: { path: string }[];
    };
    expect(inDoubt.map(({ path }) => path)).toEqual(['lost.txt']);
  }, 60_000);

  it('reads standard input where that is a socket, as a program that starts it may give it', async () => {
    const csv = Array.from(docIds, ([path, docId]) => `"${path}",${docId}\n`);
    const imported = await ingestd(['ledger', 'import', '-'], {
      cwd: place.home.path,
      env: environmentOf(plantedCredentials),
      input: `path,docId\n${csv.join('')}`,
    });
    expect(imported).toMatchObject({ code: 0, stdout: '3 documents adopted.\n' });
  }, 60_000);

  it('takes nothing of a file in which anything is wrong, and says in which line', async () => {
    await writeFile(place.home.join('bad.csv'), `path,docId\na.txt,${docIds.get('a.txt')}\n../b.txt,x\n`);
    const { code, err } = await place.run('ledger', 'import', place.home.join('bad.csv'));
    expect(code).toBe(2);
    expect(err).toMatch(/bad\.csv:3: .*\.\.\/b\.txt/);
    await writeFile(place.home.join('bad.json'), exported.replaceAll('"inbox"', '"elsewhere"'));
    const json = await place.run('ledger', 'import', place.home.join('bad.json'));
    expect(json.code).toBe(2);
    expect(json.err).toMatch(/bad\.json: documents\[0\]: no folder named "elsewhere"/);
    expect(await plannedKinds()).toEqual(['upload', 'upload', 'upload']);
  }, 60_000);

  it('adopts no row whose file does not stand there, which would delete its document, and names it', async () => {
    const typed = new Map(docIds).set('sub/typo.txt', docIds.get('sub/b.txt') ?? '');
    typed.delete('sub/b.txt');
    const csv = await importText('typo.csv', csvOf(typed));
    expect([csv.code, csv.out]).toEqual([2, '0 documents adopted.\n']);
    expect(csv.err.trim()).toMatch(/typo\.csv: inbox\/sub\/typo\.txt does not exist, .*correct the path.*$/);

    await rm(join(place.inbox, 'a.txt'));
    const bare = JSON.parse(exported, (key, value: unknown) =>
      key === 'sha256' ? undefined : value,
    ) as object;
    const json = await importText('bare.json', JSON.stringify(bare));
    expect([json.code, json.err]).toEqual([2, expect.stringContaining('inbox/a.txt does not exist')]);
    expect(await plannedKinds()).toEqual(['upload', 'upload']);

    await mkdir(join(place.inbox, 'a.txt'));
    const other = await importText('bare.json', JSON.stringify(bare));
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining('inbox/a.txt is not a regular file, so its document would be deleted'),
    ]);
    await rm(join(place.inbox, 'a.txt'), { recursive: true });

    // Of what an export tells the hash of, it is known that the file stood there.
    expect(await importText('export.json', exported)).toMatchObject({
      code: 0,
      out: '3 documents adopted.\n',
    });
    expect(await plannedKinds()).toEqual(['delete']);
  }, 60_000);

  it('takes what lies outside of a folder that was narrowed, and keeps it as it was', async () => {
    const narrowed = { folders: [{ name: 'inbox', path: './inbox/sub' }] };
    await place.configure({ ...narrowed, state: { dir: './state' } });
    expect((await place.run('sync')).code).toBe(0);
    const { out } = await place.run('ledger', 'export', '--json');

    await place.configure({ ...narrowed, state: { dir: './fresh' } });
    expect(await importText('export.json', out)).toMatchObject({
      code: 0,
      out:
        '3 documents adopted.\n' +
        'Not in the configuration, kept at the service: 1 document of inbox (outside).\n',
    });
    expect(await plannedKinds()).toEqual([]);
    expect((await place.run('ledger', 'export', '--json')).out).toBe(out);
  }, 60_000);

  it('leaves what the ledger knows as it is, and gives no document another docId', async () => {
    expect(await importText('documents.csv', csvOf(docIds))).toMatchObject({ code: 0 });
    await writeFile(join(place.inbox, 'a.txt'), 'edited');
    expect(await importText('again.csv', csvOf(docIds))).toMatchObject({
      code: 0,
      out: '0 documents adopted, 3 already known.\n',
    });
    const contents = (await planned()).filter(({ parts }) => parts.includes('content'));
    expect(contents).toEqual([expect.objectContaining({ path: 'a.txt' })]);

    const { code, out, err } = await importText('other.csv', csvOf(new Map([['a.txt', 'another']])));
    expect([code, out]).toEqual([2, '0 documents adopted.\n']);
    expect(err).toMatch(
      new RegExp(`other\\.csv:2: inbox/a\\.txt has the docId ${docIds.get('a.txt')} .*another`),
    );
    const { documents } = JSON.parse((await place.run('ledger', 'export', '--json')).out) as {
      documents: { path: string; docId: string }[];
    };
    expect(new Map(documents.map(({ path, docId }) => [path, docId]))).toEqual(docIds);
  }, 60_000);

  it('adopts the files of a CSV as they stand, unfit ones too: what is edited before the first run is sent', async () => {
    await writeFile(join(place.inbox, 'a.txt.meta.json'), 'not JSON');
    expect(await importText('documents.csv', csvOf(docIds))).toMatchObject({ code: 0 });
    expect(await plannedKinds()).not.toContain('upload');
    await writeFile(join(place.inbox, 'sub/b.txt'), 'edited');
    await writeFile(join(place.inbox, 'a.txt'), 'edited too');
    await rm(join(place.inbox, 'a.txt.meta.json'));
    const content = (await planned()).filter(({ parts }) => parts.includes('content'));
    expect(content.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      'modify a.txt',
      'modify sub/b.txt',
    ]);
    expect((await place.run('sync')).code).toBe(0);
    const held = trial.service.contentPath(docIds.get('sub/b.txt') ?? '') ?? '';
    expect(await readFile(held, 'utf8')).toBe('edited');
    const kept = trial.service.documents().map(({ docId }) => docId);
    expect(kept.sort()).toEqual([...docIds.values()].sort());
    expect(await plannedKinds()).toEqual([]);
  }, 60_000);

  it('finds an unfit file of a CSV in whatever Unicode form its name has on disk', async () => {
    await writeFile(join(place.inbox, 'e\u0301.two.txt'), 'text');
    const csv = csvOf(new Map([['\u00e9.two.txt', 'doc-of-its-own']]));
    expect(await importText('one.csv', csv)).toMatchObject({ code: 0 });
    const { documents } = JSON.parse((await place.run('ledger', 'export')).out) as {
      documents: { sha256: string; size: number }[];
    };
    expect(documents).toEqual([
      expect.objectContaining({ size: 4, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    ]);
  }, 60_000);

  it('is refused beside a running daemon, whatever is in the file', async () => {
    await place.configure({});
    const daemon = await place.start();
    const refused = await importText('documents.csv', 'no list of documents');
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining(`process ${daemon.pid}`)]);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
    expect((await importText('documents.csv', 'no list of documents')).code).toBe(2);
  }, 60_000);
});
