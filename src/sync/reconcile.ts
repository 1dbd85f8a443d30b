import { joinPath, nameOf, sameStamp } from '../model/document.ts';
import type { DirectoryScan, DocumentRef, DocumentEntry, Skip } from '../model/document.ts';
import type { Failure, RecordMatch } from '../model/ports/ledger-port.ts';
import { createFolderViews, noteDevice, setSkips } from './folder-view.ts';
import type { FolderView } from './folder-view.ts';
import type { Parts } from './parts.ts';
import { createRootTrust } from './root-trust.ts';
import type { RootTrust } from './root-trust.ts';
import { keptCode } from './task.ts';
import type { Task } from './task.ts';

/** A change older than this that only a rescan found was missed by the watcher. */
const ringsWithinMs = 2_000;

/** Compares what sweeps list with the ledger and opens a task for every difference. */
export interface Reconcile extends RootTrust {
  readonly directory: (sweep: DirectoryScan) => void;
  /** True after the folder was swept once. */
  readonly isSwept: (folder: string) => boolean;
  /**
   * Says whether files with device number `was` lie in directories with `now`: it is the same, or files were seen there
   * that bear it, or that were recorded under it, as numbers change with a mount or a reboot.
   */
  readonly isSameDevice: (folder: string, was: number, now: number) => boolean;
  readonly skips: () => Iterable<Skip & { readonly folder: string }>;
  readonly skipCount: (folder: string) => number;
  readonly missedByWatcher: (folder: string) => number;
}

/** What is known of a sighted path before it is judged. */
interface Known {
  readonly match: RecordMatch;
  readonly task: Task | undefined;
}

