import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorCode } from '../../model/errors.ts';

/** A file of the page, as it is sent. */
interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** The same, packed once for every reader. */
  readonly packed: Buffer;
}

/** The page's files by their URL path, and the template of the page itself. */
export interface PageFiles {
  readonly template: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** The names of the built files. Nothing else is ever served. */
const names = ['page.js', 'page.css', 'icon.svg', 'icon-attention.svg', 'icon-error.svg'] as const;

/** Where the built page is: beside the bundled program, or in `dist` when this runs from source. */
const roots = [
  new URL('../status/page/', import.meta.url),
  new URL('../../../dist/status/page/', import.meta.url),
];

/** The paths of the page's files. */
export const pagePaths: readonly string[] = names.map(pathOf);

/**
 * Gives the page, which is read when somebody first asks for it; null: it has not been built. A failed read is
 * repeated.
 */
export function pageReader(): () => Promise<PageFiles | null> {
  let page: Promise<PageFiles | null> | null = null;
  return async () => {
    page ??= readPage();
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

async function readPage(): Promise<PageFiles | null> {
  for (const root of roots) {
    try {
      return await loadFrom(root);
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
  const template = await readFile(new URL('index.html', root), 'utf8');
  return { template, files: new Map(entries) };
}

/** Fills `{{name}}` marks of a template with texts; nothing in a text is ever markup. */
export function renderPage(template: string, texts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_mark, name: string) => escapeMarkup(texts[name] ?? ''));
}

function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
