import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { syncDirectory } from '../lib/files/durable-file.ts';
import { makeDirectory } from '../lib/files/make-directory.ts';
import { lockHolder, takeProcessLock } from '../lib/process/process-lock.ts';
import type { LockAttempt, ProcessLock } from '../lib/process/process-lock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { userName } from '../lib/process/user-name.ts';
import { ConfigurationError, StateLockedError, errorCode } from '../model/errors.ts';
import { fileFault } from '../model/report/file-fault.ts';
import { unwritable } from './ledger-errors.ts';
import { listLedger } from './ledger-files.ts';

/** The right of one host to write a state directory that several share. */
export interface WriteLease {
  /** One higher than that of the holder before. It stands in the names of the ledger's files. */
  readonly fence: number;
  /** The hosts among which it is one host's. */
  readonly fleet: string;
  /** Resolves while the lease holds, asking Redis where it may have lapsed. Rejects where it is lost. */
  readonly confirm: () => Promise<void>;
  /** False when it was not renewed in time by either clock of this host. */
  readonly holds: () => boolean;
}

/** Who has held the lock for less than this may be a command, which is done in a moment: it is tried again, so often. */
const briefMs = 5_000;
const againMs = 100;

/**
 * Holds a state directory for this process. A StateLockedError names who holds it; LedgerUnwritableError when the lock
 * cannot be written. With a lease, the lock of a holder with a lower fence is taken over, wherever it runs: its lease is
 * over.
 */
export async function takeStateLock(
  dir: string,
  clock: Clock,
  options: {
    readonly silenceMs?: number;
    readonly since?: string | undefined;
    readonly lease?: Pick<WriteLease, 'fence' | 'fleet'> | null;
  } = {},
): Promise<ProcessLock> {
  const path = join(dir, 'lock');
  const { silenceMs, lease, since = new Date(clock.now()).toISOString() } = options;
  const { fence, fleet } = lease ?? {};
  const take = () =>
    takeProcessLock(path, { since, silenceMs, fence, fleet }).catch((error: unknown) => {
      throw errorCode(error) === 'EISDIR' ? fileFault(error) : unwritable(path, error);
    });
  let attempt = await take();
  for (let ms = 0; ms < briefMs && mayBeBrief(attempt, clock); ms += againMs) {
    await delay(againMs);
    attempt = await take();
  }
  if (attempt.kind === 'taken') return attempt.lock;
  const { pid, host, since: held, fleet: other } = attempt.holder;
  if (fleet !== undefined && other !== undefined && fleet !== other) {
    throw new StateLockedError(
      `Another ingestd uses the state directory ${dir}: process ${pid} on ${host}, which has held it since ${held}, as part of another fleet (${other}, here ${fleet}). Give all hosts of a state directory the same cluster.account. If that process is gone, remove ${path}.`,
    );
  }
  const doubt = attempt.isCertain ? '' : ` If that process is gone, remove ${path}.`;
  throw new StateLockedError(
    `Another ingestd uses the state directory ${dir}: process ${pid} on ${host}, which has held it since ${held}. If it is ingestd run, it delivers by itself: ingestd rescan has it look at the folders now, and ingestd status tells how far it is. For anything else stop it, run this command again, then start it. Do not use another state.dir: every document would be uploaded a second time.${doubt}`,
  );
}

function mayBeBrief(attempt: LockAttempt, clock: Clock): boolean {
  if (attempt.kind === 'taken' || !attempt.isCertain) return false;
  return clock.now() - Date.parse(attempt.holder.since) < briefMs;
}

/** Says whether no process writes the ledger of a state directory. False where that cannot be told. */
export async function isStateFree(dir: string): Promise<boolean> {
  const holder = await lockHolder(join(dir, 'lock')).catch(() => undefined);
  return holder === null || holder?.isAlive === 'no';
}

/** The number, as numbers are here, of the process that holds a state directory; null: nobody does, or nobody knows. */
export async function stateHolder(dir: string): Promise<number | null> {
  const holder = await lockHolder(join(dir, 'lock')).catch(() => null);
  return holder?.isAlive === 'yes' ? holder.pid : null;
}

/**
 * What a state directory says of those who had its lease: the highest fence in the names of its files, and the fence of
 * the last holder where its process has ended on this machine without any doubt; 0: none, or not known.
 */
export async function readLeaseTraces(dir: string) {
  const { highestFence } = await listLedger(dir);
  const holder = await lockHolder(join(dir, 'lock')).catch(() => null);
  const fence = holder?.hasEnded === true ? (holder.fence ?? 0) : 0;
  return { highestFence, endedFence: fence >= highestFence ? fence : 0 };
}

/** Marks a fence as used, in the directory itself: of two holders that were given the same one, the second fails. */
export async function claimFence(path: string): Promise<void> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600, flush: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw unwritable(path, error);
    throw new StateLockedError(
      `Another host has taken the ledger at the same moment (${path}). Start again.`,
    );
  }
}

