import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { folderOfAllTests } from '../support/folder-of-each-test.ts';
import { only, readStages } from './support/dockerfile.ts';
import { unknownNames } from './support/unknown-names.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

async function manifests(): Promise<readonly Manifest[]> {
  const names = await readdir('config/kubernetes');
  const texts = await Promise.all(names.map((name) => readFile(`config/kubernetes/${name}`, 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Manifest));
}

const pods = async () => (await manifests()).flatMap(({ spec }) => spec?.template?.spec ?? []);

/** The container of ingestd in each pod. */
const ours = async () =>
  (await pods()).flatMap(({ containers, initContainers = [] }) =>
    [...containers, ...initContainers].filter(({ name }) => name === 'ingestd'),
  );

describe('the Kubernetes manifests', () => {
  const folder = folderOfAllTests();
  it('are of the kinds that they say, with no name in them that Kubernetes does not know', async () => {
    const all = await manifests();
    expect(all.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 ConfigMap',
      'v1 PersistentVolumeClaim',
      'apps/v1 Deployment',
      'apps/v1 StatefulSet',
    ]);
    expect(unknownNames(all)).toEqual([]);
    const text = JSON.stringify(all).replace('livenessProbe', 'livelinessProbe');
    expect(unknownNames(JSON.parse(text))).toEqual(['livelinessProbe']);
  });

  it('run one daemon for one state, and ask it for its health', async () => {
    const [, , deployment, statefulSet] = await manifests();
    expect(deployment).toMatchObject({ spec: { replicas: 1, strategy: { type: 'Recreate' } } });
    expect(statefulSet).toMatchObject({ spec: { replicas: 1, serviceName: 'reports' } });
    for (const container of await ours()) {
      const exec = { command: ['ingestd', 'health'] };
      expect(container).toMatchObject({
        livenessProbe: { exec, periodSeconds: 30, timeoutSeconds: 10, failureThreshold: 3 },
      });
    }
  });

  it('run as the user of the image, closed up, with folders that cannot be written', async () => {
    const stage = readStages(await readFile('Dockerfile', 'utf8')).at(-1);
    for (const { securityContext } of await pods()) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
      expect(only(stage, 'USER')).toEqual(['1000:1000']);
    }
    const containers = await ours();
    expect(containers).toHaveLength(2);
    for (const { securityContext, volumeMounts, env } of containers) {
      expect(securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const writable = volumeMounts.filter(({ readOnly }) => readOnly !== true);
      expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/state']);
      // The root of a volume is not ingestd's own: a fsGroup may write to it.
      expect(env).toContainEqual({ name: 'INGESTD_STATE__DIR', value: '/state/ingestd' });
    }
  });

  it('hand over each secret as a file', async () => {
    for (const { env: all = [] } of await ours()) {
      const env = all.filter(({ name }) => name.endsWith('_FILE'));
      expect(env.map(({ name }) => name)).toEqual(
        ['API_KEY', 'CLIENT_ID', 'CLIENT_SECRET', 'USERNAME', 'PASSWORD'].map(
          (name) => `INGESTD_${name}_FILE`,
        ),
      );
      for (const { value } of env) expect(value).toMatch(/^\/run\/secrets\/ingestd\//);
    }
  });

  it('carry a configuration that ingestd takes', async () => {
    const [{ data } = { data: {} }] = await manifests();
    const text = (data as Record<string, string>)['ingestd.yaml'] ?? '';
    const file = await folder.write('ingestd.yaml', text);
    const { settings } = await loadConfiguration({ file, env: {}, cwd: folder.path, checkFolders: false });
    expect(settings.folders.map(({ path }) => path)).toEqual([parse(text).folders[0].path]);
  });
});
