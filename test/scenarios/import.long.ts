import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { systemClock } from '../../src/lib/time/clock.ts';
import { startTrial } from '../embedded/support/trial.ts';
import { nobody } from '../support/processes/as-user.ts';
import { installation } from '../support/processes/daemon-process.ts';
import type { Installation } from '../support/processes/daemon-process.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { program } from '../support/processes/program.ts';
import { environmentOf, plantedCredentials } from '../support/planted-secrets.ts';

const trial = ofEachTest(() => startTrial({ clock: systemClock }));
const place = ofEachTest(() => installation(trial.service));
/** Path → docId, as they were delivered by a daemon whose state is lost. */
let docIds: ReadonlyMap<string, string>;
let exported: string;

beforeEach(async () => {
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
    const before = sent();
    await writeFile(join(place.inbox, 'a.txt'), 'edited');
    expect((await place.run('sync')).code).toBe(0);
    expect(sent() - before).toBe(1);
    const again = await importText('again.json', exported);
    expect([again.code, again.out]).toEqual([0, '0 documents adopted, 3 already known.\n']);
    const stored = trial.service.documents();
    expect(stored.map(({ docId }) => docId).sort()).toEqual([...docIds.values()].sort());
  });

  it('reads standard input where that is a socket, as a program that starts it may give it', async () => {
    const csv = Array.from(docIds, ([path, docId]) => `"${path}",${docId}\n`);
    const imported = await ingestd(['ledger', 'import', '-'], {
      cwd: place.home.path,
      env: environmentOf(plantedCredentials),
      input: `path,docId\n${csv.join('')}`,
    });
    expect(imported).toMatchObject({ code: 0, stdout: '3 documents adopted.\n' });
  });

  it('warns of documents whose sharing mode it does not say', async () => {
    const unknown = await importText(
      'some.csv',
      'path,docId,mode\na.txt,a,NONE\nsub/b.txt,b,\n"sub/c, d.txt",c,\n',
    );
    expect([unknown.code, unknown.out]).toEqual([0, '3 documents adopted.\n']);
    expect(unknown.err).toMatch(
      /some\.csv does not say the sharing mode of 2 documents.*not shared more widely.*ingestd share/,
    );
    const again = await importText('again.json', (await place.run('ledger', 'export')).out);
    expect([again.code, again.err]).toEqual([0, '']);
    await place.configure({ state: { dir: './third' } });
    expect(await importText('export.json', exported)).toMatchObject({ code: 0, err: '' });
  });

  it('adopts no row whose file does not stand there, which would delete its document, and names it', async () => {
    const typed = new Map(docIds).set('sub/typo.txt', docIds.get('sub/b.txt') ?? '');
    typed.delete('sub/b.txt');
    // All that is wrong is named at once, whatever it is.
    const csv = await importText('typo.csv', `${csvOf(typed)}.c.txt,doc-c\na.txt,\n`);
    expect([csv.code, csv.out]).toEqual([2, '0 documents adopted.\n']);
    expect(csv.err.trim().split('\n')).toEqual([
      expect.stringMatching(/typo\.csv:4: inbox\/sub\/typo\.txt does not exist, .*correct the path.*$/),
      expect.stringMatching(/typo\.csv:5: inbox\/\.c\.txt does not exist, /),
      expect.stringMatching(/typo\.csv:6: /),
    ]);

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
  });

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
  });

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
  });

  it('is refused beside a running daemon, whatever is in the file', async () => {
    await place.configure({});
    const daemon = await place.start();
    const refused = await importText('documents.csv', 'no list of documents');
    expect([refused.code, refused.err]).toEqual([5, expect.stringMatching(`${daemon.pid}.*stop it, run`)]);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
    expect((await importText('documents.csv', 'no list of documents')).code).toBe(2);
  });
});

it('root makes no state directory below another user’s, who could not read it', async () => {
  if (process.getuid?.() !== 0) return;
  await mkdir(place.home.join('theirs'));
  await chown(place.home.join('theirs'), nobody, nobody);
  await place.configure({ state: { dir: './theirs/state' } });
  await place.home.write('export.json', exported);
  const { code, err } = await place.run('ledger', 'import', place.home.join('export.json'));
  expect([code, err]).toEqual([2, expect.stringContaining(`(sudo -u nobody ingestd …)`)]);
  expect(await readdir(place.home.join('theirs'))).toEqual([]);
});

it('root makes no state directory of the machine’s service, whose user could not read it', async () => {
  // Only who may mount has an /etc for a test alone.
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return;
  const dir = place.home.join('never');
  await place.configure({ state: { dir } });
  await place.home.write('export.json', exported);
  const prepare =
    'mount -t tmpfs none /etc && mkdir /etc/ingestd && cp ingestd.yaml /etc/ingestd && echo ingestd:x:7: >/etc/passwd && exec "$@"';
  for (const words of [['ledger', 'import', 'export.json'], ['pause'], ['sync'], ['run']]) {
    const args = ['--mount', 'sh', '-c', prepare, 'sh', process.execPath, program, ...words];
    const { status, stderr } = spawnSync('unshare', [...args, '--config', '/etc/ingestd/ingestd.yaml'], {
      cwd: place.home.path,
      env: { PATH: process.env['PATH'], HOME: place.home.path, ...environmentOf(plantedCredentials) },
      encoding: 'utf8',
      timeout: 20_000,
    });
    const said = `run sudo install -d -m 0700 -o ingestd ${dir}, then run ingestd as that user (sudo -u ingestd ingestd …)`;
    expect([words, status, stderr]).toEqual([words, 2, expect.stringContaining(said)]);
  }
  expect(existsSync(dir)).toBe(false);
});
