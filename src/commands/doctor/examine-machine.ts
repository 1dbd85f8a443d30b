import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, machine, release, totalmem, type } from 'node:os';

import {
  readInotifyUse,
  readEventQueueLength,
  readInstanceLimit,
  readWatchLimit,
} from '../../lib/files/inotify.ts';
import type { InotifyUse } from '../../lib/files/inotify.ts';
import { mountOf, readMountTable } from '../../lib/files/mount-table.ts';
import type { Settings } from '../../model/settings.ts';
import { nearest } from '../check/check-ledger.ts';
import { eventlessFileSystemAt } from '../../scan/watch/network-file-systems.ts';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is known of the machine and the process; sizes in bytes, null where the system does not say. */
export interface MachineReport {
  readonly system: {
    readonly name: string;
    readonly kernel: string;
    readonly architecture: string;
    readonly processors: number;
    readonly memoryBytes: number;
    readonly freeMemoryBytes: number;
    /** What the control group allows; null: no limit is known. */
    readonly memoryLimitBytes: number | null;
    /** `docker`, `podman`, `systemd-nspawn` …; null: none is known. */
    readonly container: string | null;
    readonly uid: number | null;
    readonly openFilesLimit: number | null;
    readonly time: string;
    readonly timeZone: string;
  };
  readonly inotify: {
    readonly watchLimit: number | null;
    readonly instanceLimit: number | null;
    readonly queueLength: number;
    readonly used: InotifyUse | null;
  };
  readonly places: readonly PlaceReport[];
  /** Variables that change how Node and ingestd connect, passwords taken out. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the `INGESTD_…` variables that are set; their values are not shown. */
  readonly variables: readonly string[];
}

/** Where a folder or the state directory lies. */
interface PlaceReport {
  /** `state.dir`, or the folder's name. */
  readonly what: string;
  readonly path: string;
  /** The mount that it lies on; null: not known. */
  readonly mount: { readonly path: string; readonly type: string } | null;
  readonly sizeBytes: number | null;
  readonly freeBytes: number | null;
  readonly freeInodes: number | null;
  /** A file system that reports no events, by name: it is polled; null: it reports them. */
  readonly eventless: string | null;
}

/** Describes the machine; `settings` null: the configuration is invalid. Never throws. */
export async function examineMachine(settings: Settings | null, env: Environment): Promise<MachineReport> {
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
      memoryLimitBytes: numberIn(textOf('/sys/fs/cgroup/memory.max')),
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
    environment: describeEnvironment(env),
    variables: Object.keys(env)
      .filter((name) => name.startsWith('INGESTD_') && env[name] !== '')
      .sort(),
  };
}

async function examinePlace(what: string, path: string): Promise<PlaceReport> {
  const there = nearest(path);
  const volume = await statfs(there).catch(() => null);
  return {
    what,
    path,
    mount: mountAt(there),
    sizeBytes: volume === null ? null : volume.blocks * volume.bsize,
    freeBytes: volume === null ? null : volume.bavail * volume.bsize,
    // A file system without a fixed number of them says 0.
    freeInodes: volume === null || volume.files === 0 ? null : volume.ffree,
    eventless: orNull(() => eventlessFileSystemAt(there)),
  };
}

function mountAt(path: string): PlaceReport['mount'] {
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

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
