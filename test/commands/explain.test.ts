import { parse } from 'yaml';
import { chmod, readFile, rename, rm, stat } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import { loadConfiguration } from '../../src/config/load-configuration.ts';
import type { Why } from '../../src/model/report/command-reports.ts';
import type { Activity } from '../../src/model/report/status.ts';
import { offlineStatus, whyOffline } from '../../src/commands/offline/offline-reports.ts';
import { asItStands, openUnwatched } from '../../src/commands/offline/resting-engine.ts';
import { openHistory } from '../../src/daemon/history/history.ts';
import { localTime } from '../../src/lib/text/amounts.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { silentLog } from '../../src/model/ports/log-port.ts';
import { statOf } from '../../src/scan/rules/entry.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { describeWhere } from '../support/needs.ts';
import { asUser, closedProgram } from '../support/processes/as-user.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder({ timing: { settleMs: 0, removeGraceMs: 0 } }));

const load = () => loadConfiguration({ file: 'ingestd.yaml', env: {}, cwd: folder.path });

async function why(path: string): Promise<Why> {
  const { settings } = await load();
  return whyOffline({ settings, makesFolders: false, fleet: null }, path);
}

it('a folder that is not watched is covered as soon as it is listed, until it is listed again', async () => {
  await folder.write('inbox/a.txt', 'text');
  const { settings } = await load();
  const [port] = settings.folders.map((one) =>
    openUnwatched(one, { settings: asItStands(settings), log: silentLog }),
  );
  await port?.start({ directory: () => {}, scanned: () => {}, changed: () => {} });
  const listed = port?.rescan('rescan');
  const during = port?.health();
  await listed;
  const after = port?.health();
  await port?.close();
  expect([during?.coveredUntil, after?.coveredUntil]).toEqual([-Infinity, Infinity]);
});

