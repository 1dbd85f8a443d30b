import type { LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';
import type { ComparedDocument } from '../../model/operation.ts';

/**
 * What a record says of attachments that were compared and not sent: the service holds them, or the last ones it had. Of
 * those that an answer was lost about it says nothing, so that the next ones are sent.
 */
export function unsentAttachments(
  { document, attachmentHashes }: ComparedDocument,
  record: LedgerRecord | null,
): readonly RecordedAttachment[] {
  const held = record?.attachments ?? [];
  if (document.attachments.length === 0)
    return record?.unsure?.attachments === true ? [] : held.map(noLongerCarried);
  return document.attachments.map(({ name, path, stat }, index) => ({
    name,
    path,
    stat,
    sha256: attachmentHashes[index] ?? held.find((one) => one.name === name)?.sha256 ?? '',
  }));
}

/** The service holds it because it cannot be taken back; the file, wherever it is, is no attachment any more. */
function noLongerCarried({ name, sha256, stat }: RecordedAttachment): RecordedAttachment {
  return { name, sha256, stat: { ...stat, ino: 0 } };
}
