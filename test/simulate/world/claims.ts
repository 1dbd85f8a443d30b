import type { Daemon } from '../../../src/daemon/assemble-daemon.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';
import { dueOf, reasonOf } from '../../../src/sync/tasks/task.ts';
import type { Claims } from '../judge/end-rules.ts';

/** What ingestd says that it has told people, while it runs. */
export function toldBy({ engine, control }: Daemon): Pick<Claims, 'told' | 'waiting' | 'failed'> {
  const tasks = [...engine.tasks.all()];
  const nameOf = (ref: { readonly folder: string; readonly path: string }) => `${ref.folder}/${ref.path}`;
  const { inDoubt } = control.status();
  const told = new Set(inDoubt.map(nameOf));
  for (const { ref, state } of tasks)
    if (state.kind === 'held' || state.kind === 'dormant') told.add(nameOf(ref));
  const waiting = tasks
    .filter(({ state }) => state.kind !== 'held' && state.kind !== 'dormant' && state.kind !== 'failed')
    .map((task) => ({
      path: nameOf(task.ref),
      reason: reasonOf(task)?.message ?? '',
      until: dueOf(task),
    }));
  const failed = new Map(
    tasks
      .filter(({ state }) => state.kind === 'failed')
      .map((task) => [nameOf(task.ref), reasonOf(task)?.code ?? '']),
  );
  return { told, waiting, failed };
}

/** What its ledger says when it has stopped. */
export async function ledgerClaims(dir: string, clock: Clock): Promise<Pick<Claims, 'known' | 'duplicates'>> {
  const ledger = await openLedger({ dir, clock, log: silentLog });
  try {
    const entries = [...ledger.entries()];
    const known = new Map(entries.map(({ ref, record }) => [record.docId, `${ref.folder}/${ref.path}`]));
    const duplicates =
      entries.reduce((sum, { record }) => sum + record.possibleDuplicates, 0) +
      ledger.doubts().reduce((sum, { count }) => sum + count, 0);
    return { known, duplicates };
  } finally {
    await ledger.close();
  }
}
