import { deliveryKinds } from '../../metrics/delivery-history.ts';
import type { HistoryReport } from '../../metrics/delivery-history.ts';

export interface Column {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** One for each of `deliveryKinds`. */
  readonly counts: readonly number[];
}

/** The last day as columns, oldest first. */
export function columnsOf(history: HistoryReport): Column[] {
  const { bucketSeconds, start, uploaded } = history;
  return uploaded.map((_, index) => ({
    start: Date.parse(start) + index * bucketSeconds * 1000,
    counts: deliveryKinds.map((kind) => history[kind][index] ?? 0),
  }));
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
