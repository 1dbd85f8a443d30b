import { hash } from 'node:crypto';
import { readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { userState } from '../../config/find-places.ts';
import { stateHolder } from '../../ledger/lock-state-directory.ts';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { orNull } from '../../lib/or-null.ts';
import { ConfigurationError, isMissing } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';

type Whose = Pick<Settings, 'file' | 'cluster'> & { readonly state: Pick<Settings['state'], 'dir'> };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A state directory is one configuration's, and the other way round. Throws ConfigurationError where it is that of
 * another one, which still exists, and where the running daemon of this one has another. `isTrial`: the built-in
 * configuration, which is that of its working directory.
 */
export async function requireOwnState(settings: Whose, isTrial: boolean, env: Environment): Promise<void> {
  // What the environment says is for this process alone.
  const running = env['INGESTD_STATE__DIR'] ? null : await runningState(settings.file, env);
  if (running !== null && running.pid !== process.pid) requireSameState(settings, running);
  const other = await otherOwner(settings, isTrial);
  if (other === null || !other.exists) return;
  const { dir } = settings.state;
  const whose = `state.dir: ${dir} is that of`;
  throw new ConfigurationError(
    other.isTrial
      ? `${whose} the trial in ${other.name}, and this is ${nameOf(settings, isTrial)}; give this one a state.dir of its own`
      : `${whose} another configuration, ${other.name}, and this is ${nameOf(settings, isTrial)}; give this one a state.dir of its own, name the other one with --config, or remove the other one if this one replaces it`,
  );
}

/** Throws ConfigurationError where a running daemon has another state directory than these settings say. */
export function requireSameState({ state: { dir } }: Whose, running: { dir: string; pid: number }): void {
  if (dir === running.dir) return;
  throw new ConfigurationError(
    `state.dir: ${dir} is another directory than ${running.dir}, which the running ingestd (process ${running.pid}) has, and whose ledger knows what was delivered: every document would be uploaded a second time. To move it, change state.dir back, stop ingestd, move the directory, and only then change it`,
  );
}

/** The state directory of the running daemon of a configuration, as far as this user can know; null: none runs. */
export async function runningState(file: string, env: Environment) {
  const link = orNull(() => linkOf(file, env));
  const dir = link && (await readlink(link).catch(() => null));
  const pid = dir && (await readOwner(dir)) === file ? await stateHolder(dir) : null;
  return dir && pid ? { dir, pid } : null;
}

/** From now on this user's commands find the state directory of a configuration's daemon, until what it gives is called. */
export async function announceState({ file, state: { dir } }: Whose, env: Environment) {
  const link = linkOf(file, env);
  await makeDirectory(dirname(link), 0o700);
  await rm(link, { force: true });
  await symlink(dir, link);
  return () => rm(link, { force: true });
}

/** In the user's own place, wherever the state directory is. */
function linkOf(file: string, env: Environment): string {
  return join(userState(env, 'state.dir'), 'ingestd-running', hash('sha256', file).slice(0, 16));
}

/** Whether a state directory is that of another configuration, which still exists. */
export async function isOfAnother(settings: Whose): Promise<boolean> {
  return (await otherOwner(settings, false))?.exists === true;
}

/** From now on it is this configuration's. Gives what is said of the one before, which is gone; null: nothing. */
export async function adoptState(settings: Whose, isTrial: boolean, log: LogPort): Promise<string | null> {
  const other = await otherOwner(settings, isTrial);
  const { dir } = settings.state;
  const isAdopted = other !== null && !other.exists;
  const words = 'the state directory was that of a configuration that is gone; it is used on';
  if (isAdopted) log.warn({ dir, before: other.name }, words);
  const name = nameOf(settings, isTrial);
  if (!isShared(settings) && (other !== null || (await readOwner(dir)) !== name))
    await writeDurably(fileIn(dir), `${name}\n`);
  return isAdopted ? `the state directory was that of ${other.name}, a configuration that is gone` : null;
}

/** Null: it is this one's, or nobody's. */
async function otherOwner(
  settings: Whose,
  isTrial: boolean,
): Promise<{ readonly name: string; readonly exists: boolean; readonly isTrial: boolean } | null> {
  // Hosts that stand by for one another share it, each with a configuration of its own.
  if (isShared(settings)) return null;
  const name = await readOwner(settings.state.dir);
  if (name === null || name === nameOf(settings, isTrial)) return null;
  // The trial's is its working directory.
  return stat(name).then(
    (found) => ({ name, exists: true, isTrial: found.isDirectory() }),
    (error: unknown) => ({ name, exists: !isMissing(error), isTrial: false }),
  );
}

async function readOwner(dir: string): Promise<string | null> {
  return (await readFile(fileIn(dir), 'utf8').catch(() => '')).trim() || null;
}

function isShared({ cluster }: Whose): boolean {
  return cluster?.standBy === true;
}

function nameOf({ file, state }: Whose, isTrial: boolean): string {
  return isTrial ? dirname(state.dir) : file;
}

function fileIn(dir: string): string {
  return join(dir, 'configuration');
}
