import { stat } from 'node:fs/promises';

import type { Retried } from '../../model/ports/control-port.ts';
import { refKey } from '../../model/document.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Settings } from '../../model/settings.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { withoutDuplicates } from '../../sync/retry.ts';
import { missingFiles } from './missing-files.ts';
import { resolvePath } from '../../daemon/resolve-path.ts';
import { systemClock } from '../../daemon/system-clock.ts';

/** `retry` without a running daemon: forgets failures and doubts, so that the next start tries again. */
export async function retryOffline(settings: Settings, paths: readonly string[]): Promise<Retried> {
  return withLedger(settings, async (ledger) => {
    const named = new Map(paths.map((text) => [text, resolvePath(settings, text)]));
    const wanted = new Set([...named.values()].flatMap((ref) => (ref === null ? [] : [refKey(ref)])));
    const isWanted = (key: string) => paths.length === 0 || wanted.has(key);
    const known = new Set<string>();
    const changes: Change[] = [];
    for (const [ref] of ledger.failures()) {
      if (!isWanted(refKey(ref))) continue;
      known.add(refKey(ref));
      changes.push({ kind: 'clear', ref });
    }
    for (const { ref, id } of ledger.doubts()) {
      if (!isWanted(refKey(ref))) continue;
      known.add(refKey(ref));
      changes.push({ kind: 'dismiss', id });
    }
    const delivered = new Set<string>();
    for (const ref of named.values()) {
      const change = ref === null ? null : withoutDuplicates(ledger, ref);
      if (ref === null || change === null) continue;
      delivered.add(refKey(ref));
      changes.push(change);
    }
    if (changes.length > 0) await ledger.commit(changes);
    const unknown = [...named]
      .filter(([, ref]) => ref === null || !(known.has(refKey(ref)) || delivered.has(refKey(ref))))
      .map(([text]) => text);
    return { retried: known.size, dismissed: delivered.size, unknown };
  });
}

/**
 * `approve` without a running daemon, as `sync` leaves held deletions behind: allows the deletion of every recorded
 * document of a folder on hold whose file is gone at this moment.
 */
export async function approveOffline(
  settings: Settings,
  folder: string | null,
): Promise<{ readonly approved: number }> {
  const names = settings.folders.map(({ name }) => name);
  if (folder !== null && !names.includes(folder)) {
    throw new ConfigurationError(`there is no folder "${folder}"; configured are: ${names.join(', ')}`);
  }
  return withLedger(settings, async (ledger) => {
    let approved = 0;
    for (const folderSettings of settings.folders) {
      const { name, path } = folderSettings;
      if ((folder !== null && folder !== name) || ledger.hold(name) === undefined) continue;
      const paths = await missingFiles(ledger, folderSettings);
      const root = await stat(path);
      await ledger.commit([
        { kind: 'approve', folder: name, paths },
        { kind: 'hold', folder: name, hold: null },
        { kind: 'root', folder: name, identity: { path, dev: root.dev, ino: root.ino } },
      ]);
      approved += paths.length;
    }
    return { approved };
  });
}

async function withLedger<T>(settings: Settings, act: (ledger: LedgerPort) => Promise<T>): Promise<T> {
  const silent = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const ledger = await openLedger({ dir: settings.state.dir, clock: systemClock, log: silent });
  try {
    return await act(ledger);
  } finally {
    await ledger.close();
  }
}
