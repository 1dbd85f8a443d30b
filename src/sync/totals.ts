/** What this process did since it started. */
export interface Totals {
  uploaded: number;
  modified: number;
  deleted: number;
  moved: number;
  requests: number;
  bytesSent: number;
}

export function createTotals(): Totals {
  return { uploaded: 0, modified: 0, deleted: 0, moved: 0, requests: 0, bytesSent: 0 };
}
