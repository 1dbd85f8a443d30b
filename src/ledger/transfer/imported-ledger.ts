import type { Change, LedgerEntry } from '../../model/ports/ledger-port.ts';

/** Something in an import file that cannot be taken. */
export interface ImportProblem {
  /** From 1; null where it is the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** What an import file holds. Either all of it can be taken, or there are problems and nothing should be. */
export interface ImportedLedger {
  readonly entries: readonly LedgerEntry[];
  /** Where each entry stands, in their order: from 1; null where no line is known. */
  readonly lines: readonly (number | null)[];
  readonly problems: readonly ImportProblem[];
  /** What else the file knows: uploads in doubt and under way, failures, deletions, root directories. */
  readonly changes?: readonly ImportedChange[] | undefined;
  /** Whose documents they are; absent: it does not say. */
  readonly service?: string | undefined;
}

/** What an import file knows beside documents. */
export type ImportedChange = Extract<
  Change,
  { readonly kind: 'doubt' | 'intent' | 'fail' | 'hold' | 'approve' | 'removed' | 'root' | 'mounts' }
>;

/** What an import file is read with. */
export interface ImportOptions {
  /** Names of the configured folders. With one of them the CSV may leave the folder out. */
  readonly folders: readonly string[];
  /** Wall clock, ms: the time of upload of documents whose time is not known. */
  readonly now: number;
}
