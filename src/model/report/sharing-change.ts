import type { FoundDocument } from '../document.ts';
import { modeOf } from '../metadata/metadata.ts';
import type { ShareMode } from '../metadata/metadata.ts';
import type { Operation } from '../operation.ts';
import { unstatedSource } from './activity-words.ts';
import { isImported } from '../ports/ledger-port.ts';
import type { LedgerRecord } from '../ports/ledger-port.ts';
import type { SharingChange } from './status.ts';

/** Where a sharing mode comes from that stays as it was sent. */
export const recordedSource = 'kept as it was';

/** Undefined: the request leaves the mode as it was. `record`: what was known of the document before it. */
export function sharingChange(
  operation: Extract<Operation, { kind: 'upload' | 'modify' }>,
  { sources }: FoundDocument,
  record: LedgerRecord | undefined,
): SharingChange | undefined {
  if (operation.kind === 'modify' && operation.metadata?.shareInfo === undefined) return undefined;
  const before = record === undefined || isModeUnknown(record) ? null : modeOf(record.metadata);
  const after = modeOf(operation.accepted);
  const attempts = new Set(record === undefined ? [] : attemptedModes(record));
  const perhaps = [...attempts].filter((one) => one !== before && one !== after);
  if (operation.kind === 'modify' && before === after && perhaps.length === 0) return undefined;
  const source = sources?.['shareInfo'] ?? unstatedSource;
  return { before, after, ...(perhaps.length === 0 ? {} : { perhaps }), source };
}

/** What went out and was not answered. What a person retries may be anything by now, which is no mode of its own. */
export function attemptedModes({ unsure }: Pick<LedgerRecord, 'unsure'>): readonly ShareMode[] {
  return (unsure?.metadata ?? []).filter((one) => Object.keys(one).length > 0).map(modeOf);
}

/** Whether a document was imported, or adopted when a doubt was resolved, and no mode was sent of it since. */
export function isModeUnknown(record: LedgerRecord): boolean {
  const { metadata, unsure } = record;
  const isAdopted = unsure !== undefined && Object.keys(metadata).length === 0;
  return metadata.shareInfo === undefined && (isImported(record) || isAdopted);
}
