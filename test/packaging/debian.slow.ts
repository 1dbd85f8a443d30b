import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { missingForMachine, startMachine } from './support/machine.ts';
import type { Machine } from './support/machine.ts';
import { debianPackage } from './support/made-packages.ts';
import { makeDebian, missingForRootTree, systemd } from './support/root-tree.ts';

const configuration = `
service: { authUrl: 'http://127.0.0.1:9000', ingestUrl: 'http://127.0.0.1:9000' }
folders: [{ name: documents, path: /srv/documents }]
state: { dir: /var/lib/ingestd }
timing: { settleMs: 200 }
`;

const missingTools = ['dpkg-deb', 'lintian', 'strip'].filter(
  (name) => spawnSync(name, ['--version']).status !== 0,
);
const missing =
  missingForRootTree() ?? missingForMachine() ?? (missingTools.length === 0 ? null : missingTools.join(', '));

/**
 * The shell block that the page gives for a machine with the Debian package, typed without sudo and without an editor.
 */
async function guide(): Promise<readonly string[]> {
  const text = await readFile('systemd/README.md', 'utf8');
  const part = text.split(/^## /m).find((one) => one.startsWith('A server with Debian or Ubuntu')) ?? '';
  return [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.replaceAll('sudo ', ''));
}

async function lintianSays(): Promise<{ readonly status: number; readonly stdout: string }> {
  const words = ['--allow-root', '--fail-on', 'error,warning', await debianPackage('1.0.0')];
  return promisify(execFile)('lintian', words).then(
    ({ stdout }) => ({ status: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ status: code, stdout }),
  );
}

describeWhere(missing, 'the Debian package, on a machine with a real systemd and no Node', () => {
  let folder: TemporaryFolder;
  let root: string;
  let machine: Machine;
  let before: ReadonlySet<string>;
  /** The longest of all: it goes on beside the others. */
  let lintian: ReturnType<typeof lintianSays>;

  const ask = (command: string) => machine.run(command).stdout.trim();
  const property = (name: string) => ask(`systemctl show --value -p ${name} ingestd`);
  /** What the service holds, asked at the service itself. */
  const documents = () => Number(ask('wc -l < /root/the-service/documents.jsonl || echo 0'));
  const install = async (version: string) => {
    await copyFile(await debianPackage(version), join(root, 'root/ingestd.deb'));
    return machine.run('DEBIAN_FRONTEND=noninteractive dpkg -i /root/ingestd.deb');
  };
  const files = () => {
    const volatile = [
      '/proc',
      '/sys',
      '/dev',
      '/run',
      '/tmp',
      '/root',
      '/var/log',
      '/var/cache',
      '/var/lib/dpkg',
    ];
    const pruned = [...volatile, '/var/lib/systemd', '/var/tmp'].map((path) => `-path ${path}`).join(' -o ');
    return new Set(ask(`find / \\( ${pruned} \\) -prune -o -print`).split('\n'));
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    root = folder.join('root');
    lintian = lintianSays();
    await makeDebian(root, systemd);
    await mkdir(join(root, 'srv/documents'), { recursive: true });
    machine = await startMachine(root);
    before = files();
  }, 300_000);

  afterAll(async () => {
    await machine.stop();
    await folder.remove();
  });

  it('is installed by dpkg alone, and starts nothing that nobody has configured', async () => {
    expect(await install('1.0.0')).toMatchObject({ status: 0 });
    expect(ask('ingestd --version')).toMatch(/^\d+\.\d+\.\d+/);
    expect(machine.run('command -v node').status).not.toBe(0);
    expect(property('ActiveState')).toBe('inactive');
    expect(ask('stat -c "%a %U %G" /etc/ingestd/credentials')).toBe('750 root ingestd');
    expect(ask('stat -c "%a %U %G" /var/lib/ingestd')).toBe('700 ingestd ingestd');
  });

  it('lets root leave no ledger that the service cannot read, and says whose command it is', () => {
    const { status, stderr } = machine.run('echo path,docId | ingestd ledger import -');
    expect([status, stderr]).toEqual([2, expect.stringMatching(/run ingestd as that user \(sudo -u/)]);
    expect(stderr).not.toContain('chown');
  });

  it('brings the man page, completion, its licences and those of what it brings', () => {
    for (const path of [
      'man/man1/ingestd.1.gz',
      'bash-completion/completions/ingestd',
      'zsh/vendor-completions/_ingestd',
      'fish/vendor_completions.d/ingestd.fish',
      'doc/ingestd/copyright',
      'doc/ingestd/LICENSE.node',
      'doc/ingestd/THIRD-PARTY-LICENSES.txt',
    ])
      expect([path, machine.run(`test -s /usr/share/${path}`).status]).toEqual([path, 0]);
    expect(ask('zcat /usr/share/doc/ingestd/changelog.gz')).toMatch(/^ingestd \(1\.0\.0\) .*\n\n {2}\* \w/);
  });

  it('says which secrets are missing when it is started without any', () => {
    expect(machine.run('systemctl start ingestd').status).not.toBe(0);
    expect(property('ExecMainStatus')).toBe('2');
    expect(ask('journalctl -u ingestd --no-pager')).toMatch(
      /INGESTD_API_KEY.* no value in \/etc\/ingestd\/credentials/,
    );
    machine.run('systemctl reset-failed ingestd');
  });

  it('delivers after three commands', async () => {
    machine.run(
      'systemd-run --quiet --unit=the-service --property=StandardOutput=file:/root/service.env ' +
        'ingestd service --port 9000 --data /root/the-service',
    );
    await eventually(() => ask('cat /root/service.env').includes('INGESTD_PASSWORD='));
    const [commands = ''] = await guide();
    const typed = commands
      .replace(/^sudoedit .*$/m, '. /root/service.env')
      .replaceAll('read -rs secret', 'eval "secret=\\$INGESTD_$name"');
    expect(typed).not.toBe(commands);
    await writeFile(join(root, 'etc/ingestd/ingestd.yaml'), configuration);
    await copyFile('fixtures/documents/note.pdf', join(root, 'srv/documents/note.pdf'));
    expect(machine.run(typed)).toMatchObject({ status: 0 });
    await eventually(() => documents() === 1, { everyMs: 300 });
    expect(ask('stat -c "%a" /etc/ingestd/credentials/INGESTD_PASSWORD')).toBe('640');
  });

  it('is started when it says so itself, as its own user inside its sandbox', () => {
    expect([property('ActiveState'), property('Type')]).toEqual(['active', 'notify']);
    const pid = property('MainPID');
    expect(ask(`stat -c %U /proc/${pid}`)).toBe('ingestd');
    const status = ask(`cat /proc/${pid}/status`);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(ask('stat -c "%a %U" /var/lib/ingestd')).toBe('700 ingestd');
  });

  it('says in its status line how things stand', async () => {
    await eventually(() => property('StatusText') !== '', { everyMs: 300 });
  });

  it('shows its secrets to nobody: not in its arguments, not in its environment, not in the journal', () => {
    const pid = property('MainPID');
    const secrets = ['API_KEY', 'CLIENT_SECRET', 'PASSWORD'].map((name) =>
      ask(`cat /etc/ingestd/credentials/INGESTD_${name}`),
    );
    const shown = ask(`cat /proc/${pid}/cmdline /proc/${pid}/environ`) + ask('journalctl --no-pager');
    expect(shown).toContain('ingestd');
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(8);
      expect(shown).not.toContain(secret);
    }
  });

  it('answers root, and the account of the service, by its commands', () => {
    expect(machine.run('ingestd status')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 document delivered'),
    });
    expect(machine.run('ingestd why /srv/documents/note.pdf').stdout).toContain('uploaded');
    // Of a directory that is closed to the account, nobody can say that it holds no configuration.
    expect(machine.run('cd /root && runuser -u ingestd -- ingestd status')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 document delivered'),
    });
    for (const command of ['ingestd check', 'ingestd auth login --config=/etc/ingestd/ingestd.yaml']) {
      expect(machine.run(`cd / && ${command}`)).toMatchObject({ status: 0 });
      expect(machine.run(`cd / && runuser -u ingestd -- ${command}`)).toMatchObject({ status: 0 });
    }
  });

  it('is reloaded without an interruption', async () => {
    const pid = property('MainPID');
    expect(machine.run('systemctl reload ingestd')).toMatchObject({ status: 0 });
    // systemctl comes back when the signal is sent; "reloading" ends with the daemon's word.
    await eventually(() => property('ActiveState') === 'active', { everyMs: 200 });
    expect(property('MainPID')).toBe(pid);
  });

  it('is started again when it is killed, and by the watchdog when it hangs', async () => {
    const dropIn = join(root, 'etc/systemd/system/ingestd.service.d');
    await mkdir(dropIn, { recursive: true });
    await writeFile(
      join(dropIn, 'quick.conf'),
      '[Service]\nWatchdogSec=5s\nRestartSec=200ms\nTimeoutAbortSec=2s\n',
    );
    expect(machine.run('systemctl daemon-reload && systemctl restart ingestd')).toMatchObject({ status: 0 });
    for (const [restarts, signal] of [
      ['1', 'KILL'],
      ['2', 'STOP'],
    ]) {
      const pid = property('MainPID');
      machine.run(`kill -${signal} ${pid}`);
      await eventually(() => property('NRestarts') === restarts && property('ActiveState') === 'active', {
        withinMs: 40_000,
        everyMs: 300,
      });
      expect(property('MainPID')).not.toBe(pid);
    }
    expect(ask('journalctl -u ingestd --no-pager')).toContain('Watchdog timeout');
    machine.run(`rm -r /etc/systemd/system/ingestd.service.d && systemctl daemon-reload`);
  });

  it('goes on by itself after an upgrade, with the configuration that was edited, and sends nothing again', async () => {
    const pid = property('MainPID');
    expect(await install('1.1.0')).toMatchObject({ status: 0 });
    expect(ask("dpkg-query -W -f '${Version}' ingestd")).toBe('1.1.0');
    expect([property('ActiveState'), property('MainPID') === pid]).toEqual(['active', false]);
    expect(ask('cat /etc/ingestd/ingestd.yaml')).toBe(configuration.trim());
    await copyFile('fixtures/documents/minutes.txt', join(root, 'srv/documents/minutes.txt'));
    await eventually(() => documents() === 2, { everyMs: 300 });
  });

  it('is stopped in order, and keeps configuration and state, when it is removed', async () => {
    expect(machine.run('dpkg -r ingestd')).toMatchObject({ status: 0 });
    expect(property('ActiveState')).toBe('inactive');
    expect(ask('journalctl -u ingestd --no-pager')).toContain('ingestd.service: Deactivated successfully');
    expect(machine.run('test -e /usr/lib/ingestd -o -e /usr/bin/ingestd').status).not.toBe(0);
    expect(ask('cat /etc/ingestd/ingestd.yaml')).toBe(configuration.trim());
    expect(machine.run('test -s /var/lib/ingestd/ledger.json').status).toBe(0);
  });

  it('goes on where it was when it is installed again', async () => {
    await copyFile('fixtures/documents/figures.xlsx', join(root, 'srv/documents/figures.xlsx'));
    expect(await install('1.0.0')).toMatchObject({ status: 0 });
    expect(machine.run('systemctl start ingestd')).toMatchObject({ status: 0 });
    await eventually(() => documents() === 3, { everyMs: 300 });
  });

  it('is not restarted for a configuration that is wrong, and the journal says what is', async () => {
    await writeFile(join(root, 'etc/ingestd/ingestd.yaml'), configuration.replace('settleMs', 'settleMx'));
    expect(machine.run('systemctl restart ingestd').status).not.toBe(0);
    expect([property('ExecMainStatus'), property('ActiveState'), property('NRestarts')]).toEqual([
      '2',
      'failed',
      '0',
    ]);
    expect(ask('journalctl -u ingestd --no-pager')).toContain('settleMx');
  });

  it('leaves nothing when it is purged', () => {
    expect(machine.run('dpkg -P ingestd')).toMatchObject({ status: 0 });
    const left = [...files()].filter((path) => !before.has(path) && !path.startsWith('/srv/documents'));
    expect(left).toEqual([]);
    expect(machine.run('getent passwd ingestd || getent group ingestd').status).not.toBe(0);
    expect(ask('systemctl list-units --all --no-legend "ingestd*"')).toBe('');
  });

  it('gives lintian nothing to say that is not explained in it', async () => {
    expect(await lintian).toEqual({ status: 0, stdout: '' });
  }, 240_000);
});
