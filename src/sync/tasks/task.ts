import type { DocumentEntry, DocumentRef, FileStat } from '../../model/document.ts';
import { dismissedCode } from '../../model/errors.ts';
import type { SendKind } from '../../model/operation.ts';
import type { DirectoryRef } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { waitKindOf } from '../../model/report/explanations.ts';
import type { WaitKind } from '../../model/report/wait-kinds.ts';

/** The code of a file that stays an attachment until a valid sidecar of its document does not list it. */
export const attachedBeforeCode = 'attached-before';

/** What a task waits for; `attached`: until it is a document at all. */
type TaskWait = WaitKind | 'attached';

/** The code of a document that `onRemove: keep` keeps: dormant for good while its file is gone. */
export const keptCode = 'kept';

/** What a person just did, what is tried again, what the first scan found. Deletions come after all of them. */
type Priority = 'live' | 'retry' | 'backlog';

/** Where a document stands on its way. Clean documents have no task: they are in the ledger only. */
export type TaskState =
  /** Waits to be inspected. */
  | { readonly kind: 'inspect' }
  /** `dirty`: something happened meanwhile, inspect again afterwards. */
  | { readonly kind: 'inspecting'; readonly dirty: boolean; readonly since: number }
  /** Changed a moment ago, or moves on under our hands. `reason`: so does what is around it. Null: a request has to end. */
  | { readonly kind: 'settling'; readonly dueAt: number | null; readonly reason?: Reason | undefined }
  /** Waits for another file, or for a place that this user may not read. Null: for nothing but a change. */
  | { readonly kind: 'waiting'; readonly dueAt: number | null; readonly reason: Reason }
  /** Its file is gone; waits for its other half. */
  | { readonly kind: 'grace'; readonly dueAt: number }
  /** It is known what has to be sent; waits for a permit. Tasks of equal `bulkKey` may share a call. */
  | {
      readonly kind: 'ready';
      readonly operation: SendKind;
      readonly bulkKey: string | null;
      /** The service shares it more widely than it should: it goes before everything else. */
      readonly narrows?: boolean;
      readonly since: number;
    }
  /** `delivery` tells one request from the next. `dirty` as above. */
  | { readonly kind: 'sending'; readonly dirty: boolean; readonly delivery: number }
  /** Waits to be sent or read again, or until what went out of it before has arrived. */
  | { readonly kind: 'retry'; readonly dueAt: number; readonly reason: Reason }
  /** Refused by a rule, or by the service: then the ledger keeps it too (`recorded`). */
  | { readonly kind: 'failed'; readonly reason: Reason; readonly recorded: boolean }
  /** Its deletion waits for a person, or until the directory can be read that may hide its file. */
  | { readonly kind: 'held'; readonly reason: Reason; readonly hiddenIn?: DirectoryRef | undefined }
  /** The service holds it and it is no longer ours to send or delete: ignored, kept, skipped now. */
  | { readonly kind: 'dormant'; readonly reason: Reason };

export type StateKind = TaskState['kind'];

type StateOf<Kind extends StateKind> = Extract<TaskState, { readonly kind: Kind }>;

/** A file as a scan or an inspection saw it. */
export type Seen = Omit<DocumentEntry, 'name'>;

/** What a service that was there did not take, though perhaps it took others. */
export interface Untaken {
  /** Requests in a row. */
  readonly count: number;
  /** How many requests of others the service had answered when the first of them failed. */
  readonly since: number;
  /** The last was one of several documents: perhaps one of the others was what it did not take. */
  readonly isShared: boolean;
  /** It took others meanwhile: what is wrong is this document, which is failed, though it is retried. */
  readonly isOwn: boolean;
}

/** What is known of a task whatever its state. */
export interface TaskFacts {
  /**
   * The file was there when its directory was last listed or it was last inspected. False of a dormant task too, whose
   * file is not to be compared with others.
   */
  readonly present: boolean;
  /** The ledger has a record of this path. */
  readonly hasRecord: boolean;
  readonly priority: Priority;
  /** Newest first within a priority; wall clock, ms. */
  readonly at: number;
  readonly seen: Seen | null;
  /** When an inspection first found the file gone (monotonic ms), and the device where it would have to lie. */
  readonly gone: { readonly since: number; readonly device: number } | null;
  /** Requests in a row that did not deliver it. */
  readonly attempts: number;
  /** Null: the service took it, or was not there, whenever it was tried as it is now. */
  readonly untaken: Untaken | null;
  /** Requests in a row that were withdrawn, because they followed no more when they were to go out. */
  readonly withdrawals: number;
  /** Tries in a row at which it, its place or what belongs to it could not be read. */
  readonly unreadable: number;
  /** The failure that was last reported: the same one is not reported again. */
  readonly reported: Reason | null;
  /** Never in a bulk call again: one with it failed. */
  readonly alone: boolean;
  /** The last hash, so that the next inspection need not read the file again. */
  readonly hashed: { readonly stat: FileStat; readonly sha256: string } | null;
  /** What the file lacks by its own format; null: nothing. `since`: monotonic ms, when that was seen first. */
  readonly format: {
    readonly stat: FileStat;
    readonly missing: string | null;
    readonly since: number;
  } | null;
  /**
   * The service does not know the document of this docId, which is to be uploaded again; its record stays until that is
   * done, and counts for nothing meanwhile. A record with another docId, which a move brought here, is not meant.
   */
  readonly unknownDocId: string | null;
  /** What it waited for until its inspection began, and goes on waiting for until that says otherwise; null: nothing. */
  readonly waitedFor: TaskWait | null;
  readonly state: TaskState;
}

