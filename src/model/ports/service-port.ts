import type { Metadata } from '../metadata/metadata.ts';
import type { BulkChange, MetadataChange } from '../operation.ts';
import type { ContentSource } from './folder-port.ts';

/** One request of the sliding minute. Used once: spent when the answer came, or given back unused. */
export interface Permit {
  /** The request went out and its answer (or error) is here: the place is free again one window from now. */
  readonly spent: () => void;
  /** Nothing went out: the place is free at once. */
  readonly giveBack: () => void;
  /** Left out where the place cannot be lost. */
  readonly guard?: PermitGuard | undefined;
}

/** What keeps a request from going out, or on, when its place in the minute is lost. */
export interface PermitGuard {
  /** Resolves when a request may begin. Rejects where the place is lost. */
  readonly confirm: () => Promise<void>;
  /** Asked right before the first byte. True says that the request has begun. */
  readonly mayBegin: () => boolean;
  /** Asked before each piece of a body. */
  readonly mayGoOn: () => boolean;
  /** Aborted when the request may not go on. What was sent in full may still be answered. */
  readonly signal: AbortSignal;
  /** Aborted when another host may send instead: nothing may arrive any more, and an answer counts no longer. */
  readonly lapsed?: AbortSignal | undefined;
}

/** What is in line for permits. */
export interface Demand {
  /** The priority of the first, higher before lower: 3 live, 2 retry, 1 backlog, 0 deletion. */
  readonly level: number;
  readonly count: number;
}

/** The budget of requests, as the service counts it. */
export interface LimiterPort {
  /**
   * Waits for a place in the minute. With `ahead`, before those that wait without (a replay of a request under
   * way). Rejects with StoppedError after close.
   */
  readonly take: (options?: { readonly ahead?: boolean }) => Promise<Permit>;
  /** Says what is in line, whenever its priority changes. Left out where nobody else takes of the minute. */
  readonly demand?: (demand: Demand) => void;
  /** No place is given for `ms` from now, whatever is free: Retry-After, in the service's words. A longer pause wins. */
  readonly pause: (ms: number, message: string) => void;
  readonly status: () => {
    readonly limit: number;
    readonly used: number;
    readonly windowMs: number;
    /** Wall clock, ms. */
    readonly pausedUntil: number | null;
    /** With which words it was asked for and when, ISO 8601. Left out: it was not, or another host was asked. */
    readonly pausedBy?: { readonly since: string; readonly message: string } | undefined;
    /** When the next place comes free, ms from now; 0: now. */
    readonly nextFreeMs: number;
  };
  /** How long until so many more requests can have gone out, ms from now, if nobody else takes a permit. */
  readonly waitMs: (requests: number) => number;
  readonly close: () => void;
}

/** A minute that several hosts share, as one of them has its permits from it. */
export interface PermitSource extends Pick<Required<LimiterPort>, 'demand'> {
  /** To be called once. Grants permits from then on, one at a time, as many as are wanted. */
  readonly begin: (taker: {
    /** `isAhead`: the first of them goes before all other hosts. */
    readonly wanted: () => { readonly count: number; readonly isAhead: boolean };
    readonly grant: (permit: Permit) => void;
  }) => void;
  /** What is wanted may have changed. */
  readonly changed: () => void;
  /** No host gets a permit for so long. */
  readonly pause: (ms: number) => void;
  readonly status: () => {
    /** Undefined: not known yet. */
    readonly used: number | undefined;
    readonly pauseMs: number;
    readonly nextFreeMs: number;
    /** How many hosts are in line. */
    readonly waiting: number;
  };
}

/** A file that is sent under this name. Opened again for each attempt. */
export interface OutgoingFile {
  readonly name: string;
  readonly open: () => Promise<ContentSource>;
}

/** How much was sent before an attempt ended without an answer. */
export type BodySent = 'nothing' | 'part' | 'all';

