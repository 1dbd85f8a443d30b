import type { DocumentRef } from '../model/document.ts';
import type { Change, LedgerRecord } from '../model/ports/ledger-port.ts';
import type { Operation } from '../model/operation.ts';

/**
 * Says in the record that a modify is under way. Should no answer come and the file be changed back meanwhile, what
 * the service may have taken is still put right. Without a context the next sweep looks at the document in any case.
 */
export function markUnsure(
  ref: DocumentRef,
  record: LedgerRecord,
  { content, attachments, accepted }: Extract<Operation, { kind: 'modify' }>,
): Change {
  const { unsure } = record;
  const metadata = new Map([...(unsure?.metadata ?? []), accepted].map((one) => [JSON.stringify(one), one]));
  return {
    kind: 'put',
    ref,
    record: {
      ...record,
      context: '',
      unsure: {
        content: content || unsure?.content === true,
        attachments: attachments || unsure?.attachments === true,
        metadata: [...metadata.values()],
        ...(unsure?.gone === true ? { gone: true } : null),
      },
    },
  };
}

/**
 * Says in the record that its deletion is under way. Should no answer come, a service that says it does not know the
 * document is no surprise, and a file that comes back meanwhile is made sure of.
 */
export function markGone(ref: DocumentRef, record: LedgerRecord): Change {
  const unsure = { content: false, attachments: false, metadata: [], ...record.unsure, gone: true } as const;
  return { kind: 'put', ref, record: { ...record, context: '', unsure } };
}

/** Whether a deletion of the document went out and its answer never came. */
export function isPerhapsGone(record: LedgerRecord | undefined): boolean {
  return record?.unsure?.gone === true;
}
