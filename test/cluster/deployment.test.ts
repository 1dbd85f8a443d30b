import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';

import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { describeWhere } from '../support/needs.ts';
import { unknownNames } from '../packaging/support/unknown-names.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { missingRedis, startRedis } from './support/redis-server.ts';

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly secrets: readonly string[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

const folder = folderOfEachTest();

describe('the deployments of a fleet', () => {
  it('compose: each host has a name, a state and a folder of its own, and all have one Redis', async () => {
    const text = await readFile('config/fleet/compose.yaml', 'utf8');
    const { services, secrets } = parse(text, { merge: true }) as {
      services: Record<string, ComposeService>;
      secrets: object;
    };
    const hosts = Object.entries(services).filter(([name]) => name.startsWith('ingestd-'));
    expect(hosts).toHaveLength(3);
    const of = (pick: (host: ComposeService) => unknown) => new Set(hosts.map(([, host]) => pick(host)));
    expect(of(({ environment }) => environment?.['INGESTD_CLUSTER__HOST']).size).toBe(3);
    expect(of(({ volumes }) => volumes?.find((volume) => volume.endsWith(':/state'))).size).toBe(3);
    expect(of(({ volumes }) => volumes?.find((volume) => volume.includes('/data/reports'))).size).toBe(3);
    expect(of(({ environment }) => environment?.['INGESTD_REDIS_URL_FILE'])).toEqual(
      new Set(['/run/secrets/redis_url']),
    );
    const used = Object.values(services).flatMap((service) => service.secrets);
    expect(Object.keys(secrets).sort()).toEqual([...new Set(used)].sort());
    // What the container is told makes a cluster of the configuration that has none.
    const [, host] = hosts[0] ?? [];
    await folder.write('ingestd.yaml', simple);
    const url = await folder.write('redis_url', 'redis://ingestd:pass@redis:6379\n');
    const env = { ...host?.environment, INGESTD_REDIS_URL_FILE: url, INGESTD_TRUST_CONFIG: '1' };
    const { settings } = await loadConfiguration({ file: 'ingestd.yaml', env, cwd: folder.path });
    expect(settings.cluster).toMatchObject({ host: 'site-1', redis: { username: 'ingestd' } });
  });

  it('Kubernetes: names that it knows, with a configuration that ingestd takes', async () => {
    const text = await readFile('config/fleet/kubernetes.yaml', 'utf8');
    const all = parseAllDocuments(text).map((one) => one.toJS() as Manifest);
    expect(all.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`)).toEqual([
      'v1 Service ingestd-redis',
      'apps/v1 StatefulSet ingestd-redis',
      'v1 ConfigMap ingestd',
      'apps/v1 StatefulSet reports',
    ]);
    expect(unknownNames(all)).toEqual([]);
    const file = await folder.write('ingestd.yaml', all[2]?.data?.['ingestd.yaml'] ?? '');
    const env = {
      INGESTD_REDIS_URL: 'redis://ingestd:pass@ingestd-redis:6379',
      INGESTD_CLUSTER__HOST: 'reports-0',
    };
    const { settings } = await loadConfiguration({ file, env, cwd: folder.path, checkFolders: false });
    expect(settings.cluster?.host).toBe('reports-0');
  });
});

const simple =
  'service: {authUrl: https://a.example, ingestUrl: https://b.example}\nfolders: [{name: reports, path: reports}]\n';

describeWhere(missingRedis, 'the users of Redis', () => {
  it('are what Redis takes, and the documentation has the same rule', async () => {
    const users = await readFile('config/fleet/users.acl', 'utf8');
    const rule = /^user ingestd .*$/m.exec(users)?.[0];
    expect(await readFile('docs/fleet.md', 'utf8')).toContain(rule);
    const file = await folder.write('users.acl', users);
    const redis = await startRedis({ more: ['--aclfile', file], user: 'ingestd', password: 'PASSWORD' });
    expect(redis.command('CONFIG', 'GET', 'dir')).toMatch(/NOPERM/);
    await redis.remove();
  });
});
