import type { Clock } from '../../lib/time/clock.ts';
import { durationWords } from '../../lib/text/amounts.ts';
import { version } from '../../config/package-files.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { explain } from '../../model/report/explanations.ts';
import { isWhole, reasonWords } from '../../model/report/headline.ts';
import { isLogged, reasonHealth } from '../../model/report/health.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { longestList } from '../../model/report/status.ts';
import type { Activity, Reason } from '../../model/report/status.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { returnedWords } from '../../sync/activity-reports.ts';
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
     * How ended what the log said of a document, or is no longer among the reasons; null: it goes on, or nobody knows yet.
     * `isTold`: it was among them in this process.
     */
    readonly endOf: (said: Activity, isTold: boolean) => Ending | null;
  },
  reasons: () => readonly Reason[],
) {
  const known = new Map<string, Known>();
  // Places are many: each is said once, over restarts too.
  for (const said of history.open().filter(({ what }) => isProblem(what)))
    known.set(keyOf(said), { from: beganAt(said), isTold: false, isSaid: said.path !== '' });

  /** Monotonic, ms. */
  function beganAt({ at }: Activity): number {
    return clock.monotonic() - (clock.now() - Date.parse(at));
  }

  function note(
    what:
      | 'started'
      | 'stopped'
      | 'reloaded'
      | 'limit'
      | 'problem'
      | 'recovered'
      | 'ended'
      | 'returned'
      | 'warning',
    about: Pick<Activity, 'message'> & Partial<Pick<Activity, 'folder' | 'path' | 'code' | 'docId'>>,
  ): void {
    const at = new Date(clock.now()).toISOString();
    history.add({ at, folder: '', path: '', what, docId: null, documents: 0, ...about });
    const { path, ...rest } = about;
    if (about.code !== undefined && what !== 'warning')
      log[what === 'problem' ? 'warn' : 'info'](path === '' ? rest : about, what);
  }

  /** False: it has not ended. */
  function noteEnd(said: Activity, { from, isTold }: Pick<Known, 'from' | 'isTold'>): boolean {
    const how = endOf(said, isTold);
    if (how === null) return false;
    const { folder, path, what, docId } = said;
    if (what === 'held' && how === 'fixed') {
      note('returned', { folder, path, docId, code: what, message: returnedWords.held });
      return true;
    }
    // What a lost answer was like says nothing of the doubt that it left.
    const { code = what } = what === 'in doubt' ? { code: inDoubtCode } : said;
    const words = ends[how].replace('#', durationWords((clock.monotonic() - from) / 1000));
    const message = `${explain(code).cause}: ${words}`;
    note(how === 'passed' || how === 'fixed' ? 'recovered' : 'ended', { folder, path, code, message });
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
      for (const one of known.values()) one.isSaid = true;
      note('reloaded', { message: isRefused ? 'the previous configuration stays in effect' : inEffect });
    },
    /** Notes what has come or gone since the last time; of very many at once not all. */
    look: (): void => {
      const now = new Map(
        reasons()
          .filter(isLogged)
          .map((reason) => [keyOf(reason), reason]),
      );
      for (const said of history.open()) {
        const key = keyOf(said);
        const ofBefore = known.get(key) ?? { from: beganAt(said), isTold: true };
        if (!now.has(key) && noteEnd(said, ofBefore)) known.delete(key);
      }
      for (const [key, reason] of now) {
        const { folder = '', path = '', code, message } = reason;
        const before = known.get(key);
        if (before?.isTold === true || (before === undefined && known.size >= longestList)) continue;
        known.set(key, { from: before?.from ?? clock.monotonic(), isTold: true, isSaid: true });
        if (before?.isSaid !== true)
          note(reasonHealth(code) === 'ok' ? 'limit' : 'problem', {
            folder,
            path,
            code,
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
  replaced: 'after #, another cause was found',
  fixed: 'over after #, as the service has the file as it is now',
  gone: 'over after #, as its file is gone or is no longer to be sent',
  removed: 'over after #, as the folder is no longer configured',
} as const;

export type Ending = keyof typeof ends;

/** Something that is among the reasons, or was before this process. */
interface Known {
  /** Monotonic, ms. */
  readonly from: number;
  readonly isTold: boolean;
  /** It was said already: this process does not say it once more. */
  isSaid: boolean;
}

function keyOf({ folder = '', path = '', code }: Partial<Activity | Reason>): string {
  return JSON.stringify([folder, path, code]);
}
