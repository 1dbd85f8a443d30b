import { createHash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Clock } from '../lib/clock.ts';
import { StateLockedError, errorCode } from '../model/errors.ts';
import { unwritable } from './journal/journal-writer.ts';
import { isAlive, ownIdentity, processIdentitySchema } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

const LOCK = 'lock';
const MODE = 0o600;
const BEAT_MS = 2_000;
/** Three beats and some: who has not touched the lock in this time does not run. */
const SILENCE_MS = 7_000;
/** The name of the namespace that every process outside of a container is in. */
const FIRST_NAMESPACE = 'pid:[4026531836]';
const REMAINS = /^lock\..+/;
const REMAINS_AFTER_MS = 60_000;
/** A chain of processes that died while they took over a dead one's lock. */
const MAX_DEPTH = 8;

/** A state directory that is held. */
export interface StateLock {
  /** False when somebody has removed or replaced the lock: then nothing may be written any more. */
  readonly isHeld: () => boolean;
  readonly release: () => Promise<void>;
}

interface LockFile {
  readonly path: string;
  readonly text: string;
  readonly silenceMs: number;
  readonly own: ProcessIdentity;
}

/**
 * Holds a state directory for this process. Of two that start at once one gets it, also when both find the lock
 * of a process that is no more. A StateLockedError names who holds it.
 */
export async function takeStateLock(
  dir: string,
  clock: Clock,
  { silenceMs = SILENCE_MS }: { readonly silenceMs?: number } = {},
): Promise<StateLock> {
  const own = await ownIdentity(new Date(clock.now()).toISOString());
  const path = join(dir, LOCK);
  const ino = await hold({ path, own, silenceMs, text: `${JSON.stringify(own)}\n` });
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  // Outside of containers everybody can see by its number whether this process runs.
  if (own.namespace === null || own.namespace === FIRST_NAMESPACE) clearInterval(beat);
  const isHeld = (): boolean => statSync(path, { throwIfNoEntry: false })?.ino === ino;
  return {
    isHeld,
    release: async () => {
      clearInterval(beat);
      if (isHeld()) await rm(path, { force: true });
    },
  };
}

async function hold(lock: LockFile): Promise<number> {
  try {
    await take(lock, 0);
    await clearRemains(dirname(lock.path));
    return (await stat(lock.path)).ino;
  } catch (error) {
    throw errorCode(error) === 'state-locked' ? error : unwritable(lock.path, error);
  }
}

/** Takes away what processes left that died while they took the lock. */
async function clearRemains(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if (!REMAINS.test(name)) continue;
    const touched = await touchedAt(path);
    if (touched !== null && touched < Date.now() - REMAINS_AFTER_MS) await rm(path, { force: true });
  }
}

/** Makes the lock file, whole from its first moment, or takes that of a dead process over. */
async function take(lock: LockFile, depth: number): Promise<void> {
  const temporary = `${lock.path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, lock.text, { mode: MODE, flag: 'wx' });
  try {
    while (!(await linkNew(temporary, lock.path))) {
      const found = await readFile(lock.path, 'utf8').catch(() => null);
      if (found !== null) {
        await judge(lock, found);
        if (await takeOver(lock, { found, temporary, depth })) return;
      }
    }
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Throws a StateLockedError unless it is certain that whoever wrote `found` is no more. */
async function judge({ path, own, silenceMs }: LockFile, found: string): Promise<void> {
  const holder = parseHolder(found);
  // Nobody can write half a lock: this one was damaged by a power loss or by hand.
  if (holder === null) return;
  const alive = await isAlive(holder, own);
  if (alive === 'no') return;
  if (alive === 'unknown' && holder.namespace !== FIRST_NAMESPACE && (await isSilent(path, silenceMs)))
    return;
  const doubt = alive === 'yes' ? '' : ` If that process is gone, remove ${path}.`;
  throw new StateLockedError(
    `Another ingestd holds the state directory ${dirname(path)}: process ${holder.pid} on ${holder.host}, since ${holder.since}. Stop it first; with another state.dir every document would be uploaded a second time.${doubt}`,
  );
}

interface TakeOver {
  readonly found: string;
  readonly temporary: string;
  readonly depth: number;
}

/**
 * Replaces the lock of a dead process. Only who holds the lock that is named after the dead one's text may do so,
 * and only while that text still stands there: a slow second finds another text and leaves it alone.
 */
async function takeOver(lock: LockFile, { found, temporary, depth }: TakeOver): Promise<boolean> {
  if (depth === MAX_DEPTH) {
    throw new StateLockedError(
      `The lock cannot be taken over: remove the files ${basename(lock.path)}.* first.`,
    );
  }
  const name = createHash('sha256').update(found).digest('hex').slice(0, 16);
  const right = { ...lock, path: `${lock.path.split('.take-')[0]}.take-${name}` };
  await take(right, depth + 1);
  try {
    if ((await readFile(lock.path, 'utf8').catch(() => null)) !== found) return false;
    await rename(temporary, lock.path);
    return true;
  } finally {
    await rm(right.path, { force: true });
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isSilent(path: string, silenceMs: number): Promise<boolean> {
  const before = await touchedAt(path);
  await delay(silenceMs);
  return before !== null && (await touchedAt(path)) === before;
}

async function touchedAt(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}

function parseHolder(text: string): ProcessIdentity | null {
  try {
    return processIdentitySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
