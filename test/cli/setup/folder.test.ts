import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readFile, rename, stat, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localTime } from '../../../src/lib/text/amounts.ts';
import { connectDaemon } from '../../../src/commands/daemon-client.ts';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { inProcess } from '../../support/processes/in-process.ts';
import { startIngestd } from '../../support/processes/ingestd.ts';
import { trialFolder } from '../../support/processes/trial-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

/** As a person writes it. */
const commented = `# yaml-language-server: $schema=x
service: {mode: embedded}   # for a trial

# The folders
folders:
  # the first
  - name: inbox    # where all goes
    path: ./inbox
    # sidecar: required

  # the second
  - path: ./b
# unusual
    name: b
    # of b
  # - name: c

# The state
state: {dir: ./state}
http: {port: false}
# end
`;

const folder = ofEachTest(() => trialFolder());

beforeEach(async () => {
  for (const name of ['inbox', 'b', 'reports']) await mkdir(folder.join(name));
});

const written = () => readFile(folder.join('ingestd.yaml'), 'utf8');

async function folders() {
  const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
  return settings.folders.map(({ name, path, metadata }) => [name, path, metadata.shareInfo?.mode]);
}

/** The command is refused, and the file is as it was. */
async function refused(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const before = await written();
  const { code, stdout, stderr } = await inProcess(['folder', ...args], { cwd: folder.path, env });
  expect({ code, stdout, text: await written() }).toEqual({ code: 2, stdout: '', text: before });
  return stderr;
}

describe('folder add', () => {
  it('writes one more folder, and leaves all else as it stands', async () => {
    await folder.write('ingestd.yaml', commented);
    expect(await folder.run('folder', 'add', 'reports/')).toEqual({
      code: 0,
      stdout: `Added the folder reports (${folder.join('reports')}; sharing NONE) to ${folder.join('ingestd.yaml')}.\ningestd is not running with it: it counts from the next start.\n`,
      stderr: '',
    });
    expect(await written()).toBe(
      commented.replace(
        '    # of b\n',
        '    # of b\n  - name: reports\n    path: ./reports\n    metadata:\n      shareInfo:\n        mode: NONE\n',
      ),
    );
  });

  it.each([
    ['folders: [{name: inbox, path: inbox}] # all\n', 'path: inbox}, { name: "'],
    ['folders:\n- name: inbox\n  path: inbox', 'path: inbox\n- name: "'],
  ])(
    'writes it as the list is written, and a name that YAML would read otherwise in quotes: %j',
    async (list, words) => {
      await folder.write('ingestd.yaml', `service: {mode: embedded}\nstate: {dir: state}\n${list}`);
      expect(
        (await folder.run('folder', 'add', 'reports', '--name', '12:30', '--share', 'DEFAULT')).code,
      ).toBe(0);
      expect(await written()).toContain(words);
      expect(await folders()).toEqual([
        ['inbox', folder.join('inbox'), undefined],
        ['12:30', folder.join('reports'), 'DEFAULT'],
      ]);
    },
  );

  it('writes a path from the configuration file, seen from the working directory', async () => {
    await rename(folder.join('ingestd.yaml'), folder.join('b/ingestd.yaml'));
    await mkdir(folder.join('b/below'));
    const args = ['folder', 'add', '--config', '../b/ingestd.yaml'];
    for (const path of ['.', '../b/below'])
      expect((await inProcess([...args, path], { cwd: folder.join('reports') })).stderr).toBe('');
    const text = await readFile(folder.join('b/ingestd.yaml'), 'utf8');
    expect(text).toContain(`- name: reports\n    path: ${folder.join('reports')}\n`);
    expect(text).toContain('- name: below\n    path: ./below\n');
  });

  it('keeps the mode of the file, and a link to it', async () => {
    await rename(folder.join('ingestd.yaml'), folder.join('real.yaml'));
    await chmod(folder.join('real.yaml'), 0o640);
    await symlink('real.yaml', folder.join('ingestd.yaml'));
    expect((await folder.run('folder', 'add', 'reports')).code).toBe(0);
    expect((await lstat(folder.join('ingestd.yaml'))).isSymbolicLink()).toBe(true);
    expect((await stat(folder.join('real.yaml'))).mode & 0o777).toBe(0o640);
  });

  it.each([
    [['nowhere'], /nowhere does not exist; name a directory that is there/],
    [['ingestd.yaml'], /ingestd.yaml is not a directory; name a directory/],
    [
      ['b', '--name', 'inbox'],
      /another folder "inbox" is in .*ingestd.yaml already \(.*inbox\); .* with --name/,
    ],
    [['inbox'], /inbox is in .*ingestd.yaml already, as the folder "inbox"; nothing was changed/],
    [['link', '--name', 'other'], /link is in .*ingestd.yaml already, as the folder "inbox"/],
    [
      ['.', '--name', 'all'],
      /nothing(.*\n)+.*ingestd.yaml: folders\[0\].path .* is inside folders\[1\].path/,
    ],
    [['b', '--name', 'a/b'], /folders\[1\].name: "a\/b"/],
  ])('of %j changes nothing, and says why', async (args, words) => {
    await symlink('inbox', folder.join('link'));
    expect(await refused(['add', ...args])).toMatch(words);
  });

  it('changes nothing where the environment would make something else of it', async () => {
    const second = { INGESTD_FOLDERS__1__NAME: 'b', INGESTD_FOLDERS__1__PATH: 'b' };
    for (const args of [
      ['add', 'reports'],
      ['remove', 'b'],
    ])
      expect(await refused(args, second)).toContain('because the folders are not all written out in it');
  });

  it('leaves the trial configuration alone', async () => {
    const { code, stderr } = await inProcess(['folder', 'add', '.'], { cwd: folder.join('reports') });
    expect(code).toBe(2);
    expect(stderr).toContain('is not edited; create one of your own with ingestd init');
  });
});

