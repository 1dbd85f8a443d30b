import { spawn, spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { eventually } from '../../support/eventually.ts';

/**
 * A root tree that systemd-nspawn has booted: a real systemd is its process 1, and its network is a loopback of its
 * own.
 */
export interface Machine {
  /** Runs a shell command in it as root. */
  readonly run: (command: string) => SpawnSyncReturns<string>;
  readonly stop: () => Promise<void>;
}

/** Says what is missing to start one here, or null. */
export function missingForMachine(): string | null {
  return spawnSync('systemd-nspawn', ['--version']).status === 0 ? null : 'systemd-nspawn';
}

/** Boots `root`, which has to hold a systemd, and waits until it is up. */
export async function startMachine(root: string): Promise<Machine> {
  const name = `--machine=ingestd-${process.pid}`;
  const options = ['--quiet', '--boot', '--register=no', '--keep-unit', '--private-network', name];
  const child = spawn('systemd-nspawn', [...options, '--directory', root], {
    stdio: 'ignore',
    // Where the kernel has the older control groups beside the newer ones, a systemd of Debian 12 runs on the older.
    env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '0' },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  const run = (command: string) => {
    // Read each time: systemd-nspawn's first child only makes the one that becomes process 1.
    const first = readFileSync(children, 'utf8').trim();
    const shell = ['/usr/bin/env', '-i', path, '/bin/sh', '-c', command];
    return spawnSync('nsenter', ['--target', first, '--all', ...shell], { encoding: 'utf8' });
  };
  const stop = async () => {
    run('systemctl poweroff');
    const patience = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(patience);
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
