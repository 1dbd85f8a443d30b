import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { refKey } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import { errorMessage } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerEntry } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { statOf } from '../../scan/walk/entry.ts';
import { openAsItStands } from '../unwatched-folder.ts';

/** Documents with what their files are at this moment, or why some cannot be adopted, with the fix. */
export interface AdoptedFiles {
  readonly entries: readonly LedgerEntry[];
  readonly problems: readonly string[];
}

const atOnce = 16;

const listener = { directory: () => undefined, scanned: () => undefined, changed: () => undefined };

/**
 * Gives each imported document whose bytes nobody knows (`sha256` empty) those of its file: the file as it stands is
 * what is adopted, and an edit from now on is a change. One without a file is a problem: the first pass would take the
 * file for removed, and delete the document. Where the bytes are known, as in an export, it rightly would.
 */
export async function adoptFiles(
  entries: readonly LedgerEntry[],
  { settings, log }: { readonly settings: Settings; readonly log: LogPort },
): Promise<AdoptedFiles> {
  const adopted = entries.filter(({ record }) => record.sha256 !== '');
  const problems: string[] = [];
  for (const folder of settings.folders) {
    const unknown = entries.filter(({ ref, record }) => record.sha256 === '' && ref.folder === folder.name);
    if (unknown.length === 0) continue;
    const port = openAsItStands(folder, { settings, log });
    try {
      await port.start(listener);
      for (let from = 0; from < unknown.length; from += atOnce) {
        const looks = unknown.slice(from, from + atOnce).map((entry) => adoptFile(port, entry));
        for (const found of await Promise.all(looks)) {
          if (typeof found === 'string') problems.push(found);
          else adopted.push(found);
        }
      }
    } finally {
      await port.close();
    }
  }
  return { entries: adopted, problems };
}

/** A text: why not. */
async function adoptFile(port: FolderPort, { ref, record }: LedgerEntry): Promise<LedgerEntry | string> {
  const look = await port.inspect(ref.path);
  switch (look.kind) {
    case 'document':
      try {
        return (await withBytes(port, { ref, record }, look.document.stat)) ?? changing(ref);
      } catch (error) {
        return `${refKey(ref)} cannot be read (${errorMessage(error)}); make it readable, or remove the line from the import`;
      }
    case 'absent':
      return (
        `${refKey(ref)} does not exist, so its document would be deleted; ` +
        'correct the path, add the file, or remove the line from the import'
      );
    case 'settling':
      return changing(ref);
    case 'unknown':
      return `${refKey(ref)} cannot be inspected (${look.message}); fix that, then import again`;
    // A file stands there that is not sent as it is: the first pass says why, and nothing becomes of its document. An
    // edit before it can be sent is an edit all the same.
    case 'waiting':
    case 'ignored':
    case 'skipped':
    case 'unfit':
      return (await unsentFile(port, { ref, record }).catch(() => null)) ?? { ref, record };
  }
}

/** Null: it is no regular file, or is not found under this name. Rejects where it cannot be read. */
async function unsentFile(port: FolderPort, entry: LedgerEntry): Promise<LedgerEntry | null> {
  const stats = await lstat(join(port.path, entry.ref.path));
  return stats.isFile() ? withBytes(port, entry, statOf(stats)) : null;
}

/** Null: the file is another one by now. Rejects where it cannot be read. */
async function withBytes(
  port: FolderPort,
  { ref, record }: LedgerEntry,
  stat: FileStat,
): Promise<LedgerEntry | null> {
  const sha256 = await port.hash(ref.path, stat);
  return sha256 === null ? null : { ref, record: { ...record, stat, sha256 } };
}

function changing(ref: LedgerEntry['ref']): string {
  return `${refKey(ref)} is still changing; import again when it has stopped`;
}
