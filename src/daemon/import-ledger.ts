import type { LogPort } from '../core/log-port.ts';
import type { Settings } from '../core/settings.ts';
import { importLedger } from '../ledger/import-ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { systemClock } from './system-clock.ts';

const recordsAtOnce = 5_000;

/**
 * Adopts documents that the service already holds. Nothing is taken from a file in which anything is wrong: `problems`
 * says what, with line numbers. Throws StateLockedError beside a running daemon.
 */
export async function importIntoLedger(
  { settings, log }: { readonly settings: Settings; readonly log: LogPort },
  text: string,
  fileName: string,
): Promise<{ adopted: number; problems: string[] }> {
  const folders = settings.folders.map(({ name }) => name);
  const { entries, problems } = importLedger(text, { folders, now: systemClock.now() });
  if (problems.length > 0) {
    return { adopted: 0, problems: problems.map(({ line, message }) => `${fileName}:${line}: ${message}`) };
  }
  const ledger = await openLedger({ dir: settings.state.dir, clock: systemClock, log });
  try {
    const taken = entries.flatMap(({ ref, record }) => {
      const owner = ledger.findByDocId(record.docId);
      if (owner === undefined || (owner.folder === ref.folder && owner.path === ref.path)) return [];
      return [`${fileName}: ${record.docId} is already the docId of ${owner.folder}/${owner.path}`];
    });
    if (taken.length > 0) return { adopted: 0, problems: taken };
    for (let start = 0; start < entries.length; start += recordsAtOnce) {
      await ledger.commit(
        entries.slice(start, start + recordsAtOnce).map(({ ref, record }) => ({ kind: 'put', ref, record })),
      );
    }
    return { adopted: entries.length, problems: [] };
  } finally {
    await ledger.close();
  }
}
