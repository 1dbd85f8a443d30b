import type { Writable } from 'node:stream';
import { MultiBar } from 'cli-progress';
import type { SingleBar } from 'cli-progress';
import { countWords, durationWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import type { SyncProgress } from '../../daemon/run-sync.ts';

/** Where the width of the terminal is not known. */
const USUAL_COLUMNS = 80;
const LONGEST_BAR = 24;
/** A bar shorter than this says nothing: the figures stand alone. */
const SHORTEST_BAR = 4;

/** Draws the progress of a `sync` on a terminal: documents, bytes, requests left in this minute, time to go. */
export function createSyncProgress(stream: Writable & { readonly columns?: number }) {
  // Of several bars, of which there is one: only these let lines be written above them.
  const bars = new MultiBar({
    format: (_options, _params, progress: SyncProgress) => lineOf(progress, stream.columns ?? USUAL_COLUMNS),
    fps: 10,
    stream,
    // The process ends by its own signals, and the terminal is left as it is: a kill would not restore it.
    gracefulExit: false,
    hideCursor: null,
    linewrap: true,
    // Else a line above it would leave no bar behind until its figures change.
    forceRedraw: true,
  });
  let bar: SingleBar | null = null;
  let closed = false;
  return {
    update: (progress: SyncProgress): void => {
      if (closed) return;
      const total = Math.max(1, progress.documentsTotal);
      // Copies: the bar writes the next figures into the object of the first.
      bar ??= bars.create(total, progress.documentsDone, { ...progress });
      bar.setTotal(total);
      bar.update(progress.documentsDone, { ...progress });
    },
    /** Writes whole lines so that they stand above the bar. */
    above: (text: string): void => {
      if (bar === null || closed) stream.write(text);
      else {
        bars.log(text);
        bars.update();
      }
    },
    /** Leaves the last line standing. May be called twice. */
    close: (): void => {
      if (bar !== null && !closed) bars.stop();
      closed = true;
    },
  };
}

/** As much as fits into a line of the terminal, whose last column stays free. */
function lineOf(progress: SyncProgress, columns: number): string {
  const { documentsDone, documentsTotal, bytesDone, bytesTotal, requestsLeftInMinute, etaSeconds } = progress;
  const documents = `${numberWords(documentsDone)} of ${numberWords(documentsTotal)}`;
  const noun = documentsTotal === 1 ? 'document' : 'documents';
  if (progress.waits !== null) return `${documents} ${noun}, ${progress.waits}`.slice(0, columns - 1);
  const bytes = `${sizeWords(bytesDone)} of ${sizeWords(bytesTotal)}`;
  const requests = `${countWords(requestsLeftInMinute, 'request')} left`;
  const left = etaSeconds === null ? 'nothing can be sent now' : durationWords(etaSeconds);
  const time = documentsDone >= documentsTotal ? 'done' : left;
  const words =
    [
      `${documents} ${noun}, ${bytes}, ${requests} this minute, ${time}`,
      `${documents}, ${bytes}, ${requests}, ${time}`,
    ].find(({ length }) => length + SHORTEST_BAR + 4 <= columns) ?? `${documents}, ${requests}, ${time}`;
  const size = Math.min(LONGEST_BAR, columns - words.length - 4);
  if (size < SHORTEST_BAR) return words;
  // Full is for the end.
  const full = Math.floor((size * Math.min(documentsDone, documentsTotal)) / Math.max(1, documentsTotal));
  return `[${'='.repeat(documentsTotal === 0 ? size : full).padEnd(size)}] ${words}`;
}
