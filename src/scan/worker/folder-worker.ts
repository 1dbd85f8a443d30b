import { readEventQueueLength } from '../../lib/files/inotify.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { errorMessage } from '../../model/errors.ts';
import { createFolderState } from '../folder-state.ts';
import type { FolderPlan } from '../folder-state.ts';
import { createScanner } from '../walk/scanner.ts';
import { createWatchSet } from '../watch/watch-set.ts';
import { createAnswers } from './answers.ts';
import type { AnswerTo, FromWorker, SentAnswer, SentQuestion, ToWorker } from './protocol.ts';

/** Events of one save come together; each directory is reported once. */
const gatherMs = 5;
/** So many batches may be on their way, 12 MB at the most: 100,000 documents are scanned while the ledger is read. */
const batchesAhead = 80;

/**
 * Scans and watches one folder as its plan says; gives what takes the messages that come after the plan. `sendMessage`
 * sends to the main thread, and the buffers of `transfer` move there. `passed`: as of `createObservations`.
 */
export function servePlan(
  plan: FolderPlan,
  sendMessage: (message: FromWorker, transfer?: readonly ArrayBuffer[]) => void,
  passed?: () => number,
): (message: Exclude<ToWorker, { readonly kind: 'plan' }>) => void {
  const changed = (directory: string) => sendMessage({ kind: 'events', directories: [directory] });
  const folder = createFolderState(plan, changed, passed);
  const eventful = new Set<string>();
  const slice = createTimeSlice();
  let eventTimer: NodeJS.Timeout | null = null;
  let eventsAtOnce = 0;
  let batchesUnderWay = 0;
  let answers: SentAnswer[] = [];
  let makeRoom = () => {};

  const watches = createWatchSet(folder, { changed: noteEvent, lost });
  const scanner = createScanner(folder, watches, async (scans) => {
    sendMessage(
      { kind: 'batch', scans },
      scans.map(({ files }) => files.stats.buffer),
    );
    batchesUnderWay += 1;
    if (batchesUnderWay >= batchesAhead) await new Promise<void>((resolve) => (makeRoom = resolve));
  });
  const floodEvents = readEventQueueLength() / 2;
  const answersTo = createAnswers(folder, scanner);

  /** Answers that come together go out together. */
  function give(answer: SentAnswer): void {
    answers.push(answer);
    if (answers.length > 1) return;
    process.nextTick(() => {
      const ready = answers;
      answers = [];
      sendMessage({ kind: 'answers', answers: ready });
    });
  }

  function noteEvent(directory: string): void {
    eventsAtOnce += 1;
    if (eventsAtOnce === 1) setImmediate(checkForFlood);
    eventful.add(directory);
    folder.growths.delete(directory);
    eventTimer ??= setTimeout(sendEvents, gatherMs);
  }

  /**
   * The kernel's queue overflows without telling us. A queue that was emptied at one go and held half of what it can
   * may have overflowed.
   */
  function checkForFlood(): void {
    const flood = eventsAtOnce >= floodEvents;
    eventsAtOnce = 0;
    if (flood)
      lost({ code: 'queue-overflow', message: 'the system may have dropped change events; rescanning' });
  }

  function sendEvents(): void {
    eventTimer = null;
    sendMessage({ kind: 'events', directories: [...eventful] });
    eventful.clear();
  }

  function lost({ code, message }: { readonly code: string; readonly message: string }): void {
    scanner.noteLost(code);
    sendMessage({ kind: 'lost', code, message });
  }

  return (message) => {
    if (message.kind === 'taken') {
      batchesUnderWay -= 1;
      makeRoom();
      return;
    }
    folder.observations.moment(message.moment);
    void serve(message.questions);
  };

  /** Where an answer takes long it goes out, and what has happened is told, before the next question. */
  async function serve(questions: readonly SentQuestion[]): Promise<void> {
    for (const { kind, id, question } of questions) {
      const answer = answersTo[kind] as (...asked: typeof question) => Promise<AnswerTo>;
      void answer(...question).then(
        (value) => give({ kind: 'answer', id, answer: value }),
        (error: unknown) => give({ kind: 'failed', id, message: errorMessage(error) }),
      );
      // It has begun by then.
      await Promise.resolve();
      await slice();
    }
  }
}