/** One document that differs from its record, or may. Only the task store changes it. */
export interface Task extends TaskFacts {
  readonly key: string;
  readonly ref: DocumentRef;
  /** Monotonic ms since when it differs. */
  readonly since: number;
}

/** A task that waits for a permit: until the next event. */
export type ReadyTask = Task & { readonly state: StateOf<'ready'> };

export function isReady(task: Task): task is ReadyTask {
  return task.state.kind === 'ready';
}

/** Everything that can happen to a task. Times are monotonic ms unless said otherwise. */
export type TaskEvent =
  // From outside.
  /** Something may have changed: inspect it. */
  | { readonly kind: 'touched'; readonly present?: boolean }
  /** A scan found it changed. `liveAt`: wall clock, ms, of a change seen live; null: the first scan. */
  | { readonly kind: 'seen'; readonly seen: Seen; readonly liveAt: number | null }
  /** Its time has come. */
  | { readonly kind: 'due' }
  /** It is just as it was when it was refused, before a restart. */
  | { readonly kind: 'refused'; readonly reason: Reason; readonly attempts: number }
  /** A person asked for a retry. `at`: wall clock. */
  | { readonly kind: 'retryRequested'; readonly at: number }
  /** A person changed its record in the ledger. `at`: wall clock. */
  | { readonly kind: 'decided'; readonly at: number; readonly hasRecord: boolean }
  /** A move brought a record to this path; `dirty`: what is known of it goes by an older one. */
  | { readonly kind: 'recordCame'; readonly dirty: boolean }
  | { readonly kind: 'recordLeft' }
  | StateOf<'held'>
  // Inspection.
  | { readonly kind: 'inspectionStarted'; readonly at: number }
  /** The document is there and can be read. */
  | { readonly kind: 'found'; readonly seen: Seen }
  | { readonly kind: 'hashed'; readonly stat: FileStat; readonly sha256: string }
  | { readonly kind: 'formatRead'; readonly format: NonNullable<TaskFacts['format']> }
  | StateOf<'settling' | 'waiting' | 'grace' | 'ready' | 'dormant'>
  /** `isPassing`: for a reason that may pass by itself. While it is sent, too. */
  | {
      readonly kind: 'unreadable';
      readonly dueAt: number;
      readonly reason: Reason;
      readonly isPassing: boolean;
    }
  | { readonly kind: 'missing'; readonly at: number; readonly device: number }
  // Delivery.
  | { readonly kind: 'deliveryStarted'; readonly delivery: number }
  | { readonly kind: 'delivered' }
  /** The service holds it no longer, and neither does the ledger. */
  | { readonly kind: 'deleted' }
  /**
   * Nothing came of it, or it was not all: inspect it again. `alone`: it broke a bulk call; `unknownDocId`: the service
   * does not know that.
   */
  | { readonly kind: 'replan'; readonly alone?: true; readonly unknownDocId?: string }
  /** It followed no more when it was to go out. `wait`: it keeps changing; null: it is inspected at once. */
  | { readonly kind: 'withdrawn'; readonly wait: { readonly dueAt: number; readonly reason: Reason } | null }
  // Both.
  | {
      readonly kind: 'retryLater';
      readonly dueAt: number;
      readonly reason: Reason;
      readonly attempts: number;
      readonly untaken: Untaken | null;
    }
  | (StateOf<'failed'> & {
      readonly attempts: number;
      /** Its deletion was refused, and the file is still gone. */
      readonly isGone?: boolean;
    });

export type EventKind = TaskEvent['kind'];

/**
 * A new task: nobody has inspected it yet. Field by field: an object that begins with a copy of another one and gets
 * more fields afterwards costs twenty times as much.
 */
