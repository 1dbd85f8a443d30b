import type { LogPort } from '../core/log-port.ts';
import type { Settings } from '../core/settings.ts';
import { importLedger } from '../ledger/import-ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { adoptFiles } from './adopt-files.ts';
import { claimLedger, requireService } from './ledger-service.ts';
import { serviceIdentity, serviceWords } from './service-identity.ts';
import { systemClock } from './system-clock.ts';

const recordsAtOnce = 5_000;

/**
 * Adopts documents that the service already holds, with their files as they stand. Nothing is taken from a file in which anything is wrong: `problems`
 * says what, with line numbers. Throws StateLockedError beside a running daemon, ConfigurationError where the ledger is
 * another service's.
 */
export async function importIntoLedger(
  { settings, log }: { readonly settings: Settings; readonly log: LogPort },
  text: string,
  fileName: string,
): Promise<{ adopted: number; problems: string[] }> {
  const folders = settings.folders.map(({ name }) => name);
  const { entries, problems, service } = importLedger(text, { folders, now: systemClock.now() });
  if (problems.length > 0) {
    return {
      adopted: 0,
      problems: problems.map(
        ({ line, message }) => `${fileName}${line === null ? '' : `:${line}`}: ${message}`,
      ),
    };
  }
  if (service !== undefined && service !== serviceIdentity(settings.service)) {
    return { adopted: 0, problems: [`${fileName}: ${foreign(service, settings)}`] };
  }
  const ledger = await openLedger({ dir: settings.state.dir, clock: systemClock, log });
  try {
    const taken = entries.flatMap(({ ref, record }) => {
      const owner = ledger.findByDocId(record.docId);
      if (owner === undefined || (owner.folder === ref.folder && owner.path === ref.path)) return [];
      return [`${fileName}: ${record.docId} is already the docId of ${owner.folder}/${owner.path}`];
    });
    if (taken.length > 0) return { adopted: 0, problems: taken };
    requireService(ledger, settings);
    const files = await adoptFiles(entries, { settings, log });
    if (files.problems.length > 0) {
      return { adopted: 0, problems: files.problems.map((problem) => `${fileName}: ${problem}`) };
    }
    await claimLedger(ledger, settings);
    for (let start = 0; start < entries.length; start += recordsAtOnce) {
      await ledger.commit(
        files.entries
          .slice(start, start + recordsAtOnce)
          .map(({ ref, record }) => ({ kind: 'put', ref, record })),
      );
    }
    return { adopted: entries.length, problems: [] };
  } finally {
    await ledger.close();
  }
}

function foreign(service: string, settings: Settings): string {
  return (
    `"service": its documents are of ${serviceWords(service)}, and the configured one is ` +
    `${serviceWords(serviceIdentity(settings.service))}, which does not know them. Name the right file or service; if both ` +
    'are the same service at two addresses, take "service" out of the file'
  );
}
