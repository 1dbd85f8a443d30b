import { createHash, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { errorCode } from '../model/errors.ts';

const idForm = /^[0-9a-f]{32}$/;
const longestName = 80;

/**
 * What a state directory is known by, wherever it is mounted: a random id in the file `id`. `isNew`: this call has made
 * it.
 */
export async function stateId(dir: string): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const path = join(dir, 'id');
  const read = async () => (await readFile(path, 'utf8')).trim();
  let isNew = false;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${randomBytes(16).toString('hex')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    isNew = true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const id = await read();
  if (idForm.test(id)) return { id, isNew };
  throw new Error(
    `${path} does not contain a valid id; stop every ingestd that uses the directory and remove the file: a new one is created`,
  );
}

/** The name of this host where the configuration gives none: `archive-3f9a01c2`. */
export function hostName(id: string): string {
  const name = hostname().replaceAll(/[^\w.-]/g, '-');
  return `${name.slice(0, longestName) || 'host'}-${id.slice(0, 8)}`;
}

/** What all keys and channels of an account begin with; the braces keep them together in a Redis Cluster. */
export function fleetPrefix(
  account: string | undefined,
  { ingestUrl, username }: { readonly ingestUrl: string; readonly username: string },
): string {
  return `ingestd:{${account ?? accountName(ingestUrl, username)}}`;
}

/** The name of the budget where the configuration gives none: the service counts by its address and user. */
function accountName(ingestUrl: string, username: string): string {
  return createHash('sha256').update(`${ingestUrl}\n${username.toLowerCase()}`).digest('hex').slice(0, 20);
}