export function newFacts({
  present,
  hasRecord,
  priority,
  at,
  seen,
}: Pick<TaskFacts, 'present' | 'hasRecord' | 'priority' | 'at' | 'seen'>): TaskFacts {
  return {
    present,
    hasRecord,
    priority,
    at,
    seen,
    gone: null,
    attempts: 0,
    untaken: null,
    withdrawals: 0,
    unreadable: 0,
    reported: null,
    alone: false,
    hashed: null,
    format: null,
    unknownDocId: null,
    // It changed a moment ago: whether anything is to be sent of it is not known yet.
    waitedFor: priority === 'live' ? 'settling' : null,
    state: { kind: 'inspect' },
  };
}

/** Nothing that went wrong before counts any more. */
const untried = { attempts: 0, untaken: null, withdrawals: 0, unreadable: 0, reported: null } as const;

/**
 * What a task becomes. Pure and total: an event that has no meaning in a state (an inspection's answer after the task
 * went another way) changes nothing. A task that is inspected or sent stays so, and is marked dirty, whatever comes
 * from outside; a dirty task is inspected again whatever its inspection found.
 */
export function next(task: TaskFacts, event: TaskEvent): TaskFacts {
  const { state } = task;
  switch (event.kind) {
    case 'touched':
      return isUnderWay(state) ? dirty(task) : inspect({ ...task, present: event.present ?? task.present });
    case 'seen': {
      // Of the file as it is now nothing was tried yet.
      const live =
        event.liveAt === null ? null : ({ priority: 'live', at: event.liveAt, untaken: null } as const);
      // Something stands there: should it go again before it is inspected, the grace period begins again.
      const at = Math.max(task.at, live?.at ?? task.at);
      const known = { ...task, ...live, at, gone: null, unreadable: 0 };
      // While it is sent, what was seen stays what goes out: should that be refused, it is that which was refused.
      if (state.kind === 'sending') return dirty(known);
      const now = { ...known, seen: event.seen };
      return isUnderWay(state) ? dirty(now) : inspect({ ...now, present: true });
    }
    case 'due':
      return 'dueAt' in state ? inspect(task) : task;
    case 'refused': {
      if (state.kind !== 'inspect') return task;
      const { reason, attempts } = event;
      return { ...task, attempts, reported: reason, state: { kind: 'failed', reason, recorded: true } };
    }
    case 'retryRequested':
      if (state.kind !== 'failed' && state.kind !== 'retry') return task;
      return inspect({ ...task, ...untried, priority: 'retry', at: event.at });
    case 'decided': {
      const { at, hasRecord } = event;
      const known = { ...task, priority: 'retry', at, attempts: 0, untaken: null, hasRecord } as const;
      return isUnderWay(state) ? dirty(known) : inspect(known);
    }
    case 'recordCame': {
      const came = { ...task, hasRecord: true };
      if (!event.dirty) return came;
      return isUnderWay(state) ? dirty(came) : inspect(came);
    }
    case 'recordLeft':
      return { ...task, hasRecord: false };
    case 'held':
      if (state.kind === 'dormant') return task;
      return after({ ...task, reported: event.reason }, event);
    case 'inspectionStarted':
      if (state.kind !== 'inspect') return task;
      return { ...task, state: { kind: 'inspecting', dirty: false, since: event.at } };
    case 'found':
      return isUnderWay(state) ? { ...task, present: true, seen: event.seen, gone: null } : task;
    case 'hashed':
      return { ...task, hashed: { stat: event.stat, sha256: event.sha256 } };
    case 'formatRead':
      return { ...task, format: event.format };
    case 'settling':
      if (!isUnderWay(state)) return task;
      // Something stands there: should it go again, the grace period begins again.
      return after({ ...task, present: true, gone: null }, event);
    case 'waiting':
      if (state.kind !== 'inspecting') return task;
      return after({ ...task, present: true, gone: null }, event);
    case 'unreadable': {
      if (!isUnderWay(state)) return task;
      const { dueAt, reason, isPassing } = event;
      const unreadable = task.unreadable + 1;
      const waits = after(task, { kind: isPassing ? 'retry' : 'waiting', dueAt, reason });
      return { ...waits, unreadable, seen: seenAfter(task) };
    }
    case 'missing':
      if (state.kind !== 'inspecting') return task;
      return {
        ...task,
        present: false,
        gone: { since: task.gone?.since ?? event.at, device: event.device },
      };
    case 'grace':
    case 'ready':
      return state.kind === 'inspecting' ? after(task, event) : task;
    case 'dormant':
      if (state.kind !== 'inspecting') return task;
      return after({ ...task, present: false, gone: null, reported: event.reason }, event);
    case 'deliveryStarted':
      if (state.kind !== 'ready') return task;
      return { ...task, state: { kind: 'sending', dirty: false, delivery: event.delivery } };
    case 'delivered':
      if (state.kind !== 'sending') return task;
      return inspect({ ...task, ...untried, hasRecord: true, alone: false, unknownDocId: null });
    case 'deleted':
      return state.kind === 'sending' ? inspect({ ...task, hasRecord: false }) : task;
    case 'replan':
      if (!isUnderWay(state)) return task;
      return inspect({
        ...task,
        alone: task.alone || event.alone === true,
        unknownDocId: event.unknownDocId ?? task.unknownDocId,
      });
    case 'withdrawn': {
      if (state.kind !== 'sending') return task;
      const again = inspect({ ...task, withdrawals: task.withdrawals + 1 });
      return event.wait === null ? again : { ...again, state: { kind: 'settling', ...event.wait } };
    }
    case 'retryLater': {
      const { attempts, untaken, dueAt, reason } = event;
      const retry = { kind: 'retry', dueAt, reason } as const;
      if (state.kind === 'inspecting') return after({ ...task, present: true, gone: null }, retry);
      if (state.kind !== 'sending') return task;
      const seen = seenAfter(task);
      return { ...task, attempts, untaken, withdrawals: 0, unreadable: 0, seen, state: retry };
    }
    case 'failed': {
      const { attempts, reason, recorded, isGone } = event;
      if (!isUnderWay(state)) return task;
      const isThere = state.kind === 'inspecting' && isGone !== true;
      const place = isThere ? { present: true, gone: null } : null;
      return after({ ...task, ...place, attempts, reported: reason }, { kind: 'failed', reason, recorded });
    }
  }
}

