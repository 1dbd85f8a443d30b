import { isDeepStrictEqual } from 'node:util';

import { printable } from '../../lib/text/printable.ts';
import {
  hasGone,
  isAbsent,
  isPerhapsSame,
  nameOf,
  refKey,
  sameFile,
  sameStat,
} from '../../model/document.ts';
import type { DocumentRef, FileStat, FoundDocument, Inspection, NoDocument } from '../../model/document.ts';
import { errorMessage, ignoreFileCode, unreadCode } from '../../model/errors.ts';
import { saysHowHeld, withHeldMode } from '../../model/metadata/held-mode.ts';
import type { ComparedDocument, Operation } from '../../model/operation.ts';
import { unread } from '../../model/plan.ts';
import { isStillRefused } from '../../model/ports/ledger-port.ts';
import type { Change, Doubt, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { bareReason, keptCode } from '../tasks/task.ts';
import { unsentAttachments, unsureStill } from './attachments.ts';

/** A document that has to be sent, and what it was compared with. */
export interface Sendable {
  readonly kind: 'send';
  readonly operation: Exclude<Operation, { kind: 'none' }>;
  readonly compared: ComparedDocument;
  readonly record: LedgerRecord | null;
}

/** What an inspection of one path means, compared with its record. */
export type Assessment =
  | Sendable
  /** The service holds just this. */
  | { readonly kind: 'clean' }
  /** The file is gone and the service holds it. `device`: of the nearest directory that exists. */
  | { readonly kind: 'gone'; readonly device: number }
  /** There is nothing to do: no record, and no document. `device` as above; null: there is a file. */
  | { readonly kind: 'nothing'; readonly device: number | null }
  /** Nothing may be concluded of the place now. `isGone`: but that nothing stands there. */
  | {
      readonly kind: 'unknown';
      readonly reason: Reason;
      readonly stat?: FileStat | undefined;
      readonly isGone?: true;
    }
  /** `reason`: what it waits for, where that is not the file itself. `againMs` null: the end of a request. */
  | { readonly kind: 'settling'; readonly againMs: number | null; readonly reason?: Reason }
  /** What an earlier process sent of it may still arrive. */
  | { readonly kind: 'later'; readonly againMs: number; readonly reason: Reason }
  /** `againMs` null: only a change ends it. */
  | { readonly kind: 'waiting'; readonly againMs: number | null; readonly reason: Reason }
  | { readonly kind: 'unfit'; readonly reason: Reason }
  /** Not ours to send or delete now; what the service holds stays. `device` as above. */
  | { readonly kind: 'dormant'; readonly device: number | null; readonly reason: Reason };

/** What the path is where no document stands, with what the ledger and the other tasks say. */
export function assessWithoutDocument(
  found: NoDocument,
  known: {
    readonly record: LedgerRecord | undefined;
    /** A person decided that the document stays. */
    readonly isKept: boolean;
    readonly onRemove: FolderSettings['onRemove'];
  },
): Assessment {
  const { record, isKept, onRemove } = known;
  const isGone = found.kind === 'unknown' && found.code === ignoreFileCode && found.presence === 'gone';
  if (record !== undefined && (isGone || isAbsent(found)) && (isKept || onRemove === 'keep')) {
    const kept =
      'somebody decided to keep its document; to undo that, put the file back, and remove it again';
    const why = isKept ? kept : 'onRemove is set to keep';
    return {
      kind: 'dormant',
      device: isAbsent(found) ? found.device : record.stat.dev,
      reason: { code: keptCode, message: `the file was removed, and ${why}` },
    };
  }
  if (isAbsent(found)) {
    const { device } = found;
    if (record === undefined) return { kind: 'nothing', device };
    return { kind: 'gone', device };
  }
  switch (found.kind) {
    case 'settling':
      return found;
    case 'waiting':
      return { kind: 'waiting', againMs: found.againMs, reason: bareReason(found) };
    case 'unknown':
      return { kind: 'unknown', reason: bareReason(found), stat: found.stat, ...(isGone && { isGone }) };
    case 'unfit':
      return { kind: 'unfit', reason: bareReason(found) };
    case 'ignored':
    case 'skipped':
      if (record === undefined) return { kind: 'nothing', device: null };
      return { kind: 'dormant', device: null, reason: bareReason(found) };
  }
}

/** Hashes what the record cannot vouch for; null: the file is another one by now. */
export async function compareWithRecord(
  document: FoundDocument,
  record: LedgerRecord | null,
  hash: (path: string, stat: FileStat) => Promise<string | null>,
): Promise<ComparedDocument | Reason | null> {
  if (record === null) return unread(document);
  let { path } = document.ref;
  try {
    let sha256: string | null = null;
    if (!sameStat(record.stat, document.stat)) {
      sha256 = await hash(path, document.stat);
      if (sha256 === null) return null;
    }
    const attachmentHashes: (string | null)[] = [];
    for (const attachment of document.attachments) {
      const recorded = record.attachments.find((one) => one.name === attachment.name);
      if (recorded !== undefined && sameStat(recorded.stat, attachment.stat)) {
        attachmentHashes.push(null);
        continue;
      }
      ({ path } = attachment);
      const hashed = await hash(path, attachment.stat);
      if (hashed === null) return null;
      attachmentHashes.push(hashed);
    }
    return { document, sha256, attachmentHashes };
  } catch (error) {
    const whose = path === document.ref.path ? '' : `the attachment ${printable(path)}: `;
    return { code: unreadCode(error), message: `${whose}${errorMessage(error)}` };
  }
}

/** What the record learns where nothing has to be sent, so that nobody inspects again; null: it says so already. */
export function adoptionOf(
  compared: ComparedDocument,
  record: LedgerRecord,
  { accepted, unclearable }: Extract<Operation, { kind: 'none' }>,
): Change | null {
  const { document, sha256, attachmentHashes } = compared;
  const unsure = unsureStill(compared, record);
  const same =
    sameStat(record.stat, document.stat) &&
    record.fingerprint === document.fingerprint &&
    isDeepStrictEqual(record.unsure, unsure) &&
    record.standing === undefined &&
    saysHowHeld(record, document);
  if (same && sha256 === null && unclearable.length === 0 && attachmentHashes.every((hash) => hash === null))
    return null;
  return {
    kind: 'put',
    ref: document.ref,
    record: withHeldMode(
      {
        ...record,
        sha256: sha256 ?? record.sha256,
        stat: document.stat,
        fingerprint: document.fingerprint,
        attachments: unsentAttachments(compared, record),
        companions: document.companions,
        metadata: accepted,
        standing: undefined,
        said: [...(record.said ?? []), ...unclearable.map(({ code }) => code)],
        unsure,
      },
      document,
      { before: record, sent: null },
    ),
  };
}

/**
 * A refusal that nothing has changed about: not sent before a person says so, wherever the inspection came from. The
 * scan says so of what it lists.
 */
export function refusedAsItStands(
  ledger: Pick<LedgerPort, 'failure'>,
  document: FoundDocument,
): ReturnType<LedgerPort['failure']> {
  const failure = ledger.failure(document.ref);
  return failure !== undefined && isStillRefused(failure, document) ? failure : undefined;
}

/**
 * Uploads in doubt that were of the file which stands at a path now, found by its identity, wherever it was when it was
 * sent. Only reads.
 */
export async function doubtsOfFile(
  { ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
  doubts: readonly Doubt[],
  evidence: {
    readonly inspect: (ref: DocumentRef) => Promise<Inspection | undefined>;
    /** Whether any directory has a file, as they are now. */
    readonly isFound: (stat: FileStat) => Promise<boolean>;
  },
): Promise<{
  /**
   * Doubts that follow the file from now on:
   * - those of this path, whatever has become of the file that was sent from it;
   * - those of a path that the file has left.
   * Left out are those that say so already, or were dismissed for their file, and those whose own file was renamed before
   * this one came to its path: they hold both files.
   */
  readonly following: readonly Doubt[];
  /** Of another path at which something stands, or may: a hard link, a copy that was saved in the file's place. */
  readonly elsewhere: readonly Doubt[];
}> {
  const { inspect, isFound } = evidence;
  const following: Doubt[] = [];
  const elsewhere: Doubt[] = [];
  const isOfFile = (doubt: Doubt) => doubt.stat !== undefined && sameFile(doubt.stat, stat);
  // Without numbers, what looks like a file that is gone is that one, and what looks like one that stands a copy.
  const isLike = (doubt: Doubt) => doubt.stat !== undefined && isPerhapsSame(doubt.stat, stat);
  const isKnown = doubts.some(isOfFile);
  for (const doubt of doubts) {
    const isSame = isOfFile(doubt);
    if (refKey(doubt.ref) === refKey(ref)) {
      if (doubt.dismissed === true) continue;
      const isOutdated = doubt.stat === undefined ? doubt.holds : !sameStat(doubt.stat, stat);
      const isRenamed = isOutdated && doubt.stat !== undefined && !isSame && (await isFound(doubt.stat));
      if (isOutdated && !isRenamed) following.push(doubt);
    } else if (isLike(doubt) || (!isKnown && isLikely(doubt, { ref, stat }))) {
      const left = await inspect(doubt.ref);
      // A dismissal is of one file, whatever has come to its place.
      const isOther = left?.kind === 'document' && !isPerhapsSame(left.document.stat, stat);
      const isGone = left === undefined || hasGone(left) || (doubt.dismissed === true && isOther);
      if (isGone && (isLike(doubt) || doubt.stat === undefined || !(await isFound(doubt.stat))))
        following.push(doubt);
      else if (isSame) elsewhere.push(doubt);
    }
  }
  return { following, elsewhere };
}

/** A move between file systems gives the file another identity: its name, size and time stay. */
function isLikely({ ref, stat }: Doubt, document: Pick<FoundDocument, 'ref' | 'stat'>): boolean {
  if (stat === undefined || nameOf(ref.path) !== nameOf(document.ref.path)) return false;
  const isWithin = stat.ino !== 0 && stat.dev === document.stat.dev;
  return !isWithin && stat.size === document.stat.size && stat.mtimeMs === document.stat.mtimeMs;
}
