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
  return [
    { key: 'synced', label: 'delivered', count: sum(({ synced }) => synced), inBar: true },
    { key: 'moving', label: 'to send', count: sum(({ pending }) => pending), inBar: true },
    { key: 'waiting', label: 'waiting', count: sum(({ waiting }) => waiting), inBar: true },
    {
      key: 'failed',
      label: 'failed',
      count: sum(({ failed, inDoubt = 0 }) => failed - inDoubt),
      inBar: true,
    },
    { key: 'doubt', label: 'in doubt', count: sum(({ inDoubt = 0 }) => inDoubt), inBar: true },
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

export type ChartKind = (typeof chartKinds)[number];

export type ByKind<T> = Readonly<Record<ChartKind, T>>;

export function byKind<T>(of: (kind: ChartKind) => T): ByKind<T> {
  return Object.fromEntries(chartKinds.map((kind) => [kind, of(kind)])) as ByKind<T>;
}

export interface Column {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly counts: ByKind<number>;
  readonly total: number;
}

/** The same number of columns whatever the span is. */
export const columnCount = 72;

/** The last `hours` (6 or 24) as columns, oldest first. */
export function columnsOf(history: HistoryReport, hours: number): Column[] {
  const perColumn = Math.max(1, Math.round((hours * 3600) / history.bucketSeconds / columnCount));
  const length = history.uploaded.length;
  const first = length - perColumn * columnCount;
  const startOf = (index: number) => Date.parse(history.start) + index * history.bucketSeconds * 1000;
  return Array.from({ length: columnCount }, (_, column) => {
    const from = first + column * perColumn;
    const sum = (kind: ChartKind) =>
      history[kind].slice(Math.max(0, from), Math.max(0, from + perColumn)).reduce((a, b) => a + b, 0);
    const counts = byKind(sum);
    return {
      start: startOf(from),
      counts,
      total: chartKinds.reduce((total, kind) => total + counts[kind], 0),
    };
  });
}

/** A round number that is at least `value`, and not much more; never below 2. */
export function roundUp(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

/** Where a column's pieces stand, in hundredths of the height, from the bottom up. */
export function stack(column: Column, top: number): { kind: ChartKind; y: number; height: number }[] {
  let filled = 0;
  return chartKinds.map((kind) => {
    const height = (column.counts[kind] / top) * 100;
    filled += height;
    return { kind, y: 100 - filled, height };
  });
}
