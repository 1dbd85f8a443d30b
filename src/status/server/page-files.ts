import { existsSync, readFileSync } from 'node:fs';

/** What is served, by its path, and nothing else. */
const types = {
  '/': 'text/html; charset=utf-8',
  '/assets/page.js': 'text/javascript; charset=utf-8',
  '/assets/page.css': 'text/css; charset=utf-8',
  '/assets/icon.svg': 'image/svg+xml',
  '/assets/icon-attention.svg': 'image/svg+xml',
  '/assets/icon-error.svg': 'image/svg+xml',
} as const;

/** Where the built page is: beside the bundled program, or in `dist` when this runs from source. */
const roots = [
  new URL('../status/page/', import.meta.url),
  new URL('../../../dist/status/page/', import.meta.url),
];

/** The page's files by their paths; null: it has not been built. Throws what reading throws. */
export function readPage(): ReadonlyMap<string, { readonly type: string; readonly body: Buffer }> | null {
  const root = roots.find((one) => existsSync(new URL('index.html', one)));
  if (root === undefined) return null;
  return new Map(
    Object.entries(types).map(([path, type]) => {
      const name = path === '/' ? 'index.html' : path.replace('/assets/', '');
      return [path, { type, body: readFileSync(new URL(name, root)) }];
    }),
  );
}

/** The paths of the page's files. */
export const pagePaths = Object.keys(types);
