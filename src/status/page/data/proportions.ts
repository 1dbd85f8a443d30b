import type { CountedFolder } from '../../../model/report/failures.ts';
import { deliveryKinds } from '../../metrics/delivery-history.ts';
import type { HistoryReport } from '../../metrics/delivery-history.ts';

/**
 * The documents of folders, part by part: those of the bar are all documents, none twice. What is no document, or not
 * on disk, has a number only.
 */
export function barPartsOf(folders: readonly CountedFolder[]) {
  return parts.map((part) => ({ ...part, count: sumOf(folders.map((one) => one[part.of])) }));
}

const parts = [
  { of: 'synced', key: 'synced', label: 'delivered', inBar: true },
  { of: 'pending', key: 'moving', label: 'to send', inBar: true },
  { of: 'waiting', key: 'waiting', label: 'waiting', inBar: true },
  { of: 'failed', key: 'failed', label: 'failed', inBar: true },
  { of: 'inDoubt', key: 'doubt', label: 'in doubt', inBar: true },
  { of: 'refused', key: 'failed', label: 'deletions refused', inBar: false },
  { of: 'held', key: 'held', label: 'deletions held', inBar: false },
  { of: 'skipped', key: 'skipped', label: 'skipped', inBar: false },
] as const;

/**
 * How much of a transfer's bar is filled, of `total`: full is for what the service has accepted, which is in no list of
 * transfers.
 */
export function filledOf(sent: number, total: number): number {
  return Math.max(0, Math.min(sent, Math.floor(total * 0.99)));
}

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
