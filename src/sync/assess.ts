import { refKey, sameStamp } from '../model/document.ts';
import type { FoundDocument } from '../model/document.ts';
import { errorCode } from '../model/errors.ts';
import type { LedgerRecord } from '../model/ports/ledger-port.ts';
import type { ComparedDocument, Operation } from '../model/operation.ts';
import { planDocument } from '../model/plan.ts';
import { printable } from '../lib/printable.ts';
import { attachmentsAsHeld } from './attachments-as-held.ts';
import { claimPaths, noMove } from './claim-paths.ts';
import type { MoveResult } from './claim-paths.ts';
import { doubtsAbout } from './doubts-about.ts';
import { findMove } from './find-move.ts';
import { hashOnce } from './hash-once.ts';
import type { Parts } from './parts.ts';
import { findRelocation } from './relocate.ts';
import { sayUnclearable } from './say-unclearable.ts';
import { standsUnsent } from './stands-unsent.ts';
import { keptCode } from './task.ts';
import type { Task } from './task.ts';

/** A document that has to be sent, and what it was compared with. */
export interface Sendable {
  readonly kind: 'send';
  readonly operation: Exclude<Operation, { kind: 'none' }>;
  readonly compared: ComparedDocument;
  readonly record: LedgerRecord | null;
}

/** What one look at a document means, compared with its record. */
export type Assessment =
  | Sendable
  /** The service holds just this. */
  | { readonly kind: 'settled' }
  /** The file is gone and the service holds it. `device`: of the nearest directory that exists. */
  | { readonly kind: 'gone'; readonly device: number }
  /** There is nothing to do: no record, and no document. `device` as above; null: there is a file. */
  | { readonly kind: 'nothing'; readonly device: number | null }
  /** Nothing may be concluded of the place now. */
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'later';
      readonly phase: 'settling' | 'paired';
      readonly againMs: number | null;
      readonly code: string | null;
      readonly message: string | null;
    }
  | { readonly kind: 'unfit'; readonly code: string; readonly message: string }
  /** Not ours to send or delete now; what the service holds stays. `device` as above; null: there is a file. */
  | {
      readonly kind: 'dormant';
      readonly device: number | null;
      readonly code: string;
      readonly message: string;
    };

/** A file that moved on between look and hash, or whose move is under way, is looked at again after this. */
const movedOnMs = 200;
const movedOn = {
  kind: 'later',
  phase: 'settling',
  againMs: movedOnMs,
  code: null,
  message: null,
} as const;

/** Looks at a task's document, recognises moves, and works out what has to be sent. Commits what needs no request. */
export async function assess(parts: Parts, task: Task): Promise<Assessment> {
  const folder = parts.folder(task.ref.folder);
  if (folder === undefined) return { kind: 'nothing', device: null };
  const look = await folder.port.inspect(task.ref.path);
  switch (look.kind) {
    case 'document':
      parts.desk.change(task, {
        present: true,
        stamp: look.document.stamp,
        context: look.document.context,
      });
      return compare(parts, task, look.document);
    case 'settling':
      return { kind: 'later', phase: 'settling', againMs: look.againMs, code: null, message: null };
    case 'waiting':
      return { ...look, kind: 'later', phase: 'paired' };
    case 'absent':
      return judgeAbsence(parts, task, { onRemove: folder.settings.onRemove, device: look.device });
    case 'unknown':
      return look;
    case 'unfit':
      return { kind: 'unfit', code: look.code, message: look.message };
    case 'ignored':
    case 'skipped':
      return parts.ledger.get(task.ref) === undefined
        ? { kind: 'nothing', device: null }
        : { ...look, kind: 'dormant', device: null };
  }
}

function judgeAbsence(
  parts: Parts,
  task: Task,
  { onRemove, device }: { readonly onRemove: 'delete' | 'keep'; readonly device: number },
): Assessment {
  if (parts.ledger.get(task.ref) === undefined) return { kind: 'nothing', device };
  if (onRemove === 'delete') {
    const stands = standsUnsent(parts, task);
    if (stands === null) return { kind: 'gone', device };
    return {
      kind: 'later',
      phase: 'paired',
      againMs: parts.timing.pollSeconds * 1_000,
      code: 'moved-unsent',
      message: `its file is ${printable(refKey(stands))} now, which cannot be sent; the service keeps it as it was until that is fixed or removed`,
    };
  }
  return {
    kind: 'dormant',
    device,
    code: keptCode,
    message: 'the file is gone; the document is kept (onRemove: keep)',
  };
}

