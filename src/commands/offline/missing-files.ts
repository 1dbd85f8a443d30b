import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../model/errors.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { FolderSettings } from '../../model/settings.ts';

/** Paths of a folder's recorded documents whose files are gone at this moment. Throws where the folder itself cannot be read. */
export async function missingFiles(
  ledger: Pick<LedgerPort, 'entries'>,
  { name, path: root }: Pick<FolderSettings, 'name' | 'path'>,
): Promise<readonly string[]> {
  await readdir(root);
  const missing: string[] = [];
  for (const { ref } of ledger.entries()) {
    if (ref.folder !== name) continue;
    const code = await lstat(join(root, ref.path)).then(
      () => null,
      (error: unknown) => errorCode(error),
    );
    if (code === 'ENOENT' || code === 'ENOTDIR') missing.push(ref.path);
  }
  return missing;
}
