import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { makeDirectory } from '../../lib/files/make-directory.ts';
import { errorMessage } from '../../model/errors.ts';
import { homeDirectory } from '../../config/find-places.ts';
import { userUnitFile } from '../../config/package-files.ts';
import type { CommandContext } from '../define-command.ts';
import { readIfThere, writeWhole } from './init-files.ts';
import type { Destination } from './init-files.ts';

const run = promisify(execFile);
const unit = 'ingestd.service';
const withinMs = 30_000;

/** Whether this user has a systemd of its own that answers; root's services are those of the machine. */
export async function hasUserManager(env: CommandContext['env']): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return false;
  return systemctl(['show-environment'], env).then(
    () => true,
    () => false,
  );
}

/**
 * The unit for this user, with the program that is running and this configuration; `replaces`: another one is there.
 * Throws ConfigurationError where that cannot be read.
 */
export async function userUnit(destination: Destination) {
  const { env } = destination;
  const settings = env['XDG_CONFIG_HOME'] || join(homeDirectory(env, 'XDG_CONFIG_HOME'), '.config');
  const file = join(settings, 'systemd/user', unit);
  const text = unitText(await readFile(userUnitFile, 'utf8'), {
    command: [process.execPath, process.argv[1] ?? '', 'run'],
    configuration: destination.file,
  });
  const before = await readIfThere(file, destination);
  return { file, text, replaces: before !== null && before !== text };
}

/**
 * Installs and starts it, and prints what was done and how to take it back. Gives what systemd refused, with the fix; null:
 * nothing. Throws ConfigurationError where the unit cannot be written.
 */
export async function installUserService(
  { file, text }: Awaited<ReturnType<typeof userUnit>>,
  { env, output: { line } }: CommandContext,
): Promise<string | null> {
  await makeDirectory(dirname(file));
  await writeWhole(file, text, 0o644);
  line(`Wrote ${file}`);
  let fix = `once it answers, run systemctl --user daemon-reload && systemctl --user enable --now ${unit}`;
  try {
    await systemctl(['daemon-reload'], env);
    fix = 'see: journalctl --user -u ingestd';
    await systemctl(['enable', unit], env);
    // One that runs already takes over the new configuration.
    await systemctl(['restart', unit], env);
  } catch (error) {
    const words = errorMessage(error)
      .replace(/^Command failed: .*\n/, '')
      .trim();
    return `systemd does not start ingestd (${words}); ${fix}`;
  }
  line('ingestd runs now and whenever you log in; while you are logged out too: loginctl enable-linger');
  line(
    `To remove it: systemctl --user disable --now ingestd && rm ${file} && systemctl --user daemon-reload`,
  );
  return null;
}

/** The unit that ships with ingestd, for a program and a configuration that may lie anywhere. */
export function unitText(
  template: string,
  { command, configuration }: { readonly command: readonly string[]; readonly configuration: string },
): string {
  // `:`: a dollar in a path is one. By way of env, as systemd takes no program whose path has a quote.
  const start = [':/usr/bin/env', ...command.map(quoted)].join(' ');
  const environment = `NODE_ENV=production ${quoted(`INGESTD_CONFIG=${configuration}`)}`;
  const unit = template
    .replaceAll(/^(?:#|Documentation=).*\n/gm, '')
    .replaceAll(/^ExecStart=.*/gm, () => `ExecStart=${start}`)
    .replaceAll(/^Environment=.*/gm, () => `Environment=${environment}`);
  return `# Written by ingestd init.\n\n${unit.trimStart()}`;
}

/** As systemd reads a word: `%` stands for itself when doubled. */
function quoted(word: string): string {
  return `"${word.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`;
}

async function systemctl(words: readonly string[], env: CommandContext['env']): Promise<void> {
  await run('systemctl', ['--user', ...words], { env: { ...env }, timeout: withinMs });
}
