import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
    await eventually(() => running.run(image.health).status === 0, { withinMs: 30_000, everyMs: 300 });
    expect(running.run(['touch', '/app/x']).status).not.toBe(0);
    expect(running.run(['touch', '/data/reports/x']).status).not.toBe(0);

    await cp('fixtures/documents/note.pdf', join(image.root, 'data/reports/note.pdf'));
    await eventually(() => uploadedBy(running) === 1, { withinMs: 30_000, everyMs: 300 });
  }, 90_000);

  it('lets nobody else look into the state', () => {
    const { stdout } = spawnSync('stat', ['--format=%a %u', join(image.root, 'state')], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('700 1000');
  });

  it('stops on the signal of docker stop with exit code 0', async () => {
    expect(await container?.stop()).toBe(0);
  }, 60_000);

  it('is not healthy after that', () => {
    expect(runOnce(image, image.health).status).not.toBe(0);
  });
});
