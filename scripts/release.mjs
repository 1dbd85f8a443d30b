// npm run release [-- VERSION] [--no-deb]: makes release/, which holds the archive of npm, the Debian package, the list
// of materials and their checksums. With a VERSION it first becomes that one: package.json, the section of the
// changelog, the generated pages, a commit and a tag. Needs no network where the packages of Node are in npm's cache.
// Pushes and publishes nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const release = join(root, 'release');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { deb: { type: 'boolean', default: true } },
  allowNegative: true,
});

const [version] = positionals;
if (run('git', 'status', '--porcelain') !== '') throw new Error('commit or remove what is changed first');
if (version !== undefined) becomeVersion(version);
makeFiles();

function becomeVersion(version) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`${version} is no version: 1.2.3 or 1.2.3-rc.1`);
  const tag = `v${version}`;
  if (run('git', 'tag', '--list', tag) !== '') throw new Error(`the tag ${tag} is there already`);
  writeFileSync(join(root, 'CHANGELOG.md'), datedChangelog(version));
  run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts', '--allow-same-version');
  run('npm', 'run', '--silent', 'docs');
  const changed = run('git', 'diff', '--name-only').split('\n');
  run('npx', '--no-install', 'prettier', '--check', '--ignore-unknown', '--log-level', 'warn', ...changed);
  run('git', 'commit', '--all', '--quiet', '--message', `chore: release ${version}`);
  run('git', 'tag', '--annotate', tag, '--message', `ingestd ${version}`);
}

/** What is under "Unreleased" gets the version and today's date, and a new section is begun above it. */
function datedChangelog(version) {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, unreleased] = /^## \[Unreleased\]\n(.*?)(?=^## |(?![^]))/ms.exec(text) ?? [];
  if (unreleased === undefined || unreleased.trim() === '')
    throw new Error('CHANGELOG.md says nothing under "Unreleased"');
  const today = new Date().toISOString().slice(0, 10);
  return text.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${today}\n`);
}

function makeFiles() {
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release);
  const archive = join(
    release,
    run('npm', 'pack', '--silent', '--pack-destination', release).split('\n').at(-1),
  );
  if (values.deb) run(process.execPath, 'scripts/package-deb.mjs', '--archive', archive, '--to', release);
  copyFileSync(join(root, 'dist/sbom.cdx.json'), join(release, 'ingestd.sbom.cdx.json'));
  const sums = readdirSync(release)
    .sort()
    .map((name) => {
      const sum = createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex');
      return `${sum}  ${name}\n`;
    });
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
}

/** Runs a command in the repository; gives what it prints. Its complaints are shown. */
function run(command, ...words) {
  return execFileSync(command, words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
