import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One directory for all slow tests of a run: root trees and packages are made once and copied. The archive is there
 * before they begin, since making it builds the program anew under them.
 */
export default function setUp() {
  // The gate has made a root tree meanwhile.
  const shared = process.env.INGESTD_MADE_ONCE ?? mkdtempSync(join(tmpdir(), 'ingestd-made-once-'));
  const archive = join(shared, 'archive');
  mkdirSync(archive, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', archive], { stdio: 'ignore' });
  process.env.INGESTD_MADE_ONCE = shared;
}
