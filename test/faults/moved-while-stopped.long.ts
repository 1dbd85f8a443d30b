import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import { nobody } from '../support/processes/as-user.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../support/processes/daemon-process.ts';
import { describeWhere } from '../support/needs.ts';

let place: InstallationWithService;
let daemon: RunningDaemon;

const safety = { maxDeletePercent: 100, maxDeleteCount: 100 };
const names = ['1.txt', '2.txt', '3.txt'];
const at = (...path: string[]) => join(place.inbox, ...path);

async function begin(
  through: readonly string[] = [],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  place = await installationWithService({
    more: { safety, ...more },
    through,
    copiesProgram: through.length > 0,
  });
  await mkdir(at('a'));
  for (const name of names) await writeFile(at('a', name), `content of ${name}`);
}

afterEach(async () => {
  await daemon.end('SIGTERM');
  await place.remove();
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

/** By path in the inbox, or by folder and path in another. */
async function docIds(): Promise<Readonly<Record<string, string>>> {
  const { out } = await place.run('ledger', 'export', '--json');
  const { documents } = JSON.parse(out) as {
    documents: { folder: string; path: string; docId: string }[];
  };
  return Object.fromEntries(
    documents.map(({ folder, path, docId }) => [folder === 'inbox' ? path : `${folder}/${path}`, docId]),
  );
}

/** Another directory of older files of the same names, outside of every folder. */
async function older(files: readonly string[] = names): Promise<string> {
  for (const name of files) await place.home.write(`old/${name}`, `older ${name}`);
  return place.home.join('old');
}

/** As editors do: the new content under another name, then that name's. */
async function saveByRename(path: string, content: string): Promise<void> {
  await writeFile(`${path}~`, content);
  await rename(`${path}~`, path);
}

const sent = () =>
  place.service.requests.map(({ method, url }) => `${method} ${url.split('/').slice(0, 6).join('/')}`);
const uploadRequest = 'POST /services/i/ingestion-api/v1/upload-document';
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

  it('and has an older one of the same names in its place: its documents go with it, and the older files are new', async () => {
    const before = await docIds();
    const old = await older();
    const requests = sent().length;
    await whileStopped(async () => {
      await rename(at('a'), at('b'));
      await rename(old, at('a'));
    });
    expect(sent().slice(requests)).toEqual(names.map(() => uploadRequest));
    const after = await docIds();
    for (const name of names) expect([name, after[`b/${name}`]]).toEqual([name, before[`a/${name}`]]);
    expect(Object.keys(after).sort()).toEqual(
      ['a', 'b'].flatMap((path) => names.map((name) => `${path}/${name}`)),
    );
    expect(new Set(Object.values(after)).size).toBe(2 * names.length);
    expect((await daemon.status()).possibleDuplicates).toBe(0);
  });

  it('and in which a document was saved anew keeps that docId, too: one modify', async () => {
    const before = await docIds();
    const requests = sent().length;
    await whileStopped(async () => {
      await rename(at('a'), at('b'));
      await saveByRename(at('b', '2.txt'), 'edited');
    });
    expect(sent().slice(requests)).toEqual([expect.stringContaining('modify-document')]);
    expect(await docIds()).toEqual(
      Object.fromEntries(names.map((name) => [`b/${name}`, before[`a/${name}`]])),
    );
  });

  it('is told from documents that an editor saved, with copies of the old ones in another directory', async () => {
    const before = await docIds();
    const requests = sent().length;
    await whileStopped(async () => {
      await mkdir(at('backup'));
      for (const name of names) {
        await rename(at('a', name), at('backup', name));
        await writeFile(at('a', name), `edited ${name}`);
      }
    });
    const changed = sent().slice(requests);
    expect(changed.filter((request) => request.includes('modify-document'))).toHaveLength(names.length);
    expect(changed.filter((request) => request.includes('upload-document'))).toHaveLength(names.length);
    expect(await docIds()).toMatchObject(before);
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

describe('I1: directories that changed places while the daemon was stopped', () => {
  it('keep the docIds of their documents, of edited ones and in directories below them, too', async () => {
    await begin();
    await mkdir(at('a', 'sub'));
    await writeFile(at('a', 'sub', '1.txt'), 'below');
    await mkdir(at('b'));
    for (const name of names) await writeFile(at('b', name), `other ${name}`);
    await start(({ totals }) => totals.uploaded === 7);
    const before = await docIds();
    const requests = sent().length;
    await whileStopped(async () => {
      await rename(at('a'), at('c'));
      await rename(at('b'), at('a'));
      await rename(at('c'), at('b'));
      await saveByRename(at('b', '2.txt'), 'edited');
    });
    expect(sent().slice(requests)).toEqual([expect.stringContaining('modify-document')]);
    expect(await docIds()).toEqual({
      ...Object.fromEntries(names.map((name) => [`b/${name}`, before[`a/${name}`]])),
      ...Object.fromEntries(names.map((name) => [`a/${name}`, before[`b/${name}`]])),
      'b/sub/1.txt': before['a/sub/1.txt'],
    });
  });
});

describe('I1: a directory with others below it, and an older one in its place', () => {
  const all = [...names, 'sub/1.txt', 'sub/deep/1.txt'];
  const twoFolders = {
    folders: [
      { name: 'inbox', path: './inbox' },
      { name: 'archive', path: './archive' },
    ],
  };

  beforeEach(async () => {
    await begin([], twoFolders);
    await place.home.write('archive/.keep', '');
    for (const path of ['sub/1.txt', 'sub/deep/1.txt']) await place.home.write(`inbox/a/${path}`, path);
    await start(({ totals }) => totals.uploaded === all.length);
  });

  it.each([
    ['moved in its folder', () => at('b/c'), 'b/c'],
    ['moved to another folder', () => place.home.join('archive/b'), 'archive/b'],
  ])('%s while the daemon was stopped: all documents go with it', async (_, target, path) => {
    const before = await docIds();
    const old = await older(all);
    const requests = sent().length;
    await whileStopped(async () => {
      await mkdir(at('b'));
      await rename(at('a'), target());
      await rename(old, at('a'));
    });
    expect(sent().slice(requests)).toEqual(all.map(() => uploadRequest));
    const after = await docIds();
    for (const name of all) expect([name, after[`${path}/${name}`]]).toEqual([name, before[`a/${name}`]]);
    expect(new Set(Object.values(after)).size).toBe(2 * all.length);
  });

  it('moved while the daemon works: all documents go with it', async () => {
    const before = await docIds();
    const old = await older(all);
    const requests = sent().length;
    await rename(at('a'), at('b'));
    await rename(old, at('a'));
    await daemon.idle(({ folders }) => folders[0]?.synced === 2 * all.length);
    expect(sent().slice(requests)).toEqual(all.map(() => uploadRequest));
    const after = await docIds();
    for (const name of all) expect([name, after[`b/${name}`]]).toEqual([name, before[`a/${name}`]]);
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
