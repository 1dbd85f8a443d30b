import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode, StateLockedError } from '../../model/errors.ts';
import { startIn } from '../../lib/process-stat.ts';
import { readIfThere } from './durable-file.ts';

const attempts = 3;

/** Holds the data directory for this process; what it returns lets go. Throws StateLockedError while another holds it. */
export async function lockData(root: string): Promise<() => Promise<void>> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const path = join(root, 'lock');
  const mine = `${process.pid} ${await startOf(process.pid)} ${randomUUID()}`;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (await claim(path, mine)) return () => release(path, mine);
    const holder = (await readIfThere(path)) ?? '';
    if (await lives(holder)) {
      const pid = holder.split(' ')[0];
      throw new StateLockedError(`the embedded service's data in ${root} is in use by process ${pid}`);
    }
    if ((await readIfThere(path)) === holder) await rm(path, { force: true });
  }
  throw new StateLockedError(`the embedded service's data in ${root} is in use`);
}

/** A link is made whole or not at all, so that no reader ever sees an empty lock. */
async function claim(path: string, mine: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function lives(holder: string): Promise<boolean> {
  const [pid, start] = holder.split(' ');
  if (pid === undefined || !/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return (await startOf(Number(pid))) === start;
}

/**
 * When a process began, in the kernel's count: the same number later is another process if this differs. One that has
 * ended and that nobody has waited for holds nothing any more.
 */
async function startOf(pid: number): Promise<string> {
  try {
    return startIn(await readFile(`/proc/${pid}/stat`, 'utf8')) ?? 'ended';
  } catch {
    return 'unknown';
  }
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readIfThere(path)) === mine) await rm(path, { force: true });
}
