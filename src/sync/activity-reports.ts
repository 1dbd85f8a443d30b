import type { Clock } from '../lib/time/clock.ts';
import type { DocumentRef } from '../model/document.ts';
import { inDoubtCode } from '../model/doubts.ts';
import type { SendKind, Unclearable } from '../model/operation.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { Activity, Reason } from '../model/report/status.ts';

const warnings: ReadonlySet<Activity['what']> = new Set(['failed', 'in doubt', 'warning']);

export const returnedWords = {
  held: 'its file is back, so that its deletion is no longer held',
  delete: 'its file is back, so that it is not deleted',
  keep: 'its file is back, so that its document goes on with it',
} as const;

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
    /** Deletions of one folder that are held from now on: the story of each has it, and the log tells of them once. */
    addHeld: (folder: string, held: readonly DocumentRef[], message: string): void => {
      if (held.length > 0) log.warn({ folder, documents: held.length, message }, 'held');
      const at = new Date(clock.now()).toISOString();
      for (const ref of held)
        onActivity({ ...ref, at, what: 'held', docId: docIdOf(ref), message, documents: 1 });
    },
    /** The file of a deletion that was held, or about which a person has decided. */
    addReturned: (ref: DocumentRef, was: keyof typeof returnedWords): void => {
      add({ ...ref, what: 'returned', docId: docIdOf(ref), message: returnedWords[was] });
    },
    /** What the interface gives no way to take back. */
    addUnclearable: (ref: DocumentRef, unclearable: readonly Unclearable[]): void => {
      for (const { message } of unclearable) add({ ...ref, what: 'warning', docId: null, message });
    },
  };
}
