import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createSyncProgress } from '../../src/cli/delivery/sync-progress.ts';

const ESCAPE = '\u001b';
const progress = { documentsTotal: 1200, bytesTotal: 2_000_000, requestsLeftInMinute: 42, waits: null };
const begun = { ...progress, documentsDone: 10, bytesDone: 1000, etaSeconds: 120 };
const ended = { ...progress, documentsDone: 1200, bytesDone: 2_000_000, etaSeconds: 0 };

function terminal(columns?: number) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, ...(columns && { columns }) });
  const written = { text: '' };
  stream.on('data', (chunk: Buffer) => (written.text += chunk.toString()));
  return { stream, written };
}

/** What a line of the terminal shows in the end: what is written over and erased is not there. */
function screen(text: string): string[] {
  return text.split('\n').map(
    (line) =>
      line
        .split('\x1b[1G')
        .at(-1)
        ?.replaceAll(new RegExp(`${ESCAPE}\\[\\d*[A-Za-z]`, 'g'), '') ?? '',
  );
}

it('the progress of a sync shows documents, bytes, requests left and the time to go', () => {
  const { stream, written } = terminal(200);
  const bar = createSyncProgress(stream);
  bar.update(begun);
  bar.above('');
  bar.update(ended);
  bar.close();
  bar.close();
  bar.update(begun);
  expect(written.text).toContain(
    '10 of 1,200 documents, 1000 B of 1.9 MiB, 42 requests left this minute, about 2 minutes',
  );
  expect(screen(written.text)[0]).toBe(
    `[${'='.repeat(24)}] 1,200 of 1,200 documents, 1.9 MiB of 1.9 MiB, 42 requests left this minute, done`,
  );
  // Neither the cursor hidden nor wrapping turned off: a killed process could not turn them on again.
  expect(written.text).not.toContain('\x1b[?');
  expect(process.listenerCount('SIGINT')).toBe(0);
});

it.each([undefined, 80, 60])(
  'the progress fits into a terminal of %s columns, time to go and all',
  (columns) => {
    const { stream, written } = terminal(columns);
    const bar = createSyncProgress(stream);
    bar.update({ ...begun, documentsDone: 840 });
    bar.close();
    const [line = ''] = screen(written.text);
    expect(line).toMatch(/840 of 1,200, .*, about 2 minutes$/);
    expect(line.length).toBeLessThan(columns ?? 80);
  },
);

it('says instead for what it waits, as far as that fits', () => {
  const { stream, written } = terminal(60);
  const bar = createSyncProgress(stream);
  bar.update({ ...begun, waits: 'waiting until 09:05:00 for inbox/reprt.pdf: still being written' });
  bar.close();
  expect(screen(written.text)[0]).toBe('10 of 1,200 documents, waiting until 09:05:00 for inbox/rep');
});

it('lines of the log stand above the bar, and the bar is whole below them', () => {
  const { stream, written } = terminal(80);
  const bar = createSyncProgress(stream);
  bar.above('before\n');
  bar.update(begun);
  bar.above('WARN: failed\n');
  bar.update(ended);
  bar.close();
  bar.above('after\n');
  expect(screen(written.text).slice(0, 2)).toEqual(['before', 'WARN: failed']);
  expect(screen(written.text)[2]).toMatch(/\[=+\] 1,200 of 1,200, .*, done$/);
  expect(screen(written.text)[3]).toBe('after');
});

it('draws nothing where nothing was to do', () => {
  const { stream } = terminal();
  createSyncProgress(stream).close();
  expect(stream.read()).toBeNull();
});
