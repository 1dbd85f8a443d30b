import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

import * as z from 'zod';

/** Who holds a lock, so that anybody can tell whether it still runs. Null: the system does not tell. */
export const processIdentitySchema = z.object({
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
  /** It goes on where nobody can ask it: the name of its host among the others, and how much it may do then. */
  alone: z.object({ host: z.string(), share: z.int().positive() }).optional(),
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

/** Whether `holder` still runs, as far as `own` can tell. */
export async function isAlive(
  holder: ProcessIdentity,
  own: ProcessIdentity,
): Promise<'yes' | 'no' | 'unknown'> {
  if (holder.boot !== own.boot) {
    const elsewhere = holder.machine !== null && own.machine !== null && holder.machine !== own.machine;
    return elsewhere ? 'yes' : 'no';
  }
  if (holder.namespace !== own.namespace) return 'unknown';
  if (holder.start !== null) return (await startOf(holder.pid)) === holder.start ? 'yes' : 'no';
  return isRunning(holder.pid) ? 'yes' : 'no';
}

/**
 * Whether `holder` has ended, without any doubt: it ran on this machine as it runs now, and among the same processes.
 * False where that cannot be told.
 */
export async function hasEnded(holder: ProcessIdentity, own: ProcessIdentity): Promise<boolean> {
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
