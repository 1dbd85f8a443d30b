import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createSyncProgress } from '../../src/cli/sync-progress.ts';

it('the progress of a sync shows documents, bytes, requests left and the time to go', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const bar = createSyncProgress(stream);
  const progress = { documentsTotal: 1200, bytesTotal: 2_000_000, requestsLeftInMinute: 42 };
  bar.update({ ...progress, documentsDone: 10, bytesDone: 1000, etaSeconds: 120 });
  bar.close(true);
  bar.close();
  bar.update({ ...progress, documentsDone: 0, bytesDone: 0, etaSeconds: 0 });
  expect(text).toContain(
    '10 of 1,200 documents, 1.0 kB of 2.0 MB, 42 requests left this minute, about 2 minutes',
  );
  expect(text).toContain('1,200 of 1,200 documents');
  expect(text).toContain('done');
  // Neither the cursor hidden nor wrapping turned off: a killed process could not turn them on again.
  expect(text).not.toContain('\x1b[?');
  expect(process.listenerCount('SIGINT')).toBe(0);
});

it('draws nothing where nothing was to do', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  createSyncProgress(stream).close();
  expect(stream.read()).toBeNull();
});
