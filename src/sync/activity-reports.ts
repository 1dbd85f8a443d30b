import { numberWords } from '../lib/text/amounts.ts';
import { inNaturalOrder } from '../lib/text/natural-order.ts';
import type { Clock } from '../lib/time/clock.ts';
import type { DocumentRef } from '../model/document.ts';
import { inDoubtCode } from '../model/doubts.ts';
import type { SendKind, Unclearable } from '../model/operation.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { Activity, Reason } from '../model/report/status.ts';
import type { Task } from './tasks/task.ts';

const warnings: ReadonlySet<Activity['what']> = new Set(['failed', 'held', 'in doubt', 'warning']);

/** So many documents are named. */
const mostNamed = 3;

export type ActivityReports = ReturnType<typeof createActivityReports>;

/** What became of documents, in the log and for whoever lists activities. */
export function createActivityReports({
  clock,
  log,
  ledger,
  onActivity,
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: LogPort;
  readonly ledger: Pick<LedgerPort, 'get'>;
  readonly onActivity: (activity: Activity) => void;
}) {
  const docIdOf = (ref: DocumentRef) => ledger.get(ref)?.docId ?? null;

  function add(activity: Omit<Activity, 'at' | 'documents'> & { readonly documents?: number }): void {
    const whole = { documents: 1, ...activity, at: new Date(clock.now()).toISOString() };
    const { what, at: _, documents, message, docId, ...where } = whole;
    const line = { ...where, ...(docId === null ? {} : { docId }), ...(message === null ? {} : { message }) };
    if (warnings.has(what)) log.warn(documents === 1 ? line : { ...line, documents }, what);
    else log.info(line, what);
    onActivity(whole);
  }

  return {
    add,
    /** `operation`: of the request that failed; left out: none was made. */
    addFailure: (ref: DocumentRef, { code, message }: Reason, operation?: SendKind): void => {
      const what = code === inDoubtCode ? 'in doubt' : 'failed';
      add({ ...ref, what, docId: docIdOf(ref), message, code, ...(operation && { operation }) });
    },
    /** `documents`: how many they are. `held`: of which the first are named; empty: they come to others. */
    addHeld: (
      folder: string,
      held: readonly Pick<Task, 'ref'>[],
      reason: string,
      documents: number,
    ): void => {
      const paths = held.slice(0, Math.min(mostNamed, documents)).map(({ ref }) => ref.path);
      const [path = ''] = paths;
      const ref = { folder, path };
      if (documents === 1 && path !== '')
        return add({ ...ref, what: 'held', docId: docIdOf(ref), message: reason });
      const more = documents - paths.length;
      const named = `${paths.toSorted(inNaturalOrder).join(', ')}${more > 0 ? ` and ${numberWords(more)} more` : ''}`;
      const message = paths.length === 0 ? reason : `${reason}: ${named}`;
      add({ folder, path: '', what: 'held', docId: null, message, documents });
    },
    /** The file of a deletion that was held, or that a person has approved. */
    addReturned: (ref: DocumentRef, isApproved: boolean): void => {
      const message = `its file is back, so that ${isApproved ? 'it is not deleted' : 'its deletion is no longer held'}`;
      add({ ...ref, what: 'returned', docId: docIdOf(ref), message });
    },
    /** What the interface gives no way to take back. */
    addUnclearable: (ref: DocumentRef, unclearable: readonly Unclearable[]): void => {
      for (const { message } of unclearable) add({ ...ref, what: 'warning', docId: null, message });
    },
  };
}
