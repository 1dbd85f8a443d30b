import { joinPath } from '../../model/document.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { Reason } from '../../model/report/status.ts';

/** Why the files in a directory of attachments are not sent. */
export const orphanAttachments: Reason = {
  code: 'orphan-attachments',
  message: 'its document is not there, so these attachments are not sent',
};

/** The path of the document whose attachments lie in a directory; null: it is no such directory, or it is ignored. */
export async function ownerOfAttachments(port: FolderPort, directory: string): Promise<string | null> {
  const inside = await port.inspect(joinPath(directory, 'any'));
  return inside.kind === 'ignored' ? (inside.owner ?? null) : null;
}

/** Says whether no file stands under the name of a document. */
export async function isAbsentAt(port: FolderPort, path: string): Promise<boolean> {
  return (await port.inspect(path)).kind === 'absent';
}
