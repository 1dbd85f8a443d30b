import { spawn, spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';

/** A root tree whose process 1 is a real systemd, in namespaces of its own: processes, mounts, network, host name. */
export interface Machine {
  /** Runs a shell command in it as root. */
  readonly run: (command: string) => SpawnSyncReturns<string>;
  readonly stop: () => Promise<void>;
}

const cgroups = '/sys/fs/cgroup';

/** Says what is missing to start one here, or null. */
export function missingForMachine(): string | null {
  const { status } = spawnSync('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return status === 0 ? null : 'the right to make namespaces and mounts';
}

/** Starts systemd in `root`, which has to hold one, and waits until it is up. */
export async function startMachine(root: string): Promise<Machine> {
  await mkdir(join(root, 'sys/fs'), { recursive: true });
  const before = await cgroupFolders();
  const child = spawn('unshare', [...namespaces, 'sh', '-c', boot, 'sh', root], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  const first = await eventually(async () => Number.parseInt(await readFile(children, 'utf8'), 10));

  const run = (command: string) => {
    const enter = ['--target', String(first), '--mount', '--pid', '--net', '--ipc', '--uts', '--cgroup'];
    const shell = ['/usr/bin/env', '-i', path, '/bin/sh', '-c', command];
    return spawnSync('nsenter', [...enter, ...shell], { encoding: 'utf8' });
  };
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await removeCgroups(before);
  };

  try {
    await eventually(() => run('systemctl is-system-running').stdout.trim() === 'running', {
      withinMs: 60_000,
      everyMs: 250,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { run, stop };
}

const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const namespaces = '--mount --propagation=private --pid --net --ipc --uts --cgroup --fork --kill-child'.split(
  ' ',
);

/**
 * Mounts what a machine has and becomes its process 1. The kernel's settings are read-only and the devices are a few
 * harmless ones: nothing that systemd does at its start reaches the machine outside.
 */
const boot = `
  set -e
  root=$1
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,ro,bind "$root/proc/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    : > "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/shm" "$root/dev/pts"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount --rbind ${cgroups} "$root${cgroups}"
  # Not a mere chroot: the sandbox of a unit is built from the root of its mount namespace.
  mkdir -p "$root/outside"
  cd "$root"
  pivot_root . outside
  umount -l /outside
  exec /usr/bin/env -i container=oci ${path} /lib/systemd/systemd --system --unit=multi-user.target
`;

async function cgroupFolders(): Promise<ReadonlySet<string>> {
  const hierarchies = await readdir(cgroups, { withFileTypes: true });
  const found = new Set<string>();
  for (const { name } of hierarchies.filter((entry) => entry.isDirectory())) {
    found.add(join(cgroups, name));
    const below = await readdir(join(cgroups, name), { withFileTypes: true });
    for (const entry of below.filter((one) => one.isDirectory())) found.add(join(cgroups, name, entry.name));
  }
  return found;
}

/** What systemd made outlives it: taken away again, the innermost first. */
async function removeCgroups(before: ReadonlySet<string>): Promise<void> {
  for (const folder of await cgroupFolders()) {
    if (before.has(folder) || !/\.(scope|slice|mount)$/.test(folder)) continue;
    const inner = await readdir(folder, { recursive: true, withFileTypes: true });
    const folders = inner
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const one of [...folders, folder].sort((a, b) => b.length - a.length)) {
      await eventually(() => rmdir(one).then(() => true)).catch(() => undefined);
    }
  }
}
