import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, machine, release, totalmem, type } from 'node:os';

import {
  readInotifyUse,
  readEventQueueLength,
  readInstanceLimit,
  readWatchLimit,
} from '../../lib/files/inotify.ts';
import { mountOf, readMountTable } from '../../lib/files/mount-table.ts';
import { orNull } from '../../lib/or-null.ts';
import type { Settings } from '../../model/settings.ts';
import { eventlessFileSystemAt } from '../../scan/watch/network-file-systems.ts';
import { nearest } from '../check/check-ledger.ts';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Describes the machine and the process; sizes in bytes, null where the system does not say. `settings` null: the
 * configuration is invalid. Never throws.
 */
export async function examineMachine(settings: Settings | null, env: Environment) {
  const places = [];
  if (settings !== null) {
    places.push(await examinePlace('state.dir', settings.state.dir));
    for (const { name, path } of settings.folders) places.push(await examinePlace(name, path));
  }
  return {
    system: {
      name: /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf('/etc/os-release'))?.[1] ?? type(),
      kernel: `${type()} ${release()}`,
      architecture: machine(),
      processors: availableParallelism(),
      memoryBytes: totalmem(),
      freeMemoryBytes: freemem(),
      /** What the control group allows; null: no limit is known. */
      memoryLimitBytes: numberIn(textOf('/sys/fs/cgroup/memory.max')),
      /** `docker`, `podman`, `systemd-nspawn` …; null: none is known. */
      container: env['container'] || (existsSync('/.dockerenv') ? 'docker' : null),
      uid: process.getuid?.() ?? null,
      openFilesLimit: numberIn(/^Max open files\s+(\d+)/m.exec(textOf('/proc/self/limits'))?.[1] ?? ''),
      time: new Date().toISOString(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    inotify: {
      watchLimit: finite(readWatchLimit()),
      instanceLimit: finite(readInstanceLimit()),
      queueLength: readEventQueueLength(),
      used: readInotifyUse(),
    },
    places,
    /** Variables that change how Node and ingestd connect, passwords taken out. */
    environment: describeEnvironment(env),
    /** Names of the `INGESTD_…` variables that are set; their values are not shown. */
    variables: Object.keys(env)
      .filter((name) => name.startsWith('INGESTD_') && env[name] !== '')
      .sort(),
  };
}

export type MachineReport = Awaited<ReturnType<typeof examineMachine>>;

/** Where a folder or the state directory lies; `what` is `state.dir`, or the folder's name. */
async function examinePlace(what: string, path: string) {
  const there = nearest(path);
  const volume = await statfs(there).catch(() => null);
  return {
    what,
    path,
    /** The mount that it lies on; null: not known. */
    mount: mountAt(there),
    sizeBytes: volume === null ? null : volume.blocks * volume.bsize,
    freeBytes: volume === null ? null : volume.bavail * volume.bsize,
    // A file system without a fixed number of them says 0.
    freeInodes: volume === null || volume.files === 0 ? null : volume.ffree,
    /** A file system that reports no events, by name: it is polled; null: it reports them. */
    eventless: orNull(() => eventlessFileSystemAt(there)),
  };
}

function mountAt(path: string): { readonly path: string; readonly type: string } | null {
  const mount = orNull(() => mountOf(readMountTable(), realpathSync(path)));
  return mount === null ? null : { path: mount.path, type: mount.type };
}

const telling =
  /^(?:(?:https?|no|all)_proxy|node_extra_ca_certs|node_options|node_tls_reject_unauthorized|ssl_cert_(?:file|dir)|tz|lang|lc_all)$/i;

function describeEnvironment(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env)
      .flatMap(([name, value]) =>
        value && telling.test(name) ? [[name, withoutPassword(value)] as const] : [],
      )
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** `http://user:password@proxy:3128` without what stands before the `@`. */
function withoutPassword(value: string): string {
  const at = value.lastIndexOf('@');
  if (at === -1) return value;
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(value)?.[0] ?? '';
  return `${scheme}[redacted]${value.slice(at)}`;
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
