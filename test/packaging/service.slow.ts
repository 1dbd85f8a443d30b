import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { missingForMachine, startMachine } from './machine.ts';
import type { Machine } from './machine.ts';
import { addThisNode, makeDebian, missingForRootTree, runInside } from './root-tree.ts';

const configuration = `
service: { mode: embedded }
folders: [{ name: documents, path: /srv/documents }]
timing: { settleMs: 200 }
`;

/** The shell blocks of a section of the page that tells people how to install. */
async function commandsFor(section: string): Promise<readonly string[]> {
  const text = await readFile('systemd/README.md', 'utf8');
  const part = text.split(/^## /m).find((one) => one.startsWith(section)) ?? '';
  return [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.replaceAll('sudo ', ''));
}

describeWhere(
  missingForRootTree() ?? missingForMachine(),
  'the service, installed by the commands of systemd/README.md on a machine with a real systemd',
  () => {
    let folder: TemporaryFolder;
    let root: string;
    let machine: Machine;

    const ask = (command: string) => machine.run(command).stdout.trim();
    const property = (name: string) => ask(`systemctl show --value -p ${name} ingestd`);
    const uploaded = () => {
      const text = ask(
        `node -e "fetch('http://127.0.0.1:7420/api/status').then((a) => a.text()).then(console.log, () => 0)"`,
      );
      return text === '' ? -1 : (JSON.parse(text) as { totals: { uploaded: number } }).totals.uploaded;
    };

    beforeAll(async () => {
      folder = await temporaryFolder();
      root = folder.join('root');
      await makeDebian(root, ['systemd', 'systemd-sysv', 'procps']);
      await addThisNode(root);
      await copyClone(join(root, 'clone'));
      const [program = '', configure = '', start = '', command = ''] = await commandsFor('A server');
      // A clone is what git archive reads; the tree is given the same files without git.
      runInside(root, program.replace('git archive HEAD', 'tar -c -C /clone .'), { cwd: '/clone' });
      runInside(root, configure.replaceAll('read -rs secret', 'secret=planted-$name'), { cwd: '/clone' });
      await writeFile(join(root, 'etc/ingestd/ingestd.yaml'), configuration);
      await mkdir(join(root, 'srv/documents'), { recursive: true });
      machine = await startMachine(root);
      const started = machine.run(start);
      runInside(root, command, { cwd: '/' });
      if (started.status !== 0) throw new Error(started.stderr + ask('journalctl --no-pager -u ingestd'));
    }, 400_000);

    afterAll(async () => {
      await machine.stop();
      await folder.remove();
    }, 60_000);

    it('is started when it says so itself', () => {
      expect(property('ActiveState')).toBe('active');
      expect(property('Type')).toBe('notify');
    });

    it('runs as its own user inside its sandbox', () => {
      const pid = property('MainPID');
      expect(ask(`stat -c %U /proc/${pid}`)).toBe('ingestd');
      const status = ask(`cat /proc/${pid}/status`);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^Seccomp:\s+2$/m);
      expect(status).toMatch(/^CapEff:\s+0+$/m);
    });

    it('delivers a document and says in its status line how things stand', async () => {
      await copyFile('test/fixtures/documents/note.pdf', join(root, 'srv/documents/note.pdf'));
      await eventually(() => uploaded() === 1, { withinMs: 30_000, everyMs: 500 });
      await eventually(() => property('StatusText') !== '', { withinMs: 30_000, everyMs: 500 });
    }, 90_000);

    it('answers root by the command that the page makes', () => {
      expect(machine.run('ingestd status')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('1 document delivered'),
      });
      expect(machine.run('ingestd why /srv/documents/note.pdf').stdout).toContain('uploaded');
    });

    it('keeps its state to itself', () => {
      expect(ask('stat -c "%a %U" /var/lib/ingestd')).toBe('700 ingestd');
    });

    it('shows its secrets to nobody: not in its arguments, not in its environment, not in the journal', () => {
      const pid = property('MainPID');
      expect(ask(`tr '\\0' '\\n' < /proc/${pid}/cmdline`)).not.toContain('planted');
      expect(ask(`tr '\\0' '\\n' < /proc/${pid}/environ`)).not.toContain('planted');
      expect(ask('journalctl -u ingestd --no-pager')).not.toContain('planted');
    });

    it('is reloaded without an interruption', async () => {
      const pid = property('MainPID');
      expect(machine.run('systemctl reload ingestd')).toMatchObject({ status: 0 });
      // systemctl comes back when the signal is sent; "reloading" ends with the daemon's word.
      await eventually(() => property('ActiveState') === 'active', { withinMs: 30_000, everyMs: 200 });
      expect(property('MainPID')).toBe(pid);
    }, 60_000);

    it('is started again by the watchdog when it hangs', async () => {
      const dropIn = join(root, 'etc/systemd/system/ingestd.service.d');
      await mkdir(dropIn, { recursive: true });
      await writeFile(
        join(dropIn, 'quick.conf'),
        '[Service]\nWatchdogSec=3s\nRestartSec=200ms\nTimeoutAbortSec=2s\n',
      );
      expect(machine.run('systemctl daemon-reload && systemctl restart ingestd')).toMatchObject({
        status: 0,
      });
      const pid = property('MainPID');
      expect(property('ActiveState')).toBe('active');
      machine.run(`kill -STOP ${pid}`);
      await eventually(() => property('NRestarts') === '1' && property('ActiveState') === 'active', {
        withinMs: 40_000,
        everyMs: 500,
      });
      expect(property('MainPID')).not.toBe(pid);
      expect(ask('journalctl -u ingestd --no-pager')).toContain('Watchdog timeout');
    }, 90_000);

    it('is stopped in order', () => {
      expect(machine.run('systemctl stop ingestd')).toMatchObject({ status: 0 });
      expect(property('Result')).toBe('success');
      expect(property('ExecMainStatus')).toBe('0');
    }, 90_000);

    it('is not restarted for a configuration that is wrong, and the journal says what is', async () => {
      await writeFile(join(root, 'etc/ingestd/ingestd.yaml'), configuration.replace('settleMs', 'settleMx'));
      expect(machine.run('systemctl reset-failed ingestd; systemctl start ingestd').status).not.toBe(0);
      expect(property('ExecMainStatus')).toBe('2');
      expect(property('ActiveState')).toBe('failed');
      expect(property('NRestarts')).toBe('0');
      expect(ask('journalctl -u ingestd --no-pager')).toContain('settleMx');
    }, 90_000);
  },
);

/** The tracked files as they stand, which is what a clone holds. */
async function copyClone(target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const command = 'git ls-files -z | tar --null --files-from=- -c | tar -x -C "$1"';
  const { status, stderr } = spawnSync('sh', ['-c', command, 'sh', target], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
