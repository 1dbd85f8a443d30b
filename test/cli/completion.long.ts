import { execFile, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import { eventually } from '../support/eventually.ts';
import { ingestd, startIngestd } from '../support/processes/ingestd.ts';
import { describeWhere } from '../support/needs.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

/** What the user has typed, and words that the shell is to offer then; all of them, where `only` is so. */
const lines: readonly (readonly [typed: string, offered: readonly string[], only: boolean])[] = [
  ['st', ['status'], true],
  ['auth ', ['login', 'revoke'], false],
  ['auth revoke --a', ['--all'], true],
  ['--config x ledger imp', ['import'], true],
  ['init --share E', ['EVERYONE'], true],
  ['completion f', ['fish'], true],
  ['why sto', ['story.txt'], true],
  ['--config sto', ['story.txt'], true],
  ['check --log-level f', ['fatal'], true],
  ['pause ', ['inbox', 'other'], true],
  ['resume ', ['paused'], true],
  ['-c ingestd.yaml rescan in', ['inbox'], true],
  ['retry inbox/tw', ['inbox/two.dots.txt'], true],
  ['retry -- other/', ['other/x.y.pdf'], true],
  ['why inbox/wi', ['inbox/with space.a.txt'], true],
  ['why nothing/', [], true],
];

const zshScript = fileURLToPath(new URL('./zsh-completions.zsh', import.meta.url));
const run = promisify(execFile);

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let folder: TrialFolder;
let daemon: ChildProcess;

beforeAll(async () => {
  const names = ['inbox', 'other', 'paused'];
  folder = await trialFolder({
    folders: names.map((name) => ({ name, path: `./folders/${name}` })),
    timing: { settleMs: 0, removeGraceMs: 0 },
  });
  await folder.write('story.txt', '');
  await folder.write('bin/ingestd', `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(folder.join('bin/ingestd'), 0o755);
  const refused = ['inbox/two.dots.txt', 'inbox/with space.a.txt', 'inbox/li\nne.b.txt', 'other/x.y.pdf'];
  for (const path of [...refused, 'paused/a.txt']) await folder.write(`folders/${path}`, 'text');
  daemon = startIngestd(['run', '-q'], { cwd: folder.path });
  await eventually(
    async () => {
      const { stdout } = await folder.run('status', '--json');
      // Before the daemon answers, the ledger does.
      const { pid, failuresTotal } = JSON.parse(stdout) as Status;
      return pid === daemon.pid && failuresTotal === refused.length ? true : null;
    },
    { withinMs: 30_000 },
  );
  expect(await folder.run('pause', 'paused')).toMatchObject({ code: 0, stderr: '' });
}, 60_000);

afterAll(async () => {
  daemon.kill('SIGKILL');
  await folder.remove();
});

async function script(shell: string, file: string): Promise<string> {
  const { code, stdout } = await folder.run('completion', shell);
  expect(code).toBe(0);
  return folder.write(file, stdout);
}

function missing(shell: string): string | null {
  return spawnSync(shell, ['--version']).status === 0 ? null : shell;
}

async function ask(command: string, ...words: string[]): Promise<string> {
  const env = { PATH: `${folder.join('bin')}:${process.env['PATH'] ?? ''}`, HOME: folder.path, TERM: 'dumb' };
  return (await run(command, words, { cwd: folder.path, env, timeout: 30_000 })).stdout;
}

/** Asks again: on a busy machine ingestd may have given up after its second. */
async function check(
  offers: () => Promise<readonly string[]>,
  expected: readonly string[],
  only: boolean,
): Promise<void> {
  await eventually(async () => {
    expect(await offers()).toEqual(only ? expected : expect.arrayContaining([...expected]));
    return true;
  });
}

describe('what completion asks ingestd', () => {
  const offers = (...words: string[]) => ingestd(['__complete', '--', ...words], { cwd: folder.path });

  it('is hidden from help and the completion of commands', async () => {
    expect((await folder.run('--help')).stdout).not.toContain('__complete');
    expect((await folder.run('completion', 'fish')).stdout).not.toContain('-a __complete');
  });

  it('is answered from the configuration where no daemon runs', async () => {
    await folder.write(
      'other.yaml',
      'service: { mode: embedded }\nfolders: [{ name: alone, path: ./folders }]\nstate: { dir: ./none }\n',
    );
    const alone = async () => {
      const { code, stdout, stderr } = await offers('--config', 'other.yaml', 'rescan', '');
      expect([code, stderr]).toEqual([0, '']);
      return stdout.split('\n').filter(Boolean);
    };
    await check(alone, ['alone'], true);
  });

  it.each([
    ['a configuration that is wrong', ['-c', 'story.txt', 'pause', '']],
    ['one that is not there', ['--config=none.yaml', 'retry', '']],
    ['a command that does not exist', ['elephant', '']],
    ['nothing at all', []],
    ['options without their values', ['why', '--config']],
  ])('fails for nothing: %s', async (_, words) => {
    expect(await offers(...words)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('takes a second where the daemon does not answer', async () => {
    const timed = async () => {
      const before = performance.now();
      return { ...(await offers('retry', '')), ms: performance.now() - before };
    };
    const usual = await timed();
    daemon.kill('SIGSTOP');
    try {
      const { ms, ...answer } = await timed();
      expect(answer).toEqual({ code: 0, stdout: '', stderr: '' });
      // What starting a process takes comes on top.
      expect(ms - usual.ms).toBeLessThan(3_000);
    } finally {
      daemon.kill('SIGCONT');
    }
  });
});

describeWhere(missing('bash'), 'completion in bash', () => {
  beforeAll(async () => {
    await ask('bash', '-n', await script('bash', 'complete.bash'));
  });

  it.each(lines)('offers for "%s" %j', async (typed, expected, only) => {
    const asking = `source complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ingestd; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const offers = async () => {
      const answer = await ask('bash', '-c', asking, 'bash', 'ingestd', ...typed.split(' '));
      return answer.trim().split('\n').filter(Boolean);
    };
    await check(offers, expected, only);
  });
});

describeWhere(missing('zsh'), 'completion in zsh', () => {
  beforeAll(() => script('zsh', '_ingestd'));

  it.each(lines)('offers for "%s" %j', async (typed, expected, only) => {
    const offers = async () => {
      const answer = await ask('zsh', '-f', zshScript, folder.path, `ingestd ${typed}`);
      return [...answer.matchAll(/<<([^<>]+)>>/g)].map(([, word]) => word?.replaceAll('\\ ', ' ') ?? '');
    };
    await check(offers, expected, only);
  });

  it('can be sourced too, once compinit has run', async () => {
    const text = 'autoload -Uz compinit; compinit -u -D; source $1/_ingestd; print $_comps[ingestd]';
    expect(await ask('zsh', '-f', '-c', text, 'zsh', folder.path)).toBe('_ingestd\n');
  });
});

describeWhere(missing('fish'), 'completion in fish', () => {
  beforeAll(() => script('fish', 'ingestd.fish'));

  it.each(lines)('offers for "%s" %j', async (typed, expected, only) => {
    const offers = async () => {
      const answer = await ask('fish', '-N', '-c', `source ingestd.fish; complete -C 'ingestd ${typed}'`);
      return answer
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]?.replaceAll('\\ ', ' ') ?? '')
        .filter(Boolean);
    };
    await check(offers, expected, only);
  });
});
