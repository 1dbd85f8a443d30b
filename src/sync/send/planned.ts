import { isDeepStrictEqual } from 'node:util';

import { sameStat } from '../../model/document.ts';
import type { FileStat, FoundAttachment } from '../../model/document.ts';
import type { ComparedDocument } from '../../model/operation.ts';
import type { Change, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Outcome } from '../../model/ports/service-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Sendable } from '../decide/assess.ts';
import type { Task } from '../tasks/task.ts';

/** A document about which a request was planned, and its record as it was then. */
export interface Planned {
  readonly task: Task;
  readonly record: LedgerRecord | null;
}

/** From so many requests in a row on that were withdrawn, a document waits. */
export const mostWithdrawals = 5;

/** Why it does. */
export const keepsChanging: Reason = {
  code: 'keeps-changing',
  message: 'it, or what goes with it, changed each time that it was to be sent',
};

/** Whether what follows now is what was planned: the same request, of the same files, where it has a say in any. */
export function isSameSending(now: Sendable, planned: Sendable): boolean {
  const [one, other] = [now.compared.document, planned.compared.document];
  const isSame = isDeepStrictEqual(now.operation, planned.operation);
  if (planned.operation.kind === 'modify' && planned.operation.narrows === true) return isSame;
  return (
    isSame &&
    one.fileName === other.fileName &&
    sameStat(one.stat, other.stat) &&
    one.attachments.length === other.attachments.length &&
    one.attachments.every((attachment, index) => isSameAttachment(attachment, other.attachments[index]))
  );
}

function isSameAttachment(one: FoundAttachment, other: FoundAttachment | undefined): boolean {
  return one.path === other?.path && one.name === other.name && sameStat(one.stat, other.stat);
}

/**
 * The records as they were before a request of which the service has taken nothing: it did not go out, or was refused.
 * Their files stay theirs.
 */
export function recordsAsBefore(
  members: readonly Planned[],
  outcome: Outcome,
  ledger: Pick<LedgerPort, 'get'>,
): readonly Change[] {
  if (mayBeTaken(outcome)) return [];
  return members.flatMap(({ task: { ref }, record }): readonly Change[] => {
    const marked = ledger.get(ref);
    if (record === null || marked?.docId !== record.docId) return [];
    if (isDeepStrictEqual(marked.unsure, record.unsure)) return [];
    return [{ kind: 'put', ref, record: { ...record, standing: marked.standing } }];
  });
}

/** Answers that say that a request was not let in. */
const turnedAway: ReadonlySet<string> = new Set(['http-425', 'http-429']);

function mayBeTaken(outcome: Outcome): boolean {
  if (outcome.kind === 'misaddressed') return outcome.mayBeTaken;
  if (outcome.kind === 'unavailable') return outcome.sent !== 'nothing' && !turnedAway.has(outcome.code);
  return outcome.kind === 'accepted' || outcome.kind === 'unknown';
}

/** What was hashed when it was planned need not be read again; null: another file, or it was not hashed. */
export function hashAsPlanned(path: string, stat: FileStat, planned: ComparedDocument): string | null {
  const { document, sha256, attachmentHashes } = planned;
  const files = [
    { path: document.ref.path, stat: document.stat, hash: sha256 },
    ...document.attachments.map((one, index) => ({ ...one, hash: attachmentHashes[index] ?? null })),
  ];
  return files.find((one) => one.path === path && sameStat(one.stat, stat))?.hash ?? null;
}
