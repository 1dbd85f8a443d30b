import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addNode, makeDebian } from './root-tree.ts';

const run = promisify(execFile);

/** What an engine would start: a root tree and what the image says about the process in it. */
export interface Image {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly start: readonly string[];
  readonly health: readonly string[];
  /** Unmounts the tree, so that it can be removed. */
  readonly unmount: () => Promise<void>;
}

interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly Env: readonly string[];
      readonly User: string;
      readonly WorkingDir: string;
      readonly Entrypoint: readonly string[];
      readonly Cmd: readonly string[];
      readonly Healthcheck: { readonly Test: readonly string[] };
    };
  };
}

/** Says what is missing to build one here, or null. */
export function missingForImage(): string | null {
  return spawnSync('buildah', ['--version']).status === 0 ? null : 'buildah';
}

/**
 * Builds the Dockerfile of this directory by buildah, in `folder`, on base images that are made here as the official
 * ones are. What buildah has unpacked is the tree.
 */
export async function buildImage(folder: string, nodeVersion: string): Promise<Image> {
  const registries = join(folder, 'registries.conf');
  await writeFile(registries, 'unqualified-search-registries = ["localhost"]\n');
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'runroot')];
  const buildah = async (command: string, ...words: string[]) => {
    const { stdout } = await run('buildah', [...places, '--storage-driver', 'vfs', command, ...words], {
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot', CONTAINERS_REGISTRIES_CONF: registries },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  };
  const base = async (name: string, tree: string, ...settings: string[]) => {
    const container = await buildah('from', 'scratch');
    await buildah('add', '--quiet', container, tree, '/');
    await buildah('config', ...settings, container);
    await buildah('commit', '--quiet', '--rm', container, `localhost/${name}`);
  };

  const debian = join(folder, 'debian');
  await makeDebian(debian);
  await base('debian:bookworm-slim', debian, '--cmd', 'bash');
  await addNode(debian, nodeVersion);
  await base(`node:${nodeVersion}-bookworm-slim`, debian, ...(await borrowRegistry(debian)));

  await buildah(
    'build',
    '--quiet',
    '--pull=never',
    '--network',
    'host',
    '--format',
    'docker',
    '--tag',
    'ingestd',
    '.',
  );
  const container = await buildah('from', 'ingestd');
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'ingestd')) as Inspected;
  const { Env, User, WorkingDir, Entrypoint, Cmd, Healthcheck } = Docker.config;
  return {
    root: await buildah('mount', container),
    env: Object.fromEntries(
      Env.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    ),
    workdir: WorkingDir,
    user: User,
    start: [...Entrypoint, ...Cmd],
    health: Healthcheck.Test.slice(1),
    unmount: async () => {
      await buildah('umount', '--all');
    },
  };
}

/** The stage that builds needs this machine's way to the registry, which the image itself does not see. */
async function borrowRegistry(tree: string): Promise<readonly string[]> {
  await mkdir(join(tree, 'root'), { recursive: true });
  await copyFile(join(homedir(), '.npmrc'), join(tree, 'root/.npmrc')).catch(() => undefined);
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  if (certificates === undefined) return ['--env', 'HOME=/root'];
  await mkdir(join(tree, certificates, '..'), { recursive: true });
  await copyFile(certificates, join(tree, certificates));
  return ['--env', `NODE_EXTRA_CA_CERTS=${certificates}`];
}
