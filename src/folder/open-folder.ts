import { isAbsolute, relative, resolve, sep } from 'node:path';

import type { Clock } from '../core/clock.ts';
import { errorCode, errorMessage } from '../core/errors.ts';
import type { FolderHealth, FolderListener, FolderPort } from '../core/folder-port.ts';
import type { RootIdentity } from '../core/ledger-port.ts';
import type { LogPort } from '../core/log-port.ts';
import type { FolderSettings, TimingSettings } from '../core/settings.ts';
import { hashContent, createContentSource } from './content-source.ts';
import { openContent } from './content.ts';
import { readRoot, sameRoot } from './root-identity.ts';
import type { SweepOutcome, SweepReport } from './sweep-messages.ts';
import { createSweepSchedule } from './sweep-schedule.ts';
import type { SweepSchedule } from './sweep-schedule.ts';
import { createSweeper } from './sweeper.ts';
import type { Sweeper } from './sweeper.ts';
import type { Watcher } from './watcher.ts';

export interface FolderOptions {
  readonly settings: FolderSettings;
  readonly timing: TimingSettings;
  readonly maxFileBytes: number;
  /** Left out where it lies inside the folder. */
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Default: chosen by the size of the tree. */
  readonly watcher?: Watcher['kind'] | undefined;
}

/** A folder on disk. Nothing happens before `start`. */
export function openFolder(options: FolderOptions): FolderPort {
  const { settings, timing, clock, log } = options;
  const root = settings.path;
  let sweeper: Sweeper | null = null;
  let schedule: SweepSchedule | null = null;
  let listener: FolderListener | null = null;
  let died: string | null = null;
  let lastRoot: RootIdentity | null = null;

  function begin(): Sweeper {
    const made = createSweeper(
      {
        settings,
        maxFileBytes: options.maxFileBytes,
        settleMs: timing.settleMs,
        removeGraceMs: timing.removeGraceMs,
        root,
        excluded: excludedIn(root, options.stateDir),
        player: options.watcher ?? null,
      },
      clock,
      {
        directory: (sweep) => listener?.directory(sweep),
        rings: (directories) => schedule?.rings(directories),
        lost: ({ code, message }) => {
          log.warn({ folder: settings.name, code }, message);
          schedule?.lost();
        },
        died: (message) => {
          died = message;
          log.error({ folder: settings.name, error: message }, 'the sweeping thread ended');
          listener?.changed();
        },
      },
    );
    sweeper = made;
    return made;
  }

  function needSweeper(): Sweeper {
    return sweeper ?? begin();
  }

  async function locate(path: string): Promise<string> {
    return needSweeper().ask('locate', { path });
  }

  async function openAt(path: string, stamp: Parameters<FolderPort['open']>[1]) {
    const absolute = await locate(path);
    return openContent({ absolute, root, stamp, followSymlinks: settings.followSymlinks });
  }

  function health(): FolderHealth {
    const report = schedule?.report() ?? null;
    const trouble = schedule?.trouble() ?? null;
    const reasons: { code: string; message: string }[] = [];
    if (died !== null) reasons.push({ code: 'sweeper-died', message: `${settings.name}: ${died}` });
    if (trouble !== null)
      reasons.push({ code: trouble.code, message: `${settings.name}: ${trouble.message}` });
    if (report !== null) reasons.push(...reportedReasons(settings.name, report));
    return {
      state: stateOf({ started: schedule !== null, unavailable: trouble !== null || died !== null, report }),
      watches: report?.watches ?? 0,
      reasons,
      busy: schedule?.isBusy() ?? false,
    };
  }

  return {
    name: settings.name,
    path: root,
    start: async (given) => {
      listener = given;
      const made = needSweeper();
      schedule = createSweepSchedule({
        clock,
        timing,
        sweep: (request) => made.ask('sweep', request).catch(unforeseen),
        swept: (cause, { root: identity }) => {
          lastRoot = identity;
          given.swept({ cause, root: identity });
        },
        rootStands: async () => {
          const [now, known] = [readRoot(root), lastRoot];
          return now.kind === 'there' && (known === null || sameRoot(known, now.identity));
        },
        changed: given.changed,
      });
      await schedule.everything('start');
    },
    rescan: async (cause) => schedule?.everything(cause),
    look: async (path) => {
      try {
        return await needSweeper().ask('look', { path });
      } catch (error) {
        return { kind: 'unknown', code: 'look-failed', message: errorMessage(error) };
      }
    },
    rootNow: () => {
      const reading = readRoot(root);
      return Promise.resolve(reading.kind === 'there' ? reading.identity : null);
    },
    hash: async (path, stamp) => {
      try {
        const handle = await openAt(path, stamp);
        try {
          return await hashContent(handle, stamp.size);
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (errorCode(error) === 'content-changed') return null;
        throw error;
      }
    },
    open: async (path, stamp) => createContentSource(await openAt(path, stamp), stamp.size),
    health,
    close: async () => {
      schedule?.close();
      listener = null;
      await sweeper?.close();
    },
  };
}

/** A sweep that went wrong in a way that nobody foresaw concludes nothing. */
function unforeseen(error: unknown): SweepOutcome {
  return { kind: 'unavailable', code: 'sweep-failed', message: errorMessage(error) };
}

/** The state directory from the root, where it lies inside. */
function excludedIn(root: string, stateDir: string): string | null {
  const inside = relative(root, resolve(stateDir));
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
  return inside;
}

function stateOf({
  started,
  unavailable,
  report,
}: {
  started: boolean;
  unavailable: boolean;
  report: SweepReport | null;
}): FolderHealth['state'] {
  if (unavailable) return 'unavailable';
  if (!started || report === null) return 'scanning';
  return report.polled || report.player === null ? 'polling' : 'watching';
}

function reportedReasons(name: string, report: SweepReport): FolderHealth['reasons'] {
  const reasons: { code: string; message: string }[] = [];
  if (report.unwatched > 0) {
    reasons.push({
      code: 'watch-limit',
      message:
        `${name}: no watches are left for ${report.unwatched} directories, which are polled instead; ` +
        'raise the limit: sysctl fs.inotify.max_user_watches=1048576',
    });
  }
  for (const { path, message } of report.unreadable) {
    reasons.push({
      code: 'unreadable-directory',
      message: `${name}/${path} cannot be read (${message}): nothing below it is deleted`,
    });
  }
  return reasons;
}
