import type { ScanReport } from '../../../src/scan/walk/scan-request.ts';

/** The report of a scan of one directory that is watched; name what matters. */
export function scanReportOf(parts: Partial<ScanReport> = {}): ScanReport {
  return {
    directories: 1,
    watches: 1,
    backend: 'native',
    polled: false,
    eventlessFileSystem: null,
    eventless: false,
    withoutEvents: false,
    unwatched: 0,
    unreadable: [],
    unreadableTotal: 0,
    attached: 0,
    ...parts,
  };
}
