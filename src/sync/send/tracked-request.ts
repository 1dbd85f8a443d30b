import { writtenMoment } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { Change, Intent } from '../../model/ports/ledger-port.ts';
import type { MetricsPort, RequestOperation } from '../../model/ports/metrics-port.ts';
import type { FileOutcome, Outcome, RequestWatch } from '../../model/ports/service-port.ts';
import type { Status, TransferStatus } from '../../model/report/status.ts';
import type { Untaken } from '../tasks/task.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { LedgerCommits } from './ledger-commits.ts';

/** What this process did since it started. */
export type Totals = { -readonly [Key in keyof Status['totals']]: number };

export interface RequestAbout {
  readonly folder: string;
  /** Empty: a bulk call. */
  readonly path: string;
  readonly operation: RequestOperation;
  readonly bytesTotal: number;
  readonly documents: number;
  /** That the service says it does not know the document says nothing about its address. */
  readonly mayBeGone?: boolean;
  /** What came of the requests of these documents before. */
  readonly untaken?: Untaken | null;
  /** Uploads: durable before the first byte goes out. */
  readonly intent?: Omit<Intent, 'id' | 'at'>;
  /** Durable before the first byte too: what has to be known should no answer come. */
  readonly before?: readonly Change[];
}

/** What came of a request, the intents that it left open, and what is known of its documents now. */
export type RequestResult = FileOutcome & {
  readonly intentIds: readonly string[];
  readonly untaken: Untaken | null;
};

/** Makes one request: counted, journalled before it goes out, watched, and its outcome noted by the circuit breaker. */
export type TrackedRequest = (
  about: RequestAbout,
  stillFollows: RequestWatch['stillFollows'],
  call: (watch: RequestWatch) => Promise<FileOutcome>,
) => Promise<RequestResult>;

/** What it makes does not go out where that is stopped by then: by a pause, or as all uploads are. */
export function createTrackedRequest({
  clock,
  writer,
  breaker,
  transfers,
  metrics,
  totals,
  isStopped,
}: {
  readonly clock: Clock;
  readonly writer: LedgerCommits;
  readonly breaker: CircuitBreaker;
  readonly transfers: Transfers;
  readonly metrics: MetricsPort;
  readonly totals: Totals;
  readonly isStopped: (about: Pick<TransferStatus, 'folder' | 'operation'>) => boolean;
}): TrackedRequest {
  return async ({ intent, before = [], mayBeGone = false, untaken = null, ...about }, stillFollows, call) => {
    const transfer = transfers.start(about, clock.now());
    const intentIds: string[] = [];
    let underWay: { readonly since: number; until: number | null } | null = null;
    let wentOut = true;
    /** Counts the request that went out last. */
    const measure = (outcome: Outcome['kind']): void => {
      if (underWay === null) return;
      const { since, until } = underWay;
      const seconds = ((until ?? clock.monotonic()) - since) / 1000;
      metrics.request({ operation: about.operation, outcome, seconds });
      underWay = null;
    };
    const watch: RequestWatch = {
      beforeSend: async (id) => {
        // A request is repeated for one reason: its token was refused.
        measure('unauthorized');
        const at = clock.now();
        const changes: Change[] = [{ kind: 'sent', id, at }, ...before];
        if (intent !== undefined) changes.push({ kind: 'intent', intent: { ...intent, id, at } });
        wentOut = false;
        await writer.commitOnce(changes);
        wentOut = true;
        if (intent !== undefined) intentIds.push(id);
        totals.requests += 1;
        underWay = { since: clock.monotonic(), until: null };
      },
      // What has begun by then ends in its own way.
      stillFollows: async (hasBegun) => {
        const mayGoOn = () => hasBegun || !isStopped(about);
        return mayGoOn() && (await stillFollows(hasBegun)) && mayGoOn();
      },
      onAnswer: (id, isUnauthorized) => {
        if (underWay !== null) underWay.until = clock.monotonic();
        const answered: Change = { kind: 'answered', id, ...writtenMoment(clock) };
        // Nobody is in doubt about it while its repetition waits for a permit.
        const changes: readonly Change[] =
          isUnauthorized === true ? [answered, { kind: 'resolve', id }] : [answered];
        void writer.commitOnce(changes).catch(() => {});
      },
      onBytes: (count) => {
        transfer.bytesSent += count;
        transfer.at = clock.now();
        totals.bytesSent += count;
        metrics.bytes(count);
      },
    };
    try {
      const result = await call(watch);
      measure(result.outcome.kind);
      const isExpected = mayBeGone && result.outcome.kind === 'missing';
      const noted = isExpected ? ({ kind: 'accepted', docId: null, warning: null } as const) : result.outcome;
      // What the ledger did not take, and what we ended ourselves, says nothing of the service.
      const isTelling = wentOut && !isEnded(result.outcome);
      const what = `${about.operation} ${about.folder}/${about.path}`;
      const now = isTelling ? breaker.note(noted, what, untaken, about.documents) : untaken;
      return { ...result, intentIds, untaken: now };
    } finally {
      transfers.end(transfer);
    }
  };
}

/** By a stop whose time was up, or because it followed no more. */
function isEnded(outcome: Outcome): boolean {
  if (outcome.kind === 'withdrawn') return true;
  return (outcome.kind === 'unavailable' || outcome.kind === 'unknown') && outcome.code === 'stopped';
}

/** One request under way, for progress. */
type Transfer = Omit<TransferStatus, 'since'> & { bytesSent: number; at: number };

/** Requests under way. */
export class Transfers {
  readonly #running = new Set<Transfer>();

  start(about: Omit<TransferStatus, 'bytesSent' | 'since'>, at: number): Transfer {
    const transfer = { ...about, bytesSent: 0, at };
    this.#running.add(transfer);
    return transfer;
  }

  end(transfer: Transfer): void {
    this.#running.delete(transfer);
  }

  list(): readonly TransferStatus[] {
    return [...this.#running].map(({ at, ...status }) => ({ ...status, since: new Date(at).toISOString() }));
  }
}
