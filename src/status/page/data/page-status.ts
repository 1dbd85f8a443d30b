import type { Activity, Status } from '../../../model/report/status.ts';

/** What the daemon sends: it is the same build as this page, and nothing else answers at this address. */
export interface PageStatus extends Status {
  readonly headline: string;
  readonly progress: string;
}

export interface RecentActivity {
  readonly activities: readonly Activity[];
}
