import type { BulkKind, SendKind } from '../operation.ts';

/** Requests as metrics name them: few and fixed, for each is a time series of its own. */
export type RequestOperation = SendKind | `bulk_${BulkKind}`;

/** One HTTP request to an ingestion endpoint and how it ended; its repetition with a fresh token is another. */
interface RequestMeasure {
  readonly operation: RequestOperation;
  /** The kind of outcome: accepted, rejected, unavailable, unknown … */
  readonly outcome: string;
  /** From when it went out to the last byte of the answer, or to what cut it off. */
  readonly seconds: number;
}

/** Where the engine counts what it does, for `/metrics`. Each call is cheap and never throws. */
export interface MetricsPort {
  readonly request: (measure: RequestMeasure) => void;
  /** How long one request waited for its place in the minute. */
  readonly rateWait: (seconds: number) => void;
  /** Bytes of files that went out. */
  readonly bytes: (count: number) => void;
}

/** Counts nothing. */
export const noMetrics: MetricsPort = { request: () => {}, rateWait: () => {}, bytes: () => {} };
