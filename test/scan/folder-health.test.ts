import { describe, expect, it } from '@jest/globals';

import { folderHealth, createFolderLog } from '../../src/scan/folder-health.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { scanReportOf } from './support/scan-report.ts';

const report = scanReportOf({ directories: 3, watches: 3, attached: 2 });
const nfs = { ...report, polled: true, backend: null, watches: 0, eventlessFileSystem: 'NFS' };
const closed = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `d${index}`,
    message: 'it cannot be read (EACCES)',
    isListed: false,
    againAt: null,
  }));

describe('the health of a folder', () => {
  const health = (parts: Partial<Parameters<typeof folderHealth>[0]>) =>
    folderHealth({ clock: manualClock(), trouble: null, report, busy: false, coveredUntil: 7, ...parts });

  it('is how it is watched', () => {
    const well = { watches: 3, attached: 2, reasons: [], busy: false, coveredUntil: 7 };
    expect(health({})).toEqual({ ...well, state: 'watching' });
    expect(health({ busy: true })).toMatchObject({ state: 'watching', busy: true });
    expect(health({ report: nfs })).toEqual({ ...well, state: 'polling', watches: 0 });
    expect(health({ report: { ...report, watches: 0, unwatched: 3 } }).state).toBe('polling');
    expect(health({ report: { ...report, watches: 2, unwatched: 1 } }).state).toBe('watching');
    expect(health({ report: null })).toEqual({ ...well, state: 'scanning', watches: 0, attached: 0 });
  });

  it('is why it cannot be read', () => {
    const trouble = { code: 'folder-missing', message: 'it does not exist' };
    expect(health({ trouble })).toMatchObject({
      state: 'unavailable',
      watches: 0,
      attached: 0,
      reasons: [trouble],
    });
  });

  it('names directories that cannot be read, and counts those that the report does not name', () => {
    const few = health({ report: { ...report, unreadable: closed(2), unreadableTotal: 2 } }).reasons;
    const message = 'it cannot be read (EACCES); nothing below it is deleted in the meantime';
    expect(few).toEqual(['d0', 'd1'].map((path) => ({ code: 'unreadable-directory', path, message })));
    const { reasons } = health({ report: { ...report, unreadable: closed(30), unreadableTotal: 50 } });
    expect([reasons.length, reasons.at(-1)]).toEqual([
      31,
      { code: 'unreadable-directory', message: '20 more directories cannot be read' },
    ]);
  });

  it('says what to do where watches ran out', () => {
    const { reasons } = health({ report: { ...report, directories: 9_000, unwatched: 1 } });
    expect(reasons).toEqual([
      { code: 'watch-limit', message: expect.stringMatching(/^1 of 9,000 directories is polled, .*sysctl/) },
    ]);
  });
});

describe('the log says of a folder', () => {
  it('how it is watched, once, and again when that changes', () => {
    const log = recordedLog();
    const logWatching = createFolderLog(log, { name: 'inbox', path: '/inbox' });
    for (const one of [report, report, nfs, nfs, report]) logWatching(one);
    const about = { folder: 'inbox', path: '/inbox', directories: 3 };
    const watching = ['info', 'watching folder', { ...about, watches: 3, watcher: 'native' }];
    expect(log.lines.map(({ level, message, data }) => [level, message, data])).toEqual([
      watching,
      ['info', 'polling folder', { ...about, fileSystem: 'NFS' }],
      watching,
    ]);
  });
});
