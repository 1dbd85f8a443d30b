import { parseRedisAddress } from '../../lib/server/redis-address.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import type { Credentials } from '../../model/settings.ts';
import { settingAt } from '../settings/setting-keys.ts';
import type { Problem } from '../problem.ts';

/** A secret and the environment variable that carries it. */
export type SecretName = keyof Credentials | 'httpToken' | 'notifyWebhook' | 'redisUrl';

/** Where each secret comes from; each also as `…_FILE` and as a systemd credential. */
export const secretVariables: Readonly<Record<SecretName, string>> = {
  apiKey: 'INGESTD_API_KEY',
  clientId: 'INGESTD_CLIENT_ID',
  clientSecret: 'INGESTD_CLIENT_SECRET',
  username: 'INGESTD_USERNAME',
  password: 'INGESTD_PASSWORD',
  httpToken: 'INGESTD_HTTP_TOKEN',
  notifyWebhook: 'INGESTD_NOTIFY_WEBHOOK',
  redisUrl: 'INGESTD_REDIS_URL',
};

/** The five that the service asks for. */
export const credentialNames = ['apiKey', 'clientId', 'clientSecret', 'username', 'password'] as const;

/** The five, as the environment names them. */
export function credentialVariables(credentials: Credentials): Readonly<Record<string, string>> {
  return Object.fromEntries(credentialNames.map((name) => [secretVariables[name], credentials[name]]));
}

/** The secret that a key of that name would hold, however it is spelled; undefined: none. */
function secretMeantBy(key: string): SecretName | undefined {
  const plain = key
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^ingestd/, '')
    .replace(/file$/, '');
  const names = Object.keys(secretVariables) as SecretName[];
  return names.find((name) => name.toLowerCase() === plain);
}

/** Every key of the file that would hold a secret, however it is spelled and at any depth. Values are not shown. */
export function findSecrets(value: unknown, path: readonly PropertyKey[] = []): Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findSecrets(item, [...path, index]));
  return Object.entries(value).flatMap(([key, child]) => {
    const place = [...path, key];
    const secret = secretMeantBy(key) ?? secretMeantBy(place.map(String).join('.'));
    const isKnown = settingAt(place) !== undefined;
    const isSecret = secret !== undefined && (!isKnown || holdsPassword(child));
    return isSecret ? [problem(place, secret)] : findSecrets(child, place);
  });
}

/** The one key that may hold a secret is an address of Redis. */
function holdsPassword(value: unknown): boolean {
  return typeof value === 'string' && (parseRedisAddress(value)?.password ?? null) !== null;
}

function problem(path: readonly PropertyKey[], secret: SecretName): Problem {
  const variable = secretVariables[secret];
  return {
    path,
    message: `${pathText(path)} is a secret and must not be in the configuration file; remove it (and change it if others could read the file): put it into the environment or the .env beside this file, as ${variable}=… (or ${variable}_FILE)`,
  };
}
