import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { SyncProgress } from '../daemon/run-sync.ts';
import { durationWords, numberWords, sizeWords } from '../core/words.ts';

/** A progress bar. */
export interface ProgressBar {
  readonly update: (progress: SyncProgress) => void;
  /** Leaves the last line standing, full if everything was done. May be called twice. */
  readonly close: (complete?: boolean) => void;
}

/** Draws the progress of a `sync` on a terminal: documents, bytes, requests left in this minute, time to go. */
export function createSyncProgress(stream: Writable): ProgressBar {
  const bar = new SingleBar({
    format: '[{bar}] {documents} documents, {bytes}, {requests} requests left this minute, {timeToGo}',
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    barsize: 24,
    fps: 10,
    stream,
    // The process ends by its own signals, and the terminal is left as it is: a kill would not restore it.
    gracefulExit: false,
    hideCursor: null,
    linewrap: true,
  });
  let started = false;
  let closed = false;
  let last: SyncProgress | null = null;
  return {
    update: (progress) => {
      if (closed) return;
      last = progress;
      const words = wordsOf(progress);
      const total = Math.max(1, progress.documentsTotal);
      if (started) bar.setTotal(total);
      else bar.start(total, progress.documentsDone, words);
      started = true;
      bar.update(progress.documentsDone, words);
    },
    close: (complete = false) => {
      if (complete && last !== null && !closed) {
        const { documentsTotal, bytesTotal } = last;
        const done = { ...last, documentsDone: documentsTotal, bytesDone: bytesTotal };
        bar.update(documentsTotal, wordsOf(done));
      }
      if (started && !closed) bar.stop();
      closed = true;
    },
  };
}

function wordsOf(progress: SyncProgress): Record<string, string> {
  const { documentsDone, documentsTotal, bytesDone, bytesTotal, requestsLeftInMinute, etaSeconds } = progress;
  return {
    documents: `${numberWords(documentsDone)} of ${numberWords(documentsTotal)}`,
    bytes: `${sizeWords(bytesDone)} of ${sizeWords(bytesTotal)}`,
    requests: numberWords(requestsLeftInMinute),
    timeToGo: documentsDone >= documentsTotal ? 'done' : durationWords(etaSeconds),
  };
}
