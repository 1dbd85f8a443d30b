import { resolve } from 'node:path';
import { parseRedisAddress } from '../../lib/server/redis-address.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { isLoopbackHost } from '../../lib/server/host.ts';
import { errorMessage } from '../../model/errors.ts';
import type { ServiceSettings, Settings, ClusterSettings, SettingsInput } from '../../model/settings.ts';
import { expandHome, stateDirectory } from '../find-places.ts';
import type { Problem } from './explain-issues.ts';

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
  const fleet = clusterSettings(input, redisUrl);
  const findPath = (path: readonly PropertyKey[], find: () => string): string => {
    try {
      return find();
    } catch (error) {
      problems.push({ path, message: errorMessage(error) });
      return directory;
    }
  };
  const settings: Settings = {
    ...input,
    file,
    service: addressed(input, problems),
    folders: input.folders.map((folder, index) => ({
      ...folder,
      path: findPath(['folders', index, 'path'], () =>
        resolve(directory, expandHome(folder.path, { env, key: `folders[${index}].path` })),
      ),
    })),
    state: {
      dir: findPath(['state', 'dir'], () => stateDirectory({ written: input.state.dir, directory, env })),
    },
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
        about: [['service', 'mode']],
        message: `service.${key} is missing; set it in the file or as ${variable}, or set service.mode to embedded for a trial`,
      });
      return '';
    }
    const address = checkAddress(text);
    if (address.kind === 'address') return address.url;
    problems.push({ path, about: [['service', 'mode']], message: `service.${key}: ${address.message}` });
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
        about: [['folders', first, 'name']],
        message: `folders[${index}].name: ${JSON.stringify(name)} is the name of folders[${first}] too; give each folder a name of its own`,
      },
    ];
  });
}

const variable = 'INGESTD_REDIS_URL';
const forms =
  'write it like redis://host:6379, rediss://host:6380 (TLS) or redis+sentinel://host:26379,host:26379/name';

/**
 * The cluster as the file and `INGESTD_REDIS_URL` (`secretUrl`, undefined: not set) give it, null where neither does;
 * and what is wrong with it. No message shows an address: it may hold a password.
 */
function clusterSettings(
  { cluster, service }: SettingsInput,
  secretUrl: string | undefined,
): { readonly cluster: ClusterSettings | null; readonly problems: readonly Problem[] } {
  if (cluster === undefined && secretUrl === undefined) return { cluster: null, problems: [] };
  const problems: Problem[] = [];
  const wrong = (key: string, message: string, about: Problem['about'] = []) =>
    problems.push({ path: ['cluster', key], about, message: `cluster.${key}${message}` });
  const { redisUrl, account, host, aloneShare = 0 } = cluster ?? {};
  const written = redisUrl === undefined ? null : parseRedisAddress(redisUrl);
  const given = secretUrl === undefined ? null : parseRedisAddress(secretUrl);
  const redis = given ?? written;
  if (redisUrl !== undefined && written === null) wrong('redisUrl', ` is not an address of Redis; ${forms}`);
  if (written !== null && written.password !== null) {
    wrong(
      'redisUrl',
      ` holds a password, and secrets never stand in the configuration file; take it out (and change it, if others could read the file): put the address into the environment or the .env beside this file, as ${variable}=… (or ${variable}_FILE)`,
    );
  }
  if (secretUrl !== undefined && given === null)
    wrong('redisUrl', `: the value of ${variable} is not an address of Redis; ${forms}`);
  if (redisUrl === undefined && secretUrl === undefined)
    wrong('redisUrl', ` is missing; give it in the file or as ${variable}, or take out cluster for one host`);
  if (service.mode === 'embedded')
    wrong('redisUrl', ' needs service.mode remote: the embedded service is for this machine alone', [
      ['service', 'mode'],
    ]);
  if (aloneShare > service.requestsPerMinute) {
    wrong(
      'aloneShare',
      `: ${aloneShare} is more than service.requestsPerMinute (${service.requestsPerMinute}); give each host a part of it`,
      [['service', 'requestsPerMinute']],
    );
  }
  return { cluster: redis === null ? null : { redis, account, host, aloneShare }, problems };
}

/** An address without a slash at its end, or what is wrong with it and the fix. */
export type Address =
  { readonly kind: 'address'; readonly url: string } | { readonly kind: 'wrong'; readonly message: string };

const example = 'https://host.example/path';

/** Judges the base address of the token endpoints or of the ingestion operations. */
export function checkAddress(text: string): Address {
  const address = text.trim();
  if (!URL.canParse(address)) return wrong(`"${shown(text)}" is not an address; write it like ${example}`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    return wrong('the address contains a user name or password; remove the part before the @');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return wrong(`"${excerpt(text)}" is not an https address; write it like ${example}`);
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return wrong(
      `"${excerpt(text)}" would send passwords unencrypted; use https (http is allowed only for loopback addresses)`,
    );
  }
  if (url.search !== '' || url.hash !== '') {
    return wrong(
      `"${excerpt(text)}" contains a query or a fragment; remove the part that starts with ? or #`,
    );
  }
  return { kind: 'address', url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

/** What stands before an @ may be a password. */
function shown(text: string): string {
  return excerpt(text.replace(/^.*@/s, '…@'));
}

function wrong(message: string): Address {
  return { kind: 'wrong', message };
}
