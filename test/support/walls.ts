import type { Folder, Import, SourceFile } from './read-imports.ts';

/** The rooms and which others each may import. A room that is not named here may not exist. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  model: ['lib'],
  config: ['lib', 'model'],
  log: ['lib', 'model'],
  scan: ['lib', 'model'],
  ledger: ['lib', 'model'],
  remote: ['lib', 'model'],
  sync: ['lib', 'model'],
  status: ['lib', 'model'],
  embedded: ['lib', 'model'],
  daemon: ['lib', 'model', 'config', 'log', 'scan', 'ledger', 'remote', 'sync', 'status', 'embedded'],
  commands: [
    'lib',
    'model',
    'config',
    'log',
    'scan',
    'ledger',
    'remote',
    'sync',
    'status',
    'embedded',
    'daemon',
  ],
  cli: ['lib', 'model', 'config', 'log', 'daemon', 'commands', 'ledger', 'embedded'],
  'main.ts': ['lib', 'model', 'cli'],
};

/** A package's doors: the files that may import it. */
const doors: Readonly<Record<string, RegExp>> = {
  '@fastify/busboy': /^embedded\//,
  '@inquirer/confirm': /^cli\//,
  '@inquirer/input': /^cli\//,
  '@inquirer/password': /^cli\//,
  '@inquirer/select': /^cli\//,
  bottleneck: /^remote\/limiter\.ts$/,
  chokidar: /^scan\/watch\//,
  'cli-progress': /^cli\//,
  commander: /^(cli\/|main\.ts$)/,
  'csv-parse': /^ledger\//,
  dotenv: /^config\//,
  fastify: /^(status|embedded)\//,
  'form-data': /^remote\//,
  got: /^remote\//,
  ignore: /^scan\/rules\//,
  'jsonc-parser': /^lib\/text\/json-text\.ts$/,
  jose: /^embedded\//,
  lowdb: /^ledger\//,
  'p-queue': /^(lib\/queue\/(work|priority)-queue\.ts|ledger\/ledger-adapter\.ts)$/,
  picocolors: /^cli\//,
  pino: /^log\//,
  'pino-pretty': /^log\//,
  'prom-client': /^status\//,
  'proxy-agent': /^remote\//,
  tinyqueue: /^lib\//,
  yaml: /^config\//,
  zod: /./,
};

const maxEntries = 15;

/** Folders that may stay wider, each with its reason. */
const wideFolders: Readonly<Record<string, string>> = {};

/** Says in words which walls of the architecture `files` break; empty is well. */
export function brokenWalls(files: readonly SourceFile[]): readonly string[] {
  return [
    ...files.flatMap((file) => file.imports.flatMap((found) => judgeImport(file, found))),
    ...findCycles(files).map((cycle) => `cycle: ${cycle.join(' → ')}`),
  ];
}

/** Says which folders hold too many entries, and which are listed as too wide though they are not. */
export function brokenWidths(folders: readonly Folder[]): readonly string[] {
  const wide = folders.filter(({ entries }) => entries > maxEntries);
  const listed = Object.keys(wideFolders);
  return [
    ...wide
      .filter(({ path }) => !listed.includes(path))
      .map(({ path, entries }) => `${path} has ${entries} entries, more than ${maxEntries}`),
    ...listed
      .filter((path) => !wide.some((folder) => folder.path === path))
      .map((path) => `${path} is listed as wider than ${maxEntries} entries and is not`),
  ];
}

/** Packages that have no door, so that a new one cannot come in unseen. */
export function doorless(packages: readonly string[]): readonly string[] {
  return packages.filter((name) => doors[name] === undefined);
}

function judgeImport(file: SourceFile, { kind, target, typeOnly }: Import): readonly string[] {
  if (kind === 'file') return judgeRoom(file.path, target);
  if (kind === 'package') return judgeDoor(file.path, target);
  if (roomOf(file.path) !== 'model' || typeOnly) return [];
  return [`${file.path}: model is pure and imports only types of ${target}`];
}

function judgeRoom(path: string, target: string): readonly string[] {
  const from = roomOf(path);
  const to = roomOf(target);
  if (target.startsWith('..')) return [`${path} reaches out of the source folder: ${target}`];
  if (to === from || rooms[from]?.includes(to) === true) return [];
  return [`${path} (${from}) must not know ${target} (${to})`];
}

function judgeDoor(path: string, name: string): readonly string[] {
  if (roomOf(path) === 'model' && name !== 'zod')
    return [`${path}: model imports no package but zod: ${name}`];
  const door = doors[name];
  if (door === undefined) return [`${path} imports ${name}, which has no door`];
  return door.test(path) ? [] : [`${path} is not the door of ${name}`];
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Each cycle once, found by walking depth first; type-only imports count too. */
function findCycles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const edges = new Map(files.map((file) => [file.path, localTargets(file)]));
  const cycles: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const walk = (path: string) => {
    const seenAt = trail.indexOf(path);
    if (seenAt !== -1) cycles.push([...trail.slice(seenAt), path]);
    if (seenAt !== -1 || done.has(path)) return;
    trail.push(path);
    for (const next of edges.get(path) ?? []) walk(next);
    trail.pop();
    done.add(path);
  };
  for (const path of edges.keys()) walk(path);
  return cycles;
}

function localTargets({ imports }: SourceFile): readonly string[] {
  return [...new Set(imports.filter(({ kind }) => kind === 'file').map(({ target }) => target))];
}
