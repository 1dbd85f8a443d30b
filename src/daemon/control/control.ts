import { createTurns } from '../../lib/queue/turns.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { ControlPort, DecisionPort, Resolution } from '../../model/ports/control-port.ts';
import { ConfigurationError, errorMessage } from '../../model/errors.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { AuthPort } from '../../model/ports/service-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import type { Decider, Reason, Status } from '../../model/report/status.ts';
import type { Engine } from '../../sync/engine.ts';
import { dueOf } from '../../sync/tasks/task.ts';
import type { History } from '../history/history.ts';
import {
  approvedOf,
  decided,
  fleetPausedOf,
  isFleetPauseLogged,
  pausedOf,
  requireShown,
  resolvedOf,
  resentOf,
  retriedOf,
} from './decisions.ts';
import type { Decision } from './decisions.ts';
import type { Place } from '../process/join-cluster.ts';
import type { ChangeSignal } from '../../lib/time/change-signal.ts';
import { dismissFormer, requireDoubtedFile, resolveDoubt } from './resolve-doubt.ts';
import { createPauseKeeper } from './pauses.ts';
import type { PauseChange, Pauses } from './pauses.ts';
import { namedFolders, namedRefs, requireFolder, requirePath } from './resolve-path.ts';
import { describeFile } from './describe-file.ts';
import { describeFormer } from './describe-former.ts';

interface Sources {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: LogPort;
  /** As they stood at the start. */
  readonly pauses: Pauses;
  readonly engine: Engine;
  readonly ledger: LedgerPort;
  readonly folders: readonly FolderPort[];
  readonly tokens: AuthPort;
  readonly history: Pick<History, 'add' | 'recent' | 'listen' | 'past' | 'readBack'>;
  readonly changes: ChangeSignal;
  readonly status: () => Status;
  readonly unready: () => readonly Reason[];
  /** Why nothing is sent now, of whatever document. */
  readonly obstacles: () => readonly Reason[];
  /** Null: this host is alone. */
  readonly fleet: Pick<Place['cluster'], 'listenToPauses' | 'reasons'> | null;
}

/** An inspection or a request that takes longer than this is not expected to end any more. */
const stuckMs = 30 * 60_000;

