import type { LedgerPort } from '../ports/ledger-port.ts';
import type { Settings } from '../settings.ts';
import type { Status } from './status.ts';

/** Folders with documents that the configuration does not name any more: nobody watches them, and they stay. */
export function unconfigured(
  ledger: Pick<LedgerPort, 'folders' | 'count'>,
  { folders }: Pick<Settings, 'folders'>,
): Pick<Status, 'unconfigured'> {
  const others = ledger.folders().filter((name) => folders.every((folder) => folder.name !== name));
  if (others.length === 0) return {};
  return { unconfigured: others.map((name) => ({ name, documents: ledger.count(name) })) };
}
