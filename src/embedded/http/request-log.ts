import type { Clock } from '../../lib/time/clock.ts';

/** The endpoints of interface section 4. */
export type ServiceOperation =
  'auth' | 'revoke' | 'upload' | 'modify' | 'delete' | 'bulk-modify' | 'bulk-delete';

/** One request as the service saw it. */
export interface RequestEntry {
  readonly operation: ServiceOperation;
  /** When its headers had arrived, by the monotonic clock. */
  readonly atMs: number;
  /** Null until it is answered, and always null if its connection was cut. */
  readonly status: number | null;
}

/** Bounds the memory of a long test run: beyond this many the oldest tenth is dropped. */
const maxEntries = 100_000;

/** Remembers which requests came when and how they were answered. */
export interface RequestLog {
  /** Notes an arrival; what it returns notes the answer. */
  readonly arrive: (operation: ServiceOperation) => (status: number) => void;
  /** In the order of their arrival, the last hundred thousand. */
  readonly entries: () => readonly RequestEntry[];
}

/** An empty log. */
export function createRequestLog(clock: Clock): RequestLog {
  const entries: { operation: ServiceOperation; atMs: number; status: number | null }[] = [];
  return {
    arrive: (operation) => {
      const entry = { operation, atMs: clock.monotonic(), status: null as number | null };
      if (entries.length >= maxEntries) entries.splice(0, maxEntries / 10);
      entries.push(entry);
      return (status) => {
        entry.status = status;
      };
    },
    entries: () => entries.map((entry) => ({ ...entry })),
  };
}
