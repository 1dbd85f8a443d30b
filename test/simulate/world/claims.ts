import type { Daemon } from '../../../src/daemon/assemble-daemon.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';
import { dueOf, reasonOf } from '../../../src/sync/tasks/task.ts';
import type { Claims } from '../judge/end-rules.ts';

/** What ingestd says of itself while it runs. */
export function saidBy({ engine, control }: Daemon): Pick<Claims, 'status' | 'waits'> {
  const waits = [...engine.tasks.all()]
    .filter(({ state }) => state.kind !== 'held' && state.kind !== 'dormant' && state.kind !== 'failed')
    .map((task) => ({
      path: `${task.ref.folder}/${task.ref.path}`,
      code: reasonOf(task)?.code ?? '',
      reason: reasonOf(task)?.message ?? '',
      until: dueOf(task),
    }));
  return { status: control.status(), waits };
}

/** What its ledger says when it has stopped. */
export async function ledgerClaims(
  dir: string,
  clock: Clock,
): Promise<Pick<Claims, 'documents' | 'duplicates'>> {
  const ledger = await openLedger({ dir, clock, log: silentLog });
  try {
    const entries = [...ledger.entries()];
    const duplicates =
      entries.reduce((sum, { record }) => sum + record.possibleDuplicates, 0) +
      ledger
        .doubts()
        .filter(({ dismissed }) => dismissed !== true)
        .reduce((sum, { count }) => sum + count, 0);
    return { documents: entries.map(({ ref, record }) => ({ ...ref, docId: record.docId })), duplicates };
  } finally {
    await ledger.close();
  }
}
