import type { Clock } from '../../lib/time/clock.ts';
import { durationWords } from '../../lib/text/amounts.ts';
import { version } from '../../config/package-files.ts';
import { explain } from '../../model/report/explanations.ts';
import { reasonHealth } from '../../model/report/health.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Activity, Reason } from '../../model/report/status.ts';
import type { History } from './history.ts';

/**
 * Notes in the history what happens to the daemon itself: start and stop; and what keeps documents back, when it begins
 * and, with its length, when it is over, which the log says too. `reasons`: all of this moment.
 */
export function createTimeline(
  history: Pick<History, 'add' | 'wasKilled'>,
  { clock, log }: { readonly clock: Clock; readonly log: LogPort },
  reasons: () => readonly Reason[],
) {
  const open = new Map<string, Reason & { readonly from: number }>();

  function note(
    what: 'started' | 'stopped' | 'reloaded' | 'problem' | 'recovered',
    about: Pick<Activity, 'message'> & Partial<Pick<Activity, 'folder' | 'code'>>,
  ): void {
    const at = new Date(clock.now()).toISOString();
    history.add({ at, folder: '', path: '', what, docId: null, documents: 0, ...about });
    if (about.code !== undefined) log[what === 'problem' ? 'warn' : 'info']({ ...about }, what);
  }

  return {
    started: (): void => {
      const killed = '; the run before was not stopped: it was killed, it failed, or the machine went down';
      note('started', {
        message: `version ${version()}, process ${process.pid}${history.wasKilled ? killed : ''}`,
      });
    },
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
          .map((reason) => [`${reason.folder ?? ''}/${reason.code}`, reason]),
      );
      for (const [key, { folder = '', code, from }] of open) {
        if (now.has(key)) continue;
        open.delete(key);
        const length = durationWords((clock.monotonic() - from) / 1000);
        note('recovered', { folder, code, message: `${explain(code).cause}: over after ${length}` });
      }
      for (const [key, reason] of now) {
        if (open.has(key)) continue;
        open.set(key, { ...reason, from: clock.monotonic() });
        const { folder = '', code, message } = reason;
        note('problem', { folder, code, message });
      }
    },
  };
}
