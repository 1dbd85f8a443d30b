import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { missingForMachine, startMachine } from './support/machine.ts';
import type { Machine } from './support/machine.ts';
import { debianPackage, npmArchive } from './support/made-packages.ts';
import { addThisNode, makeDebian, missingForRootTree, runInside } from './support/root-tree.ts';

const packages = ['systemd', 'systemd-sysv', 'dbus', 'dbus-user-session', 'libpam-systemd', 'procps'];

describeWhere(
  missingForRootTree() ?? missingForMachine(),
  'the service that ingestd init installs for one person, under a real systemd',
  () => {
    let folder: TemporaryFolder;
    let root: string;
    let machine: Machine;

    const asAnna = (command: string) => {
      const script = `cd && export XDG_RUNTIME_DIR=/run/user/$(id -u) && ${command}`;
      return machine.run(`runuser -l anna -c '${script.replaceAll("'", String.raw`'\''`)}'`);
    };
    const property = (name: string) =>
      asAnna(`systemctl --user show --value -p ${name} ingestd`).stdout.trim();

    beforeAll(async () => {
      folder = await temporaryFolder();
      root = folder.join('root');
      await makeDebian(root, packages);
      await addThisNode(root);
      runInside(root, 'useradd --create-home --shell /bin/sh anna');
      await cp(await npmArchive(), join(root, 'ingestd-0.0.0.tgz'));
      await copyFile(await debianPackage('1.0.0'), join(root, 'ingestd.deb'));
      machine = await startMachine(root);
      machine.run('loginctl enable-linger anna');
      await eventually(() => asAnna('systemctl --user is-system-running').stdout.trim() === 'running', {
        withinMs: 30_000,
        everyMs: 300,
      });
    }, 600_000);

    afterAll(async () => {
      await machine.stop();
      await folder.remove();
    });

    it.each([
      [
        'npm install into the home directory',
        'npm install --global --prefix ~/.local --ignore-scripts --offline /ingestd-0.0.0.tgz',
        '~/.local/bin/ingestd',
        'true',
      ],
      ['the Debian package', 'true', 'ingestd', 'dpkg -i /ingestd.deb'],
    ])(
      'after %s: runs, starts again after a kill, delivers, and goes by the command that init prints',
      async (_, install, program, installAsRoot) => {
        expect(machine.run(installAsRoot)).toMatchObject({ status: 0 });
        expect(asAnna(install)).toMatchObject({ status: 0 });
        const service = `${program} service --port 9000 --data ~/the-service`;
        const started = asAnna(
          `systemd-run --user --quiet --unit=the-service --property=StandardOutput=truncate:$HOME/service.env --property=StandardError=journal ${service.replaceAll('~', '$HOME')}`,
        );
        expect(started).toMatchObject({ status: 0 });
        await eventually(() => asAnna('cat service.env').stdout.includes('INGESTD_PASSWORD='), {
          withinMs: 30_000,
          everyMs: 300,
        });
        const words = '--yes --user-service --folder ~/inbox --config ~/.config/ingestd/ingestd.yaml';
        const { status, stdout, stderr } = asAnna(`set -a; . ./service.env; ${program} init ${words}`);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        expect([property('ActiveState'), property('Type')]).toEqual(['active', 'notify']);

        const pid = property('MainPID');
        asAnna(`kill -KILL ${pid}; echo text > inbox/a.txt`);
        await eventually(() => asAnna(`${program} status`).stdout.includes('1 document delivered'), {
          withinMs: 40_000,
          everyMs: 500,
        });
        expect(property('MainPID')).not.toBe(pid);

        const [, removal = ''] = /^To remove it: (.*)$/m.exec(stdout) ?? [];
        expect(asAnna(removal)).toMatchObject({ status: 0 });
        expect(property('LoadState')).toBe('not-found');
        expect(asAnna('test -e .config/systemd/user/ingestd.service').status).not.toBe(0);
        asAnna('systemctl --user stop the-service; rm -rf inbox .config/ingestd .local/state the-service');
      },
      180_000,
    );
  },
);
