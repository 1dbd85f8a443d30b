import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sizeWords } from '../../lib/text/amounts.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Settings } from '../../model/settings.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { makingOf, requireClosedState } from '../../ledger/lock-state-directory.ts';
import { emptyLedger } from '../../ledger/read-ledger.ts';
import { scratchLedger } from '../offline/resting-engine.ts';

/** Judges what the ledger says: can it be read, and is it of the configured service. */
export async function checkLedger(settings: Settings): Promise<{
  readonly findings: readonly CheckFinding[];
  /** For the folders to be compared with; without a record where it cannot be read. */
  readonly ledger: LedgerPort;
  /** This user may not read the state directory: nothing else is known of it. */
  readonly isClosed: boolean;
}> {
  try {
    const { ledger, other } = await scratchLedger(settings);
    // Its records are told of as they stand, as `status` does.
    return {
      findings: other === null ? [] : [finding('error', 'state.dir', other)],
      ledger,
      isClosed: false,
    };
  } catch (error) {
    const code = errorCode(error);
    const message = messageOf(error);
    if (code === 'ledger-damaged') return without({ code, message });
    // The message says what to do.
    return { ...without({ code: 'state-unwritable', message, fix: '' }), isClosed: true };
  }

  function without(reason: Parameters<typeof finding>[2]) {
    return { findings: [finding('error', 'state.dir', reason)], ledger: emptyLedger(), isClosed: false };
  }
}

/** The key is what the finding is about. */
function messageOf(error: unknown): string {
  return errorMessage(error).replace(/^state\.dir: /, '');
}

const lowBytes = 200_000_000;
const tooLowBytes = 10_000_000;

/** Judges the place of the ledger: may it be written, is there room, can others read it. */
export async function checkStateDirectory(dir: string): Promise<CheckFinding[]> {
  const place = nearest(dir);
  // With one that may hold a ledger it is no way out: everything would be uploaded a second time.
  const elsewhere = place === dir ? '' : ', or set another state.dir';
  const findings: CheckFinding[] = [];
  const note = (level: CheckFinding['level'], found: Parameters<typeof finding>[2]) =>
    findings.push(finding(level, 'state.dir', found));
  const refusal = await requireClosedState(dir).then(() => null, messageOf);
  if (refusal !== null) {
    // Nothing else of it keeps a start waiting.
    note('error', { code: 'state-refused', message: refusal });
    return findings;
  }
  await access(place, constants.W_OK | constants.X_OK).catch((error: unknown) =>
    note('error', {
      code: 'state-unwritable',
      message: `${place} cannot be written (${errorCode(error) ?? 'unknown'})`,
      fix: `${place === dir ? 'Give the user that runs ingestd permission to write there' : `Run ${makingOf(dir)}`}${elsewhere}.`,
    }),
  );
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  if (free < lowBytes)
    note(free < tooLowBytes ? 'error' : 'warning', {
      code: 'state-disk-full',
      message: `only ${sizeWords(free)} free for the ledger in ${place}`,
      fix: `Free up space${elsewhere}. Nothing is sent while the ledger cannot be written.`,
    });
  const { mode } = await stat(place);
  if (place === dir && (mode & 0o077) !== 0)
    note('warning', { code: 'state-open', message: `${dir} can be read by others` });
  return findings;
}

/** A path, or what of it exists. */
export function nearest(path: string): string {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return there;
}
