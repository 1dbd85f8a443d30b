import { joinPath, nameOf } from '../../model/document.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { isAttachmentDirectory } from '../../model/names-and-types.ts';

/** Why the files in a directory of attachments are not sent. */
export const orphanAttachments: Reason = {
  code: 'orphan-attachments',
  message: 'its document is not there, so only those of these attachments are sent that a sidecar lists',
};

/**
 * The document whose attachments lie in a directory, by its path, and whether no file stands there; null: the directory
 * holds no attachments, or is ignored.
 */
export async function ownerOfAttachments(port: FolderPort, directory: string) {
  if (!isAttachmentDirectory(nameOf(directory))) return null;
  const inside = await port.inspect(joinPath(directory, 'any'));
  const path = inside.kind === 'ignored' ? inside.owner : undefined;
  return path === undefined ? null : { path, isAbsent: (await port.inspect(path)).kind === 'absent' };
}
