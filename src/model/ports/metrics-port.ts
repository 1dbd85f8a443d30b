import type { BulkKind, SendKind } from '../operation.ts';

/** Requests as metrics name them: few and fixed, for each is a time series of its own. */
export type RequestOperation = SendKind | `bulk_${BulkKind}`;

/** Where the engine counts what it does, for `/metrics`. Each call is cheap and never throws. */
export interface MetricsPort {
  /**
   * One HTTP request, its kind of outcome, and the time from its first byte to the last one of the answer, or to what
   * cut it off. Its repetition with a fresh token is another one.
   */
  readonly request: (measure: {
    readonly operation: RequestOperation;
    readonly outcome: string;
    readonly seconds: number;
  }) => void;
  /** How long one request waited for its place in the minute. */
  readonly rateWait: (seconds: number) => void;
  /** Bytes of files that went out. */
  readonly bytes: (count: number) => void;
}

/** Counts nothing. */
export const noMetrics: MetricsPort = { request: () => {}, rateWait: () => {}, bytes: () => {} };
