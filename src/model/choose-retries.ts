import { refKey } from './document.ts';
import type { DocumentRef } from './document.ts';
import { openDoubts } from './doubts.ts';
import { dismissedCode } from './errors.ts';
import type { Change, LedgerPort, LedgerRecord } from './ports/ledger-port.ts';

/** What a `retry` does. */
export type Retries = ReturnType<typeof chooseRetries>;

/**
 * What a person means who retries `refs`, of all that failed, whether a scan has found it since the start or not; null:
 * everything but what is in doubt or was dismissed as such. One of these that is named is sent again, as is one that was
 * delivered. `unknown` are those of which there is nothing to send.
 */
export function chooseRetries(
  refs: readonly DocumentRef[] | null,
  failed: readonly { readonly ref: DocumentRef }[],
  ledger: Pick<LedgerPort, 'doubts' | 'failure' | 'failures' | 'get'>,
) {
  const wanted = refs === null ? null : new Set(refs.map(refKey));
  const doubts = openDoubts(ledger);
  // A document that has come to the path of an upload in doubt is in none itself, nor is what a person has sent again.
  const undecided = doubts.filter(({ ref, again }) => again !== true && ledger.get(ref) === undefined);
  const inDoubt = new Set(undecided.map(({ ref }) => refKey(ref)));
  const isMeant = (ref: DocumentRef) =>
    wanted?.has(refKey(ref)) ?? (!inDoubt.has(refKey(ref)) && ledger.failure(ref)?.code !== dismissedCode);
  const chosen = failed.filter(({ ref }) => isMeant(ref));
  const doubted = doubts.filter(({ ref }) => wanted?.has(refKey(ref)) ?? false);
  const refused = Array.from(ledger.failures(), ([ref]) => ref).filter(isMeant);
  const meant = [...chosen.map(({ ref }) => ref), ...refused, ...doubted.map(({ ref }) => ref)];
  const known = new Map(meant.map((ref) => [refKey(ref), ref]));
  const delivered = (refs ?? []).flatMap((ref) => {
    const record = known.has(refKey(ref)) ? undefined : ledger.get(ref);
    return record === undefined ? [] : [{ ref, record }];
  });
  for (const { ref } of delivered) known.set(refKey(ref), ref);
  return {
    /** Delivered documents that are named: they are sent again, in case the service has lost what it accepted. */
    delivered: delivered.map(({ ref }) => ref),
    /** What the ledger is to forget of them and of the doubts among them. */
    changes: [
      ...delivered.map(({ ref, record }): Change => ({ kind: 'put', ref, record: unconfirmed(record) })),
      ...doubted.map((doubt): Change => ({ kind: 'doubt', doubt: { ...doubt, holds: false, again: true } })),
      ...refused.map((ref): Change => ({ kind: 'clear', ref })),
    ],
    /** The documents of all kinds. */
    retried: [...known.values()],
    unknown: (refs ?? []).filter((ref) => !known.has(refKey(ref))),
  };
}

/** Every document of these folders that the service has accepted; one in doubt waits for a person's word about it. */
export function deliveredIn(
  folders: readonly string[],
  ledger: Pick<LedgerPort, 'doubts' | 'entries'>,
): readonly DocumentRef[] {
  const inDoubt = new Set(openDoubts(ledger).map(({ ref }) => refKey(ref)));
  const refs = Array.from(ledger.entries(), ({ ref }) => ref);
  return refs.filter((ref) => folders.includes(ref.folder) && !inDoubt.has(refKey(ref)));
}

/** Nothing of what the service accepted is certain but how it is shared: the next modify sends all of it. */
function unconfirmed(record: LedgerRecord): LedgerRecord {
  const attachments = record.attachments.length > 0 || record.unsure?.attachments === true;
  const { shareInfo } = record.metadata;
  const metadata = [...(record.unsure?.metadata ?? []), shareInfo === undefined ? {} : { shareInfo }];
  return { ...record, fingerprint: '', unsure: { ...record.unsure, content: true, attachments, metadata } };
}
