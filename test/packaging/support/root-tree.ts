import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchNode } from '../../../scripts/fetch-node.mjs';
import { makeOnce } from './make-once.ts';

const run = promisify(execFile);

/** What a tree needs to be booted; the gate makes one with just these before the tests begin. */
export const systemd = ['systemd', 'systemd-sysv', 'dbus', 'procps'];

/** Says what a test in a root tree of its own would need and does not find, or null. */
export function missingForRootTree(): string | null {
  if (process.getuid?.() !== 0) return 'root';
  const missing = ['mmdebstrap', 'unshare', 'nsenter', 'chroot'].filter(
    (name) => spawnSync(name, ['--version']).status !== 0,
  );
  return missing.length === 0 ? null : missing.join(', ');
}

/** Makes a Debian of the smallest kind in `root`, as `debian:bookworm-slim` is one, with `packages` beside. */
export async function makeDebian(root: string, packages: readonly string[] = []): Promise<void> {
  const made = await makeOnce(['debian', ...packages].join('-'), async (tree) => {
    await run('bash', ['test/packaging/support/make-tree', tree, ...packages], {
      maxBuffer: 64 * 1024 * 1024,
    });
  });
  await mkdir(root, { recursive: true });
  await run('cp', ['-a', `${made}/.`, root]);
}

/** Puts Node from the registry and this machine's npm into a tree, as the official images have them. */
export async function addNode(root: string, version: string): Promise<void> {
  const node = fetchNode(version);
  if (node === null) throw new Error(`Node ${version} cannot be had`);
  const local = join(root, 'usr/local');
  await cp(node.binary, join(local, 'bin/node'));
  await cp(join(node.directory, 'LICENSE'), join(local, 'LICENSE'));
  await addNpm(local);
}

/** Puts the Node that runs this, and its npm, into a tree. */
export async function addThisNode(root: string): Promise<void> {
  const local = join(root, 'usr/local');
  await cp(process.execPath, join(local, 'bin/node'));
  await addNpm(local);
}

/**
 * Runs a shell command inside `root` as root, in mount and process namespaces of its own, with the network and the
 * registry settings of this machine, which do not stay in the tree.
 */
export function runInside(
  root: string,
  command: string,
  { env = {}, cwd = '/' }: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
): string {
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  const borrowed = [
    '/etc/resolv.conf',
    '/etc/hosts',
    join(homedir(), '.npmrc'),
    join(homedir(), '.npm'),
    ...(certificates === undefined ? [] : [certificates]),
  ];
  const script = `
    set -e
    for path in ${borrowed.map(quote).join(' ')}; do
      [ -e "$path" ] || continue
      if [ -d "$path" ]; then mkdir -p ${quote(root)}"$path"
      else mkdir -p "$(dirname ${quote(root)}"$path")"; [ -e ${quote(root)}"$path" ] || : > ${quote(root)}"$path"; fi
      mount --bind "$path" ${quote(root)}"$path"
    done
    mount -t proc proc ${quote(root)}/proc
    mount --rbind /dev ${quote(root)}/dev
    exec chroot ${quote(root)} /usr/bin/env -C ${quote(cwd)} /bin/sh -c ${quote(command)}
  `;
  const clean = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: homedir(),
    ...registrySettings(),
    ...env,
  };
  const args = ['--mount', '--propagation=private', '--pid', '--fork', '--kill-child', 'sh', '-c', script];
  const ended = spawnSync('unshare', args, { env: clean, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${command}\nended with ${ended.status}:\n${(ended.stdout + ended.stderr).slice(-4000)}`);
}

async function addNpm(local: string): Promise<void> {
  const { stdout } = await run('npm', ['root', '--global']);
  await cp(join(stdout.trim(), 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

function registrySettings(): Record<string, string> {
  const wanted = /^(npm_config_registry|NODE_EXTRA_CA_CERTS|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)$/;
  const found = Object.entries(process.env).filter(([name]) => wanted.test(name));
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
