import { execFile } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { ConfigMap, PersistentVolumeClaim } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { readStages } from './support/dockerfile.ts';

const run = promisify(execFile);
const models = { ConfigMap, Deployment, PersistentVolumeClaim, StatefulSet };
const places = {
  ConfigMap: 'v1',
  PersistentVolumeClaim: 'v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
};

type Kind = keyof typeof models;

interface Manifest {
  readonly kind: Kind;
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
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await symlink(resolve('node_modules'), folder.join('node_modules'));
  });
  afterAll(() => folder.remove());

  /** What the compiler says of them as literals of their kinds' types: it knows every name there is. */
  const compile = async (all: readonly object[]) => {
    const lines = all.map((one) => {
      const { kind } = one as { kind: Kind };
      return `{ const it: import('kubernetes-models/${places[kind]}').I${kind} = ${JSON.stringify(one)}; void it; }`;
    });
    const file = await folder.write('manifests.ts', lines.join('\n'));
    const words = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      '',
      file,
    ];
    return run('node_modules/.bin/tsc', words).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
  };

  it('are what the schemas of Kubernetes ask for', async () => {
    const all = await manifests();
    expect(all.map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'PersistentVolumeClaim',
      'Deployment',
      'StatefulSet',
    ]);
    for (const one of all) expect(() => new models[one.kind](one as never).validate()).not.toThrow();
    const wrong = { ...all[2], spec: { ...all[2]?.spec, replicas: 'one' } };
    expect(() => new Deployment(wrong as never).validate()).toThrow(/replicas/);
  });

  it('have no name in them that Kubernetes does not know', async () => {
    const all = await manifests();
    expect(await compile(all)).toBe('');
    const text = JSON.stringify(all[2]).replace('livenessProbe', 'livelinessProbe');
    expect(await compile([JSON.parse(text) as object])).toContain('livelinessProbe');
  }, 60_000);

  it('run as the user of the image, closed up, with folders that cannot be written', async () => {
    const stage = readStages(await readFile('Dockerfile', 'utf8')).at(-1);
    const user = stage?.steps.find((step) => step.kind === 'user');
    for (const { securityContext } of await pods()) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
      expect(user).toMatchObject({ user: '1000:1000' });
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
