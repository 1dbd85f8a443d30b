import { spawn, spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from './build-image.ts';

/** An image's process, running as process 1 of its own, with what it may not write mounted read-only. */
export interface Container {
  /** Runs words beside it, as `docker exec` does. */
  readonly run: (words: readonly string[]) => SpawnSyncReturns<string>;
  /** SIGTERM to process 1; gives its exit code. */
  readonly stop: () => Promise<number | null>;
  readonly kill: () => Promise<void>;
  /** What it has written to its standard streams. */
  readonly output: () => string;
}

/** Runs words in an image for which nothing else runs. */
export function runOnce(image: Image, words: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync('unshare', [...namespaces, 'sh', '-c', closed(image), 'sh', ...words], {
    encoding: 'utf8',
  });
}

/** Starts what the image says, as the user it says. */
export function startContainer(image: Image): Container {
  const child = spawn('unshare', [...namespaces, 'sh', '-c', closed(image), 'sh', ...image.start]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));

  return {
    run: (words) => {
      const target = ['--target', String(processOne(child.pid)), '--mount', '--pid'];
      return spawnSync('nsenter', [...target, ...inside(image), ...words], { encoding: 'utf8' });
    },
    stop: () => {
      process.kill(processOne(child.pid), 'SIGTERM');
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    output: () => output,
  };
}

/** How many documents the daemon in it says it has uploaded. */
export function uploadedBy(container: Container): number {
  const { stdout } = container.run(['ingestd', 'status', '--json']);
  const status = JSON.parse(stdout) as { totals: { uploaded: number } };
  return status.totals.uploaded;
}

const namespaces = ['--mount', '--propagation=private', '--pid', '--fork', '--kill-child'];

/** The shell words that close the tree and become the process: only /state stays writable. */
function closed(image: Image): string {
  const root = image.root;
  return [
    'set -e',
    `mount --bind ${root} ${root}`,
    `mount --bind ${join(root, 'state')} ${join(root, 'state')}`,
    `mount --bind ${join(root, 'data')} ${join(root, 'data')}`,
    `mount -t proc proc ${join(root, 'proc')}`,
    `mount -o remount,ro,bind ${root}`,
    `mount -o remount,ro,bind ${join(root, 'data')}`,
    `exec ${inside(image).join(' ')} "$@"`,
  ].join('\n');
}

function inside({ root, user, workdir, env }: Image): readonly string[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return ['chroot', `--userspec=${user}`, root, '/usr/bin/env', '-i', '-C', workdir, path, ...variables];
}

/** The child of `unshare --fork`, which is process 1 in its namespace. */
function processOne(unshare: number | undefined): number {
  const children = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8');
  return Number.parseInt(children, 10);
}
