import { createHash, randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { link, open, readdir, readFile, readlink, rename, rm, stat, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hostname } from 'node:os';

import * as z from 'zod';
import { withPath } from '../files/durable-file.ts';
import { orNull } from '../or-null.ts';

const mode = 0o600;
const beatMs = 2_000;
/** Three beats and some: who has not touched the lock in this time does not run. */
const defaultSilenceMs = 7_000;
/** The name of the namespace that every process outside of a container is in. */
const firstNamespace = 'pid:[4026531836]';
/** A chain of processes that died while they took over a dead one's lock. */
const maxDepth = 8;

/** A lock file that this process holds. */
export type ProcessLock = Awaited<ReturnType<typeof createLock>>;

/** What came of taking a lock. */
export type LockAttempt =
  | { readonly kind: 'taken'; readonly lock: ProcessLock }
  /** `isCertain` is false where the holder may be gone, in another container. */
  | { readonly kind: 'held'; readonly holder: ProcessIdentity; readonly isCertain: boolean };

interface LockFile {
  readonly path: string;
  readonly silenceMs: number;
  readonly own: ProcessIdentity;
}

type Held = Extract<LockAttempt, { readonly kind: 'held' }>;

/**
 * Takes a lock file for this process; its directory has to be there. Of two that start at once one gets it, also when
 * both find the lock of a process that is no more. `since`: ISO 8601, for whoever finds it taken. With a `fence`, the
 * lock of a process with a lower one of the same `fleet` is taken over. Throws what the file system throws.
 */
export async function takeProcessLock(
  path: string,
  {
    silenceMs = defaultSilenceMs,
    ...holding
  }: Pick<ProcessIdentity, 'since' | 'fence' | 'fleet'> & { readonly silenceMs?: number | undefined },
): Promise<LockAttempt> {
  const own = { ...(await ownIdentity(holding.since)), ...holding };
  const taken = await take({ path, own, silenceMs }, 0).catch((error: unknown) => {
    throw withPath(error, path);
  });
  if ('kind' in taken) return taken;
  await removeRemnants(path).catch(() => undefined);
  return { kind: 'taken', lock: await createLock(path, own, taken) };
}

/** Removes what processes left beside a lock that were killed while they took it. */
async function removeRemnants(path: string): Promise<void> {
  const directory = dirname(path);
  for (const name of await readdir(directory)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const holder = await lockHolder(join(directory, name));
    if (holder?.hasEnded === true) await rm(join(directory, name), { force: true });
  }
}

/**
 * Who holds a lock, as whoever took it would find: whether that process runs, and whether it has ended without any doubt;
 * null: nobody. Throws what the file system throws.
 */
export async function lockHolder(path: string) {
  const holder = parseHolder((await readLock(path)) ?? '');
  if (holder === null) return null;
  const own = await ownIdentity('');
  return { ...holder, isAlive: await isAlive(holder, own), hasEnded: await hasEnded(holder, own) };
}

/** The open file keeps its inode number from being given to another file, so that the number tells whose lock it is. */
async function createLock(path: string, own: ProcessIdentity, file: FileHandle) {
  const { dev, ino } = await file.stat();
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, beatMs);
  beat.unref();
  if (!isTouched(own)) clearInterval(beat);
  const isHeld = (): boolean => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && found.ino === ino && found.dev === dev;
  };
  return {
    /** False when somebody has removed or replaced the file. Asks the file system at once: a few microseconds. */
    isHeld,
    /** Removes the file if it is still this lock's own, and never that of whoever came after. */
    release: async (): Promise<void> => {
      clearInterval(beat);
      try {
        // In one go: nothing of this process comes between.
        if (isHeld()) rmSync(path, { force: true });
      } finally {
        await file.close();
      }
    },
  };
}

