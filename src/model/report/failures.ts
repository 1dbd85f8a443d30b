import { sumOf } from '../../lib/sum-of.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { refKey } from '../document.ts';
import { inDoubtCode } from '../doubts.ts';
import type { DuplicateStatus, FailureStatus, FolderStatus, InDoubtStatus, Status } from './status.ts';

/**
 * A folder's counts for people: uploads in doubt are not among those that failed, wait or are to be sent, and deletions
 * that the service refused not among those that are held for approval.
 */
export type CountedFolder = FolderStatus & { readonly refused: number };

/** The code of what the service does not take, though it takes others: contract 7.38. It is failed, and retried. */
export const notTakenCode = 'not-taken';

/**
 * What a status calls failed, sorted by what it is. A failure that is an upload in doubt and nothing else is in no list
 * here: it waits for its answer, or for a person's word about it, and is among the uploads in doubt.
 */
export function sortFailures({
  folders,
  failures,
  inDoubt,
  held: holds,
}: Pick<Status, 'folders' | 'failures' | 'inDoubt' | 'held'>) {
  const doubts = new Map(inDoubt.map((doubt) => [refKey(doubt), doubt.message]));
  const isDoubt = (failure: FailureStatus) => {
    const message = doubts.get(refKey(failure));
    return message !== undefined && (failure.code === inDoubtCode || failure.message === message);
  };
  const others = failures.filter((failure) => !isDoubt(failure));
  const counted = folders.map((one): CountedFolder => {
    const { count: held = 0 } = holds.find(({ folder }) => folder === one.name) ?? {};
    const { pendingInDoubt, retriedInDoubt } = one;
    const pending = one.pending - pendingInDoubt;
    const waiting = one.waiting - retriedInDoubt;
    const failed = one.failed - one.inDoubt;
    const doubts = one.inDoubt + pendingInDoubt + retriedInDoubt;
    return { ...one, pending, waiting, failed, inDoubt: doubts, held, refused: Math.max(0, one.held - held) };
  });
  return {
    /** They need a person, as far as the status lists them. */
    failed: others.filter(needsPerson),
    failedTotal: sumOf(counted, ({ failed, refused }) => failed + refused),
    /** They are sent again by themselves: they wait. */
    retried: others.filter((one) => !needsPerson(one)),
    folders: counted,
  };
}

/** What a running daemon sends again by itself; null: none runs, or it does not say. */
export function attemptsOf(status: Pick<Status, 'failures'> | null | undefined): readonly FailureStatus[] {
  return status?.failures.filter(({ retryAt }) => retryAt !== null) ?? [];
}

/** Otherwise it is sent again by itself. */
export function needsPerson({ retryAt, code }: FailureStatus): boolean {
  return retryAt === null || code === notTakenCode;
}

const parts = [
  { of: 'synced', key: 'synced', words: 'delivered', inBar: true },
  { of: 'pending', key: 'moving', words: 'to send', inBar: true },
  { of: 'waiting', key: 'waiting', words: 'waiting', inBar: true },
  { of: 'failed', key: 'failed', words: 'failed', inBar: true },
  { of: 'inDoubt', key: 'doubt', words: 'in doubt', inBar: true },
  { of: 'refused', key: 'failed', words: 'deletions refused', inBar: false },
  { of: 'held', key: 'held', words: 'deletions held', inBar: false },
  { of: 'skipped', key: 'skipped', words: 'skipped', inBar: false },
] as const;

/**
 * The documents of folders, part by part, with words to follow the count: those of a bar are all documents, none twice.
 * What is no document, or not on disk, has a number only.
 */
export function partsOf(folders: readonly CountedFolder[]) {
  return parts.map(({ of, words, ...part }) => {
    const count = sumOf(folders, (one) => one[of]);
    return { ...part, count, words: count === 1 ? words.replace('deletions', 'deletion') : words };
  });
}

/** What is to be known of a folder beside that: no problem. */
export function asidesOf({ narrower, kept }: Pick<FolderStatus, 'narrower' | 'kept'>): readonly string[] {
  return [
    ...(narrower > 0 ? [`${numberWords(narrower)} shared less widely than stated`] : []),
    ...(kept > 0 ? [`${numberWords(kept)} kept`] : []),
  ];
}

/** Documents that the service may hold more than once, without those that stand among the uploads in doubt. */
export function duplicatesApart({
  duplicates,
  inDoubt,
}: Pick<Status, 'duplicates' | 'inDoubt'>): readonly DuplicateStatus[] {
  const doubts = new Set(inDoubt.map(refKey));
  return duplicates.filter((one) => !doubts.has(refKey(one)));
}

/** What is known of an upload in doubt, and what becomes of it where nobody decides. */
export function doubtWords({ message, holds, isSending }: InDoubtStatus): string {
  if (isSending === true) return message;
  if (holds !== false) return `${message}; it is not sent until you decide`;
  return `${message}; ingestd sends it again by itself while its file is there, and the service may then have two copies`;
}

/** Whether the folder of deletions that are held is unavailable: they can be approved when it is back. */
export function isAway({ folder }: { folder: string }, { folders }: Pick<Status, 'folders'>): boolean {
  return folders.some(({ name, state }) => name === folder && state === 'unavailable');
}

/** How many more of a document there may be at the service: nobody knows. */
export function copiesWords(copies: number): string {
  return `up to ${countWords(copies, 'extra copy', 'extra copies')}`;
}