describe('folder remove', () => {
  it('takes the lines of the folder out, and says that its documents stay', async () => {
    await folder.write('ingestd.yaml', commented);
    const { code, stdout } = await folder.run('folder', 'remove', 'b');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('ingestd.yaml. Its documents stay at the service.\n'),
    ]);
    expect(await written()).toBe(
      commented.replace('  # the second\n  - path: ./b\n# unusual\n    name: b\n    # of b\n', ''),
    );
  });

  it('leaves what is commented out above it, and what stands alone', async () => {
    const list = (item: string) =>
      `service: {mode: embedded}\nfolders:\n# all\n\n- {name: inbox, path: inbox}\n# - name: c\n#   path: c\n${item}`;
    await folder.write('ingestd.yaml', list('- {name: b, path: b}\n'));
    expect((await folder.run('folder', 'remove', 'b')).code).toBe(0);
    expect(await written()).toBe(list(''));
    await folder.run('folder', 'add', 'reports');
    expect((await folder.run('folder', 'remove', 'inbox')).code).toBe(0);
    expect(await written()).toContain('folders:\n# all\n\n- name: reports\n');
  });

  it('tells of deletions that are held', async () => {
    await folder.write('ingestd.yaml', commented);
    const { commit, close } = await folder.openLedger();
    const hold = { since: 1, reason: 'many', documents: 3 };
    await commit([{ kind: 'hold', folder: 'b', hold }]);
    await close();
    const { stdout } = await folder.run('folder', 'remove', 'b');
    expect(stdout).toContain('stay at the service, with 3 documents whose deletion was held.\n');
  });

  it.each(['inbox', 'b', 'reports'])('takes %s out of a list in one line', async (name) => {
    const all = ['inbox', 'b', 'reports'];
    const item = (one: string) => `{name: ${one}, path: ./${one}}`;
    const text = (names: readonly string[]) =>
      `service: {mode: embedded}\nstate: {dir: state}\nfolders: [${names.map(item).join(', ')}] # all\n`;
    await folder.write('ingestd.yaml', text(all));
    expect((await folder.run('folder', 'remove', name)).code).toBe(0);
    expect(await written()).toBe(text(all.filter((one) => one !== name)));
  });

  it('is refused for the only folder, and for a name that is not there', async () => {
    expect(await refused(['remove', 'inbox'])).toMatch(/"inbox" is the only folder in .*; add another first/);
    await folder.run('folder', 'add', 'reports');
    expect(await refused(['remove', 'report'])).toContain(
      '"report" is not configured; did you mean reports?',
    );
  });

  it('changes nothing where another folder refers to what is in this one', async () => {
    await folder.write(
      'ingestd.yaml',
      `service: {mode: embedded}\nstate: {dir: state}\nfolders:\n  - {name: inbox, path: inbox, metadata: &m {title: a}}\n  - {name: b, path: b, metadata: *m}\n`,
    );
    expect(await refused(['remove', 'inbox'])).toContain('*m is a YAML alias of &m, which is not above it');
  });
});

