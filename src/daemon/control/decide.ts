import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { createTurns } from '../../lib/queue/turns.ts';
import { shellWord } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { isAtOrBelow, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { deliveredIn } from '../../model/choose-retries.ts';
import { openDoubts } from '../../model/doubts.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { allowWidening } from '../../model/metadata/held-mode.ts';
import type { DecisionPort, Given } from '../../model/ports/control-port.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { endsInFolder, mayHelpToShare } from '../../model/report/explanations.ts';
import type { Decider } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import type { Engine } from '../../sync/engine.ts';
import { reasonOf } from '../../sync/tasks/task.ts';
import type { History } from '../history/history.ts';
import { narrowerAt, ofDocument, pausedOf, requireShown, resentOf, resolvedOf } from './decisions.ts';
import type { Decision } from './decisions.ts';
import { createPauseKeeper } from './pauses.ts';
import type { PauseChange, Pauses } from './pauses.ts';
import { dismissFormer, requireRetriable, resolveDoubt } from './resolve-doubt.ts';
import { foldersText, requireFolder, requirePath, resolvePath } from './resolve-path.ts';

/** What decisions are about, and where they go. */
export interface DecisionSources {
  readonly settings: Settings;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly log: LogPort;
  /** As they stood at the start. */
  readonly pauses: Pauses;
  readonly engine: Engine;
  readonly ledger: LedgerPort;
  readonly folders: readonly FolderPort[];
  readonly history: Pick<History, 'add'>;
}

/** Carries out what a person decides, in the order in which it comes. */
export function createDecisions(sources: DecisionSources) {
  const { settings, clock, log, engine, ledger, folders, history } = sources;
  const pauses = createPauseKeeper({
    stateDir: settings.state.dir,
    clock,
    folders: settings.folders,
    first: sources.pauses,
    onChange: (names) => engine.setPaused(names),
    onOver: (change) => {
      const message = 'the time of the pause is over';
      const resumed = pausedOf(change, settings.folders).map((decision) => ({ ...decision, message }));
      note(resumed, undefined);
    },
  });
  /** About documents: each is judged by what the one before it has written. */
  const inTurn = createTurns();
  return { decisionsBy, pausedNow: pauses.now, close: pauses.close };

  /** Into the log, and the history. */
  function note(made: readonly Decision[], by: Decider | undefined): void {
    for (const decision of made) {
      const { what, folder, path, documents } = decision;
      log.info({ folder, path, documents, by }, what);
      const at = new Date(clock.now()).toISOString();
      history.add({ ...decision, at, ...(by === undefined ? {} : { by }) });
    }
  }

  function decisionsBy(by: Decider): DecisionPort {
    return {
      retry: ({ paths, all = false }) =>
        inTurn(async () => {
          if (all) for (const name of paths) requireFolder(settings, name);
          // What is named is looked at below.
          const failed = all || paths.length === 0 ? [...engine.tasks.in('failed')] : [];
          const codes = failed.map((task) => [task.key, reasonOf(task)?.code ?? ''] as const);
          const barred = new Map(codes.filter(([, code]) => endsInFolder(code)));
          const refs = all
            ? deliveredIn(paths, ledger).filter((ref) => !engine.isAway(ref) && !barred.has(refKey(ref)))
            : paths.map((text) => requirePath(folders, text).ref);
          for (const ref of refs) {
            const port = folders.find(({ name }) => name === ref.folder);
            if (port !== undefined && !all) await requireRetriable({ ref, port, ledger });
          }
          const meant = paths.length === 0 ? null : refs;
          const inDoubt = new Set(openDoubts(ledger).map(({ ref }) => refKey(ref)));
          const { delivered, retried, unknown } = await engine.retry(meant, barred);
          if (unknown.length > 0)
            throw new ConfigurationError(
              `${unknown.map(refKey).join(', ')}: has not failed, and is no delivered document whose file is there, so nothing was sent again; retry takes files, no directories, and ingestd why PATH says how a file stands`,
            );
          for (const folder of new Set(delivered.map((ref) => ref.folder))) engine.folders.rescan(folder);
          note(all ? resentOf(retried) : retried.map((ref) => ofDocument(ref, 'retried')), by);
          const doubted = retried.filter((ref) => inDoubt.has(refKey(ref))).length;
          return { retried: retried.length, doubted, barred: [...new Set(barred.values())] };
        }),
      resolve: (resolution) =>
        inTurn(async () => {
          const paths = doubtedAt(resolution);
          for (const path of paths) {
            let made = dismissFormer(path, { folders, ledger }, resolution);
            if (made === null) {
              const { ref, folder: port } = requirePath(folders, path);
              made = { ref, changes: await resolveDoubt({ ref, port, ledger }, resolution) };
            }
            if (resolution.action === 'adopt' && resolution.looks === true) continue;
            if (!(await engine.decide(made.ref, made.changes)))
              throw new ConfigurationError(
                `${refKey(made.ref)} is being sent right now; try again in a moment`,
              );
            note([resolvedOf(made.ref, resolution)], by);
          }
          return { resolved: paths.length };
        }),
      approve: ({ folder, ...shown }) =>
        inTurn(async () => {
          requireFolder(settings, folder);
          const names = folder === null ? settings.folders.map(({ name }) => name) : [folder];
          requireScanned(names.filter((name) => ledger.hold(name) !== undefined));
          // All of them now: what is held while it is written is not meant.
          const meant = names.map((folder) => ({ folder, held: engine.holds.tasks(folder) }));
          const refs = meant.flatMap(({ held }) => held.map(({ ref }) => ref));
          requireShown(refs, shown);
          return { approved: await release(meant, { keeps: false, by }) };
        }),
      share: ({ paths, shown = [] }) =>
        inTurn(async () => {
          const places = await Promise.all(paths.map(requireThere));
          const narrower = narrowerAt(places, ledger);
          const found = narrower.filter(({ ref, code }) => mayHelpToShare(code) && !engine.isAway(ref));
          const documents = found.map(({ ref, sharing }) => ({ path: refKey(ref), sharing }));
          const meant = new Map(shown.map(({ path, sharing }) => [path, sharing]));
          const wanted = found.filter(({ ref, sharing }) => meant.get(refKey(ref)) === sharing);
          const taken = await Promise.all(
            wanted.map(({ ref, record, sharing }) =>
              engine.decide(ref, [{ kind: 'put', ref, record: allowWidening(record, sharing) }]),
            ),
          );
          const done = wanted.filter((_, index) => taken[index]);
          for (const { ref, sharing } of done)
            note([ofDocument(ref, 'shared', `as stated, with sharing mode ${sharing}`)], by);
          return { documents, shared: done.length, barred: narrower.length - found.length };
        }),
      keep: ({ place }) =>
        inTurn(async () => {
          const all = settings.folders.map(({ name }) => ({ folder: name, path: '' }));
          const places = place === null ? all : [await requireThere(place)];
          const meant = places.map(({ folder, path }) => ({
            folder,
            held: engine.holds.unanswered(folder).filter(({ ref }) => isAtOrBelow(ref.path, path)),
          }));
          return { kept: await release(meant, { keeps: true, by }) };
        }),
      pause: async ({ folder, ms }) => {
        await pauses.pause(requireFolder(settings, folder), notePause, { by, ms });
        return pauses.now();
      },
      resume: async ({ folder }) => {
        await pauses.resume(requireFolder(settings, folder), notePause);
        return pauses.now();
      },
      rescan: async ({ folder }) => {
        requireFolder(settings, folder);
        return { folders: engine.folders.rescan(folder) };
      },
    };

    function notePause(change: PauseChange): void {
      note(pausedOf(change, settings.folders), by);
    }
  }

  /** As `requirePath`; throws ConfigurationError too where neither the folder nor the ledger has anything. */
  async function requireThere(text: string): Promise<DocumentRef> {
    const { ref, folder } = requirePath(folders, text);
    const isBelow = (directory: string) => isAtOrBelow(directory, ref.path);
    const isKnown = ledger.get(ref) !== undefined || Array.from(ledger.directories(ref.folder)).some(isBelow);
    if (isKnown || (await stat(join(folder.path, ref.path)).catch(() => null)) !== null) return ref;
    throw new ConfigurationError(
      `${text}: there is no such file or directory, and no document of that path was delivered; name one that ingestd status lists, or a folder: ${foldersText(folders)}`,
    );
  }

  /** Carries out what was decided about deletions that wait for a person. Gives the number of their documents. */
  async function release(
    meant: readonly { readonly folder: string; readonly held: ReturnType<Engine['holds']['tasks']> }[],
    { keeps, by }: { readonly keeps: boolean; readonly by: Decider },
  ): Promise<number> {
    let total = 0;
    const [what, words] = keeps ? ['kept', 'at the service'] : ['approved', 'to be deleted at the service'];
    for (const { folder, held } of meant) {
      const answered = await engine.approve(folder, held, { keeps });
      for (const { ref } of answered) note([ofDocument(ref, what, words)], by);
      total += answered.length;
    }
    return total;
  }

  /** Throws ConfigurationError while it is not known which files of these folders are missing. */
  function requireScanned(holding: readonly string[]): void {
    if (holding.length === 0) return;
    for (const { name, path, health } of folders) {
      const { state, reasons } = health();
      if (state !== 'unavailable' || !holding.includes(name)) continue;
      const why = reasons.map(({ message }) => message).join('; ');
      throw new ConfigurationError(
        `the folder "${name}" (${path}) is unavailable (${why}), so which of its documents are missing is not known; make it available, then run ingestd approve ${shellWord(name)} again`,
      );
    }
    const unscanned = settings.folders.filter(({ name }) => engine.folders.isWaitedFor(name));
    if (unscanned.length > 0) {
      throw new ConfigurationError(
        `what is missing may have moved to ${unscanned.map(({ name }) => name).join(', ')}, which is still being scanned; try again when that is done`,
      );
    }
  }

  /** The paths in doubt, or with possible duplicates, below a directory, which may have one answer; else the text itself. */
  function doubtedAt({ path: text, action }: Given<'resolve'>): readonly string[] {
    const place = action === 'adopt' ? null : resolvePath(folders, text);
    const doubtful = [...openDoubts(ledger), ...(action === 'dismiss' ? ledger.duplicated() : [])];
    const inside = doubtful.filter(
      ({ ref }) => ref.folder === place?.folder && isAtOrBelow(ref.path, place.path),
    );
    return inside.length === 0 ? [text] : [...new Set(inside.map(({ ref }) => refKey(ref)))];
  }
}
