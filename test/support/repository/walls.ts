import type { Folder, Import, SourceFile } from './read-imports.ts';

/** Rooms that know nothing of each other: the daemon joins them. */
const rooms = ['config', 'log', 'scan', 'ledger', 'remote', 'sync', 'status', 'embedded', 'cluster'];

/** The folders below src and which others each may import. A folder that is not named here may not exist. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  model: ['lib'],
  ...Object.fromEntries(rooms.map((room) => [room, ['lib', 'model']])),
  daemon: ['lib', 'model', ...rooms],
  commands: ['lib', 'model', ...rooms, 'daemon'],
  cli: ['lib', 'model', 'config', 'log', 'daemon', 'commands', 'ledger', 'embedded'],
  'main.ts': ['lib', 'model', 'daemon', 'cli'],
};

/** Which files may import each package. */
const importersOf: Readonly<Record<string, RegExp>> = {
  '@fastify/busboy': /^embedded\//,
  '@inquirer/confirm': /^cli\//,
  '@inquirer/input': /^cli\//,
  '@inquirer/password': /^cli\//,
  '@inquirer/select': /^cli\//,
  '@redis/client': /^cluster\/redis\//,
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
  'fastest-levenshtein': /^lib\/text\/closest\.ts$/,
  'jsonc-parser': /^lib\/text\/read-json\.ts$/,
  jose: /^(?:embedded|cluster)\//,
  lowdb: /^ledger\//,
  'p-queue': /^(lib\/queue\/work-queue\.ts|scan\/folder\.ts|ledger\/lowdb-adapter\.ts)$/,
  picocolors: /^cli\//,
  pino: /^log\//,
  'pino-pretty': /^log\//,
  preact: /^status\/page\//,
  'prom-client': /^status\//,
  'proxy-agent': /^remote\//,
  tinyqueue: /^lib\//,
  yaml: /^config\//,
  zod: /./,
};

const maxEntries = 15;

/** What decides what an entry of a directory is, for scans and inspections: it reads nothing and waits for nothing. */
const pureFiles = ['relate', 'sort-entries', 'classify-by-name', 'fingerprint'].map(
  (name) => `scan/rules/${name}.ts`,
);

/** Says which files that have to be pure, or files that they call, read files or wait; empty: none. */
export function impureFiles(files: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const called = new Set(pureFiles);
  for (const path of called) {
    const imports = byPath.get(path)?.imports ?? [];
    for (const { kind, target, typeOnly } of imports) if (kind === 'file' && !typeOnly) called.add(target);
  }
  return [...called].flatMap((path) => {
    const file = byPath.get(path);
    if (file === undefined) return [`${path} is not there`];
    const reads = file.imports.some(({ target, typeOnly }) => !typeOnly && target.startsWith('node:fs'));
    return [...(reads ? [`${path} reads files`] : []), ...(file.isAsync ? [`${path} waits`] : [])];
  });
}

/** Says which import rules of the architecture `files` break; empty: none. */
export function brokenWalls(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => file.imports.flatMap((found) => judgeImport(file, found)));
}

/** Says which folders hold too many entries; those at `mayBeWide` may. */
export function brokenWidths(
  folders: readonly Folder[],
  mayBeWide: readonly string[] = [],
): readonly string[] {
  return folders
    .filter(({ path, entries }) => entries > maxEntries && !mayBeWide.includes(path))
    .map(({ path, entries }) => `${path} has ${entries} entries, more than ${maxEntries}`);
}

/** Packages without a rule, so that a new one does not come in unnoticed. */
export function withoutImporters(packages: readonly string[]): readonly string[] {
  return packages.filter((name) => importersOf[name] === undefined);
}

function judgeImport(file: SourceFile, { kind, target, typeOnly }: Import): readonly string[] {
  if (kind === 'file') return judgeFile(file.path, target);
  if (kind === 'package') return judgePackage(file.path, target);
  if (folderOf(file.path) !== 'model' || typeOnly) return [];
  return [`${file.path}: model is pure and imports only types of ${target}`];
}

function judgeFile(path: string, target: string): readonly string[] {
  const from = folderOf(path);
  const to = folderOf(target);
  if (target.startsWith('..')) return [`${path} reaches out of the source folder: ${target}`];
  if (to === from || mayImport[from]?.includes(to) === true) return [];
  return [`${path} (${from}) must not import ${target} (${to})`];
}

function judgePackage(path: string, name: string): readonly string[] {
  if (folderOf(path) === 'model' && name !== 'zod')
    return [`${path}: model imports no package but zod: ${name}`];
  const allowed = importersOf[name];
  if (allowed === undefined) return [`${path} imports ${name}, which no file may import`];
  return allowed.test(path) ? [] : [`${path} may not import ${name}`];
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? path;
}
