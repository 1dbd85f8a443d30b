import type { Clock } from '../../lib/time/clock.ts';
import { durationWords } from '../../lib/text/amounts.ts';
import { version } from '../../config/package-files.ts';
import { explain } from '../../model/report/explanations.ts';
import { isWhole, reasonWords } from '../../model/report/headline.ts';
import { isLogged, reasonHealth } from '../../model/report/health.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { longestList } from '../../model/report/status.ts';
import type { Activity, Reason } from '../../model/report/status.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { isProblem } from './history.ts';
import type { History } from './history.ts';

/**
 * Notes in the history what happens to the daemon itself: start and stop; and what keeps documents back, when it begins
 * and, with its length, when it is over, which the log says too. `reasons`: all of this moment.
 */
export function createTimeline(
  history: Pick<History, 'add' | 'wasKilled' | 'open'>,
  {
    clock,
    log,
    endOf,
  }: {
    readonly clock: Clock;
    readonly log: LogPort;
    /**
     * How a document's failure ended, or what is no longer among the reasons; null: it goes on, or nobody knows yet.
     * `isTold`: it was among them in this process.
     */
    readonly endOf: (subject: Subject, isTold: boolean) => Ending | null;
  },
  reasons: () => readonly Reason[],
) {
  const before = history.open().filter(({ what }) => isProblem(what));
  const open = new Map<string, Known>(
    before.map(({ folder, path, code = '', at }) => {
      const from = clock.monotonic() - (clock.now() - Date.parse(at));
      const about = { what: 'problem', folder, code, ...(path === '' ? {} : { path }) };
      // Places are many: each is said once, over restarts too.
      return [keyOf(about), { about, from, isTold: false, isSaid: path !== '' }];
    }),
  );

  function note(
    what: 'started' | 'stopped' | 'reloaded' | 'limit' | 'problem' | 'recovered' | 'ended' | 'warning',
    about: Pick<Activity, 'message'> & Partial<Pick<Activity, 'folder' | 'path' | 'code'>>,
  ): void {
    const at = new Date(clock.now()).toISOString();
    history.add({ at, folder: '', path: '', what, docId: null, documents: 0, ...about });
    if (about.code !== undefined && what !== 'warning')
      log[what === 'problem' ? 'warn' : 'info']({ ...about }, what);
  }

  /** False: it has not ended. */
  function noteEnd({ what, ...about }: Subject, isTold: boolean, afterMs: number): boolean {
    const how = endOf({ what, ...about }, isTold);
    if (how === null) return false;
    const words = ends[how].replace('#', durationWords(afterMs / 1000));
    const message = `${explain(about.code).cause}: ${words}`;
    note(how === 'passed' || how === 'fixed' ? 'recovered' : 'ended', { ...about, message });
    return true;
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
    /** `isRefused`: the new configuration cannot be used. `before` and `after`: the folders. */
    reloaded: (isRefused: boolean, before: readonly Named[], after: readonly Named[]): void => {
      const inEffect = ['the new configuration is in effect', ...folderChanges(before, after)].join('; ');
      // The process has told of them, for the configuration before.
      for (const one of open.values()) one.isSaid = true;
      note('reloaded', { message: isRefused ? 'the previous configuration stays in effect' : inEffect });
    },
    /** Notes what has come or gone since the last time; of very many at once not all. */
    look: (): void => {
      const now = new Map(
        reasons()
          .filter(isLogged)
          .map((reason) => [keyOf(reason), reason]),
      );
      for (const [key, { about, from, isTold }] of open) {
        if (now.has(key)) continue;
        if (noteEnd(about, isTold, clock.monotonic() - from)) open.delete(key);
      }
      for (const { at, what, folder, path, code = '' } of history.open())
        if (what === 'failed') noteEnd({ what, folder, path, code }, true, clock.now() - Date.parse(at));
      for (const [key, reason] of now) {
        const { folder = '', path, code, message } = reason;
        const known = open.get(key);
        if (known?.isTold === true || (known === undefined && open.size >= longestList)) continue;
        const about = { folder, code, ...(path === undefined ? {} : { path }) };
        const from = known?.from ?? clock.monotonic();
        open.set(key, { about: { what: 'problem', ...about }, from, isTold: true, isSaid: true });
        if (known?.isSaid !== true)
          note(reasonHealth(code) === 'ok' ? 'limit' : 'problem', {
            ...about,
            message: isWhole(reason) ? message : reasonWords(reason),
          });
      }
    },
  };
}

type Named = Pick<FolderSettings, 'name' | 'path'>;

/** In words: what has come and gone, and what has another name for the same directory. */
function folderChanges(before: readonly Named[], after: readonly Named[]): readonly string[] {
  const added = after.filter(({ name }) => before.every((other) => other.name !== name));
  const removed = before.filter(({ name }) => after.every((other) => other.name !== name));
  const nameIn = (folders: readonly Named[], { path }: Named) =>
    folders.find((one) => one.path === path)?.name;
  const come = added.map((folder) => {
    const former = nameIn(removed, folder);
    return former === undefined
      ? `folder ${folder.name} added`
      : `folder ${former} renamed to ${folder.name}`;
  });
  const gone = removed.filter((folder) => nameIn(added, folder) === undefined);
  return [...come, ...gone.map(({ name }) => `folder ${name} removed`)];
}

const ends = {
  passed: 'over after #',
  unasked: 'nothing is left to send after #; the next request tells whether it is over',
  fixed: 'over after #, as the service has the file as it is now',
  gone: 'over after #, as its file is gone or is no longer to be sent',
  removed: 'over after #, as the folder is no longer configured',
} as const;

export type Ending = keyof typeof ends;
/** What was wrong, and with what: without a path the folder, with an empty folder the daemon itself. */
export type Subject = Pick<Activity, 'what' | 'folder'> &
  Partial<Pick<Activity, 'path'>> & { readonly code: string };

interface Known {
  readonly about: Subject;
  /** Monotonic, ms. */
  readonly from: number;
  readonly isTold: boolean;
  /** It needs not be said again when this process is told of it. */
  isSaid: boolean;
}

function keyOf({ folder = '', path = '', code }: Pick<Reason, 'folder' | 'path' | 'code'>): string {
  return JSON.stringify([folder, path, code]);
}
