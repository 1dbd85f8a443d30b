import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The bundle lies as deep below the package as this file.
const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The configuration for a trial, with the embedded service. */
export const trialFile = fileOf('config/trial.yaml');

/** The schema by which editors check a configuration. */
export const schemaFile = fileOf('config/ingestd.schema.json');

/** The unit for one person's systemd. */
export const userUnitFile = fileOf('systemd/user/ingestd.service');

let known: string | null = null;

/** The version of this installation, from its package.json. Read once. */
export function version(): string {
  known ??= (JSON.parse(readFileSync(fileOf('package.json'), 'utf8')) as { readonly version: string })
    .version;
  return known;
}
