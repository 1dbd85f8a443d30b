/** Requests as metrics name them: few and fixed, for each is a time series of its own. */
export type RequestOperation = 'upload' | 'modify' | 'delete' | 'bulk_modify' | 'bulk_delete';

/** One HTTP attempt at an ingestion endpoint and how it ended. */
interface RequestMeasure {
  readonly operation: RequestOperation;
  /** The kind of outcome: accepted, rejected, unavailable, unknown … */
  readonly outcome: string;
  /** From the first byte sent to the last byte of the answer. */
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
