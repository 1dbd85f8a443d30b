import { join } from 'node:path';
import * as z from 'zod';
import { readIfThere } from '../../lib/files/durable-file.ts';
import type { Activity, Status } from '../../model/report/status.ts';
import { eventSchema, recoveryEvent, troubleEvent, troublesOf } from './event.ts';
import type { NotifyEvent } from './event.ts';

const wayName = z.enum(['command', 'webhook']);
/** By what an event is sent. */
export type WayName = z.output<typeof wayName>;

/** What the notifier knows over restarts. */
const stateSchema = z.object({
  /** Troubles that wait to be announced, by key, and since when: wall clock, ms. */
  waiting: z.record(z.string(), z.number()).readonly(),
  /** Keys of troubles that an event was made for. */
  announced: z.array(z.string()).readonly(),
  /** A trouble was announced since the last recovery. */
  owesRecovery: z.boolean(),
  /** Since when nothing is wrong any more, although something was announced; wall clock, ms. */
  clearSince: z.number().nullable(),
  /** What each way has not accepted yet, oldest first. */
  queues: z.partialRecord(wayName, z.array(eventSchema).readonly()).readonly(),
});

export type NotifyState = Readonly<z.output<typeof stateSchema>>;

const none: NotifyState = {
  waiting: {},
  announced: [],
  owesRecovery: false,
  clearSince: null,
  queues: {},
};

/** One that cannot be read counts as none: the worst is a notification that comes twice. */
export async function readNotifyState(stateDir: string): Promise<NotifyState> {
  try {
    const text = await readIfThere(notifyFile(stateDir));
    return text === null ? none : stateSchema.parse(JSON.parse(text));
  } catch {
    return none;
  }
}

/** The file that keeps it. */
export function notifyFile(stateDir: string): string {
  return join(stateDir, 'notify.json');
}

/** Beyond these the oldest is forgotten, and announced again where it is still wrong. */
const mostAnnounced = 10_000;

interface Next {
  readonly state: NotifyState;
  readonly event: NotifyEvent | null;
  readonly nextMs: number | null;
}

/**
 * What follows from the entries of the log that are not over, oldest first. What has been wrong for `afterMs` is announced,
 * and with it whatever else has come up meanwhile and does not pass by itself. A recovery is announced when nothing has been
 * wrong for as long. `now` is the wall clock; `isAll` false: other things may be wrong, too; `event`: what to send, null:
 * nothing; `nextMs`: when to evaluate again, though nothing changes.
 */
export function nextNotifyState(
  state: NotifyState,
  open: readonly Activity[],
  status: () => Status,
  { now, afterMs, isAll }: { readonly now: number; readonly afterMs: number; readonly isAll: boolean },
): Next {
  const troubles = troublesOf(open.slice(-mostAnnounced));
  const isWhole = isAll && open.length <= mostAnnounced;
  const present = new Set(troubles.map(({ key }) => key));
  const announced = isWhole ? state.announced.filter((key) => present.has(key)) : state.announced;
  const isAnnounced = new Set(announced);
  const fresh = troubles.filter(({ key }) => !isAnnounced.has(key));
  // A clock that was set back must not make anything wait for longer.
  const waiting = Object.fromEntries(fresh.map(({ key }) => [key, Math.min(now, state.waiting[key] ?? now)]));
  const isDue = (key: string) => now - (waiting[key] ?? now) >= afterMs;
  const due = fresh.some(({ key }) => isDue(key))
    ? fresh.filter(({ key, mayPass }) => !mayPass || isDue(key))
    : [];
  if (due.length > 0) {
    for (const { key } of due) delete waiting[key];
    const known = [...announced, ...due.map(({ key }) => key)].slice(-mostAnnounced);
    return answer(
      { waiting, announced: known, owesRecovery: true, clearSince: null },
      troubleEvent(due, status().health, now),
    );
  }
  const isClear = isWhole && troubles.length === 0 && state.owesRecovery;
  const clearSince = isClear ? Math.min(now, state.clearSince ?? now) : null;
  const { owesRecovery } = state;
  if (clearSince === null || now - clearSince < afterMs)
    return answer({ waiting, announced, owesRecovery, clearSince });
  return answer({ waiting, announced, owesRecovery: false, clearSince: null }, recoveryEvent(status(), now));

  function answer(next: Omit<NotifyState, 'queues'>, event: NotifyEvent | null = null): Next {
    const dues = Object.values(next.waiting);
    if (next.clearSince !== null) dues.push(next.clearSince);
    const nextMs = dues.length === 0 ? null : Math.max(0, Math.min(...dues) + afterMs - now);
    return { state: { ...next, queues: state.queues }, event, nextMs };
  }
}
