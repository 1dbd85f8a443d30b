import type { Activity } from '../model/report/status.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Parts } from './parts.ts';

const warnings: ReadonlySet<Activity['what']> = new Set(['failed', 'held', 'in doubt', 'warning']);

/** Tells of what happened in the log and to whoever lists activities. */
export function createTell({
  clock,
  log,
  onActivity,
}: Pick<EngineOptions, 'clock' | 'log' | 'onActivity'>): Parts['tell'] {
  return (activity) => {
    const whole = { documents: 1, ...activity, at: new Date(clock.now()).toISOString() };
    const { what, at: _, documents, message, docId, ...where } = whole;
    const line = { ...where, ...(docId === null ? {} : { docId }), ...(message === null ? {} : { message }) };
    if (warnings.has(what)) log.warn(documents === 1 ? line : { ...line, documents }, what);
    else log.info(line, what);
    onActivity(whole);
  };
}
