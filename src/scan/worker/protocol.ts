import type { FileStat } from '../../model/document.ts';
import type { PackedScan } from '../../model/packed-files.ts';
import type { AttachmentAnswer, AttachmentQuestion, FoundFiles } from '../../model/ports/folder-port.ts';
import type { FolderPlan } from '../folder-state.ts';
import type { ScanOutcome, ScanRequest } from '../walk/scan-request.ts';
import type { RootReading } from '../walk/root-identity.ts';
import type { PackedInspection } from './packed-inspection.ts';

/** Questions to a worker and their answers. */
export interface Questions {
  readonly scan: { readonly ask: ScanRequest; readonly answer: ScanOutcome };
  readonly attaches: { readonly ask: AttachmentQuestion; readonly answer: AttachmentAnswer };
  readonly inspect: {
    readonly ask: { readonly path: string; readonly sentWith?: readonly string[] | undefined };
    readonly answer: PackedInspection;
  };
  /** SHA-256 of a small file; null: it has to be opened and judged with care. */
  readonly hash: {
    readonly ask: { readonly path: string; readonly stat: FileStat };
    readonly answer: string | null;
  };
  /** Where a path stands on disk, absolute. */
  readonly locate: { readonly ask: { readonly path: string }; readonly answer: string };
  readonly find: {
    readonly ask: { readonly files: readonly FileStat[] };
    readonly answer: FoundFiles | null;
  };
  readonly mounts: { readonly ask: null; readonly answer: readonly string[] };
  readonly root: { readonly ask: null; readonly answer: RootReading };
}

/** A question on its way. */
export type Question = {
  readonly [K in keyof Questions]: {
    readonly kind: K;
    readonly id: number;
    readonly ask: Questions[K]['ask'];
  };
}[keyof Questions];

/** The plan comes first, and once. */
export type ToWorker =
  | { readonly kind: 'plan'; readonly plan: FolderPlan }
  /** Asked together, at this moment, monotonic ms: a message costs more than most of the answers. */
  | { readonly kind: 'questions'; readonly moment: number; readonly questions: readonly Question[] }
  | { readonly kind: 'taken' };

/** What came of a question. */
export type Answer =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Questions[keyof Questions]['answer'] }
  /** What went wrong that nobody foresaw. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

export type FromWorker =
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  /** Answered with `taken`. */
  | { readonly kind: 'batch'; readonly scans: readonly PackedScan[] }
  | { readonly kind: 'events'; readonly directories: readonly string[] }
  | { readonly kind: 'lost'; readonly code: string; readonly message: string };