async function compare(parts: Parts, task: Task, document: FoundDocument): Promise<Assessment> {
  const { ledger } = parts;
  if ((await placeRecord(parts, task, document)) === 'unclear') return movedOn;
  const record = (task.isLost ? undefined : ledger.get(document.ref)) ?? null;
  // An upload that waits for a person's word, after a restart too: `safety.inDoubt` is hold.
  const doubt = record === null ? doubtsAbout(parts, task).find(({ holds }) => holds) : undefined;
  if (doubt !== undefined) return { kind: 'unfit', code: 'in-doubt', message: doubt.message };
  const compared = await read(parts, task, document, record);
  if (compared === null) return movedOn;
  if ('code' in compared) return { kind: 'unfit', ...compared };
  const operation = planDocument(compared, record);
  const againMs = sidecarGrace(parts, task, operation);
  if (againMs > 0) return { ...movedOn, againMs };
  if (operation.kind !== 'none') return { kind: 'send', operation, compared, record };
  if (record === null) return { kind: 'settled' };
  const done = claimPaths(parts, task, [document.ref]);
  if (done === null) return movedOn;
  const learned = adopt(parts, compared, record, operation).finally(done);
  return (await learned) ? { kind: 'settled' } : movedOn;
}

/**
 * How long a document that was moved waits with another sharing mode, ms: the sidecar that states the one it had may
 * follow it. All else can be put right without harm.
 */
function sidecarGrace({ clock, timing }: Parts, { movedAt }: Task, operation: Operation): number {
  if (movedAt === null || operation.kind !== 'modify' || operation.metadata?.shareInfo === undefined)
    return 0;
  return Math.max(0, movedAt + timing.removeGraceMs - clock.monotonic());
}

/** Gives the document the record of its file, where that is another path's. */
async function placeRecord(parts: Parts, task: Task, document: FoundDocument): Promise<MoveResult> {
  const known = parts.ledger.get(document.ref);
  if (known === undefined) return findMove(parts, task, document);
  if (known.stamp.ino !== document.stamp.ino) return findRelocation(parts, task, document);
  return noMove(parts, task);
}

/** Hashes what the record cannot vouch for; null: the file is another one by now. */
async function read(
  parts: Parts,
  task: Task,
  document: FoundDocument,
  record: LedgerRecord | null,
): Promise<ComparedDocument | { code: string; message: string } | null> {
  const port = parts.folder(document.ref.folder)?.port;
  if (port === undefined || record === null) {
    return { document, sha256: null, attachmentHashes: document.attachments.map(() => null) };
  }
  try {
    const sha256 = sameStamp(record.stamp, document.stamp)
      ? null
      : await hashOnce(parts, task, document.stamp);
    if (sha256 === null && !sameStamp(record.stamp, document.stamp)) return null;
    const attachmentHashes: (string | null)[] = [];
    for (const attachment of document.attachments) {
      const recorded = record.attachments.find((one) => one.name === attachment.name);
      if (recorded !== undefined && sameStamp(recorded.stamp, attachment.stamp)) {
        attachmentHashes.push(null);
        continue;
      }
      const hash = await port.hash(attachment.path, attachment.stamp);
      if (hash === null) return null;
      attachmentHashes.push(hash);
    }
    return { document, sha256, attachmentHashes };
  } catch (error) {
    return {
      code: 'unreadable',
      message: `the file cannot be read (${errorCode(error) ?? 'unknown error'})`,
    };
  }
}

/**
 * Nothing to send: the record learns what the file looks like now, so that nobody looks again. False: another record
 * stands at the path by now.
 */
async function adopt(
  parts: Parts,
  compared: ComparedDocument,
  record: LedgerRecord,
  { accepted, unclearable }: Extract<Operation, { kind: 'none' }>,
): Promise<boolean> {
  const { document, sha256, attachmentHashes } = compared;
  if (parts.ledger.get(document.ref)?.docId !== record.docId) return false;
  const same =
    sameStamp(record.stamp, document.stamp) &&
    record.context === document.context &&
    record.unsure === undefined;
  if (same && sha256 === null && unclearable.length === 0 && attachmentHashes.every((hash) => hash === null))
    return true;
  sayUnclearable(parts, document, unclearable);
  await parts.commit([
    {
      kind: 'put',
      ref: document.ref,
      record: {
        ...record,
        sha256: sha256 ?? record.sha256,
        stamp: document.stamp,
        context: document.context,
        attachments: attachmentsAsHeld(compared, record),
        metadata: accepted,
        said: [...(record.said ?? []), ...unclearable.map(({ code }) => code)],
        unsure: undefined,
      },
    },
  ]);
  return true;
}
