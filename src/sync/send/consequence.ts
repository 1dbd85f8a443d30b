import { nextDelayMs } from '../../model/back-off.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { inDoubtCode, isUnconfirmed, noDocIdCode, withoutDocIdWords } from '../../model/doubts.ts';
import type { SendKind } from '../../model/operation.ts';
import type { LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Outcome } from '../../model/ports/service-port.ts';
import { notTakenCode } from '../../model/report/failures.ts';
import type { Reason } from '../../model/report/status.ts';
import type { SafetySettings, ServiceSettings } from '../../model/settings.ts';
import { bareReason } from '../tasks/task.ts';
import type { Untaken } from '../tasks/task.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { isPerhapsGone } from './delete.ts';

/** What follows for a document whose request was not accepted. */
export type Consequence =
  /** Failed: kept with its reason until the file changes or a person retries. */
  | { readonly kind: 'fail'; readonly reason: Reason }
  /** Failed for this pass only: the service does not take it, though it takes others, and the next pass tries it again. */
  | { readonly kind: 'giveUp'; readonly reason: Reason; readonly attempts: number }
  | {
      readonly kind: 'retry';
      readonly reason: Reason;
      readonly delayMs: number;
      readonly attempts: number;
      readonly untaken: Untaken | null;
    }
  /** The service may hold a document of it that nobody knows: `next` follows. */
  | { readonly kind: 'doubt'; readonly reason: Reason; readonly holds: boolean; readonly next: Consequence }
  /** The service does not know the document that a person named when the doubt about an upload was ended. */
  | { readonly kind: 'doubtAgain'; readonly record: LedgerRecord; readonly reason: Reason }
  /** The file, or one of its attachments, could not be read. */
  | { readonly kind: 'unreadable'; readonly reason: Reason }
  /** The file moved on: it is inspected again soon. */
  | { readonly kind: 'settle' }
  /** It did not follow any more: the path is decided again. */
  | { readonly kind: 'withdraw' }
  /** The service does not know the document: it is uploaded again. */
  | { readonly kind: 'uploadAgain'; readonly record: LedgerRecord };

interface Circumstances {
  readonly operation: SendKind;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly record: LedgerRecord | undefined;
  /** What is known of it after this one. */
  readonly untaken: Untaken | null;
  readonly breaker: Pick<CircuitBreaker, 'openMs' | 'manyMissing' | 'manyForbidden'>;
  /** `sync` gives up after this many; null: never. */
  readonly maxAttempts: number | null;
  readonly onMissing: ServiceSettings['onMissing'];
  readonly inDoubt: SafetySettings['inDoubt'];
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** A file that changed under way is inspected again after this. */
export const changedUnderWayMs = 200;

/** Decides what follows from an outcome. An upload that was accepted with a docId has no consequence here. */
export function consequenceOf(outcome: Outcome, now: Circumstances): Consequence {
  switch (outcome.kind) {
    case 'unknown':
      return inDoubt(bareReason(outcome), now);
    case 'accepted':
      return inDoubt({ code: noDocIdCode, message: withoutDocIdWords }, now);
    case 'rejected':
      if (now.breaker.manyForbidden()) return later(bareReason(outcome), now.breaker.openMs(), now);
      return { kind: 'fail', reason: bareReason(outcome) };
    case 'missing':
      return missing(outcome, now);
    case 'unavailable':
      return later(bareReason(outcome), outcome.retryAfterMs, now);
    case 'unauthorized':
      return wait({ code: 'credentials-refused', message: outcome.message }, now);
    case 'misaddressed':
      return misaddressed(outcome, now);
    case 'changed':
      return { kind: 'settle' };
    case 'withdrawn':
      return { kind: 'withdraw' };
    case 'unreadable':
      return { kind: 'unreadable', reason: bareReason(outcome) };
  }
}

/**
 * An upload was answered with the docId of another document; null: it is its own, or nobody's. Whatever the service has
 * made of it, it may hold a document that nothing here leads to.
 */
export function docIdConflict(
  ref: DocumentRef,
  docId: string,
  { findByDocId }: Pick<LedgerPort, 'findByDocId'>,
): Consequence | null {
  const owner = findByDocId(docId);
  if (owner === undefined || refKey(owner) === refKey(ref)) return null;
  const code = 'docid-conflict';
  const message = `the service answered with docId ${docId}, which already belongs to ${refKey(owner)}`;
  const reason = { code, message: 'the service answered with the docId of another document' };
  return { kind: 'doubt', reason, holds: false, next: { kind: 'fail', reason: { code, message } } };
}

function misaddressed(outcome: Extract<Outcome, { kind: 'misaddressed' }>, now: Circumstances): Consequence {
  const reason = bareReason(outcome);
  const next = wait(reason, now);
  return now.operation === 'upload' && outcome.mayBeTaken ? inDoubt(reason, now, next) : next;
}

/** `next`: where no person is asked first. */
function inDoubt(reason: Reason, now: Circumstances, next = later(reason, null, now)): Consequence {
  // What was accepted is not sent again.
  const holds = now.inDoubt === 'hold' || reason.code === noDocIdCode;
  const held: Consequence = { kind: 'fail', reason: { code: inDoubtCode, message: reason.message } };
  return { kind: 'doubt', reason, holds, next: holds ? held : next };
}

function missing({ message }: Extract<Outcome, { kind: 'missing' }>, now: Circumstances): Consequence {
  const { record, breaker, onMissing } = now;
  const words = `the service does not know the document ${record?.docId ?? ''}: ${message}`;
  if (record !== undefined && isUnconfirmed(record))
    return { kind: 'doubtAgain', record, reason: { code: inDoubtCode, message: words } };
  // What we deleted ourselves, before its file came back, is nobody else's decision.
  const isAgain = isPerhapsGone(record) || (onMissing === 'upload' && !breaker.manyMissing());
  if (record !== undefined && isAgain) return { kind: 'uploadAgain', record };
  return { kind: 'fail', reason: { code: 'missing-at-service', message: words } };
}

/** Tried again after its back-off. */
function later({ code, message }: Reason, retryAfterMs: number | null, now: Circumstances): Consequence {
  const attempts = now.attempts + 1;
  const isOwn = now.untaken?.isOwn === true;
  const reason = isOwn
    ? { code: notTakenCode, message: `${message}; the service accepts others` }
    : { code, message };
  if (isOwn && now.maxAttempts !== null && attempts >= now.maxAttempts)
    return { kind: 'giveUp', reason, attempts };
  const own = nextDelayMs({ kind: 'unavailable', attempt: attempts, retryAfterMs, random: now.random() });
  const delayMs = Math.max(own, now.breaker.openMs());
  return { kind: 'retry', reason, attempts, delayMs, untaken: now.untaken };
}

/** No fault of the document: it goes out as soon as the circuit breaker lets one through. */
function wait(reason: Reason, { attempts, untaken, breaker }: Circumstances): Consequence {
  const delayMs = Math.max(changedUnderWayMs, breaker.openMs());
  return { kind: 'retry', reason, attempts, delayMs, untaken };
}
