import { readFileSync, realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, machine, release, totalmem, type } from 'node:os';
import { version } from '../config/package-files.ts';
import { readEventQueueLength, readInstanceLimit, readWatchLimit } from '../lib/files/inotify.ts';
import { mountOf, readMountTable } from '../lib/files/mount-table.ts';
import { orNull } from '../lib/or-null.ts';
import { finding } from '../model/report/command-reports.ts';
import { eventlessFileSystemAt } from '../scan/watch/network-file-systems.ts';
import { check } from './check/check.ts';
import type { CheckOptions } from './check/check.ts';
import { nearest } from './check/check-ledger.ts';

/** What `doctor` finds out: everything that a bug report has to say. */
export type DoctorReport = Awaited<ReturnType<typeof examine>>;

/**
 * What `check --online` finds, the running daemon and this machine; sizes in bytes, null where the system does not say.
 * `options` is the reason where the configuration is invalid: the machine is described all the same.
 */
export async function examine(options: Omit<CheckOptions, 'online'> | string) {
  const settings = typeof options === 'string' ? null : options.settings;
  const findings =
    typeof options === 'string'
      ? [finding('error', 'configuration', { code: 'configuration', message: options, fix: '' })]
      : await check({ ...options, online: true });
  const daemon = typeof options === 'string' ? null : await examineDaemon(options);
  const places =
    settings === null ? [] : [{ name: 'state.dir', path: settings.state.dir }, ...settings.folders];
  const problems = findings.filter(({ level }) => level === 'error').length;
  return {
    ok: problems === 0,
    problems,
    ingestd: {
      version: version(),
      node: process.version,
      program: process.argv[1] ?? '',
      /** The file; null, as `mode`: it is invalid. */
      configuration: settings?.file ?? null,
      mode: settings?.service.mode ?? null,
      /** Null: none answers. */
      daemon,
    },
    system: examineSystem(),
    inotify: {
      watchLimit: finite(readWatchLimit()),
      instanceLimit: finite(readInstanceLimit()),
      queueLength: readEventQueueLength(),
    },
    places: await Promise.all(places.map(({ name, path }) => examinePlace(name, path))),
    findings,
  };
}

/** Why one does not answer is a finding already. */
async function examineDaemon({ daemon }: Pick<CheckOptions, 'daemon'>) {
  const client = await daemon.catch(() => null);
  const status = await client?.status().catch(() => null);
  if (!client || !status) return null;
  const { version, startedAt, state, health } = status;
  return { pid: client.pid, version, startedAt, state, health };
}

function examineSystem() {
  return {
    name: /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf('/etc/os-release'))?.[1] ?? type(),
    kernel: `${type()} ${release()}`,
    architecture: machine(),
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    freeMemoryBytes: freemem(),
    /** What the control group allows; null: no limit is known. */
    memoryLimitBytes: numberIn(textOf('/sys/fs/cgroup/memory.max')),
    uid: process.getuid?.() ?? null,
    openFilesLimit: numberIn(/^Max open files\s+(\d+)/m.exec(textOf('/proc/self/limits'))?.[1] ?? ''),
    time: new Date().toISOString(),
  };
}

/** Where a folder or the state directory lies; `what` is `state.dir`, or the folder's name. */
async function examinePlace(what: string, path: string) {
  const there = nearest(path);
  const volume = await statfs(there).catch(() => null);
  return {
    what,
    path,
    /** Type of the file system that it lies on. */
    type: orNull(() => mountOf(readMountTable(), realpathSync(there))?.type ?? null),
    freeBytes: volume === null ? null : volume.bavail * volume.bsize,
    // A file system without a fixed number of them says 0.
    freeInodes: volume === null || volume.files === 0 ? null : volume.ffree,
    /** A file system that reports no events, by name: it is polled; null: it reports them. */
    eventless: orNull(() => eventlessFileSystemAt(there)),
  };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function numberIn(text: string): number | null {
  const number = Number.parseInt(text, 10);
  return Number.isNaN(number) ? null : number;
}

function textOf(file: string): string {
  return orNull(() => readFileSync(file, 'utf8')) ?? '';
}