describe('why, where no daemon runs', () => {
  it('tells of a directory that it is one', async () => {
    await folder.write('inbox/sub/b.txt.attachments/x.csv', '1');
    for (const path of ['inbox', 'inbox/', folder.join('inbox'), 'inbox/sub', 'sub/b.txt.attachments/']) {
      expect([path, (await why(path)).verdict.kind]).toEqual([path, 'directory']);
    }
  });

  it('says of a companion that is not valid that it is to be corrected', async () => {
    await folder.write('inbox/a.txt', 'text');
    await folder.write('inbox/a.csv', '1');
    await folder.write('inbox/a.meta.json', '{}');
    await folder.write('inbox/sub/.meta.json', '[]');
    await folder.write('inbox/sub/b.txt', 'text');
    await folder.write('inbox/other/.ingestignore', Buffer.from([0xff]));
    await folder.write('inbox/other/c.txt', 'text');
    for (const name of ['a.meta.json', 'sub/.meta.json', 'other/.ingestignore'])
      expect([name, (await why(name)).next]).toEqual([name, 'nothing until that changes']);
  });

  it('tells of a directory, there or gone, what the service has of it', async () => {
    await folder.write('inbox/sub/b.txt', 'text');
    await folder.write('inbox/bad/c.d.txt', 'text');
    expect((await folder.run('sync')).code).toBe(4);
    const told = async (path: string) => {
      const { verdict, next } = await why(path);
      return [verdict.kind, verdict.message, next];
    };
    const failed = 'nothing for what failed or is in doubt; ingestd status says what to do';
    const bad = ['directory', 'a directory; ingestd scans it for documents; 1 failed', failed];
    expect(await told('inbox/bad')).toEqual(bad);
    await rm(folder.join('inbox/bad'), { recursive: true });
    const words = '; the service has 1 document of it';
    expect((await told('inbox'))[1]).toBe(`the folder itself${words}; for its state run ingestd status`);
    const scanned = `a directory; ingestd scans it for documents${words}`;
    expect(await told('inbox/sub')).toEqual(['directory', scanned, 'nothing; ask about a file in it']);
    await rm(folder.join('inbox/sub'), { recursive: true });
    const log = 'nothing; ingestd log inbox/sub tells what became of its files';
    expect(await told('inbox/sub')).toEqual(['absent', `the directory is gone from the folder${words}`, log]);
    expect((await folder.run('sync')).code).toBe(0);
    expect(await told('inbox/sub')).toEqual(['absent', 'the directory is gone from the folder', log]);
  });

  describeWhere(closedProgram(), 'as another user', () => {
    it('tells of a directory that is ignored, or cannot be read or searched, and of what is in it, what is so', async () => {
      await folder.write('inbox/.ingestignore', 'drafts/\n');
      for (const path of ['drafts/x.txt', 'closed/x.txt', 'listed/x.txt', 'open.txt'])
        await folder.write(`inbox/${path}`, '1');
      for (const path of ['', 'inbox', 'inbox/drafts', 'inbox/.ingestignore'])
        await chmod(folder.join(path), 0o755);
      await chmod(folder.join('inbox/closed'), 0);
      await chmod(folder.join('inbox/listed'), 0o744);
      await chmod(folder.join('inbox/open.txt'), 0);
      const { settings } = await load();
      const told = (path: string) => whyOffline({ settings, makesFolders: false, fleet: null }, path);
      const why = 'cannot be read (permission denied, EACCES)';
      const unread = [
        ['closed', 'the directory closed'],
        ['closed/x.txt', 'the directory closed'],
        ['closed/sub/y.txt', 'the directory closed'],
        ['listed/x.txt', 'the directory listed'],
        ['open.txt', 'it'],
      ] as const;
      const paths = ['drafts', ...unread.map(([path]) => path)];
      const stories = await asUser(() => Promise.all(paths.map((path) => told(`inbox/${path}`))));
      expect(stories.map(({ path, verdict }) => [path, verdict.message])).toEqual([
        ['drafts', 'the pattern "drafts/" in .ingestignore:1 ignores the directory drafts'],
        ...unread.map(([path, what]) => [path, `${what} ${why}`]),
      ]);
      expect(stories.slice(1, -1).map(({ next }) => next)).toEqual(
        unread.slice(1).map(() => 'nothing until that changes'),
      );
    });
  });

  it('tells of an attachment what keeps its document', async () => {
    const attachment = 'inbox/sub/b.txt.attachments/x.csv';
    await folder.write(attachment, '1');
    expect((await why(attachment)).notes).toEqual(['its document inbox/sub/b.txt does not exist']);
    await folder.write('inbox/sub/b.txt', 'text');
    expect(await why(attachment)).toMatchObject({
      verdict: { code: 'attachment' },
      notes: [],
      next: 'it is sent with its document; see ingestd why inbox/sub/b.txt',
    });
    expect((await why('inbox/sub/b.txt.attachments')).next).toBe(
      'they are sent with their document; see ingestd why inbox/sub/b.txt',
    );
    await folder.write('inbox/sub/.ingestignore', '*.log\n');
    for (const [path, message] of [
      ['ignored.log', /^the pattern "\*\.log" in sub\/\.ingestignore:1 ignores it$/],
      ['.hidden', /start with a dot/],
      ['below/y.csv', /^not sent with its document inbox\/sub\/b\.txt: /],
    ] as const) {
      await folder.write(`inbox/sub/b.txt.attachments/${path}`, '1');
      const { verdict, next } = await why(`inbox/sub/b.txt.attachments/${path}`);
      expect([verdict.message, next]).toEqual([expect.stringMatching(message), 'nothing']);
      // Codes are for programs.
      const { stdout } = await folder.run('why', `inbox/sub/b.txt.attachments/${path}`);
      expect(stdout).not.toContain(`${verdict.code})`);
    }
    await folder.write('inbox/sub/b.txt.meta.json', '{"titel": "b"}');
    for (const path of [attachment, 'inbox/sub/b.txt.attachments'])
      expect(await why(path)).toMatchObject({
        notes: [expect.stringMatching(/^its document inbox\/sub\/b\.txt is not sent: .*titel/)],
        next: 'nothing until that is fixed; see ingestd why inbox/sub/b.txt',
      });
    await folder.write('inbox/sub/c.txt.meta.json', '{"attachments": ["listed.csv"]}');
    await folder.write('inbox/sub/listed.csv', '1');
    await folder.write('inbox/sub/c.txt', 'text');
    expect((await why('sub/listed.csv')).next).toBe(
      'it is sent with its document; see ingestd why inbox/sub/c.txt',
    );
    await folder.run('sync');
    await rm(folder.join('inbox/sub/c.txt.meta.json'));
    expect((await why('sub/listed.csv')).notes).toEqual([
      expect.stringMatching(
        /^its document inbox\/sub\/c\.txt has no list of attachments by now, so it stays one/,
      ),
    ]);
    await rm(folder.join('inbox/sub/c.txt'));
    expect((await why('sub/listed.csv')).verdict.code).toBe('document');
  });

  it('tells that the service keeps the old name of a file that was renamed, until its content goes out', async () => {
    await folder.write('inbox/new.txt', 'text');
    const fileStat = statOf(await stat(folder.join('inbox/new.txt')));
    for (const [fileName, notes] of [
      [
        'old.txt',
        [expect.stringMatching(/^the service still calls the file old\.txt, because it cannot rename files/)],
      ],
      ['new.txt', []],
    ] as const) {
      const ledger = await folder.openLedger();
      const ref = { folder: 'inbox', path: 'new.txt' };
      await ledger.commit([
        { kind: 'put', ref, record: recordOf({ fileName, stat: fileStat, metadata: { title: 'new' } }) },
      ]);
      await ledger.close();
      expect((await why('new.txt')).notes).toEqual(notes);
    }
  });

  it('tells of a folder that was never there what status tells, and that it keeps ingestd from starting', async () => {
    const folders = ['inbox', 'two'].map((name) => ({ name, path: `./${name}` }));
    await folder.write('inbox/a.txt', 'text');
    await folder.write(
      'ingestd.yaml',
      JSON.stringify({ ...parse(await readFile(folder.join('ingestd.yaml'), 'utf8')), folders }),
    );
    const { settings } = await load();
    const { reasons } = await offlineStatus({ settings, makesFolders: false, fleet: null }, null, 'no user');
    const [, missing, ...others] = reasons;
    expect([missing?.code, others]).toEqual([
      'configuration',
      [{ code: 'credential-missing', message: 'no user' }],
    ]);
    const { stdout } = await folder.run('check');
    expect(stdout).toMatch(/two does not exist\n +It was never there/);
    for (const path of ['two/a.txt', 'inbox/a.txt'])
      expect(await why(path)).toMatchObject({ fix: null, next: `nothing; ${missing?.message}` });
  });

  it('tells of a file that was renamed what happened to it before, and of a doubt that it was', async () => {
    await folder.write('inbox/first.txt', 'text');
    expect((await folder.run('sync')).code).toBe(0);
    for (const [from, to] of [
      ['first', 'second'],
      ['second', 'third'],
    ] as const) {
      await rename(folder.join(`inbox/${from}.txt`), folder.join(`inbox/${to}.txt`));
      expect((await folder.run('sync')).code).toBe(0);
    }
    await folder.write('inbox/first.txt', 'another');
    expect((await folder.run('sync')).code).toBe(0);
    const answers = async (path: string) =>
      (await why(path)).attempts.map(({ operation, code }) => `${operation} ${code}`);
    expect(await answers('third.txt')).toEqual(['upload accepted', 'modify accepted', 'modify accepted']);
    expect(await answers('first.txt')).toEqual(['upload accepted', 'upload accepted']);
    const moves = async (path: string) => (await folder.run('why', path)).stdout.match(/moved to .*/g);
    const [away, on] = [
      'moved to inbox/second.txt: from inbox/first.txt',
      'moved to inbox/third.txt: from inbox/second.txt',
    ];
    expect([await moves('third.txt'), await moves('first.txt')]).toEqual([[away, on], [away]]);

    // As a start has it that finds an upload without its answer.
    const history = await openHistory({
      stateDir: folder.join('state'),
      keeps: { keepDays: 30, keepMegabytes: 64 },
      clock: systemClock,
      log: silentLog,
      onPast: () => {},
    });
    const at = new Date().toISOString();
    const said = { at, folder: 'inbox', path: 'third.txt', docId: null, documents: 1 };
    history.add({ ...said, what: 'in doubt', message: 'ingestd stopped before the service answered' });
    history.add({ ...said, what: 'resolved', message: 'to be uploaded again', by: 'command line' });
    history.close();
    expect((await why('third.txt')).attempts.at(-1)).toMatchObject({ operation: 'upload', code: 'in-doubt' });
    expect((await folder.run('why', 'third.txt')).stdout).toMatch(
      /upload: ingestd stopped before the service answered\n\S+ \S+ +resolved: to be uploaded again/,
    );
  });

  it('tells of a file that is gone what it was and what became of it', async () => {
    await folder.write('inbox/gone.txt', 'is to go');
    await folder.write('inbox/new.txt', 'is to go later');
    expect((await folder.run('sync')).code).toBe(0);
    await rm(folder.join('inbox/gone.txt'));
    expect((await folder.run('sync')).code).toBe(0);
    const gone = await why('inbox/gone.txt');
    expect(gone.verdict).toEqual({
      kind: 'absent',
      code: 'absent',
      message: 'the file is gone from the folder, and its document was deleted at the service',
    });
    expect([gone.docId, gone.next]).toEqual([expect.any(String), 'nothing']);
    const [uploaded, deleted] = [gone.uploadedAt ?? '', gone.deletedAt ?? ''];
    expect(Date.parse(uploaded)).toBeLessThanOrEqual(Date.parse(deleted));
    expect((await folder.run('why', 'inbox/gone.txt')).stdout).toContain(`. Deleted ${localTime(deleted)}\n`);
    const unknown = await why('inbox/never.txt');
    expect(unknown).toMatchObject({ docId: null, uploadedAt: null, deletedAt: null, next: 'nothing' });
    expect(unknown.verdict.message).toBe('no such file in the folder, and no record of one');
    await rm(folder.join('inbox/new.txt'));
    expect(await why('inbox/new.txt')).toMatchObject({
      verdict: { message: 'the file is gone from the folder; the service still has its document' },
      docId: expect.any(String),
      deletedAt: null,
      next: 'its document is deleted at the service when ingestd runs',
    });
    expect((await folder.run('pause')).code).toBe(0);
    expect((await why('inbox/new.txt')).next).toMatch(
      /^its document is deleted at the service when you run ingestd resume inbox \(paused since \S+, on the command line\)$/,
    );
  });

  it('tells of a folder that was taken out of the configuration what its documents are', async () => {
    await folder.write('old/a.txt', 'text');
    await folder.write('old/b.txt', 'is to go');
    await folder.write('inbox/old/c.txt', 'inside');
    const configured = await readFile(folder.join('ingestd.yaml'), 'utf8');
    await folder.write(
      'ingestd.yaml',
      configured.replace('folders:', 'folders:\n  - {name: old, path: ./old}'),
    );
    expect((await folder.run('sync')).code).toBe(0);
    await rm(folder.join('old/b.txt'));
    expect((await folder.run('sync')).code).toBe(0);
    await folder.write('ingestd.yaml', configured);
    expect(await why('old')).toMatchObject({
      folder: 'inbox',
      path: 'old',
      verdict: { kind: 'directory' },
    });
    expect(await why('old/c.txt')).toMatchObject({ folder: 'inbox', path: 'old/c.txt' });
    expect(await why('old/a.txt')).toMatchObject({
      folder: 'old',
      path: 'a.txt',
      docId: expect.any(String),
      attempts: [{ operation: 'upload', code: 'accepted' }],
      verdict: { message: 'the folder old is no longer configured; the service keeps its documents' },
      next: expect.stringMatching(/stays at the service/),
    });
    expect(await folder.run('why', './package.json')).toMatchObject({
      code: 2,
      stderr: `ingestd: ${folder.join('package.json')} is not in any of the folders; name a file in one of them, by its path or as FOLDER/PATH: inbox (${folder.join('inbox')})\n`,
    });
    expect((await folder.run('why', 'ingestd.yaml')).stderr).toContain('yaml is not in any of the folders');
    const { stdout } = await folder.run('log', '--json', 'old/b.txt');
    expect((JSON.parse(stdout) as Activity[]).map((one) => [one.folder, one.what])).toEqual([
      ['old', 'uploaded'],
      ['old', 'deleted'],
    ]);
    expect((await folder.run('log', 'old')).stdout).toContain('uploaded  old/a.txt');
    expect((await folder.run('log', 'old/never.txt')).stdout).toMatch(/^old\/never\.txt is unknown: /);
  });
});
