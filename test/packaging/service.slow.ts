import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { missingForMachine, startMachine } from './support/machine.ts';
import type { Machine } from './support/machine.ts';
import { npmArchive } from './support/made-packages.ts';
import { addThisNode, makeDebian, missingForRootTree, runInside, systemd } from './support/root-tree.ts';

const configuration = `
service: { mode: embedded }
folders: [{ name: documents, path: /srv/documents }]
state: { dir: /var/lib/ingestd }
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
  'the service, installed from the archive by the commands of systemd/README.md on a machine with a real systemd',
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
      await makeDebian(root, systemd);
      await addThisNode(root);
      await cp(await npmArchive(), join(root, 'clone/ingestd-0.0.0.tgz'));
      const [program = '', configure = '', start = '', command = ''] = await commandsFor('Any other server');
      runInside(root, program, { cwd: '/clone' });
      runInside(root, configure.replaceAll('read -rs secret', 'secret=planted-$name'), { cwd: '/clone' });
      await writeFile(join(root, 'etc/ingestd/ingestd.yaml'), configuration);
      await mkdir(join(root, 'srv/documents'), { recursive: true });
      machine = await startMachine(root);
      const started = machine.run(start);
      runInside(root, command, { cwd: '/' });
      if (started.status !== 0) throw new Error(started.stderr + ask('journalctl --no-pager -u ingestd'));
    }, 300_000);

    afterAll(async () => {
      await machine.stop();
      await folder.remove();
    });

    it('is started when it says so itself, as its own user', () => {
      expect([property('ActiveState'), property('Type')]).toEqual(['active', 'notify']);
      expect(ask(`stat -c %U /proc/${property('MainPID')}`)).toBe('ingestd');
    });

    it('delivers a document', async () => {
      await copyFile('fixtures/documents/note.pdf', join(root, 'srv/documents/note.pdf'));
      await eventually(() => uploaded() === 1, { everyMs: 500 });
    });

    it('answers root by the command that the page makes', () => {
      expect(machine.run('ingestd status')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('1 document delivered'),
      });
      expect(machine.run('ingestd why /srv/documents/note.pdf').stdout).toContain('uploaded');
    });

    it('is stopped in order', () => {
      expect(machine.run('systemctl stop ingestd')).toMatchObject({ status: 0 });
      expect(property('Result')).toBe('success');
      expect(property('ExecMainStatus')).toBe('0');
    });
  },
);
