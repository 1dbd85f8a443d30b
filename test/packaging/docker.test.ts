import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { credentialNames, secretVariables } from '../../src/config/secrets/secret-names.ts';
import { only, readStages } from './support/dockerfile.ts';

const lastStage = async () => readStages(await readFile('Dockerfile', 'utf8')).at(-1);

/** The words of the last such instruction, in its JSON form, which needs no shell. */
const lastWords = async (keyword: string) =>
  JSON.parse(only(await lastStage(), keyword).at(-1) ?? '') as string[];

describe('the Dockerfile', () => {
  it('takes base images by arguments, which may name a digest', async () => {
    const text = await readFile('Dockerfile', 'utf8');
    const images = readStages(text).map(({ image }) => image);
    expect(images).toEqual([expect.stringMatching(/^node:\d+-/), expect.stringMatching(/^debian:/)]);
    const digest = `debian@sha256:${'0'.repeat(64)}`;
    const pinned = readStages(text.replace(/^ARG BASE_IMAGE=.*$/m, `ARG BASE_IMAGE=${digest}`));
    expect(pinned.at(-1)?.image).toBe(digest);
  });

  it('runs no install script', async () => {
    const [build] = readStages(await readFile('Dockerfile', 'utf8'));
    const installs = only(build, 'RUN').filter((command) => /npm (ci|install|prune)/.test(command));
    expect(installs).toHaveLength(2);
    for (const command of installs) expect(command).toContain('--ignore-scripts');
  });

  it('ends as a user that is not root and is named by number', async () => {
    expect(only(await lastStage(), 'USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('keeps the state on a volume, and the daemon is told so', async () => {
    const [, state] = /INGESTD_STATE__DIR=(\S+)/.exec(only(await lastStage(), 'ENV').join(' ')) ?? [];
    expect(await lastWords('VOLUME')).toEqual([state]);
  });

  it('starts without a shell, so that signals reach the daemon, and asks the daemon for its health', async () => {
    expect(await lastWords('ENTRYPOINT')).toEqual(['ingestd']);
    expect(await lastWords('CMD')).toEqual(['run']);
    expect(only(await lastStage(), 'HEALTHCHECK')).toEqual([
      '--interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["ingestd", "health"]',
    ]);
  });

  it('is given nothing but what .dockerignore lets through', async () => {
    const ignore = (await readFile('.dockerignore', 'utf8')).split('\n').filter((line) => /^[^#]/.test(line));
    const copied = readStages(await readFile('Dockerfile', 'utf8'))
      .flatMap((stage) => only(stage, 'COPY'))
      .filter((content) => !content.startsWith('--from='))
      .flatMap((content) => content.split(/\s+/).slice(0, -1));
    expect(ignore[0]).toBe('*');
    expect(ignore.slice(1).sort()).toEqual(copied.map((name) => `!${name}`).sort());
  });
});

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: object;
  readonly volumes: object;
}

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly [key: string]: unknown;
}

describe('the compose example', () => {
  const load = async () => {
    const compose = parse(await readFile('config/compose.example.yaml', 'utf8')) as Compose;
    const service = compose.services['ingestd'];
    if (service === undefined) throw new Error('no ingestd in it');
    return { compose, service };
  };

  it('runs the image closed up: read-only, without capabilities, with time to stop', async () => {
    const { service } = await load();
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '45s' });
    expect(service['security_opt']).toEqual(['no-new-privileges:true']);
  });

  it('hands over every secret as a file that is declared', async () => {
    const { compose, service } = await load();
    const wanted = [...credentialNames, 'httpToken' as const].map((name) => `${secretVariables[name]}_FILE`);
    for (const variable of wanted) {
      const [, secret] = /^\/run\/secrets\/(\w+)$/.exec(service.environment[variable] ?? '') ?? [];
      expect(service.secrets).toContain(secret);
    }
    expect(Object.keys(compose.secrets).sort()).toEqual([...service.secrets].sort());
    expect(
      Object.keys(service.environment).filter((name) => /(PASSWORD|SECRET|KEY|TOKEN)$/.test(name)),
    ).toEqual([]);
  });

  it('mounts the folder read-only beside the application that writes it, and names the volume of the state', async () => {
    const { compose, service } = await load();
    expect(service.volumes).toContain('./reports:/data/reports:ro');
    expect(compose.services['reports']?.volumes).toEqual(['./reports:/out']);
    expect(service.volumes).toContain('ingestd-state:/state');
    expect(Object.keys(compose.volumes)).toEqual(['ingestd-state']);
    // A volume that is lost is no new beginning (A9).
    expect(service.environment['INGESTD_STATE__MUST_EXIST']).toBe('${INGESTD_STATE__MUST_EXIST:-true}');
  });

  it('gives the shared folder, which Docker makes as root, to the user of both before they start', async () => {
    const { compose } = await load();
    const { prepare, reports, ingestd } = compose.services;
    expect(prepare).toMatchObject({ command: ['chown', '1000:1000', '/out'], volumes: ['./reports:/out'] });
    expect(prepare).not.toHaveProperty('user');
    expect(reports).toMatchObject({ user: '1000:1000' });
    for (const service of [reports, ingestd])
      expect(service).toMatchObject({
        init: true,
        depends_on: { prepare: { condition: 'service_completed_successfully' } },
      });
  });

  it('opens the port to this machine alone', async () => {
    const { service } = await load();
    expect(service.ports).toEqual(['127.0.0.1:7420:7420']);
  });
});
