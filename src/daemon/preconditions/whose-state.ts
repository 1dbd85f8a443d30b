import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { writeDurably } from '../../lib/files/durable-file.ts';
import { ConfigurationError, isMissing } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';

type Whose = Pick<Settings, 'file' | 'cluster'> & { readonly state: Pick<Settings['state'], 'dir'> };

/**
 * A state directory is one configuration's. Throws ConfigurationError where it is that of another one, which still
 * exists. `isTrial`: the built-in configuration, which is that of its working directory.
 */
export async function requireOwnState(settings: Whose, isTrial: boolean): Promise<void> {
  const other = await otherOwner(settings, isTrial);
  if (other === null || !other.exists) return;
  const { dir } = settings.state;
  throw new ConfigurationError(
    `state.dir: ${dir} is that of another configuration, ${other.name}, and this is ${nameOf(settings, isTrial)}; give this one a state.dir of its own, name the other one with --config, or remove the other one if this one replaces it`,
  );
}

/** Whether a state directory is that of another configuration, which still exists. */
export async function isOfAnother(settings: Whose): Promise<boolean> {
  return (await otherOwner(settings, false))?.exists === true;
}

/**
 * From now on it is this configuration's: the one that it belonged to is gone, which is said, or there was none. Gives
 * what was said; null: nothing.
 */
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
): Promise<{ readonly name: string; readonly exists: boolean } | null> {
  // Hosts that stand by for one another share it, each with a configuration of its own.
  if (isShared(settings)) return null;
  const name = await readOwner(settings.state.dir);
  if (name === null || name === nameOf(settings, isTrial)) return null;
  const exists = await stat(name).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
  return { name, exists };
}

async function readOwner(dir: string): Promise<string | null> {
  const text = await readFile(fileIn(dir), 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
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
