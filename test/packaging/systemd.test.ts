import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { describeWhere } from '../support/needs.ts';
import { folderOfAllTests } from '../support/folder-of-each-test.ts';

const run = promisify(execFile);
const missing = spawnSync('systemd-analyze', ['--version']).status === 0 ? null : 'systemd-analyze';
const system = 'systemd/ingestd.service';
const template = 'systemd/ingestd@.service';
const user = 'systemd/user/ingestd.service';

/** The settings of a unit in their order, comments and sections left out. */
async function settingsOf(unit: string): Promise<readonly string[]> {
  const text = await readFile(unit, 'utf8');
  return text.split('\n').filter((line) => /^[A-Z]\w*=/.test(line));
}

describeWhere(missing, 'systemd-analyze', () => {
  const folder = folderOfAllTests();
  const verify = async (unit: string, mode: '--system' | '--user') => {
    const env = { ...process.env, XDG_RUNTIME_DIR: folder.path };
    const { stdout, stderr } = await run('systemd-analyze', [mode, '--man=no', 'verify', unit], { env });
    return stdout + stderr;
  };

  it.each([system, template])('finds nothing to say about %s', async (unit) => {
    expect(await verify(unit, '--system')).toBe('');
  });

  it('finds nothing to say about an instance of the template', async () => {
    const instance = await folder.write('ingestd@letters.service', await readFile(template, 'utf8'));
    expect(await verify(instance, '--system')).toBe('');
  });

  it('finds nothing to say about the unit for a workstation', async () => {
    expect(await verify(user, '--user')).toBe('');
  });

  it('finds nothing to say about the nightly backup', async () => {
    expect(await verify('config/ingestd-export.timer', '--system')).toBe('');
    expect(await verify('config/ingestd-export.service', '--system')).toBe('');
  });

  it('would say so if there were', async () => {
    const text = await readFile(system, 'utf8');
    const bad = await folder.write('bad.service', text.replace('Type=notify', 'Type=notfy'));
    expect(await verify(bad, '--system')).toContain('notfy');
  });

  it.each([system, template])('gives the sandbox of %s an exposure of at most 2.0', async (unit) => {
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
    const [, exposure] = /Overall exposure level for \S+ ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(2);
  });
});

describe('the units', () => {
  it.each([system, template, user])(
    '%s: is watched, notified, reloaded and not restarted in vain',
    async (unit) => {
      const settings = await settingsOf(unit);
      expect(settings).toEqual(
        expect.arrayContaining([
          'Type=notify',
          'NotifyAccess=all',
          'ExecReload=/bin/kill -HUP $MAINPID',
          'Restart=on-failure',
          'RestartPreventExitStatus=2 3 5',
          'StartLimitIntervalSec=0',
          'NoNewPrivileges=yes',
        ]),
      );
      expect(settings.some((line) => line.startsWith('WatchdogSec='))).toBe(true);
      expect(settings.some((line) => line.startsWith('MemoryDenyWriteExecute='))).toBe(false);
    },
  );

  it.each([system, template])(
    '%s: hands over the five secrets as credentials and none as environment',
    async (unit) => {
      const settings = await settingsOf(unit);
      const names = settings.flatMap(
        (line) => /^LoadCredential=(\w+):\/etc\/ingestd\/.*\/\1$/.exec(line)?.[1] ?? [],
      );
      expect(names).toEqual([
        'INGESTD_API_KEY',
        'INGESTD_CLIENT_ID',
        'INGESTD_CLIENT_SECRET',
        'INGESTD_USERNAME',
        'INGESTD_PASSWORD',
      ]);
      expect(settings.filter((line) => /^Environment.*(PASSWORD|SECRET|API_KEY)/.test(line))).toEqual([]);
    },
  );

  it('give more time to stop than timing.stopSeconds', async () => {
    for (const unit of [system, template, user])
      expect(await settingsOf(unit)).toContain('TimeoutStopSec=60s');
  });

  it('are one and the same for one and for several, but for the names', async () => {
    const several = (await settingsOf(template)).map((line) =>
      line
        .replace('ingestd %i,', 'ingestd,')
        .replace('/etc/ingestd/%i.yaml', '/etc/ingestd/ingestd.yaml')
        .replace('/etc/ingestd/%i.credentials', '/etc/ingestd/credentials')
        .replace('StateDirectory=ingestd-%i', 'StateDirectory=ingestd'),
    );
    expect(several).toEqual(await settingsOf(system));
  });
});