/** What a task waits with; null: in its state there is none. */
export function reasonOf({ state }: Pick<Task, 'state'>): Reason | null {
  return 'reason' in state ? (state.reason ?? null) : null;
}

/** A reason without what else is known of it. */
export function bareReason({ code, message }: Reason): Reason {
  return { code, message };
}

/** Monotonic ms of its next step; null: it waits for no time. */
export function dueOf({ state }: Pick<Task, 'state'>): number | null {
  return 'dueAt' in state ? state.dueAt : null;
}

function isUnderWay(state: TaskState): state is StateOf<'inspecting' | 'sending'> {
  return state.kind === 'inspecting' || state.kind === 'sending';
}

function inspect(task: TaskFacts): TaskFacts {
  return { ...task, seen: seenAfter(task), waitedFor: waitOf(task), state: { kind: 'inspect' } };
}

/** What was seen, as far as known: what came while it was sent was not noted, and may have been taken back since. */
function seenAfter({ state, seen }: TaskFacts): Seen | null {
  return state.kind === 'sending' && state.dirty && seen !== null ? { ...seen, fingerprint: '' } : seen;
}

/** What a task waits for; null: it does not wait. An inspection alone ends no wait. */
export function waitOf({ state, waitedFor }: Pick<TaskFacts, 'state' | 'waitedFor'>): TaskWait | null {
  switch (state.kind) {
    case 'inspect':
    case 'inspecting':
      return waitedFor;
    case 'settling':
      return waitKindOf(state.reason?.code ?? 'settling');
    case 'grace':
      return 'settling';
    case 'retry':
      return 'retry';
    case 'waiting':
      return state.reason.code === attachedBeforeCode ? 'attached' : waitKindOf(state.reason.code);
    case 'ready':
    case 'sending':
    case 'failed':
    case 'held':
    case 'dormant':
      return null;
  }
}

/** Its file is an attachment of another document, whatever its sidecar says by now: it is no document. */
export function isAttached(task: Pick<TaskFacts, 'state' | 'waitedFor'>): boolean {
  return waitOf(task) === 'attached';
}

/** A person has said that it is not to be sent: nothing is wrong with it. */
export function isDismissed({ state }: Pick<TaskFacts, 'state'>): boolean {
  return state.kind === 'failed' && state.reason.code === dismissedCode;
}

/** The service does not take it, though it takes others: contract 7.38. */
export function isNotTaken({ state, untaken }: Pick<TaskFacts, 'state' | 'untaken'>): boolean {
  return untaken?.isOwn === true && untakenStates.has(state.kind);
}

const untakenStates: ReadonlySet<StateKind> = new Set(['inspect', 'inspecting', 'ready', 'sending', 'retry']);

function dirty(task: TaskFacts): TaskFacts {
  return isUnderWay(task.state) ? { ...task, state: { ...task.state, dirty: true } } : task;
}

/** Into `state`, unless something happened meanwhile: then it is inspected again. */
function after(task: TaskFacts, state: TaskState): TaskFacts {
  if (isUnderWay(task.state) && task.state.dirty) return inspect(task);
  // What is found fit to be sent may still turn out to be unreadable when it is opened.
  return { ...task, unreadable: state.kind === 'ready' ? task.unreadable : 0, state };
}
