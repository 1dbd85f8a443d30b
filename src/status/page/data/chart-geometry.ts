import type { HistoryReport } from '../../metrics/delivery-history.ts';

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
