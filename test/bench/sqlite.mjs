import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '12.11.1';

/**
 * better-sqlite3, compiled from its source into a temporary directory that later runs find again: no dependency of
 * ours, for its install script would fetch a binary. Null, with the reason on standard error, where that cannot be.
 */
export async function loadSqlite() {
  const dir = join(tmpdir(), `ingestd-bench-better-sqlite3-${version}-${process.versions.modules}`);
  const require = createRequire(join(dir, 'package.json'));
  try {
    return openable(require);
  } catch {
    try {
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'package.json'), '{"private":true}');
      await run('npm', ['install', '--ignore-scripts', `better-sqlite3@${version}`], { cwd: dir });
      await run('npm', ['run', 'build-release'], { cwd: join(dir, 'node_modules/better-sqlite3') });
      return openable(require);
    } catch (error) {
      process.stderr.write(`better-sqlite3 cannot be had here: ${String(error.message).split('\n')[0]}\n`);
      return null;
    }
  }
}

function openable(require) {
  const Database = require('better-sqlite3');
  new Database(':memory:').close();
  return Database;
}
