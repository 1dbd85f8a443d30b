import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { promisify } from 'node:util';
import type { Stage, Step } from './dockerfile.ts';
import { runInside } from './root-tree.ts';

const run = promisify(execFile);

/** What an engine would start: a root tree and what the image says about the process in it. */
export interface Image {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly start: readonly string[];
  readonly health: readonly string[];
}

interface BuildOptions {
  /** The folder that `COPY` takes from. */
  readonly context: string;
  /** Makes the tree of an image that a stage begins with. */
  readonly base: (image: string, root: string) => Promise<void>;
  /** Where the stages' trees go. */
  readonly folder: string;
}

/** Carries out the stages of a Dockerfile in their order, each in a root tree of its own, without an engine. */
export async function buildImage(stages: readonly Stage[], options: BuildOptions): Promise<Image> {
  const roots = new Map<string, string>();
  let image: Image | null = null;
  for (const [index, stage] of stages.entries()) {
    const root = join(options.folder, `stage-${index}`);
    await options.base(stage.image, root);
    roots.set(stage.name ?? String(index), root);
    image = { root, env: {}, workdir: '/', user: '0:0', start: [], health: [] };
    for (const step of stage.steps) image = await carryOut(step, image, { ...options, roots });
  }
  if (image === null) throw new Error('the Dockerfile has no stage');
  return image;
}

async function carryOut(
  step: Step,
  image: Image,
  options: BuildOptions & { readonly roots: ReadonlyMap<string, string> },
): Promise<Image> {
  if (step.kind === 'run') runInside(image.root, step.command, { env: image.env, cwd: image.workdir });
  if (step.kind === 'copy') {
    await copy(step, image, step.from === null ? options.context : options.roots.get(step.from));
  }
  const directories = step.kind === 'workdir' ? [step.path] : step.kind === 'volume' ? step.paths : [];
  for (const path of directories) await mkdir(join(image.root, path), { recursive: true });
  return describeImage(step, image);
}

/** What a step says about the process rather than about the tree. */
function describeImage(step: Step, image: Image): Image {
  if (step.kind === 'env') return { ...image, env: { ...image.env, [step.name]: step.value } };
  if (step.kind === 'workdir') return { ...image, workdir: step.path };
  if (step.kind === 'user') return { ...image, user: step.user };
  if (step.kind === 'entrypoint') return { ...image, start: step.words };
  if (step.kind === 'cmd') return { ...image, start: [...image.start, ...step.words] };
  if (step.kind === 'healthcheck') return { ...image, health: step.words };
  return image;
}

/** As Docker does it: the content of a directory goes into the target, a file goes under its name or the target's. */
async function copy(
  { sources, target, mode }: Extract<Step, { kind: 'copy' }>,
  image: Image,
  from: string | undefined,
): Promise<void> {
  if (from === undefined) throw new Error('COPY from a stage that does not exist');
  const goal = join(image.root, posix.resolve(image.workdir, target));
  for (const source of sources) {
    const path = join(from, source);
    const { stdout } = await run('stat', ['--format=%F', path]);
    const isDirectory = stdout.trim() === 'directory';
    const into = !isDirectory && /(^\.|\/)$/.test(target) ? join(goal, basename(source)) : goal;
    await mkdir(isDirectory ? into : join(into, '..'), { recursive: true });
    await run('cp', ['-a', '--no-preserve=ownership', isDirectory ? `${path}/.` : path, into]);
    if (mode !== null) await run('chmod', ['-R', mode, into]);
  }
}
