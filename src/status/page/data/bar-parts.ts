import type { FolderStatus } from '../../../model/report/status.ts';

/** How many documents of a folder are in each state. */
export interface Counts extends Pick<
  FolderStatus,
  'synced' | 'pending' | 'waiting' | 'failed' | 'skipped' | 'held'
> {
  /** Of those that failed, the uploads in doubt. */
  readonly inDoubt?: number;
}

/** One part of what is in the folders. */
export interface BarPart {
  readonly key: 'synced' | 'moving' | 'waiting' | 'failed' | 'doubt' | 'held' | 'skipped';
  readonly label: string;
  readonly count: number;
  /** A part of the bar. What is no document, or not on disk, has a number only. */
  readonly inBar: boolean;
}

/** The documents of folders, part by part: those of the bar are all documents, none twice. */
export function barPartsOf(folders: readonly Counts[]): readonly BarPart[] {
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

/** How much of a transfer's bar is filled, of `total`: full is for what the service has accepted, which is in no list of transfers. */
export function filledOf(sent: number, total: number): number {
  return Math.max(0, Math.min(sent, Math.floor(total * 0.99)));
}
