import type { FolderStatus } from '../../../model/report/status.ts';
import type { HistoryReport } from '../../metrics/delivery-history.ts';

/** How many documents of a folder are in each state. */
export interface Counts extends Pick<
  FolderStatus,
  'synced' | 'pending' | 'waiting' | 'failed' | 'skipped' | 'held'
> {
  /** Of those that failed, the uploads in doubt. */
  readonly inDoubt?: number;
}

/**
 * The documents of folders, part by part: those of the bar are all documents, none twice. What is no document, or not
 * on disk, has a number only.
 */
export function barPartsOf(folders: readonly Counts[]) {
  const sum = (of: (counts: Counts) => number) => folders.reduce((total, one) => total + of(one), 0);
  const doubts = sum(({ inDoubt = 0 }) => inDoubt);
  return [
    { key: 'synced', label: 'delivered', count: sum(({ synced }) => synced), inBar: true },
    { key: 'moving', label: 'to send', count: sum(({ pending }) => pending), inBar: true },
    { key: 'waiting', label: 'waiting', count: sum(({ waiting }) => waiting), inBar: true },
    { key: 'failed', label: 'failed', count: sum(({ failed }) => failed) - doubts, inBar: true },
    { key: 'doubt', label: 'in doubt', count: doubts, inBar: true },
    { key: 'held', label: 'deletions held', count: sum(({ held }) => held), inBar: false },
    { key: 'skipped', label: 'skipped', count: sum(({ skipped }) => skipped), inBar: false },
  ];
}

/**
 * How much of a transfer's bar is filled, of `total`: full is for what the service has accepted, which is in no list of
 * transfers.
 */
export function filledOf(sent: number, total: number): number {
  return Math.max(0, Math.min(sent, Math.floor(total * 0.99)));
}

/** From the bottom of a column to its top. */
export const chartKinds = ['uploaded', 'modified', 'moved', 'deleted', 'failed'] as const;

export interface Column {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** One for each of `chartKinds`. */
  readonly counts: readonly number[];
}

/** The same number of columns whatever the span is. */
export const columnCount = 72;

/** The last `hours` (6 or 24) as columns, oldest first. */
export function columnsOf(history: HistoryReport, hours: number): Column[] {
  const { bucketSeconds, uploaded } = history;
  const perColumn = Math.max(1, Math.round((hours * 3600) / bucketSeconds / columnCount));
  return Array.from({ length: columnCount }, (_, column) => {
    const from = uploaded.length - perColumn * (columnCount - column);
    return {
      start: Date.parse(history.start) + from * bucketSeconds * 1000,
      counts: chartKinds.map((kind) =>
        sumOf(history[kind].slice(Math.max(0, from), Math.max(0, from + perColumn))),
      ),
    };
  });
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
