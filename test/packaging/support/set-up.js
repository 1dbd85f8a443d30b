import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One directory for all slow tests of a run: root trees and packages are made once and copied. The archive is there
 * before they begin, since making it builds the program anew under them.
 */
export default function setUp() {
  const shared = mkdtempSync(join(tmpdir(), 'ingestd-made-once-'));
  const archive = join(shared, 'archive');
  mkdirSync(archive);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', archive], { stdio: 'ignore' });
  process.env.INGESTD_MADE_ONCE = shared;
}
