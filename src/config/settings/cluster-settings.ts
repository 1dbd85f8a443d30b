import { parseRedisAddress } from '../../lib/server/redis-address.ts';
import type { ClusterSettings } from '../../model/settings.ts';
import type { Problem } from './explain-issues.ts';
import type { SettingsInput } from './settings-schema.ts';

const variable = 'INGESTD_REDIS_URL';
const forms =
  'write it like redis://host:6379, rediss://host:6380 (TLS) or redis+sentinel://host:26379,host:26379/name';

/**
 * The cluster as the file and `INGESTD_REDIS_URL` (`secretUrl`, undefined: not set) give it, null where neither does;
 * and what is wrong with it. No message shows an address: it may hold a password.
 */
export function clusterSettings(
  { cluster, service }: SettingsInput,
  secretUrl: string | undefined,
): { readonly cluster: ClusterSettings | null; readonly problems: readonly Problem[] } {
  if (cluster === undefined && secretUrl === undefined) return { cluster: null, problems: [] };
  const problems: Problem[] = [];
  const wrong = (key: string, message: string) =>
    problems.push({ path: ['cluster', key], message: `cluster.${key}${message}` });
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
    wrong('redisUrl', ' needs service.mode remote: the embedded service is for this machine alone');
  if (aloneShare > service.requestsPerMinute) {
    wrong(
      'aloneShare',
      `: ${aloneShare} is more than service.requestsPerMinute (${service.requestsPerMinute}); give each host a part of it`,
    );
  }
  return { cluster: redis === null ? null : { redis, account, host, aloneShare }, problems };
}
