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

/** How else a key may be named that would hold a secret, without case and punctuation. */
const spellings: { readonly [name in SecretName]?: readonly string[] } = {
  apiKey: ['xapikey', 'key'],
  clientId: ['client'],
  clientSecret: ['secret'],
  username: ['user', 'email', 'login'],
  password: ['passwd', 'pass', 'pwd', 'passphrase'],
  notifyWebhook: ['webhook'],
};

/** Keys of secrets that ingestd is not given. */
const otherSecrets =
  /^(?:(?:access|refresh|bearer)?token|bearer|authorization|credentials?|secrets|privatekey)$/;

/** The secret that a key of that name would hold; null: some other secret; undefined: none. */
function secretMeantBy(key: string): SecretName | null | undefined {
  const plain = key
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^ingestd/, '')
    .replace(/file$/, '');
  const names = Object.keys(secretVariables) as SecretName[];
  const meant = names.find((name) => name.toLowerCase() === plain || spellings[name]?.includes(plain));
  return meant ?? (otherSecrets.test(plain) ? null : undefined);
}

/**
 * Every key of the file that would hold a secret, under whatever spelling and at whatever depth. Values are not shown.
 */
export function findSecrets(value: unknown, path: readonly PropertyKey[] = []): Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findSecrets(item, [...path, index]));
  return Object.entries(value).flatMap(([key, child]) => {
    const place = [...path, key];
    const secret = secretMeantBy(key);
    const isKnown = settingAt(place) !== undefined;
    const isSecret = secret !== undefined && (!isKnown || holdsPassword(child));
    return isSecret ? [problem(place, secret)] : findSecrets(child, place);
  });
}

/** The one key that may hold a secret is an address of Redis. */
function holdsPassword(value: unknown): boolean {
  return typeof value === 'string' && (parseRedisAddress(value)?.password ?? null) !== null;
}

function problem(path: readonly PropertyKey[], secret: SecretName | null): Problem {
  const fix =
    secret === null
      ? 'ingestd obtains tokens itself from the five secrets in the environment'
      : `put it into the environment or the .env beside this file, as ${secretVariables[secret]}=… (or ${secretVariables[secret]}_FILE)`;
  return {
    path,
    message: `${pathText(path)} is a secret and must not be in the configuration file; remove it (and change it if others could read the file): ${fix}`,
  };
}
