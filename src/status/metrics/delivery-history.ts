import type { Clock } from '../../lib/time/clock.ts';
import { refKey } from '../../model/document.ts';
import type { Activity } from '../../model/report/status.ts';

/** The kinds of deliveries in the chart, from the bottom of a column to its top. */
export const deliveryKinds = ['uploaded', 'modified', 'moved', 'deleted', 'failed'] as const;

type DeliveryKind = (typeof deliveryKinds)[number];

/** Documents per 20 minutes over the last day, oldest first; the last column is the one that runs. */
export type HistoryReport = {
  readonly bucketSeconds: number;
  /** ISO 8601, UTC: when the first column begins. */
  readonly start: string;
} & Readonly<Record<DeliveryKind, readonly number[]>>;

const bucketSeconds = 1200;
const bucketCount = (24 * 3600) / bucketSeconds;

type Counts = Record<DeliveryKind, number>;

export type DeliveryHistory = ReturnType<typeof createDeliveryHistory>;

/**
 * Remembers how many documents were delivered when, from now on. A document that failed counts once, and no more when
 * that is over. Bounded: a day, however long the process runs.
 */
export function createDeliveryHistory(clock: Clock) {
  const buckets = new Map<number, Counts>();
  /** Where a document that failed is counted. */
  const failures = new Map<string, number>();
  const current = () => Math.floor(clock.now() / 1000 / bucketSeconds);

  return {
    record: (activity: Activity) => {
      const kind = deliveryKinds.find((known) => known === activity.what);
      if (kind === undefined && activity.after === undefined) return;
      for (const key of [refKey(activity), activity.from ?? '']) {
        const earlier = buckets.get(failures.get(key) ?? NaN);
        if (earlier !== undefined) earlier.failed -= 1;
        failures.delete(key);
      }
      if (kind === undefined) return;
      const index = Math.floor(Date.parse(activity.at) / 1000 / bucketSeconds);
      const counts = buckets.get(index) ?? { uploaded: 0, modified: 0, deleted: 0, moved: 0, failed: 0 };
      counts[kind] += Math.max(1, activity.documents);
      if (kind === 'failed' && activity.documents <= 1) failures.set(refKey(activity), index);
      if (buckets.has(index)) return;
      buckets.set(index, counts);
      // The wall clock may have jumped either way: only the last day stays.
      const now = current();
      for (const key of buckets.keys()) if (key > now || key <= now - bucketCount) buckets.delete(key);
      for (const [key, column] of failures) if (!buckets.has(column)) failures.delete(key);
    },
    report: (): HistoryReport => {
      const first = current() - bucketCount + 1;
      const columns = deliveryKinds.map((kind) => [
        kind,
        Array.from({ length: bucketCount }, (_, offset) => buckets.get(first + offset)?.[kind] ?? 0),
      ]);
      return {
        bucketSeconds,
        start: new Date(first * bucketSeconds * 1000).toISOString(),
        ...(Object.fromEntries(columns) as Record<DeliveryKind, number[]>),
      };
    },
  };
}

/** A report as columns, oldest first: when each begins, ms, and how many there are of each of `deliveryKinds`. */
export function columnsOf(history: HistoryReport) {
  const { start, uploaded } = history;
  return uploaded.map((_, index) => ({
    start: Date.parse(start) + index * history.bucketSeconds * 1000,
    counts: deliveryKinds.map((kind) => history[kind][index] ?? 0),
  }));
}
