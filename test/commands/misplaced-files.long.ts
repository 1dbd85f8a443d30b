import { cp, mkdir, rm } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofAllTests } from '../support/of-each-test.ts';

/** Every command that has to do with the state directory; `run` and `health` are beside them. */
const commands = [
  'status',
  'log',
  'log inbox/a.txt',
  'plan',
  'check',
  'doctor',
  'why inbox/a.txt',
  'retry',
  'resolve inbox/a.txt --dismiss',
  'approve --yes',
  'pause',
  'resume',
  'rescan',
  'ledger export',
  'ledger verify',
  'ledger import docs.csv',
  'ledger service-moved --yes',
  'sync',
] as const;

type Command = (typeof commands)[number] | 'run' | 'health';

const folder = ofAllTests(() => trialFolder({ timing: { settleMs: 100, removeGraceMs: 100 } }));
beforeAll(async () => {
  await folder.write('inbox/a.txt', 'a');
  await folder.write('docs.csv', 'folder,path,docId\n');
  expect((await folder.run('sync')).code).toBe(0);
  await cp(folder.join('state'), folder.join('good'), { recursive: true });
});

async function misplace(path: string, kind: 'file' | 'directory'): Promise<void> {
  await rm(folder.join('state'), { recursive: true, force: true });
  await cp(folder.join('good'), folder.join('state'), { recursive: true });
  await rm(folder.join(path), { recursive: true, force: true });
  if (kind === 'file') await folder.write(path, 'in the way');
  else await mkdir(folder.join(path, 'in the way'), { recursive: true });
}

/** The words in which the system tells of such things. */
const raw = /\b(EISDIR|ENOTDIR|EEXIST|EADDRINUSE|ENOTEMPTY)\b/;

async function answers(
  words: readonly Command[],
): Promise<ReadonlyMap<Command, { code: number; text: string }>> {
  const found = new Map<Command, { code: number; text: string }>();
  for (const command of words) {
    const { code, stdout, stderr } = await folder.run(...command.split(' '));
    found.set(command, { code: code ?? -1, text: `${stderr}${stdout}` });
  }
  return found;
}

const today = new Date().toISOString().slice(0, 10);

describe('what stands in the place of something of the state directory', () => {
  it('a file as state.dir is named with its key by every command, with exit code 2', async () => {
    await misplace('state', 'file');
    const said = `state.dir: ${folder.join('state')} is not a directory; name a directory`;
    for (const [command, { code, text }] of await answers([...commands, 'run', 'health']))
      expect([command, code, text]).toEqual([command, 2, expect.stringContaining(said)]);
  });

  const isDirectory = 'is a directory where ingestd keeps a file; move it away';
  const isFile = 'is a file where ingestd keeps a directory; move it away';
  const isNoSocket = 'is not a socket, and ingestd needs one there; move it away';
  const ofLedger: readonly Command[] = commands.filter(
    (command) => !['log', 'log inbox/a.txt', 'rescan'].includes(command),
  );
  const ofLock = ['retry', 'approve --yes', 'pause', 'resume', 'sync', 'run'] as const;
  it.each<[string, 'file' | 'directory', readonly Command[], number, string]>([
    ['state/history', 'file', ['log', 'log inbox/a.txt'], 2, isFile],
    [`state/history/${today}.0.jsonl`, 'directory', ['log', 'log inbox/a.txt'], 2, isDirectory],
    ['state/paused.json', 'directory', ['pause', 'resume'], 2, isDirectory],
    ['state/daemon.json', 'directory', ['run'], 2, isDirectory],
    ['state/daemon.sock', 'file', ['run'], 2, isNoSocket],
    ['state/daemon.sock', 'directory', ['run'], 2, isNoSocket],
    ['state/lock', 'directory', ofLock, 2, isDirectory],
    ['state/ledger.json', 'directory', ofLedger, 1, 'it is a directory'],
    ['state/ledger.journal.1', 'directory', ofLedger, 1, 'it is a directory'],
    ['state/service', 'file', ['sync', 'run'], 2, isFile],
    ['state/service/content', 'file', ['sync', 'run'], 2, isFile],
    ['state/service/lock', 'directory', ['sync', 'run'], 2, isDirectory],
    ['state/service/identity.json', 'directory', ['sync', 'run'], 2, isDirectory],
    ['state/service/documents.jsonl', 'directory', ['sync', 'run'], 2, isDirectory],
  ])('%s as a %s is named with the fix by those that need it', async (path, kind, concerned, code, said) => {
    await misplace(path, kind);
    const checks: readonly Command[] = ['check', 'doctor'];
    for (const [command, { code: ended, text }] of await answers(concerned)) {
      expect([command, ended]).toEqual([command, checks.includes(command) ? 4 : code]);
      expect([command, text]).toEqual([command, expect.stringContaining(folder.join(path))]);
      expect([command, text]).toEqual([command, expect.stringContaining(said)]);
      expect([command, text]).toEqual([command, expect.not.stringMatching(raw)]);
    }
  });
});
