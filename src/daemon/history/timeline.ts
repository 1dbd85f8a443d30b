import type { Clock } from '../../lib/time/clock.ts';
import { durationWords } from '../../lib/text/amounts.ts';
import { version } from '../../config/package-files.ts';
import { explain } from '../../model/report/explanations.ts';
import { reasonHealth } from '../../model/report/health.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Activity, Reason } from '../../model/report/status.ts';
import type { History } from './history.ts';

/**
 * Notes in the history what happens to the daemon itself: start and stop; and what keeps documents back, when it begins
 * and, with its length, when it is over, which the log says too. `reasons`: all of this moment.
 */
export function createTimeline(
  history: Pick<History, 'add' | 'wasKilled' | 'openProblems' | 'troubles'>,
  {
    clock,
    log,
    isKnown,
    isFixed,
  }: {
    readonly clock: Clock;
    readonly log: LogPort;
    /** Whether what was wrong before this start would be known by now to be wrong still. */
    readonly isKnown: () => boolean;
    /** Whether nothing is wrong any more with a document that failed. */
    readonly isFixed: (ref: DocumentRef) => boolean;
  },
  reasons: () => readonly Reason[],
) {
  const open = new Map(
    history.openProblems.map(({ folder, code = '', at }) => {
      const from = clock.monotonic() - (clock.now() - Date.parse(at));
      return [keyOf({ folder, code }), { folder, code, from, isTold: false }];
    }),
  );

  function note(
    what: 'started' | 'stopped' | 'reloaded' | 'problem' | 'recovered' | 'warning',
    about: Pick<Activity, 'message'> & Partial<Pick<Activity, 'folder' | 'path' | 'code'>>,
  ): void {
    const at = new Date(clock.now()).toISOString();
    history.add({ at, folder: '', path: '', what, docId: null, documents: 0, ...about });
    if (about.code !== undefined && what !== 'warning')
      log[what === 'problem' ? 'warn' : 'info']({ ...about }, what);
  }

  return {
    started: (): void => {
      const killed = '; the run before was not stopped: it was killed, it failed, or the machine went down';
      note('started', {
        message: `version ${version()}, process ${process.pid}${history.wasKilled ? killed : ''}`,
      });
    },
    /** Of something that happened once, and is over. */
    warned: (message: string, code?: string): void => note('warning', { message, code }),
    stopped: (): void => note('stopped', { message: null }),
    /** `isRefused`: the new configuration cannot be used. */
    reloaded: (isRefused: boolean): void =>
      note('reloaded', {
        message: isRefused
          ? 'the previous configuration stays in effect'
          : 'the new configuration is in effect',
      }),
    /** Notes what has come or gone since the last time. */
    look: (): void => {
      const now = new Map(
        reasons()
          .filter(({ code }) => explain(code).isTold ?? reasonHealth(code) !== 'ok')
          .map((reason) => [keyOf(reason), reason]),
      );
      for (const [key, { folder, code, from, isTold }] of open) {
        if (now.has(key) || !(isTold || isKnown())) continue;
        open.delete(key);
        note('recovered', { folder, code, message: overWords(code, clock.monotonic() - from) });
      }
      for (const { at, what, folder, path, code = '' } of history.troubles()) {
        if (what !== 'failed' || !isFixed({ folder, path })) continue;
        note('recovered', { folder, path, code, message: overWords(code, clock.now() - Date.parse(at)) });
      }
      for (const [key, { folder = '', code, message }] of now) {
        const known = open.get(key);
        if (known?.isTold === true) continue;
        open.set(key, { folder, code, from: known?.from ?? clock.monotonic(), isTold: true });
        note('problem', { folder, code, message });
      }
    },
  };
}

function overWords(code: string, afterMs: number): string {
  return `${explain(code).cause}: over after ${durationWords(afterMs / 1000)}`;
}

function keyOf({ folder = '', code }: Pick<Reason, 'folder' | 'code'>): string {
  return `${folder}/${code}`;
}