export function createReconcile(parts: Parts): Reconcile {
  const { clock, desk, ledger, look } = parts;
  const views = createFolderViews();
  const trust = createRootTrust(parts, views);

  function directory(sweep: DirectoryScan): void {
    const view = views.of(sweep.folder);
    if (sweep.directory === '') beginSweep(sweep.folder, view);
    const records = ledger.recordsIn(sweep.folder, sweep.directory);
    const tasks = desk.inDirectory(sweep.folder, sweep.directory);
    const names = new Set<string>();
    let known = 0;
    let proof: DocumentEntry | null = null;
    for (const sighting of sweep.entries) {
      const name = nameOf(sighting.path);
      names.add(name);
      const match = records.match(name, sighting);
      if (match !== 'none') known += 1;
      noteDevice(view, sighting.stamp.dev, sweep.device);
      const task = tasks.get(name);
      // Nearly always so: nothing has to be made for it.
      if (match === 'same' && task === undefined) proof = sighting;
      else if (see(sweep, sighting, { match, task })) proof = sighting;
    }
    if (proof !== null) {
      view.proven = true;
      // One speaks for all: a device's number changes for the whole directory.
      const ref = { folder: sweep.folder, path: proof.path };
      const recorded = (ledger.get(ref) ?? ledger.failure(ref))?.stamp.dev;
      if (recorded !== undefined) noteDevice(view, recorded, sweep.device);
    }
    if (known < records.size) {
      for (const name of Array.from(records.keys())) if (!names.has(name)) lose(sweep, name);
    }
    for (const [name, task] of Array.from(tasks)) {
      if (!names.has(name) && mayHaveGone(task)) lookAgain(task, false);
    }
    setSkips(view, sweep.directory, sweep.skips);
    for (const gone of view.tree.vanished(sweep.directory, sweep.subdirectories)) loseAll(sweep, gone);
  }

  /** A sweep of everything begins with the root. */
  function beginSweep(folder: string, view: FolderView): void {
    // What single directories proved since the last one was, perhaps, another root's.
    view.proven = false;
    // What has come into the ledger since, for a directory that was gone by then, is compared too.
    for (const directory of ledger.directories(folder)) view.tree.add(directory);
  }

  /** Takes note of one listed document; true when it is just what its record says, or what was refused before. */
  function see(sweep: DirectoryScan, sighting: DocumentEntry, { match, task }: Known): boolean {
    if (match === 'same') {
      if (task !== undefined) lookAgain(task, true);
      return true;
    }
    const same = match === 'stamp';
    if (task === undefined) {
      const ref = { folder: sweep.folder, path: sighting.path };
      const failure = ledger.failure(ref);
      const isKnown = failure !== undefined && isOf(failure, sighting);
      if (isKnown) restoreFailure(ref, failure);
      else find(sweep, sighting);
      return same || isKnown;
    }
    if (task.phase === 'sending') {
      // Its stamp stays that of what goes out: should it be refused, that is what was refused.
      desk.change(task, { again: true, ...liveliness(sweep, task) });
      return same;
    }
    const unchanged =
      task.present &&
      task.stamp !== null &&
      sameStamp(task.stamp, sighting.stamp) &&
      task.context === sighting.context;
    if (unchanged && task.phase !== 'dormant') return same;
    desk.change(task, { stamp: sighting.stamp, context: sighting.context, ...liveliness(sweep, task) });
    lookAgain(task, true);
    return same;
  }

  function find(sweep: DirectoryScan, sighting: DocumentEntry): void {
    noteMissed(sweep, sighting.stamp.ctimeMs);
    const backlog = sweep.cause === 'start';
    const task = desk.open(
      { folder: sweep.folder, path: sighting.path },
      {
        present: true,
        lane: backlog ? 'backlog' : 'live',
        at: backlog ? sighting.stamp.mtimeMs : clock.now(),
      },
    );
    desk.change(task, { stamp: sighting.stamp, context: sighting.context });
    look(task);
  }

  function lose(sweep: DirectoryScan, name: string): void {
    const ref = { folder: sweep.folder, path: joinPath(sweep.directory, name) };
    const known = desk.get(ref);
    if (known !== undefined) {
      if (mayHaveGone(known)) lookAgain(known, false);
      return;
    }
    noteMissed(sweep, 0);
    look(
      desk.open(ref, {
        present: false,
        lane: sweep.cause === 'start' ? 'backlog' : 'live',
        at: clock.now(),
      }),
    );
  }

  function loseAll(sweep: DirectoryScan, gone: string): void {
    const view = views.of(sweep.folder);
    setSkips(view, gone, []);
    const below = { ...sweep, directory: gone };
    for (const name of Array.from(ledger.recordsIn(sweep.folder, gone).keys())) lose(below, name);
    for (const task of Array.from(desk.inDirectory(sweep.folder, gone).values())) {
      if (mayHaveGone(task)) lookAgain(task, false);
    }
  }

  function lookAgain(task: Task, present: boolean): void {
    if (task.phase === 'looking' || task.phase === 'sending') {
      desk.change(task, { again: true });
      return;
    }
    desk.change(task, { present });
    look(task);
  }

  function restoreFailure(ref: DocumentRef, failure: Failure): void {
    const task = desk.open(ref, { present: true, lane: 'backlog', at: failure.stamp.mtimeMs });
    desk.change(task, {
      phase: 'failed',
      stamp: failure.stamp,
      context: failure.context,
      code: failure.code,
      message: failure.message,
      attempts: failure.attempts,
      recorded: true,
    });
  }

  function noteMissed(sweep: DirectoryScan, ctimeMs: number): void {
    if (sweep.cause !== 'rescan' || clock.now() - ctimeMs < ringsWithinMs) return;
    views.of(sweep.folder).missed += 1;
  }

  function liveliness(sweep: DirectoryScan, task: Task): Partial<Pick<Task, 'lane' | 'at'>> {
    if (sweep.cause === 'start') return {};
    return { lane: 'live', at: Math.max(task.at, clock.now()) };
  }

  /** What failed before a restart and was gone, or was no document any more, after it: nobody else looks there again. */
  function lookAtFailures(folder: string): void {
    for (const [ref] of Array.from(ledger.failures())) {
      if (ref.folder !== folder || desk.get(ref) !== undefined) continue;
      look(desk.open(ref, { present: false, lane: 'backlog', at: 0 }));
    }
  }

  return {
    ...trust,
    swept: (folder, summary) => {
      trust.swept(folder, summary);
      lookAtFailures(folder);
    },
    directory,
    isSwept: (folder) => views.known(folder)?.swept ?? false,
    isSameDevice: (folder, was, now) =>
      was === now || views.known(folder)?.devices.get(was)?.has(now) === true,
    skips: function* () {
      for (const [folder, view] of views.all()) {
        for (const list of view.skips.values()) for (const skip of list) yield { ...skip, folder };
      }
    },
    skipCount: (folder) => views.known(folder)?.skipCount ?? 0,
    missedByWatcher: (folder) => views.known(folder)?.missed ?? 0,
  };
}

/** Not listed as a document: gone, or what is not sent any more, which may be gone too. What is kept stays kept. */
function mayHaveGone(task: Task): boolean {
  if (task.phase === 'dormant') return task.code !== keptCode;
  return task.present || !task.hasRecord;
}

function isOf(failure: Failure, sighting: DocumentEntry): boolean {
  return sameStamp(failure.stamp, sighting.stamp) && failure.context === sighting.context;
}
