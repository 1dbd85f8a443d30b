import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ServiceSettings, Settings } from '../../model/settings.ts';
import { checkAddress } from './check-address.ts';
import { clusterSettings } from './cluster-settings.ts';
import type { Problem } from './explain-issues.ts';
import type { SettingsInput } from './settings-schema.ts';
import { expandHome, stateDirectory } from '../choose-state-directory.ts';

/** Where the input stands. */
export interface Surroundings {
  /** The configuration file, absolute. */
  readonly file: string;
  /** What relative paths are relative to, absolute. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `INGESTD_REDIS_URL`, wherever it stands. */
  readonly redisUrl?: string | undefined;
}

/** The settings with absolute paths and judged addresses, and what is wrong with them beyond their shape. */
export function buildSettings(
  input: SettingsInput,
  { file, directory, env, redisUrl }: Surroundings,
): { readonly settings: Settings; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const home = env['HOME'] || homedir();
  const fleet = clusterSettings(input, redisUrl);
  const settings: Settings = {
    ...input,
    file,
    service: addressed(input, problems),
    folders: input.folders.map((folder) => ({
      ...folder,
      path: resolve(directory, expandHome(folder.path, home)),
    })),
    state: { dir: stateDirectory({ written: input.state.dir, directory, env }) },
    cluster: fleet.cluster,
  };
  problems.push(...fleet.problems, ...repeatedNames(input));
  return { settings, problems };
}

function addressed({ service }: SettingsInput, problems: Problem[]): ServiceSettings {
  if (service.mode === 'embedded') return { ...service, authUrl: '', ingestUrl: '' };
  const urlOf = (key: 'authUrl' | 'ingestUrl', variable: string): string => {
    const path = ['service', key];
    const text = service[key];
    if (text === undefined) {
      problems.push({
        path,
        message: `service.${key} is missing; set it in the file or as ${variable}, or set service.mode to embedded for a trial`,
      });
      return '';
    }
    const address = checkAddress(text);
    if (address.kind === 'address') return address.url;
    problems.push({ path, message: `service.${key}: ${address.message}` });
    return '';
  };
  return {
    ...service,
    authUrl: urlOf('authUrl', 'INGESTD_AUTH_URL'),
    ingestUrl: urlOf('ingestUrl', 'INGESTD_INGEST_URL'),
  };
}

function repeatedNames({ folders }: SettingsInput): Problem[] {
  const seen = new Map<string, number>();
  return folders.flatMap(({ name }, index) => {
    const key = name.normalize('NFC');
    const first = seen.get(key);
    seen.set(key, first ?? index);
    if (first === undefined) return [];
    return [
      {
        path: ['folders', index, 'name'],
        message: `folders[${index}].name: ${JSON.stringify(name)} is the name of folders[${first}] too; give each folder a name of its own`,
      },
    ];
  });
}
