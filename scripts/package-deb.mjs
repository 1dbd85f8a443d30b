// npm run package:deb [-- --archive FILE.tgz] [--version V] [--to DIRECTORY] [--fast]: makes ingestd_V_ARCH.deb, the
// archive of `npm pack` with a Node of its own, a user, a unit and a configuration file. Needs dpkg-deb and strip.
// --fast compresses less, for tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { fetchNode } from './fetch-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const debian = join(root, 'scripts/debian');
const pages = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'ARCHITECTURE.md'];
const debianNames = { x64: 'amd64', arm64: 'arm64' };

const { values } = parseArgs({
  options: {
    archive: { type: 'string' },
    version: { type: 'string', default: JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version },
    to: { type: 'string', default: '.' },
    fast: { type: 'boolean', default: false },
  },
});

/** So that the same commit gives the same package, byte for byte. */
const commitTime = Number(process.env.SOURCE_DATE_EPOCH ?? lastCommit());
const work = mkdtempSync(join(tmpdir(), 'ingestd-deb-'));
try {
  console.log(build());
} finally {
  rmSync(work, { recursive: true });
}

function build() {
  // A later one: 1.0.0~rc.1 comes before 1.0.0.
  const version = values.version.replace('-', '~');
  const architecture = debianNames[process.arch];
  if (architecture === undefined) throw new Error(`no package for ${process.arch}`);
  const tree = join(work, 'tree');
  const program = join(tree, 'usr/lib/ingestd');
  const docs = join(tree, 'usr/share/doc/ingestd');
  unpackProgram(program);
  addNode(program, docs);
  placeDocuments(program, docs, version);
  placeUnits(program, join(tree, 'usr/lib/systemd/system'));
  place(join(debian, 'ingestd.sh'), join(tree, 'usr/bin/ingestd'), 0o755);
  place(join(debian, 'ingestd.yaml'), join(tree, 'etc/ingestd/ingestd.yaml'));
  mkdirSync(join(tree, 'etc/ingestd/credentials'), { mode: 0o750 });
  place(join(debian, 'lintian-overrides'), join(tree, 'usr/share/lintian/overrides/ingestd'));
  setModes(tree);
  writeControl(tree, { version, architecture });

  mkdirSync(values.to, { recursive: true });
  const file = resolve(values.to, `ingestd_${version}_${architecture}.deb`);
  const compression = values.fast ? ['-Zgzip', '-z1'] : ['-Zxz'];
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(commitTime) },
  });
  return file;
}

/** What CHANGELOG.md says of its newest version, in the form that Debian's tools read. */
function debianChangelog(version) {
  const control = readFileSync(join(debian, 'control'), 'utf8');
  const [, maintainer] = /^Maintainer: (.*)$/m.exec(control);
  const date = new Date(commitTime * 1000).toUTCString().replace('GMT', '+0000');
  const changes = newestChanges().map((change) => wrap(change, '  * ', '    '));
  return `ingestd (${version}) unstable; urgency=medium\n\n${changes.join('\n')}\n\n -- ${maintainer}  ${date}\n`;
}

/** The items of the first section that has any, without Markdown. */
function newestChanges() {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => /^- /m.test(part)) ?? '';
  return [...section.matchAll(/^- (.*(?:\n {2}.*)*)/gm)].map(([, item]) =>
    item
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
      .replaceAll('`', ''),
  );
}

function wrap(text, first, further) {
  const lines = text.match(/\S.{0,70}(?= |$)|\S+/g);
  return lines.map((line, index) => `${index === 0 ? first : further}${line}`).join('\n');
}

/** The archive that npm installs, as it is; without `--archive` it is made now. */
function unpackProgram(program) {
  let { archive } = values;
  if (archive === undefined) {
    const words = ['pack', '--silent', '--pack-destination', work];
    const printed = execFileSync('npm', words, { cwd: root, encoding: 'utf8' });
    archive = join(work, printed.trim().split('\n').at(-1));
  }
  mkdirSync(program, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '--no-same-owner', '-C', program]);
}

