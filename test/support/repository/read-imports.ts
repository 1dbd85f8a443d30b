import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { parse } from '@swc/core';

/** One import, export-from, dynamic import or `new URL('./x.ts', import.meta.url)` of a file. */
export interface Import {
  /** As it is written, or a path below the source folder where it begins with a dot. */
  readonly target: string;
  readonly kind: 'file' | 'package' | 'node';
  /** True where nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Below the source folder, `/` between names. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** It has an asynchronous function. */
  readonly isAsync: boolean;
}

export interface Folder {
  /** Below the source folder, `/` between names; `.` is the source folder itself. */
  readonly path: string;
  /** Files of any kind and folders, one level deep. */
  readonly entries: number;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Reads every `.ts` and `.tsx` file below `folder` with a real parser, and what each one imports. */
export async function readImports(folder: string): Promise<readonly SourceFile[]> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => /\.tsx?$/.test(name)).sort();
  return Promise.all(paths.map((path) => readSource(folder, path)));
}

/** Counts what each folder holds, from `folder` itself down. */
export async function readFolders(folder: string): Promise<readonly Folder[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const counts = new Map([['.', 0]]);
  for (const entry of entries) {
    const parent = relative(folder, entry.parentPath) || '.';
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  return [...counts].map(([path, count]) => ({ path, entries: count }));
}

async function readSource(folder: string, path: string): Promise<SourceFile> {
  const text = await readFile(join(folder, path), 'utf8');
  const module = await parse(text, { syntax: 'typescript', tsx: path.endsWith('.tsx'), target: 'es2022' });
  const imports: Import[] = [];
  let isAsync = false;
  visit(module, (node) => {
    isAsync ||= node['async'] === true || node.type === 'AwaitExpression';
    const found = importOf(node);
    if (found !== null) imports.push(resolve(path, found.specifier, found.typeOnly));
  });
  return { path, imports, isAsync };
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, see);
    return;
  }
  if ('type' in value && typeof value.type === 'string') see(value as Node);
  for (const child of Object.values(value)) visit(child, see);
}

function importOf(node: Node): { readonly specifier: string; readonly typeOnly: boolean } | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return literal(node['source'], node['typeOnly'] === true);
    case 'CallExpression':
      return isNode(node['callee'], 'Import') ? literal(firstArgument(node), false) : null;
    case 'TsImportType':
      return literal(node['argument'], true);
    case 'NewExpression':
      // A worker is started from a URL beside the file: as much an import as any.
      return isUrlBesideTheFile(node) ? literal(firstArgument(node), false) : null;
    default:
      return null;
  }
}

function literal(value: unknown, typeOnly: boolean): { specifier: string; typeOnly: boolean } | null {
  if (!isNode(value, 'StringLiteral')) return null;
  return { specifier: String(value['value']), typeOnly };
}

function firstArgument(node: Node): unknown {
  const [first] = (node['arguments'] ?? []) as readonly { readonly expression: unknown }[];
  return first?.expression;
}

function isUrlBesideTheFile(node: Node): boolean {
  const callee = node['callee'];
  const target = firstArgument(node);
  if (!isNode(callee, 'Identifier') || callee['value'] !== 'URL') return false;
  return isNode(target, 'StringLiteral') && /^\.{1,2}\/.*\.[jt]s$/.test(String(target['value']));
}

function isNode(value: unknown, type: string): value is Node {
  return typeof value === 'object' && value !== null && (value as Node).type === type;
}

function resolve(from: string, specifier: string, typeOnly: boolean): Import {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
    return { target, kind: 'file', typeOnly };
  }
  if (specifier.startsWith('node:')) return { target: specifier, kind: 'node', typeOnly };
  const parts = specifier.split('/');
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
  return { target: name ?? specifier, kind: 'package', typeOnly };
}
