import { basename } from 'node:path';

import { LedgerDamagedError, errorCode, errorMessage } from '../core/errors.ts';

const NEWER = 'newer-version';

/** What a person can do about a damaged ledger. */
export const wayOut =
  'Run `ingestd ledger verify` to see what can be read. Put the state directory back from a backup; or remove it, ' +
  'knowing that every document is then uploaded anew unless `ingestd ledger import` is given an earlier export.';

/** An error that names the file, what is wrong with it and the way out. */
export function damaged(path: string, what: string, cause?: unknown): LedgerDamagedError {
  return new LedgerDamagedError(`The ledger is damaged: ${path}: ${what}. ${wayOut}`, { cause });
}

/** An error for a file that a newer ingestd wrote: nothing is wrong with it. */
export function tooNew(path: string, version: number): LedgerDamagedError {
  return new LedgerDamagedError(
    `The ledger was written by a newer ingestd: ${path} has version ${version}, this one reads version 1. ` +
      'Use the newer ingestd again, or put a state directory of this version back.',
    { cause: { code: NEWER } },
  );
}

/** Says whether an error is that of `tooNew`: then nothing else may stand in for the file. */
export function isTooNew(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'cause' in error && errorCode(error.cause) === NEWER;
}

/** A failure to read a file, in words; damage that was found already stays what it is. */
export function unreadable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ledger-damaged') return error;
  const what =
    code === 'ENOENT' ? `${basename(path)} is missing` : `it cannot be read: ${errorMessage(error)}`;
  return damaged(path, what, error);
}
