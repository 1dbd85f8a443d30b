import type { Status } from '../../model/report/status.ts';
import { recoveryEvent, troubleEvent } from './event.ts';
import type { NotifyState } from './notify-state.ts';
import { troublesOf } from './troubles.ts';

/** Beyond these the oldest that was not delivered is given up. */
const mostEvents = 100;

/**
 * What there is to tell after a look at the status. What has been wrong for `afterMs` is told, and with it whatever else
 * has come up meanwhile and does not pass by itself. It is well again when nothing is wrong for as long. `now` is the
 * wall clock; `nextMs`: when to look again, though nothing changes.
 */
export function nextNotifyState(
  state: NotifyState,
  status: Status,
  { now, afterMs }: { readonly now: number; readonly afterMs: number },
): { readonly state: NotifyState; readonly nextMs: number | null } {
  const troubles = troublesOf(status);
  const present = new Set(troubles.map(({ key }) => key));
  // Until all is scanned, what was told before the restart may be there and not be known yet.
  const isKnown = status.folders.every(
    (folder) => folder.state !== 'scanning' && folder.state !== 'unavailable',
  );
  const isSettled = isKnown && status.state !== 'starting' && status.state !== 'stopping';
  const announced = isSettled ? state.announced.filter((key) => present.has(key)) : state.announced;
  const told = new Set(announced);
  const fresh = troubles.filter(({ key }) => !told.has(key));
  // A clock that was set back must not make anything wait for longer.
  const waiting = Object.fromEntries(fresh.map(({ key }) => [key, Math.min(now, state.waiting[key] ?? now)]));
  const isDue = (key: string) => now - (waiting[key] ?? now) >= afterMs;
  const due = fresh.some(({ key }) => isDue(key))
    ? fresh.filter(({ key, mayPass }) => !mayPass || isDue(key))
    : [];
  if (due.length > 0) {
    for (const { key } of due) delete waiting[key];
    return answer({
      waiting,
      announced: [...announced, ...due.map(({ key }) => key)],
      owesRecovery: true,
      wellSince: null,
      events: [...state.events, troubleEvent(due, status.health, now)],
    });
  }
  const isWell = isSettled && troubles.length === 0 && state.owesRecovery;
  const wellSince = isWell ? Math.min(now, state.wellSince ?? now) : null;
  const { owesRecovery } = state;
  if (wellSince === null || now - wellSince < afterMs)
    return answer({ waiting, announced, owesRecovery, wellSince, events: state.events });
  const events = [...state.events, recoveryEvent(status.health, now)];
  return answer({ waiting, announced, owesRecovery: false, wellSince: null, events });

  function answer(next: NotifyState): { readonly state: NotifyState; readonly nextMs: number | null } {
    const dues = Object.values(next.waiting);
    if (next.wellSince !== null) dues.push(next.wellSince);
    const nextMs = dues.length === 0 ? null : Math.max(0, Math.min(...dues) + afterMs - now);
    return { state: { ...next, events: next.events.slice(-mostEvents) }, nextMs };
  }
}
