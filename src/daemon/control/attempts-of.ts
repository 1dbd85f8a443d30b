import type { DocumentRef } from '../../model/document.ts';
import { doubtsAbout, inDoubtCode } from '../../model/doubts.ts';
import type { Attempt, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Why } from '../../model/report/command-reports.ts';
import type { Activity } from '../../model/report/status.ts';
import {
  acceptedCode,
  acceptedMessage,
  acceptedOperations,
  mostAttempts,
} from '../../sync/tasks/attempts.ts';

/** Where what is known of the attempts of a document comes from, oldest first. */
export interface AttemptSources {
  readonly ref: DocumentRef;
  readonly ledger: Pick<LedgerPort, 'failure' | 'doubts'>;
  /** What happened to it, as the log has it. */
  readonly past: readonly Activity[];
  /** What the running daemon remembers: all from the first of them on. Absent: none runs. */
  readonly recent?: readonly Attempt[] | undefined;
}

/**
 * The last attempts of a document and the answer to each, oldest first. Of the time before this start those that were
 * repeated by themselves are not known, and others as far as ledger and log go back.
 */
export function attemptsOf({ ref, ledger, past, recent = [] }: AttemptSources): Why['attempts'] {
  const refusals = ledger.failure(ref)?.history ?? [];
  const doubts = doubtsAbout(ref, ledger).map(({ since, message }) => ({
    at: since,
    operation: 'upload',
    code: inDoubtCode,
    message,
  }));
  const isRecorded = (one: Attempt) =>
    [...refusals, ...doubts].some(
      ({ at, code, message }) => at <= one.at && (code === one.code || message === one.message),
    );
  const logged = past.map(attemptIn).filter((attempt) => attempt !== null);
  const since = recent[0]?.at ?? Infinity;
  const older = [
    ...logged.filter((one) => !isRecorded(one)),
    ...doubts.filter(({ message }) => [...refusals, ...recent].every((one) => one.message !== message)),
    ...refusals,
  ].filter(({ at }) => at < since);
  return [...older.toSorted((a, b) => a.at - b.at), ...recent]
    .slice(-mostAttempts)
    .map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() }));
}

const operations: Readonly<Record<string, string>> = acceptedOperations;

/** Null: it tells of no attempt. */
function attemptIn(activity: Activity): Attempt | null {
  const { what, message, operation, code } = activity;
  const at = Date.parse(activity.at);
  const accepted = operations[what];
  if (accepted !== undefined)
    return { at, operation: accepted, code: acceptedCode, message: acceptedMessage(activity) };
  // An upload that a kill interrupted is in doubt, too.
  if (what === 'in doubt')
    return { at, operation: 'upload', code: code ?? inDoubtCode, message: message ?? '' };
  if (operation === undefined || code === undefined) return null;
  return { at, operation, code, message: message ?? '' };
}
