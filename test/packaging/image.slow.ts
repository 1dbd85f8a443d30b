import { spawnSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/lib/time/clock.ts';
import { startEmbeddedService } from '../../src/embedded/embedded-service.ts';
import type { EmbeddedService } from '../../src/embedded/embedded-service.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { buildImage, missingForImage } from './support/build-image.ts';
import type { Image } from './support/build-image.ts';
import { runOnce, startContainer, uploadedBy } from './support/container.ts';
import type { Container } from './support/container.ts';
import { missingForRootTree } from './support/root-tree.ts';

const configuration = `
service: { mode: embedded }
folders: [{ name: reports, path: /data/reports }]
timing: { settleMs: 200 }
http: { port: 0 }
`;

describeWhere(missingForRootTree() ?? missingForImage(), 'the image, as buildah builds it', () => {
  let folder: TemporaryFolder;
  let image: Image;
  let container: Container | null = null;

  beforeAll(async () => {
    folder = await temporaryFolder();
    image = await buildImage(folder.path, '24');
    await mkdir(join(image.root, 'data/reports'), { recursive: true });
    await writeFile(join(image.root, 'etc/ingestd/ingestd.yaml'), configuration);
  }, 300_000);

  afterAll(async () => {
    await container?.kill();
    await image.unmount();
    await folder.remove();
  });

  it('holds the program, its configuration and what it needs to run, and no tool that built it', () => {
    const inside = (path: string) => spawnSync('test', ['-e', join(image.root, path)]).status === 0;
    for (const path of [
      'app/dist/main.js',
      'app/config/trial.yaml',
      'app/fixtures/documents/note.pdf',
      'app/node_modules/got',
      'usr/local/bin/node',
      'app/LICENSE',
      'app/dist/THIRD-PARTY-LICENSES.txt',
      'app/dist/sbom.cdx.json',
      'usr/local/share/doc/node/LICENSE',
    ])
      expect([path, inside(path)]).toEqual([path, true]);
    for (const path of [
      'app/src',
      'app/node_modules/typescript',
      'app/node_modules/jest',
      'usr/local/bin/npm',
    ])
      expect([path, inside(path)]).toEqual([path, false]);
  });

  it('adds less than 250 MB to Debian', () => {
    const { stdout } = spawnSync('du', ['-sm', join(image.root, 'app'), join(image.root, 'usr/local')], {
      encoding: 'utf8',
    });
    const megabytes = stdout.split('\n').reduce((sum, line) => sum + Number.parseInt(line || '0', 10), 0);
    expect(megabytes).toBeGreaterThan(50);
    expect(megabytes).toBeLessThan(250);
  });

  it('says its version and its user is not root', () => {
    expect(runOnce(image, ['ingestd', '--version'])).toMatchObject({ status: 0 });
    expect(runOnce(image, ['id', '-u']).stdout.trim()).toBe('1000');
  });

  it('is not healthy while nothing runs', () => {
    expect(runOnce(image, image.health).status).not.toBe(0);
  });

  it('delivers as process 1 on a read-only root with folders it cannot write, and is healthy', async () => {
    container = startContainer(image);
    const running = container;
    await eventually(() => running.run(image.health).status === 0, { everyMs: 300 });
    expect(running.run(['touch', '/app/x']).status).not.toBe(0);
    expect(running.run(['touch', '/data/reports/x']).status).not.toBe(0);

    await cp('fixtures/documents/note.pdf', join(image.root, 'data/reports/note.pdf'));
    await eventually(() => uploadedBy(running) === 1, { everyMs: 300 });
  });

  it('lets nobody else look into the state', () => {
    const { stdout } = spawnSync('stat', ['--format=%a %u', join(image.root, 'state')], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('700 1000');
  });

  it('stops on the signal of docker stop with exit code 0', async () => {
    expect(await container?.stop()).toBe(0);
  });

  it('is not healthy after that', () => {
    expect(runOnce(image, image.health).status).not.toBe(0);
  });

  describe('with Docker secrets', () => {
    const secrets = {
      INGESTD_API_KEY: 'apiKey',
      INGESTD_CLIENT_ID: 'clientId',
      INGESTD_CLIENT_SECRET: 'clientSecret',
      INGESTD_USERNAME: 'username',
      INGESTD_PASSWORD: 'password',
    } as const;
    const fileOf = (name: string) => `/run/secrets/${name.slice('INGESTD_'.length).toLowerCase()}`;
    let service: EmbeddedService;
    let withSecrets: Image;

    beforeAll(async () => {
      service = await startEmbeddedService({
        dataDir: folder.join('service'),
        clock: systemClock,
        log: recordedLog(),
      });
      const { authUrl, ingestUrl } = service;
      const remote = configuration.replace('{ mode: embedded }', JSON.stringify({ authUrl, ingestUrl }));
      await writeFile(join(image.root, 'etc/ingestd/ingestd.yaml'), remote);
      await mkdir(join(image.root, 'run/secrets'), { recursive: true });
      const files = Object.keys(secrets).map((name) => [`${name}_FILE`, fileOf(name)]);
      withSecrets = { ...image, env: { ...image.env, ...Object.fromEntries(files) } };
    });

    /** Secrets as they are mounted: an owner and a mode. */
    async function mountSecrets(uid: number, mode: number): Promise<void> {
      await rm(join(image.root, 'state'), { recursive: true });
      await mkdir(join(image.root, 'state'), { mode: 0o700 });
      await chown(join(image.root, 'state'), 1000, 1000);
      for (const [name, key] of Object.entries(secrets)) {
        const file = join(image.root, fileOf(name));
        await rm(file, { force: true });
        await writeFile(file, service.credentials[key]);
        await chown(file, uid, uid);
        await chmod(file, mode);
      }
    }

    afterAll(() => service.close());

    it.each([
      ['a file of the user, as Compose mounts it', 1000, 0o400],
      ['a file of root that all may read, as Swarm makes it', 0, 0o444],
    ])(
      '%s: delivers, and no secret is in the environment',
      async (_, uid, mode) => {
        await mountSecrets(uid, mode);
        const before = service.documents().length;
        container = startContainer(withSecrets);
        const running = container;
        await eventually(() => service.documents().length > before, { everyMs: 300 });
        const environment = running.run(['cat', '/proc/1/environ']).stdout;
        expect(environment).toContain('INGESTD_PASSWORD_FILE=/run/secrets/password');
        for (const key of Object.values(secrets)) {
          expect(environment).not.toContain(service.credentials[key]);
          expect(running.output()).not.toContain(service.credentials[key]);
        }
        expect(await running.stop()).toBe(0);
      },
      90_000,
    );

    it('a file that its user may not read: says which one, and ends with exit code 2', async () => {
      await mountSecrets(0, 0o400);
      const { status, stderr } = runOnce(withSecrets, withSecrets.start);
      expect(status).toBe(2);
      expect(stderr).toMatch(/INGESTD_API_KEY_FILE: \/run\/secrets\/api_key cannot be read \(EACCES\)/);
    });
  });
});
