import type { FoundDocument } from '../document.ts';
import type { Operation } from '../operation.ts';
import { bulkOf } from '../plan.ts';
import type { LedgerRecord } from '../ports/ledger-port.ts';
import { attemptedModes, isModeUnknown } from '../report/sharing-change.ts';
import { isWider } from './held-mode.ts';
import { modeOf } from './metadata.ts';

/**
 * A sharing mode that is narrower than the service holds, or may hold: it goes out by itself and first, since it needs no
 * content and nothing else of the document may keep it back (contract 7.27). Null: there is none.
 */
export function planNarrowing(
  { metadata: { shareInfo } }: Pick<FoundDocument, 'metadata'>,
  record: LedgerRecord,
): Extract<Operation, { kind: 'modify' }> | null {
  const isUnknown = isModeUnknown(record);
  // A mode that nobody knows stays by not being sent.
  if (isUnknown && shareInfo === undefined) return null;
  const mode = modeOf({ shareInfo });
  const held = [isUnknown ? 'EVERYONE' : modeOf(record.metadata), ...attemptedModes(record)] as const;
  if (!held.some((one) => isWider(one, mode))) return null;
  const metadata = { shareInfo: { mode } };
  return {
    kind: 'modify',
    docId: record.docId,
    content: false,
    attachments: false,
    metadata,
    accepted: { ...record.metadata, ...metadata },
    unclearable: [],
    narrows: true,
    bulk: bulkOf(metadata, record.metadata.documentOwner),
  };
}