/** What the page and the command line may ask of the running daemon. */
export function createControl(sources: Sources): ControlPort {
  const { settings, clock, log, engine, ledger, folders, history, changes } = sources;
  const pauses = createPauseKeeper({
    stateDir: settings.state.dir,
    folders: settings.folders,
    first: sources.pauses,
    onChange: (names) => engine.setPaused(names),
  });
  /** About documents: each is judged by what the one before it has written. */
  const inTurn = createTurns();
  const inNews = createTurns();
  sources.fleet?.listenToPauses(({ isHalted: isPaused, isFirst: isOld }) => {
    void inNews(async () => {
      if (isOld && isPaused === (await isFleetPauseLogged(history.readBack))) return;
      const own = pauses.names();
      const others = settings.folders.map(({ name }) => name).filter((name) => !own.includes(name));
      note(fleetPausedOf(others, { isPaused, isOld }), 'command line');
    });
  });
  return {
    status: sources.status,
    unready: sources.unready,
    recent: history.recent,
    onActivity: history.listen,
    onStatus: changes.listen,
    healthy: () => {
      const now = clock.monotonic();
      const longest = [...engine.tasks.in('inspecting')].every(
        ({ state }) => state.kind !== 'inspecting' || now - state.since < stuckMs,
      );
      return longest && engine.transfers.list().length <= settings.service.concurrency;
    },
    why: async (text) => {
      const former = await describeFormer(text, { folders, ledger, pastOf: history.past });
      if (former !== null) return former;
      const { ref, folder: port } = requirePath(folders, text);
      const task = engine.tasks.get(ref);
      const dueMs = task === undefined ? null : dueOf(task);
      const nextAt = dueMs === null ? null : new Date(clock.now() + dueMs - clock.monotonic()).toISOString();
      return describeFile({
        ref,
        port,
        places: {
          inspectIn: async (other) => folders.find(({ name }) => name === other.folder)?.inspect(other.path),
          orphanNamed: (name) => engine.folders.orphanNamed(name),
          findHolders: ledger.findHolders,
        },
        ledger,
        past: await history.past(ref),
        recent: engine.attempts.of(refKey(ref)),
        ahead: {
          kind: 'daemon',
          task,
          isInBacklog: engine.tasks.backlog.has(ref),
          isPaused: pauses.names().includes(ref.folder),
          isFleetPaused: isFleetPaused(sources.fleet?.reasons() ?? []),
          obstacle: sources.obstacles()[0]?.message ?? null,
        },
        nextAt,
      });
    },
    decisions,
    rescan,
    revoke: (options) => sources.tokens.revoke(options),
  };

  function rescan(folder: string | null): { readonly folders: readonly string[] } {
    requireFolder(settings, folder);
    const chosen = folders.filter(({ name }) => folder === null || folder === name);
    for (const port of chosen) {
      port.rescan('rescan').catch((error: unknown) => {
        log.warn({ folder: port.name, error: errorMessage(error) }, 'rescan failed');
      });
    }
    return { folders: chosen.map(({ name }) => name) };
  }

  function note(made: readonly Decision[], by: Decider): void {
    for (const decision of made) {
      const { what, folder, path, documents } = decision;
      log.info({ folder, path, documents, by }, what);
      history.add(decided(decision, by, clock));
    }
  }

  function decisions(by: Decider): DecisionPort {
    return {
      retry: (paths, { all = false } = {}) =>
        inTurn(async () => {
          const { refs, lost } = all
            ? namedFolders(settings, paths, ledger)
            : namedRefs(settings.folders, paths);
          for (const ref of refs ?? []) {
            const port = folders.find(({ name }) => name === ref.folder);
            if (port !== undefined) await requireDoubtedFile({ ref, port, ledger });
          }
          const { delivered, retried, unknown } = await engine.retry(refs);
          for (const folder of new Set(delivered.map((ref) => ref.folder))) rescan(folder);
          note(all ? resentOf(retried) : retriedOf(retried), by);
          return { retried: retried.length, unknown: lost(unknown) };
        }),
      resolve: (text, resolution) =>
        inTurn(async () => {
          const { ref, changes } =
            dismissFormer(text, { folders, ledger }, resolution) ?? (await resolutionOf(text, resolution));
          if (!(await engine.decide(ref, changes)))
            throw new ConfigurationError(`${refKey(ref)} is being sent right now; try again in a moment`);
          note([resolvedOf(ref, resolution)], by);
        }),
      approve: (folder, shown) =>
        inTurn(async () => {
          requireFolder(settings, folder);
          const names = folder === null ? settings.folders.map(({ name }) => name) : [folder];
          // Before that nobody knows which files are missing.
          const unscanned = settings.folders.filter(({ name }) => engine.folders.isWaitedFor(name));
          if (unscanned.length > 0 && names.some((name) => ledger.hold(name) !== undefined)) {
            throw new ConfigurationError(
              `what is missing may have moved to ${unscanned.map(({ name }) => name).join(', ')}, which is still being scanned; try again when that is done`,
            );
          }
          // All of them now: what is held while it is written is not meant.
          const meant = names.map((name) => ({ name, held: engine.holds.tasks(name) }));
          requireShown(
            meant.flatMap(({ held }) => held.map(({ ref }) => ref)),
            shown,
          );
          let approved = 0;
          for (const { name, held } of meant) {
            const documents = await engine.approve(name, held);
            if (documents > 0) note(approvedOf([{ folder: name, documents }]), by);
            approved += documents;
          }
          return { approved };
        }),
      pause: async (folder) => {
        await pauses.pause(requireFolder(settings, folder), notePause);
        return { paused: pauses.names() };
      },
      resume: async (folder) => {
        await pauses.resume(requireFolder(settings, folder), notePause);
        return { paused: pauses.names() };
      },
    };

    function notePause(change: PauseChange): void {
      note(pausedOf(change, settings.folders), by);
    }
  }

  /** Throws ConfigurationError where it cannot be taken. */
  async function resolutionOf(
    text: string,
    resolution: Resolution,
  ): Promise<{ readonly ref: DocumentRef; readonly changes: readonly Change[] }> {
    const { ref, folder: port } = requirePath(folders, text);
    return { ref, changes: await resolveDoubt({ ref, port, ledger }, resolution) };
  }
}
