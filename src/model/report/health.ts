import { explain } from './explanations.ts';
import type { Health, Reason, Status } from './status.ts';

/** What of a status decides its health. */
type HealthFacts = Pick<
  Status,
  'state' | 'paused' | 'reasons' | 'auth' | 'folders' | 'held' | 'inDoubtTotal' | 'possibleDuplicates'
>;

/** The health that a reason implies. An unknown one is an error. */
export function reasonHealth(code: string): Health {
  return explain(code).health ?? 'error';
}

/** Whether the log says when it begins and ends. Notifications announce the same, but for pauses and what is no problem. */
export function isLogged({ code }: Pick<Reason, 'code'>): boolean {
  return explain(code).isTold ?? reasonHealth(code) !== 'ok';
}

/** Whether nothing is sent now, of whatever document, because of a reason. */
export function isObstacle({ code }: Pick<Reason, 'code'>): boolean {
  return explain(code).halts === 'for-now' || isLastingObstacle({ code });
}

/** Whether what is queued does not go out by itself, because of a reason. */
export function isLastingObstacle({ code }: Pick<Reason, 'code'>): boolean {
  return explain(code).halts === 'until-decided' || reasonHealth(code) === 'error';
}

/**
 * Whether something needs a person. Page, `status` and its exit code, metrics and systemd's
 * status line show this one answer; readiness is another question.
 */
export function health(status: HealthFacts): Health {
  const { state, reasons, auth, folders } = status;
  if (state === 'stopped' || auth.state === 'refused') return 'error';
  const weights = new Set(reasons.map(({ code }) => reasonHealth(code)));
  if (weights.has('error')) return 'error';
  const isAway = folders.some((folder) => folder.state === 'unavailable');
  if (state === 'degraded' && !isAway) return 'error';
  const partly = weights.has('attention') || isAway;
  const asks =
    status.held.length > 0 ||
    status.inDoubtTotal > 0 ||
    status.possibleDuplicates > 0 ||
    folders.some(({ failed, held }) => failed > 0 || held > 0);
  return partly || asks || status.paused.length > 0 ? 'attention' : 'ok';
}
