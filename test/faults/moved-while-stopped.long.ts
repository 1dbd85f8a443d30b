import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import { installation } from '../support/daemon-process.ts';
import type { Installation, RunningDaemon } from '../support/daemon-process.ts';
import { describeWhere } from '../support/needs.ts';
import { plantedCredentials } from '../support/planted-secrets.ts';
import { startScriptedService } from '../support/scripted-service.ts';
import type { ScriptedService } from '../support/scripted-service.ts';

let service: ScriptedService;
let place: Installation;
let daemon: RunningDaemon;

const safety = { maxDeletePercent: 100, maxDeleteCount: 100 };
const names = ['1.txt', '2.txt', '3.txt'];
const at = (...path: string[]) => join(place.inbox, ...path);
const nobody = 65_534;

async function begin(through: readonly string[] = []): Promise<void> {
  service = await startScriptedService();
  place = await installation({ ...service, credentials: plantedCredentials, more: { safety }, through });
  await mkdir(at('a'));
  for (const name of names) await writeFile(at('a', name), `content of ${name}`);
}

afterEach(async () => {
  await daemon.end('SIGTERM');
  await place.remove();
  await service.close();
});

async function start(isReady: (status: Status) => boolean): Promise<void> {
  daemon = await place.start();
  await daemon.idle(isReady);
}

/** The daemon is stopped, the disk changes, and it starts again: past the grace period. */
async function whileStopped(act: () => Promise<void>): Promise<void> {
  await daemon.end('SIGTERM');
  await act();
  await start(() => true);
  await delay(1_500);
  await daemon.idle();
}

async function docIds(): Promise<Readonly<Record<string, string>>> {
  const { out } = await place.run('ledger', 'export', '--json');
  const { documents } = JSON.parse(out) as { documents: { path: string; docId: string }[] };
  return Object.fromEntries(documents.map(({ path, docId }) => [path, docId]));
}

const sent = () =>
  service.requests.map(({ method, url }) => `${method} ${url.split('/').slice(0, 6).join('/')}`);
const isSynced = ({ totals }: Status) => totals.uploaded === names.length;

describe('I1: a directory that was moved while the daemon was stopped', () => {
  beforeEach(async () => {
    await begin();
    await start(isSynced);
  });

  it('keeps the docIds of its documents, without a request', async () => {
    const before = await docIds();
    const requests = sent().length;
    await whileStopped(() => rename(at('a'), at('b')));
    expect(sent().slice(requests)).toEqual([]);
    expect(await docIds()).toEqual(
      Object.fromEntries(names.map((name) => [`b/${name}`, before[`a/${name}`]])),
    );
  });

  it('and has an older one of the same names in its place: nothing is deleted, and each file is one document', async () => {
    const before = await docIds();
    await mkdir(place.home.join('old'));
    for (const name of names) await writeFile(place.home.join('old', name), `older ${name}`);
    const requests = sent().length;
    await whileStopped(async () => {
      await rename(at('a'), at('b'));
      await cp(place.home.join('old'), at('a'), { recursive: true, preserveTimestamps: true });
    });
    const changed = sent().slice(requests);
    expect(changed.filter((request) => request.includes('upload-document'))).toHaveLength(names.length);
    expect(changed.filter((request) => request.includes('modify-document'))).toHaveLength(names.length);
    expect(changed).toHaveLength(2 * names.length);
    // A path that a file stands at keeps its docId, as with a file that is saved by way of a backup.
    const after = await docIds();
    expect(after).toMatchObject(before);
    expect(new Set(Object.values(after)).size).toBe(2 * names.length);
    expect((await daemon.status()).possibleDuplicates).toBe(0);
  });

  it('with an ignore file of its own that hides its documents keeps them, and they come out where it is now', async () => {
    const before = await docIds();
    await writeFile(at('a/.ingestignore'), '*.txt\n');
    await daemon.idle(({ folders }) => folders[0]?.kept === names.length);
    const requests = sent().length;
    await whileStopped(() => rename(at('a'), at('b')));
    expect((await daemon.status()).folders[0]).toMatchObject({ kept: names.length, held: 0 });
    await rm(at('b/.ingestignore'));
    await daemon.idle(({ folders }) => folders[0]?.synced === names.length);
    expect(await docIds()).toEqual(
      Object.fromEntries(names.map((name) => [`b/${name}`, before[`a/${name}`]])),
    );
    expect(sent().slice(requests)).toEqual([]);
  });
});

const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

function missing(): string | null {
  try {
    if (process.getuid?.() !== 0) return 'root, to run the daemon as another user';
    execFileSync(asNobody[0] ?? '', ['--version'], { stdio: 'pipe' });
    return null;
  } catch {
    return 'setpriv';
  }
}

describeWhere(missing(), 'I1: a directory that the daemon cannot read', () => {
  it('and that was moved while it was stopped: its documents are held, and come out where it is now', async () => {
    await begin(asNobody);
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, place.home.path]);
    await start(isSynced);
    const before = await docIds();
    const requests = sent().length;
    await whileStopped(async () => {
      await chmod(at('a'), 0o000);
      await rename(at('a'), at('b'));
    });
    const status = await daemon.status();
    expect(status.held).toMatchObject([{ count: names.length }]);
    await chmod(at('b'), 0o755);
    await place.run('rescan');
    await daemon.idle(({ folders }) => folders[0]?.synced === names.length && folders[0].held === 0);
    expect(await docIds()).toEqual(
      Object.fromEntries(names.map((name) => [`b/${name}`, before[`a/${name}`]])),
    );
    expect(sent().slice(requests)).toEqual([]);
  }, 60_000);
});