const MODE = 0o700;
const MODE_BITS = 0o777;
const OTHERS_WRITE = 0o022;
/** Where a directory fails like this none can ever be: below `/proc`, or below a file. */
const NO_PLACE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EEXIST']);

/** The command that makes a state directory for a user. */
export function makingOf(dir: string, user: string | number | undefined = process.geteuid?.()): string {
  return `sudo install -d -m 0700 -o ${user} ${dir}`;
}

/**
 * Makes the state directory where there is none, durable, and its owner's alone whatever the umask. Whoever can write
 * in it can send and delete documents: throws ConfigurationError where it belongs to another user, or others can write
 * in it and that cannot be changed; and where no directory can be. LedgerUnwritableError when it cannot be made now.
 */
export async function prepareDirectory(dir: string): Promise<void> {
  try {
    const first = await makeDirectory(dir, MODE).catch((error: unknown) => {
      const code = errorCode(error);
      const isBarred = code === 'EACCES' || code === 'EPERM';
      if (!isBarred && !NO_PLACE.has(code)) throw error;
      const words = `${dir} cannot be created (${code}); ${isBarred ? `run ${makingOf(dir)}` : 'name a directory on a disk'}`;
      throw new ConfigurationError(`state.dir: ${words}`, { cause: error });
    });
    if (first !== undefined) await syncParents(dir, dirname(first));
    refuseForeign(dir, await stat(dir));
    if (await isToBeClosed(dir, first !== undefined)) await chmod(dir, MODE);
    refuseWritable(dir, await stat(dir));
  } catch (error) {
    throw errorCode(error) === 'configuration' ? error : unwritable(dir, error);
  }
}

/** Throws ConfigurationError where its owner's next start would, because others can write in it. Changes nothing. */
export async function requireClosedState(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => null);
  if (found === null || found.uid !== process.geteuid?.()) return;
  if (!(await isToBeClosed(dir, false))) refuseWritable(dir, found);
}

/** Whether the permissions of others are to be taken away. Throws ConfigurationError where another user was there. */
async function isToBeClosed(dir: string, isNew: boolean): Promise<boolean> {
  const { mode } = await stat(dir);
  if ((mode & MODE_BITS) === MODE) return false;
  if ((mode & OTHERS_WRITE) !== 0) await refusePlanted(dir);
  return isNew || isForState(dir);
}

/** One that an ingestd uses is that user's to keep: given to another one, a service could not start any more. */
function refuseForeign(dir: string, { uid }: Stats): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  // Root's may be given away (a new volume, or made by mistake), a service account's may not.
  const advice =
    uid === 0
      ? `unless ingestd runs as root elsewhere, with this directory, run sudo chown -R ${own} ${dir}`
      : `run ingestd as that user (sudo -u ${userName(uid)} ingestd …)`;
  throw new ConfigurationError(
    `state.dir: ${dir} belongs to another user (uid ${uid}; this ingestd runs as uid ${own}), who could change what is sent and deleted; ${advice}`,
  );
}

function refuseWritable(dir: string, { mode }: Stats): void {
  if ((mode & OTHERS_WRITE) === 0) return;
  const permissions = (mode & MODE_BITS).toString(8).padStart(4, '0');
  throw new ConfigurationError(
    `state.dir: other users can write to ${dir} (mode ${permissions}) and could change what is sent and deleted; choose a directory only for ingestd, for example ${dir}/ingestd`,
  );
}

/** What another user put there while others could write must not become the ledger. */
async function refusePlanted(dir: string): Promise<void> {
  const own = process.geteuid?.();
  const names = await readdir(dir);
  // Where a ledger is, another directory is no way out: everything would be uploaded a second time.
  const elsewhere = names.some(isOfLedger) ? '' : ', or name a directory for ingestd alone';
  for (const name of own === undefined ? [] : names) {
    const { uid } = await lstat(join(dir, name));
    if (uid === own || uid === 0) continue;
    throw new ConfigurationError(
      `state.dir: others can write in ${dir}, and ${name} in it belongs to another user (uid ${uid}); look whose it is, then remove it${elsewhere}`,
    );
  }
}

function isOfLedger(name: string): boolean {
  return name.startsWith('ledger.');
}

/** A setting that names /var/lib or /tmp must not lock everybody else out of it. */
async function isForState(dir: string): Promise<boolean> {
  if (process.geteuid?.() !== 0) return true;
  const names = await readdir(dir);
  return names.length === 0 || names.some(isOfLedger);
}

/** A directory that is not on the medium takes the whole ledger with it. */
async function syncParents(dir: string, last: string): Promise<void> {
  for (let parent = dirname(dir); ; parent = dirname(parent)) {
    await syncDirectory(parent).catch(() => undefined);
    if (parent === last || parent === dirname(parent)) return;
  }
}
