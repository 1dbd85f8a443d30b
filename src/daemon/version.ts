import { readFileSync } from 'node:fs';

const packageFile = new URL('../../package.json', import.meta.url);

let known: string | null = null;

/** The version of this installation, from its package.json. Read once. */
export function version(): string {
  known ??= (JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string }).version;
  return known;
}
