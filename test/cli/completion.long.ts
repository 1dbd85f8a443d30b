import { execFile, spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';

import { describeWhere } from '../support/needs.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofAllTests } from '../support/of-each-test.ts';

/** What the user has typed, and words that the shell is to offer then; all of them, where `only` is so. */
const lines: readonly (readonly [typed: string, offered: readonly string[], only: boolean])[] = [
  ['st', ['status'], true],
  ['auth ', ['login', 'revoke'], false],
  ['auth revoke --a', ['--all'], true],
  ['--config x ledger imp', ['import'], true],
  ['init --share E', ['EVERYONE'], true],
  ['share --as s', ['stated'], true],
  ['completion f', ['fish'], true],
  ['why sto', ['story.txt'], true],
  ['--config sto', ['story.txt'], true],
  ['check --log-level f', ['fatal'], true],
  ['pause ', ['inbox'], true],
  ['keep ', ['inbox', 'story.txt'], false],
  ['retry --all ', ['inbox'], true],
  ['--config story.txt pause ', [], true],
  ['retry -', ['--all', '--yes'], false],
];

const zshScript = fileURLToPath(new URL('./zsh-completions.zsh', import.meta.url));
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const run = promisify(execFile);

const folder = ofAllTests(() => trialFolder());

beforeAll(async () => {
  await folder.write('story.txt', '');
  await folder.write('bin/ingestd', `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
  await chmod(folder.join('bin/ingestd'), 0o755);
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
  const env = { PATH: `${folder.join('bin')}:${process.env['PATH']}`, HOME: folder.path, TERM: 'dumb' };
  return (await run(command, words, { cwd: folder.path, env, timeout: 60_000 })).stdout;
}

function check(offers: readonly string[], expected: readonly string[], only: boolean): void {
  expect(offers).toEqual(only ? expected : expect.arrayContaining([...expected]));
}

describeWhere(missing('bash'), 'completion in bash', () => {
  beforeAll(async () => {
    await ask('bash', '-n', await script('bash', 'complete.bash'));
  });

  it.each(lines)('offers for "%s" %j', async (typed, expected, only) => {
    const asking = `source complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ingestd; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const answer = await ask('bash', '-c', asking, 'bash', 'ingestd', ...typed.split(' '));
    check(answer.trim().split('\n').filter(Boolean), expected, only);
  });
});

describeWhere(missing('zsh'), 'completion in zsh', () => {
  beforeAll(() => script('zsh', '_ingestd'));

  it.each(lines)('offers for "%s" %j', async (typed, expected, only) => {
    const answer = await ask('zsh', '-f', zshScript, folder.path, `ingestd ${typed}`);
    const offers = [...answer.matchAll(/<<([^<>]+)>>/g)].map(([, word]) => word ?? '');
    check(offers, expected, only);
  });

  it('can be sourced too, once compinit has run', async () => {
    const text = 'autoload -Uz compinit; compinit -u -D; source $1/_ingestd; print $_comps[ingestd]';
    expect(await ask('zsh', '-f', '-c', text, 'zsh', folder.path)).toBe('_ingestd\n');
  });
});

describeWhere(missing('fish'), 'completion in fish', () => {
  beforeAll(() => script('fish', 'ingestd.fish'));

  it.each(lines)('offers for "%s" %j', async (typed, expected, only) => {
    const answer = await ask('fish', '-N', '-c', `source ingestd.fish; complete -C 'ingestd ${typed}'`);
    const offers = answer
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '');
    check(offers.filter(Boolean), expected, only);
  });
});
