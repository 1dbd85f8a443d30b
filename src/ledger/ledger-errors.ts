import { basename, dirname } from 'node:path';

import { asItsUser } from '../lib/process/user-name.ts';
import {
  ConfigurationError,
  LedgerDamagedError,
  LedgerUnwritableError,
  cannotBeRead,
  errorCode,
  errorMessage,
} from '../model/errors.ts';
import { LEDGER_VERSION } from './journal/journal-line.ts';

/** What a person can do about a ledger that cannot be read without guessing. `dir`: the state directory. */
export function wayOut(dir: string): string {
  return (
    `Stop ingestd and restore ${dir} from a backup. Without one, move the directory away and import an earlier ` +
    'export with `ingestd ledger import`. Without either, every document is uploaded again, and the service then has ' +
    'two of each.'
  );
}

/** An error that names the file, what is wrong with it and the way out. */
export function damaged(path: string, what: string, cause?: unknown): LedgerDamagedError {
  const fault = `The ledger is damaged: ${path}: ${what}`;
  const message = `${fault}. \`ingestd ledger verify\` shows what can still be read. ${wayOut(dirname(path))}`;
  return new LedgerDamagedError(message, { fault, cause });
}

/** The error of a newer ingestd's file: then nothing else may stand in for the file. */
export class LedgerTooNewError extends LedgerDamagedError {}

/**
 * An error for a file of another version. One that a newer ingestd wrote is too new: nothing is wrong with it. No release
 * has written a lower one.
 */
export function otherVersion(path: string, version: number): LedgerDamagedError {
  if (version < LEDGER_VERSION)
    return damaged(path, `it has version ${version}, which no ingestd has written`);
  return new LedgerTooNewError(
    `The ledger was written by a newer ingestd: ${path} has version ${version}, this one reads up to version ${LEDGER_VERSION}. ` +
      'Use the newer ingestd again, or restore a state directory of this version from a backup.',
  );
}

/** A failure to read a file, in words; damage that was found already stays what it is. */
export function unreadable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ledger-damaged') return error;
  // Nothing is wrong with the ledger, but this process cannot get at it.
  const fault = (remedy: string) =>
    new ConfigurationError(`state.dir: ${cannotBeRead(path, code)}; ${remedy}`);
  if (code === 'EACCES' || code === 'EPERM') return fault(asItsUser(path));
  if (code === 'ENOTDIR') return fault('it is not a directory; correct state.dir');
  if (code === 'ENOENT') return damaged(path, `${basename(path)} is missing`, error);
  if (code === 'EISDIR') return damaged(path, 'it is a directory', error);
  return damaged(path, `it cannot be read: ${errorMessage(error)}`, error);
}

/** Its lock was taken away, or its lease has run out. */
export const notHeld = 'this process no longer holds the state directory';

/** A failure to write a file, in words; one that says it already stays what it is. */
export function unwritable(path: string, error: unknown): unknown {
  if (errorCode(error) === 'ledger-unwritable') return error;
  return new LedgerUnwritableError(`The ledger cannot be written: ${path}: ${errorMessage(error)}`, {
    cause: error,
  });
}
