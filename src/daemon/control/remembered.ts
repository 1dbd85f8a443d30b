import { shellWord } from '../../lib/text/printable.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { doubtsAbout, inDoubtCode, isOpenDoubt, resolveWords } from '../../model/doubts.ts';
import { isImported } from '../../model/ports/ledger-port.ts';
import type { Attempt, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Why } from '../../model/report/command-reports.ts';
import type { Activity } from '../../model/report/status.ts';
import {
  acceptedCode,
  acceptedMessage,
  acceptedOperations,
  mostAttempts,
} from '../../sync/tasks/attempts.ts';

/** Where what is known of a file comes from, whatever stands there now. */
export interface PastSources {
  readonly ref: DocumentRef;
  readonly ledger: Pick<LedgerPort, 'get' | 'failure' | 'findByDocId' | 'doubts'>;
  /** What happened to it, as the log has it. */
  readonly past: readonly Activity[];
  /** What the running daemon remembers: all from the first of them on. Absent: none runs. */
  readonly recent?: readonly Attempt[] | undefined;
}

/** So many other things that happened to it are told. */
const mostEvents = 100;

/** What comes next of a document whose file is no longer sent. */
export const remains = 'nothing; its document stays at the service as it was last sent';

/** What does not depend on the file as it stands. */
export function remembered(
  sources: PastSources,
): Pick<Why, 'sha256' | 'imported' | 'modifiedAt' | 'possibleDuplicates' | 'attempts' | 'decisions'> {
  const { ref, ledger, past } = sources;
  const record = ledger.get(ref);
  return {
    sha256: record?.sha256 ?? null,
    imported: record !== undefined && isImported(record),
    modifiedAt: record?.modifiedAt ?? null,
    possibleDuplicates: record?.possibleDuplicates ?? 0,
    attempts: attemptsOf(sources),
    decisions: past.filter((one) => attemptIn(one) === null).slice(-mostEvents),
  };
}

/** What is held because of a doubt says so; nothing else does. `again`: how it is sent again; null: it is not. */
export function doubtNotes({ ref, ledger }: PastSources, isGone: boolean, again: string | null) {
  const open = doubtsAbout(ref, ledger).filter(isOpenDoubt);
  const unsaid = open.filter((one) => (isGone || !one.holds) && (one.again !== true || again === null));
  const messages = new Set(unsaid.map(({ message }) => message));
  const path = shellWord(refKey(ref));
  const end = again ?? (isGone ? `to end that, run ingestd resolve ${path} --dismiss` : resolveWords(path));
  return Array.from(messages, (message) => `its upload is in doubt: ${message}; ${end}`);
}

/** Says what became of a file that is not there, and of its document: from the ledger, and from the log. */
export function absentFile({
  ref,
  ledger,
  past,
}: PastSources): Pick<Why, 'docId' | 'uploadedAt' | 'deletedAt'> & { readonly message: string } {
  const record = ledger.get(ref);
  if (record !== undefined) {
    const { docId, uploadedAt } = record;
    const message = 'the file is gone from the folder; the service still has its document';
    return { message, docId, uploadedAt, deletedAt: null };
  }
  // Whatever docId was known before a doubt is not that of its document.
  const told = past.slice(past.findLastIndex(({ what }) => what === 'in doubt') + 1);
  const last = told.findLast(({ docId }) => docId !== null);
  const docId = last?.docId ?? null;
  const uploadedAt = past.find((one) => one.what === 'uploaded' && one.docId === docId)?.at ?? null;
  const elsewhere = docId === null ? undefined : ledger.findByDocId(docId);
  if (elsewhere !== undefined) {
    const message = `the file was moved to ${refKey(elsewhere)}, and its document with it`;
    return { message, docId, uploadedAt, deletedAt: null };
  }
  const deletedAt = last?.what === 'deleted' && refKey(last) === refKey(ref) ? last.at : null;
  const end = deletedAt === null ? '' : ', and its document was deleted at the service';
  const message =
    past.length === 0
      ? 'no such file in the folder, and no record of one'
      : `the file is gone from the folder${end}`;
  return { message, docId, uploadedAt, deletedAt };
}

/**
 * The last attempts of a document and the answer to each, oldest first. Of the time before this start those that were
 * repeated by themselves are not known, and others as far as ledger and log go back.
 */
function attemptsOf({ ref, ledger, past, recent = [] }: PastSources): Why['attempts'] {
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
  // An upload that a kill interrupted is in doubt, too, and one whose document the service turned out not to know.
  if (what === 'in doubt')
    return { at, operation: operation ?? 'upload', code: code ?? inDoubtCode, message: message ?? '' };
  if (operation === undefined || code === undefined) return null;
  return { at, operation, code, message: message ?? '' };
}
