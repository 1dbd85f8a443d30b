import type { ServerResponse } from 'node:http';

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
export class RequestLog {
  readonly #entries: { operation: ServiceOperation; atMs: number; status: number | null }[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes an arrival now, and how it is answered later. */
  arrive(operation: ServiceOperation, response: ServerResponse): void {
    const entry = { operation, atMs: this.#clock.monotonic(), status: null as number | null };
    if (this.#entries.length >= maxEntries) this.#entries.splice(0, maxEntries / 10);
    this.#entries.push(entry);
    response.once('finish', () => (entry.status = response.statusCode));
  }

  /** In the order of their arrival, the last hundred thousand. */
  entries(): readonly RequestEntry[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }
}
