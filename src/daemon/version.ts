import { readFileSync } from 'node:fs';

const packageFile = new URL('../../package.json', import.meta.url);

/** The version of this installation, from its package.json. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string };
  return version;
}
