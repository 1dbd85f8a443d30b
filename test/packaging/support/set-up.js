import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One directory for all slow tests of a run: root trees and packages are made once and copied. */
export default async function setUp() {
  process.env.INGESTD_MADE_ONCE = await mkdtemp(join(tmpdir(), 'ingestd-made-once-'));
}
