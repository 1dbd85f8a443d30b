import type { Clock } from '../lib/time/clock.ts';
import type { DocumentRef } from '../model/document.ts';
import { inDoubtCode } from '../model/doubts.ts';
import type { SendKind, Unclearable } from '../model/operation.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { Activity, Reason } from '../model/report/status.ts';

const warnings: ReadonlySet<Activity['what']> = new Set(['failed', 'held', 'in doubt', 'warning']);

/** What became of documents, in the log and for whoever lists activities. */
export class ActivityReports {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: LogPort;
  readonly #ledger: Pick<LedgerPort, 'get'>;
  readonly #onActivity: (activity: Activity) => void;

  constructor({
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
    this.#clock = clock;
    this.#log = log;
    this.#ledger = ledger;
    this.#onActivity = onActivity;
  }

  add(activity: Omit<Activity, 'at' | 'documents'> & { readonly documents?: number }): void {
    const whole = { documents: 1, ...activity, at: new Date(this.#clock.now()).toISOString() };
    const { what, at: _, documents, message, docId, ...where } = whole;
    const line = { ...where, ...(docId === null ? {} : { docId }), ...(message === null ? {} : { message }) };
    if (warnings.has(what)) this.#log.warn(documents === 1 ? line : { ...line, documents }, what);
    else this.#log.info(line, what);
    this.#onActivity(whole);
  }

  /** `operation`: of the request that failed; left out: none was made. */
  addFailure(ref: DocumentRef, { code, message }: Reason, operation?: SendKind): void {
    const what = code === inDoubtCode ? 'in doubt' : 'failed';
    const docId = this.#ledger.get(ref)?.docId ?? null;
    this.add({ ...ref, what, docId, message, code, ...(operation === undefined ? {} : { operation }) });
  }

  /** The file of a deletion that was held. */
  addReturned(ref: DocumentRef): void {
    const message = 'its file is back, so that its deletion is no longer held';
    this.add({ ...ref, what: 'returned', docId: this.#ledger.get(ref)?.docId ?? null, message });
  }

  /** What the interface gives no way to take back. */
  addUnclearable(ref: DocumentRef, unclearable: readonly Unclearable[]): void {
    for (const { message } of unclearable) this.add({ ...ref, what: 'warning', docId: null, message });
  }
}
