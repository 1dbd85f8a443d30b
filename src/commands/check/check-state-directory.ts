import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../model/errors.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import { sizeWords } from '../../lib/text/amounts.ts';

const LOW_BYTES = 200_000_000;
const TOO_LOW_BYTES = 10_000_000;

/** Judges the place of the ledger: may it be written, is there room, can others read it. */
export async function checkStateDirectory(dir: string): Promise<CheckFinding[]> {
  const found = (level: CheckFinding['level'], code: string, message: string, fix: string): CheckFinding => ({
    level,
    subject: 'state.dir',
    code,
    message,
    fix,
  });
  const place = await nearest(dir);
  const findings: CheckFinding[] = [];
  try {
    await access(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    findings.push(
      found(
        'error',
        'state-unwritable',
        `${place} cannot be written (${errorCode(error) ?? 'unknown'})`,
        'Give the user that runs ingestd permission to write there, or set another state.dir.',
      ),
    );
  }
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  if (free < LOW_BYTES) {
    findings.push(
      found(
        free < TOO_LOW_BYTES ? 'error' : 'warning',
        'state-disk-full',
        `only ${sizeWords(free)} free for the ledger in ${place}`,
        'Free up space, or set another state.dir. Nothing is sent while the ledger cannot be written.',
      ),
    );
  }
  if (place === dir) {
    const { mode } = await stat(dir);
    if ((mode & 0o077) !== 0) {
      findings.push(found('warning', 'state-open', `${dir} can be read by others`, `chmod 700 ${dir}`));
    }
  }
  return findings;
}

/** The directory, or what of its path exists. */
async function nearest(dir: string): Promise<string> {
  let place = dir;
  for (;;) {
    try {
      await stat(place);
      return place;
    } catch {
      const parent = dirname(place);
      if (parent === place) return place;
      place = parent;
    }
  }
}
