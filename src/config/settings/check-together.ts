import type { SettingsInput } from '../../model/settings.ts';
import type { Problem } from '../problem.ts';

/** What one key demands of another. */
export function checkTogether(keys: SettingsInput): Problem[] {
  return [...missingAddresses(keys), ...repeatedNames(keys), ...clusterProblems(keys)];
}

function missingAddresses({ service }: SettingsInput): Problem[] {
  if (service.mode !== 'remote') return [];
  const variables = { authUrl: 'INGESTD_AUTH_URL', ingestUrl: 'INGESTD_INGEST_URL' } as const;
  return (['authUrl', 'ingestUrl'] as const)
    .filter((key) => service[key] === undefined)
    .map((key) => ({
      path: ['service', key],
      message: `service.${key} is missing; set it in the file or as ${variables[key]}, or set service.mode to embedded for a trial`,
    }));
}

function repeatedNames({ folders }: SettingsInput): Problem[] {
  const names = folders.map(({ name }) => name.normalize('NFC'));
  return folders.flatMap(({ name }, index) => {
    const first = names.indexOf(name.normalize('NFC'));
    if (first === index) return [];
    const message = `folders[${index}].name: ${JSON.stringify(name)} is the name of folders[${first}] too; give each folder a name of its own`;
    return [{ path: ['folders', index, 'name'], message }];
  });
}

function clusterProblems({ cluster, service }: SettingsInput): Problem[] {
  if (cluster === undefined) return [];
  const { redisUrl } = cluster;
  const problems: Problem[] = [];
  const wrong = (key: string, words: string) =>
    problems.push({ path: ['cluster', key], message: `cluster.${key}${words}` });
  if (redisUrl === undefined)
    wrong(
      'redisUrl',
      ' is missing; give it in the file or as INGESTD_REDIS_URL, or take out cluster for one host',
    );
  if (service.mode === 'embedded')
    wrong('redisUrl', ' needs service.mode remote: the embedded service is for this machine alone');
  return problems;
}