/** What came of an operation, by what one can do about it. `message` is printable and free of secrets. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly docId: string | null; readonly warning: string | null }
  /** The service says in its envelope that it does not know this document (404, 410 on modify or delete). */
  | { readonly kind: 'missing'; readonly message: string }
  /** The service refuses this request and would again. */
  | { readonly kind: 'rejected'; readonly code: string; readonly message: string }
  /** Try again later; nothing was taken, or taking it again does no harm. */
  | {
      readonly kind: 'unavailable';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs: number | null;
      readonly sent: BodySent;
    }
  /** Upload only: it may have been taken, and no usable docId came back. Of a wrong address `mayBeTaken` says so. */
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string }
  /** The credentials are refused: no token could be obtained, or the service takes none of ours. */
  | { readonly kind: 'unauthorized'; readonly message: string }
  /**
   * The address is wrong (a redirect, TLS that cannot be trusted): not the document's fault; a person has to fix it.
   * `mayBeTaken`: all of the request had gone out, and the answer does not say that it was turned away.
   */
  | {
      readonly kind: 'misaddressed';
      readonly code: string;
      readonly message: string;
      readonly mayBeTaken: boolean;
    }
  /** It was asked again, and does not follow any more: nothing went out, or not the last piece of its body. */
  | { readonly kind: 'withdrawn'; readonly message: string; readonly sent: BodySent }
  /** The file changed or went while it was sent; the connection was cut before its last byte. */
  | { readonly kind: 'changed'; readonly message: string; readonly sent: BodySent }
  /** A file cannot be read; `code` as of a ContentUnreadableError. */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string; readonly sent: BodySent };

/** Bytes of files that went out with an accepted request, in the order of the parts. */
export interface SentContent {
  readonly sha256: string;
}

export interface UploadRequest {
  readonly file: OutgoingFile;
  readonly attachments: readonly OutgoingFile[];
  /** Sent as JSON unchanged, operations included. */
  readonly metadata: Metadata;
}

/** At least one of the three, interface 4.4. */
export interface ModifyRequest {
  readonly docId: string;
  readonly file: OutgoingFile | null;
  /** The whole new set; null: they stay as they are. */
  readonly attachments: readonly OutgoingFile[] | null;
  readonly metadata: MetadataChange | null;
}

/** Interface 2.8. At most `maxBulkDocuments` docIds. */
export interface BulkModifyRequest extends BulkChange {
  readonly docIds: readonly string[];
}

/** For so long an answer holds that a request still follows. */
export const answerHoldsMs = 50;

/** What takes longer to answer is asked again, so many times in all: a process may have been frozen meanwhile. */
export const mostQuestions = 3;

/** A change that was complete so long before a byte is honoured by it, ms (contract 7.30). */
export const honouredMs = 100;

/** Callbacks of a running request: for progress, the intent journal and the minute that survives a crash. */
export interface RequestWatch {
  /** Called before each HTTP attempt; the attempt goes out when it resolves, and not at all when it rejects. */
  readonly beforeSend: (id: string) => Promise<void>;
  /**
   * Asked when the connection of an attempt stands, before its first byte, and again before the last piece of a body:
   * whether this request still follows from what is on disk. Must not reject. `hasBegun`: its first byte is out.
   */
  readonly stillFollows: (hasBegun: boolean) => Promise<boolean>;
  /**
   * Called when the attempt has ended, answered or not. Must not throw: an accepted upload would go out again.
   * `isUnauthorized`: nothing was taken, as its token was refused.
   */
  readonly onAnswer: (id: string, isUnauthorized?: boolean) => void;
  /** Bytes of the body that went out since the last call. A replay sends a body from its beginning again. */
  readonly onBytes: (bytes: number) => void;
}

export interface FileOutcome {
  readonly outcome: Outcome;
  /** The main file first (if one was sent), then attachments; complete only when accepted. */
  readonly sent: readonly SentContent[];
}

/**
 * The ingestion operations of interface 4.3 to 4.7. Each call is one attempt on the given permit, and one replay with a
 * fresh token and a permit of its own after a 401. They never reject: the outcome says it all. The permit is spent or
 * given back by them.
 */
export interface ServicePort {
  readonly upload: Call<UploadRequest>;
  readonly modify: Call<ModifyRequest>;
  readonly remove: Call<{ readonly docId: string; readonly documentOwner?: string | undefined }>;
  readonly bulkModify: Call<BulkModifyRequest>;
  readonly bulkRemove: Call<{
    readonly docIds: readonly string[];
    readonly documentOwner?: string | undefined;
  }>;
}

type Call<Request> = (request: Request, permit: Permit, watch: RequestWatch) => Promise<FileOutcome>;
