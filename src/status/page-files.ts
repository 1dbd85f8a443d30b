import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorCode } from '../model/errors.ts';

/** A file of the page, as it is sent. */
interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** The same, packed once for every reader. */
  readonly packed: Buffer;
}

/** The page's files by their URL path, and the page itself with its marks still to be filled in. */
export interface PageFiles {
  readonly template: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** From the source folder as it is built. Nothing else is ever served. */
const names = [
  'lib/printable.js',
  'lib/words.js',
  'model/document.js',
  'model/report/explanations.js',
  'model/report/fixes.js',
  'model/report/told-as-doubt.js',
  'status/page/act.js',
  'status/page/activity-list.js',
  'status/page/budget.js',
  'status/page/chart.js',
  'status/page/chart-geometry.js',
  'status/page/connection.js',
  'status/page/dom.js',
  'status/page/doubts.js',
  'status/page/failures.js',
  'status/page/folders.js',
  'status/page/group-failures.js',
  'status/page/held.js',
  'status/page/main.js',
  'status/page/overview.js',
  'status/page/path-text.js',
  'status/page/proportions.js',
  'status/page/skips.js',
  'status/page/story.js',
  'status/page/story-text.js',
  'status/page/time-words.js',
  'status/page/transfers.js',
  'status/page/page.css',
  'status/page/icon.svg',
] as const;

/** Where the built page is: beside this file when it is built itself, in `dist` when it runs from source. */
const roots = [new URL('../', import.meta.url), new URL('../../dist/', import.meta.url)];

/** The paths of the page's files. */
export const pagePaths: readonly string[] = names.map(pathOf);

/**
 * Gives the page, which is read when somebody first asks for it; null: it has not been built. A reading that fails is
 * tried again.
 */
export function pageReader(root?: URL): () => Promise<PageFiles | null> {
  let page: Promise<PageFiles | null> | null = null;
  return async () => {
    page ??= readPage(root);
    try {
      return await page;
    } catch (error) {
      page = null;
      throw error;
    }
  };
}

function pathOf(name: string): string {
  return `/assets/${name}`;
}

async function readPage(root?: URL): Promise<PageFiles | null> {
  for (const candidate of root === undefined ? roots : [root]) {
    try {
      return await loadFrom(candidate);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return null;
}

async function loadFrom(root: URL): Promise<PageFiles> {
  const entries = await Promise.all(
    names.map(async (name) => {
      const extension = name.slice(name.lastIndexOf('.') + 1) as keyof typeof types;
      const body = await readFile(new URL(name, root));
      const file: PageFile = { type: types[extension], body, packed: await promisify(gzip)(body) };
      return [pathOf(name), file] as const;
    }),
  );
  const template = await readFile(new URL('status/page/index.html', root), 'utf8');
  return { template, files: new Map(entries) };
}
