import type { FileStat, FoundAttachment, FoundDocument } from '../../model/document.ts';
import type { ContentSource } from '../../model/ports/folder-port.ts';
import type { RecordedAttachment } from '../../model/ports/ledger-port.ts';
import type { OutgoingFile, SentContent } from '../../model/ports/service-port.ts';

/** Opens a file of the document's folder for sending. */
export type OpenFile = (path: string, stat: FileStat) => Promise<ContentSource>;

/** The document itself, under the name by which the service knows it. */
export function fileOf(document: FoundDocument, open: OpenFile): OutgoingFile {
  return { name: document.fileName, open: () => open(document.ref.path, document.stat) };
}

/** All its attachments, in their order. */
export function attachmentsOf({ attachments }: FoundDocument, open: OpenFile): readonly OutgoingFile[] {
  return attachments.map(({ name, path, stat }) => ({ name, open: () => open(path, stat) }));
}

/** What the record says of attachments that went out. */
export function recordedAttachments(
  found: readonly FoundAttachment[],
  sent: readonly SentContent[],
): readonly RecordedAttachment[] {
  return found.map(({ name, path, stat }, index) => ({
    name,
    path,
    stat,
    sha256: sent[index]?.sha256 ?? '',
  }));
}

/** How many bytes of files the parts that are sent have. */
export function bytesOf(
  { stat, attachments }: FoundDocument,
  parts: { readonly content: boolean; readonly attachments: boolean },
): number {
  const children = parts.attachments ? attachments.reduce((total, one) => total + one.stat.size, 0) : 0;
  return (parts.content ? stat.size : 0) + children;
}
