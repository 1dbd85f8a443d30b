import type { PackedScan } from '../../model/packed-files.ts';
import type { FolderPlan } from '../folder-state.ts';
import type { Answers } from './answers.ts';

export type Question<K extends keyof Answers = keyof Answers> = Parameters<Answers[K]>;
export type AnswerTo<K extends keyof Answers = keyof Answers> = Awaited<ReturnType<Answers[K]>>;

/** A question on its way. */
export interface SentQuestion {
  readonly kind: keyof Answers;
  readonly id: number;
  readonly question: Question;
}

/** The plan comes first, and once. */
export type ToWorker =
  | { readonly kind: 'plan'; readonly plan: FolderPlan }
  /** Asked together, at this moment, monotonic ms: a message costs more than most of the answers. */
  | { readonly kind: 'questions'; readonly moment: number; readonly questions: readonly SentQuestion[] }
  | { readonly kind: 'taken' };

/** What came of a question. */
export type SentAnswer =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerTo }
  /** What went wrong that nobody foresaw. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

export type FromWorker =
  | { readonly kind: 'answers'; readonly answers: readonly SentAnswer[] }
  /** Answered with `taken`. */
  | { readonly kind: 'batch'; readonly scans: readonly PackedScan[] }
  | { readonly kind: 'events'; readonly directories: readonly string[] }
  | { readonly kind: 'lost'; readonly code: string; readonly message: string };
