import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Clock } from '../../lib/time/clock.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { readLedger } from '../../ledger/read-ledger.ts';

interface ScratchOptions {
  /** The state directory that is copied; it may be a running daemon's. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: LogPort;
}

const changesAtOnce = 5_000;

/** A copy of the ledger that may be written and is forgotten when closed: to try what would happen. */
export async function openScratchLedger({ dir, clock, log }: ScratchOptions): Promise<LedgerPort> {
  const reader = await readLedger(dir);
  const scratch = await mkdtemp(join(tmpdir(), 'ingestd-plan-'));
  try {
    const ledger = await openLedger({ dir: join(scratch, 'state'), clock, log });
    const changes = changesOf(reader);
    for (let start = 0; start < changes.length; start += changesAtOnce) {
      await ledger.commit(changes.slice(start, start + changesAtOnce));
    }
    return {
      ...ledger,
      close: async () => {
        await ledger.close();
        await rm(scratch, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw error;
  }
}

function changesOf(reader: Awaited<ReturnType<typeof readLedger>>): readonly Change[] {
  const changes: Change[] = [];
  const service = reader.service();
  if (service !== null) changes.push({ kind: 'service', service });
  for (const { ref, record } of reader.entries()) {
    changes.push({ kind: 'put', ref, record });
    if (reader.isApproved(ref)) changes.push({ kind: 'approve', folder: ref.folder, paths: [ref.path] });
  }
  for (const [ref, failure] of reader.failures()) changes.push({ kind: 'fail', ref, failure });
  for (const doubt of reader.doubts()) changes.push({ kind: 'doubt', doubt });
  for (const folder of reader.folders()) {
    const hold = reader.hold(folder);
    if (hold !== undefined) changes.push({ kind: 'hold', folder, hold });
    const identity = reader.root(folder);
    if (identity !== undefined) changes.push({ kind: 'root', folder, identity });
    const mounts = reader.mounts(folder);
    if (mounts.length > 0)
      changes.push({ kind: 'mounts', folder, mounts, identities: reader.mountIdentities(folder) });
    for (const path of reader.directories(folder)) {
      const identity = reader.directory({ folder, path });
      if (identity !== undefined) changes.push({ kind: 'directory', folder, path, identity });
    }
    for (const removal of reader.removals(folder)) changes.push({ kind: 'removed', folder, removal });
  }
  return changes;
}