/** Makes the lock file, whole from its first moment, or takes that of a dead process over. */
async function take(lock: LockFile, depth: number): Promise<FileHandle | Held> {
  const temporary = `${lock.path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', mode);
  let isTaken = false;
  try {
    await file.writeFile(`${JSON.stringify(lock.own)}\n`);
    // On a shared disk the others read it, and what they cannot read counts as damaged.
    if (lock.own.fence !== undefined) await file.sync();
    while (!isTaken) {
      isTaken = await linkNew(temporary, lock.path);
      const found = isTaken ? null : await readLock(lock.path);
      if (found === null) continue;
      const held = await judge(lock, found);
      if (held !== null) return held;
      const outcome = await takeOver(lock, found, { temporary, depth });
      if (typeof outcome === 'object') return outcome;
      isTaken = outcome;
    }
    return file;
  } finally {
    await rm(temporary, { force: true });
    if (!isTaken) await file.close();
  }
}

/** Null: it is certain that whoever wrote `found` is no more, or holds nothing any more. */
async function judge({ path, own, silenceMs }: LockFile, found: string): Promise<Held | null> {
  const holder = parseHolder(found);
  // Nobody can write half a lock: this one was damaged by a power loss or by hand.
  if (holder === null || isFencedOff(holder, own)) return null;
  const alive = await isAlive(holder, own);
  if (alive === 'no') return null;
  if (alive === 'unknown' && isTouched(holder) && (await isSilent(path, silenceMs))) return null;
  return { kind: 'held', holder, isCertain: alive === 'yes' };
}

/** Both know of the other by their fences, and the holder's time is over whether it runs or not. */
function isFencedOff(holder: ProcessIdentity, own: ProcessIdentity): boolean {
  if (holder.fence === undefined || own.fence === undefined || holder.fleet !== own.fleet) return false;
  return holder.fence < own.fence;
}

/**
 * Replaces the lock of a dead process. Only who holds the lock that is named after the dead one's text may do so,
 * and only while that text still stands there: a slow second finds another text and leaves it alone.
 */
async function takeOver(
  lock: LockFile,
  found: string,
  { temporary, depth }: { readonly temporary: string; readonly depth: number },
): Promise<boolean | Held> {
  if (depth === maxDepth) throw new Error(`remove the files ${basename(lock.path)}.* first`);
  // The name of the lock is in it: of two that a power loss has emptied neither is the right to take itself over.
  const name = createHash('sha256')
    .update(`${basename(lock.path)} ${found}`)
    .digest('hex')
    .slice(0, 16);
  const right = { ...lock, path: `${lock.path.split('.take-')[0]}.take-${name}` };
  const taken = await take(right, depth + 1);
  if ('kind' in taken) return taken;
  try {
    if ((await readFile(lock.path, 'utf8').catch(() => null)) !== found) return false;
    await rename(temporary, lock.path);
    return true;
  } finally {
    await taken.close();
    await rm(right.path, { force: true });
  }
}

/** Null: it is gone, or on a network disk it went while it was read. */
async function readLock(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESTALE') return null;
    throw error;
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isSilent(path: string, silenceMs: number): Promise<boolean> {
  const touchedAt = async () => (await stat(path).catch(() => null))?.mtimeMs;
  const before = await touchedAt();
  await delay(silenceMs);
  return before !== undefined && (await touchedAt()) === before;
}

function parseHolder(text: string): ProcessIdentity | null {
  return orNull(() => processIdentitySchema.parse(JSON.parse(text)));
}

/** Who holds a lock, so that anybody can tell whether it still runs. Null: the system does not tell. */
const processIdentitySchema = z.object({
  pid: z.int().positive(),
  /** ISO 8601, UTC: since when the lock is held. */
  since: z.string(),
  host: z.string(),
  machine: z.string().nullable(),
  boot: z.string().nullable(),
  /** In ticks since boot: tells a process from a later one of the same number. */
  start: z.string().nullable(),
  /** Process numbers mean something only within one of these: each container has its own. */
  namespace: z.string().nullable(),
  /** Which holder this is of those that share a directory on several machines; left out: nobody shares it. */
  fence: z.int().positive().optional(),
  /** Who gives out the fences: those of another fleet say nothing. */
  fleet: z.string().optional(),
});

/** Who holds a lock. */
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** States of a process that has ended and that nobody has waited for. */
const ended: ReadonlySet<string | undefined> = new Set(['Z', 'X']);
/** Where the start time stands in `/proc/PID/stat`, behind the name. */
const startField = 19;

/** This process. */
export async function ownIdentity(since: string): Promise<ProcessIdentity> {
  const [machine, boot, start, namespace] = await Promise.all([
    firstLine('/etc/machine-id'),
    firstLine('/proc/sys/kernel/random/boot_id'),
    startOf(process.pid),
    readlink('/proc/self/ns/pid').catch(() => null),
  ]);
  return { pid: process.pid, since, host: hostname(), machine, boot, start, namespace };
}

/** A process in a container touches its lock; outside of one everybody can see by its number whether it runs. */
function isTouched({ namespace }: ProcessIdentity): boolean {
  return namespace !== null && namespace !== firstNamespace;
}

/** Whether `holder` still runs, as far as `own` can tell. */
async function isAlive(holder: ProcessIdentity, own: ProcessIdentity): Promise<'yes' | 'no' | 'unknown'> {
  if (holder.boot !== own.boot) {
    if (holder.machine !== null && own.machine !== null) return holder.machine === own.machine ? 'no' : 'yes';
    // This machine before it was restarted, or another one: only a lock that is touched tells.
    return isTouched(holder) ? 'unknown' : 'no';
  }
  if (holder.namespace !== own.namespace) return 'unknown';
  if (holder.start !== null) return (await startOf(holder.pid)) === holder.start ? 'yes' : 'no';
  return isRunning(holder.pid) ? 'yes' : 'no';
}

/**
 * Whether `holder` has ended, without any doubt: it ran on this machine as it runs now, and among the same processes.
 * False where that cannot be told.
 */
async function hasEnded(holder: ProcessIdentity, own: ProcessIdentity): Promise<boolean> {
  const { boot, namespace, start, pid } = holder;
  if (boot === null || namespace === null || start === null) return false;
  if (boot !== own.boot || namespace !== own.namespace || (await startOf(pid)) === start) return false;
  // A process that may not be looked at has no start time either.
  return (await firstLine(`/proc/${pid}/stat`)) !== null || !isRunning(pid);
}

/** When a process began, in ticks since boot. Null: there is none, it has ended, or the system does not tell. */
async function startOf(pid: number): Promise<string | null> {
  const stat = (await firstLine(`/proc/${pid}/stat`)) ?? '';
  // The name in parentheses may hold spaces and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ended.has(fields[0]) ? null : (fields[startField] ?? null);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function firstLine(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const line = text.split('\n')[0] ?? '';
  return line === '' ? null : line;
}
