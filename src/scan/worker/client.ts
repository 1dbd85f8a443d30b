import type { Clock } from '../../lib/time/clock.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import type { DirectoryScan } from '../../model/document.ts';
import { errorMessage, StoppedError } from '../../model/errors.ts';
import { unpackScan } from '../../model/packed-files.ts';
import type { FolderPlan } from '../folder-state.ts';
import type { ScanThread } from './spare-thread.ts';
import type { Answers } from './answers.ts';
import type { AnswerTo, FromWorker, Question, SentAnswer, SentQuestion, ToWorker } from './protocol.ts';

/** Questions of a message, answered together: while the thread is at the next, this one takes up the answers. */
const perMessage = 16;

export type WorkerClient = ReturnType<typeof createWorkerClient>;

export interface WorkerClientEvents {
  /** No directory is delivered, and no scan answered, before this. */
  readonly heard: Promise<void>;
  readonly directory: (scan: DirectoryScan) => void;
  readonly changed: (directories: readonly string[]) => void;
  readonly lost: (reason: { readonly code: string; readonly message: string }) => void;
  /** The thread died; everything that was asked is rejected. */
  readonly died: (message: string) => void;
}

interface Waiting {
  readonly kind: keyof Answers;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A folder's worker thread, as the main thread sees it. */
export function createWorkerClient(
  worker: ScanThread,
  plan: FolderPlan,
  clock: Clock,
  events: WorkerClientEvents,
) {
  const waiting = new Map<number, Waiting>();
  /** Asked in this turn of the event loop. */
  let asked: SentQuestion[] = [];
  const slice = createTimeSlice();
  /** Settles when all is delivered. */
  let delivered = events.heard;
  let closed = false;
  let last = 0;

  worker.on('message', (message: FromWorker) => {
    if (closed) return;
    switch (message.kind) {
      case 'batch':
        for (const packed of message.scans) {
          deliver(() => events.directory(unpackScan(plan.settings.name, packed)));
        }
        deliver(() => sendMessage({ kind: 'taken' }));
        return;
      case 'answers':
        for (const answer of message.answers) settle(answer);
        return;
      case 'events':
        events.changed(message.directories);
        return;
      case 'lost':
        events.lost(message);
        return;
      default:
        message satisfies never;
    }
  });
  worker.on('error', (error) => end(errorMessage(error)));
  worker.on('exit', () => end('the scan thread ended'));

  sendMessage({ kind: 'plan', plan });

  function sendMessage(message: ToWorker): void {
    worker.postMessage(message, []);
  }

  function sendQuestions(): void {
    const questions = asked;
    asked = [];
    if (closed) return;
    const moment = clock.monotonic();
    for (let at = 0; at < questions.length; at += perMessage) {
      sendMessage({ kind: 'questions', moment, questions: questions.slice(at, at + perMessage) });
    }
  }

  /** Does small jobs in their order, a few milliseconds at a time. What is not done when it closes is never done. */
  function deliver(job: () => void): void {
    delivered = delivered.then(() => {
      if (closed) return undefined;
      job();
      return slice();
    });
  }

  function settle(message: SentAnswer): void {
    const asker = waiting.get(message.id);
    waiting.delete(message.id);
    const give = () => {
      if (message.kind === 'answer') asker?.resolve(message.answer as never);
      else asker?.reject(new Error(message.message));
    };
    // A scan's answer comes after its directories; an inspection waits for nobody's.
    if (asker?.kind === 'scan') deliver(give);
    else give();
  }

  function end(message: string): void {
    if (closed) return;
    closed = true;
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
    events.died(message);
  }

  return {
    /** Asks and waits for the answer. Directories of a scan are delivered before its answer. */
    ask: <K extends keyof Answers>(kind: K, ...question: Question<K>): Promise<AnswerTo<K>> =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new StoppedError());
          return;
        }
        last += 1;
        waiting.set(last, { kind, resolve, reject });
        asked.push({ kind, id: last, question });
        // After all promises that are settled by now: what they ask goes along.
        if (asked.length === 1) process.nextTick(sendQuestions);
      }),
    close: async (): Promise<void> => {
      closed = true;
      for (const { reject } of waiting.values()) reject(new StoppedError());
      waiting.clear();
      await worker.terminate();
    },
  };
}
