import type { FoundDocument, Inspection } from '../../model/document.ts';
import { unstatedMode } from '../../model/metadata/metadata-delta.ts';
import { keptReason } from '../../model/metadata/held-mode.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { Metadata, ShareMode } from '../../model/metadata/metadata.ts';
import { lateTimestamp, planDocument, unread } from '../../model/plan.ts';
import type { LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Why } from '../../model/report/command-reports.ts';
import { unstatedSource } from '../../model/report/activity-words.ts';
import { isModeUnknown, recordedSource } from '../../model/report/sharing-change.ts';

type Shown = Pick<Why, 'metadata' | 'sources' | 'narrower'>;

/**
 * As the file states it, but for what is not sent of it: a sharing mode that is wider than may go out, and a
 * createdTimestamp after the upload. The sharing mode is always named, except where nobody knows it.
 */
export function metadataOf(found: Inspection, record: LedgerRecord | undefined): Shown {
  if (found.kind !== 'document') {
    if (record === undefined) return { ...none, metadata: null };
    const known = recorded(record);
    if (found.stated === undefined) return known;
    // Of a document whose content cannot go out just now its sharing mode counts all the same.
    const { mode, source } = sharingOf(found.stated, record);
    const metadata = { ...known.metadata, ...(mode === null ? {} : { shareInfo: { mode } }) };
    return { metadata, sources: { shareInfo: source }, narrower: keptReason(found.stated) };
  }
  const { document } = found;
  const { metadata, sources = {} } = document;
  const { shareInfo: _, createdTimestamp, ...others } = metadata;
  const { mode, source } = sharingOf(document, record);
  const held = record === undefined ? createdTimestamp : record.metadata.createdTimestamp;
  return {
    metadata: {
      ...others,
      ...(held === undefined ? {} : { createdTimestamp: held }),
      ...(mode === null ? {} : { shareInfo: { mode } }),
    },
    sources: {
      ...sources,
      ...(held === createdTimestamp ? {} : { createdTimestamp: recordedSource }),
      shareInfo: source,
    },
    narrower: keptReason(document),
  };
}

const none = { sources: {}, narrower: null };

/** As it was last sent. */
function recorded(record: LedgerRecord): Shown {
  const { metadata } = record;
  if (metadata.shareInfo !== undefined || isModeUnknown(record)) return { ...none, metadata };
  return {
    ...none,
    metadata: { ...metadata, shareInfo: { mode: modeOf(metadata) } },
    sources: { shareInfo: unstatedSource },
  };
}

/** The mode that the document has once all is sent, and what says so; null: nobody knows. */
function sharingOf(
  { metadata, sources }: FoundDocument,
  record: LedgerRecord | undefined,
): { readonly mode: ShareMode | null; readonly source: string } {
  if (metadata.shareInfo !== undefined)
    return { mode: modeOf(metadata), source: sources?.['shareInfo'] ?? recordedSource };
  if (record === undefined) return { mode: 'DEFAULT', source: unstatedSource };
  const mode = isModeUnknown(record) ? null : unstatedMode(record.metadata);
  return { mode, source: mode === 'NONE' ? recordedSource : unstatedSource };
}

/** Everything that cannot be taken back or changed, whether the log said it before or not. */
export function notesOn(document: FoundDocument, record: LedgerRecord): readonly string[] {
  const operation = planDocument(unread(document), { ...record, said: [] });
  const unclearable = operation.kind === 'upload' ? [] : operation.unclearable;
  const notes = unclearable.filter(({ code }) => code !== lateTimestamp.code).map(({ message }) => message);
  if (isTimestampOther(document, record.metadata)) notes.push(lateTimestamp.message);
  if (record.fileName === document.fileName) return notes;
  const name =
    `the service still calls the file ${record.fileName}, because it cannot rename files; the new name is sent with ` +
    'the next change of its content';
  return [name, ...notes];
}

/** A timestamp that follows the modification time is nobody's statement, and that of an imported document is not known. */
function isTimestampOther(
  { metadata: { createdTimestamp }, sources }: FoundDocument,
  { createdTimestamp: held }: Metadata,
): boolean {
  const isStated = createdTimestamp !== undefined && sources?.['createdTimestamp'] !== 'modification time';
  return createdTimestamp !== held && (held !== undefined || isStated);
}