function addNode(program, docs) {
  const { version, integrity } = JSON.parse(readFileSync(join(debian, 'node.json'), 'utf8'));
  const node = fetchNode(version);
  if (node === null) throw new Error(`Node ${version} cannot be had from the registry`);
  const wanted = integrity[process.arch];
  if (node.integrity !== wanted) throw new Error(`Node ${version} is ${node.integrity}, and not ${wanted}`);
  place(node.binary, join(program, 'node'), 0o755);
  // 20 MB of symbols that only a debugger reads.
  execFileSync('strip', ['--strip-unneeded', join(program, 'node')]);
  place(join(node.directory, 'LICENSE'), join(docs, 'LICENSE.node'));
  // No other Node is asked for: the first line, which names one, goes.
  const main = join(program, 'dist/main.js');
  writeFileSync(main, readFileSync(main, 'utf8').replace(/^#!.*\n/, ''));
}

/** What people and shells read goes where they look for it. */
function placeDocuments(program, docs, version) {
  const share = join(program, '../../share');
  const man = readFileSync(join(program, 'man/ingestd.1'));
  write(join(share, 'man/man1/ingestd.1.gz'), gzipSync(man, { level: 9 }));
  write(join(docs, 'changelog.gz'), gzipSync(debianChangelog(version), { level: 9 }));
  const shells = {
    ingestd: 'bash-completion/completions',
    _ingestd: 'zsh/vendor-completions',
    'ingestd.fish': 'fish/vendor_completions.d',
  };
  for (const [name, directory] of Object.entries(shells))
    place(join(program, 'completions', name), join(share, directory, name));
  for (const name of [...pages, 'docs', 'config']) {
    const target = name === 'config' ? 'examples' : name;
    cpSync(join(program, name), join(docs, target), { recursive: true });
  }
  renameSync(join(program, 'dist/THIRD-PARTY-LICENSES.txt'), join(docs, 'THIRD-PARTY-LICENSES.txt'));
  const [, holder = '', ...terms] = readFileSync(join(root, 'LICENSE'), 'utf8').trim().split('\n\n');
  const copyright = readFileSync(join(debian, 'copyright'), 'utf8')
    .replace('@COPYRIGHT@', holder.replace('Copyright (c) ', ''))
    .replace('@TERMS@', terms.join('\n\n').replaceAll(/^$/gm, '.').replaceAll(/^/gm, ' '));
  write(join(docs, 'copyright'), copyright);
  for (const name of ['man', 'completions', 'docs', 'LICENSE', ...pages])
    rmSync(join(program, name), { recursive: true });
}

/** The units of this repository, on the package's paths. */
function placeUnits(program, target) {
  for (const name of ['ingestd.service', 'ingestd@.service']) {
    const text = readFileSync(join(program, 'systemd', name), 'utf8')
      .replace(/^ExecStart=.*$/m, 'ExecStart=/usr/lib/ingestd/node /usr/lib/ingestd/dist/main.js run')
      .replace(/^Documentation=.*$/m, 'Documentation=man:ingestd(1)')
      .replaceAll('/opt/ingestd', '/usr/lib/ingestd');
    write(join(target, name), text);
  }
  // What is left is what `ingestd init` makes a user's own service of.
  for (const name of readdirSync(join(program, 'systemd')))
    if (name !== 'user') rmSync(join(program, 'systemd', name));
}

function writeControl(tree, { version, architecture }) {
  const control = join(tree, 'DEBIAN');
  const kilobytes = spawnSync('du', ['-sk', tree], { encoding: 'utf8' }).stdout.split('\t')[0];
  const text = readFileSync(join(debian, 'control'), 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@INSTALLED_SIZE@', kilobytes);
  const sums = execFileSync('sh', ['-c', 'find usr -type f -print0 | sort -z | xargs -0 md5sum'], {
    cwd: tree,
    encoding: 'utf8',
  });
  write(join(control, 'control'), text);
  write(join(control, 'conffiles'), '/etc/ingestd/ingestd.yaml\n');
  write(join(control, 'md5sums'), sums);
  for (const script of ['postinst', 'prerm', 'postrm'])
    place(join(debian, script), join(control, script), 0o755);
}

/** Whatever the umask and the archive say: readable by all, and a program only where it is one. */
function setModes(tree) {
  for (const name of readdirSync(tree, { recursive: true })) {
    const path = join(tree, name);
    const isProgram = /^usr\/(bin\/|lib\/ingestd\/node$)/.test(name);
    chmodSync(path, lstatSync(path).isDirectory() || isProgram ? 0o755 : 0o644);
  }
  chmodSync(tree, 0o755);
  chmodSync(join(tree, 'etc/ingestd/credentials'), 0o750);
}

function place(from, to, mode = 0o644) {
  mkdirSync(join(to, '..'), { recursive: true });
  cpSync(from, to);
  chmodSync(to, mode);
}

function write(file, content) {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
}

function lastCommit() {
  const { stdout, status } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : Math.floor(Date.now() / 1000);
}