describeWhere(process.getuid?.() === 0 ? null : 'root', 'a configuration of another owner', () => {
  it('stays that of its owner', async () => {
    await chown(folder.join('ingestd.yaml'), 0, 4711);
    expect((await folder.run('folder', 'add', 'reports')).code).toBe(0);
    const { uid, gid } = await stat(folder.join('ingestd.yaml'));
    expect([uid, gid]).toEqual([0, 4711]);
  });
});

describe('beside a running daemon', () => {
  let child: ChildProcess;

  beforeEach(async () => {
    await folder.write('ingestd.yaml', (await written()).replace('port: false', 'port: 0'));
    child = startIngestd(['run'], { cwd: folder.path });
  });
  afterEach(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });

  it('has the daemon read the configuration again, whose own service keeps its address', async () => {
    const addresses = new Set<string | undefined>();
    const watched = async () => {
      // Between two configurations it may not answer.
      const status = await (await connectDaemon(folder.join('state')))?.status().catch(() => null);
      if (status?.service) addresses.add(status.service);
      return status?.folders.map(({ name }) => name).join();
    };
    await eventually(async () => (await watched()) === 'inbox');
    const { stdout } = await folder.run('folder', 'add', 'reports');
    expect(stdout).toContain(`The running daemon (process ${child.pid}) was sent SIGHUP`);
    await eventually(async () => (await watched()) === 'inbox,reports');
    await folder.run('folder', 'remove', 'inbox');
    await eventually(async () => (await watched()) === 'reports');
    await eventually(async () => (await folder.run('log')).stdout.includes('; folder inbox removed'));
    expect((await folder.run('log')).stdout).toContain('in effect; folder reports added\n');
    await folder.write('ingestd.yaml', (await written()).replace('name: reports', 'name: desk'));
    child.kill('SIGHUP');
    await eventually(async () =>
      (await folder.run('log')).stdout.includes('in effect; folder reports renamed to desk\n'),
    );
    expect(addresses.size).toBe(1);
    expect(child.exitCode).toBe(null);
  });

  it('that has not read the configuration again is not said to have what it says', async () => {
    const isThere = async () => (await connectDaemon(folder.join('state'))) !== null;
    await eventually(isThere);
    const complaint = async (...args: string[]) => (await folder.run(...args)).stderr;
    const commented = `# mine\n${await written()}`;
    // What is the default is no other setting.
    await folder.write('ingestd.yaml', `${commented}safety: {maxDeleteCount: 10}\n`);
    expect([await complaint('status'), await complaint('plan')]).toEqual(['', '']);
    await folder.write('.env', 'INGESTD_SAFETY__MAX_DELETE_COUNT=5');
    await chmod(folder.join('.env'), 0o600);
    const edited = `ingestd.yaml or the .env beside it was changed after the daemon (pid ${child.pid}) read it`;
    const fix = `For the change to take effect, run kill -HUP ${child.pid}.`;
    expect([await complaint('status', '-q'), await complaint('plan', '-q')]).toEqual(['', '']);
    expect(await complaint('status')).toContain(`${edited}; what follows comes from the daemon. ${fix}`);
    expect(await complaint('plan')).toContain(`${edited}; what follows comes from the file. ${fix}`);
    expect((await folder.run('check')).stdout).toContain(`${edited}\n  ${fix}`);
    child.kill('SIGHUP');
    await eventually(async () => (await isThere()) && (await complaint('status')) === '');
    const startedAt = (await (await connectDaemon(folder.join('state')))?.status())?.startedAt ?? '';
    expect(await complaint('sync')).toContain(`which has held it since ${localTime(startedAt)}`);
  });

  it('sends no signal to a process whose number the daemon has elsewhere', async () => {
    await eventually(async () => (await connectDaemon(folder.join('state'))) !== null);
    const named = JSON.parse(await readFile(folder.join('state/daemon.json'), 'utf8')) as object;
    await folder.write('state/daemon.json', JSON.stringify({ ...named, pid: process.pid }));
    const { stdout } = await folder.run('folder', 'add', 'reports');
    expect(stdout).toContain(`(process ${process.pid}) could not be told; send it SIGHUP where it runs`);
  });
});
