import { judgeDeletions, recentDeletions } from '../model/deletion-guard.ts';
import type { Parts } from './parts.ts';
import type { Reconcile } from './reconcile.ts';
import type { Phase, Task } from './task.ts';

/** Decides over documents whose file is gone: waits out their grace, judges them together, holds them for a person. */
export interface Deletions {
  /**
   * A look found the file gone; `device` is that of the nearest directory that exists. True: the deletion may be sent
   * now; false: it waits or is held.
   */
  readonly admit: (task: Task, device: number) => Promise<boolean>;
  /** Judges once more, right before the request. */
  readonly stillAllowed: (tasks: readonly Task[]) => Promise<boolean>;
  /** Held for a reason of its own: many documents that the service does not know. */
  readonly holdBack: (task: Task, reason: string) => Promise<void>;
  /** Releases what is held; the number of documents. */
  readonly approve: (folder: string | null) => Promise<number>;
  /**
   * Whether a file of device `was` that is not found on device `now` may be away with its file system or its root, and
   * not gone.
   */
  readonly isAway: (folder: string, was: number, now: number) => Promise<boolean>;
  /** The file is back, or the deletion is done. */
  readonly settle: (task: Task) => Promise<void>;
}

interface Tools {
  readonly reconcile: Reconcile;
  readonly wakeAt: (task: Task, phase: 'grace', ms: number) => void;
  readonly folders: () => readonly string[];
}

/** A deletion whose other half may still be on its way is judged again after this. */
const otherHalfMs = 250;
/** Where a new document is compared with what is missing, or was. */
const comparing: ReadonlySet<Phase> = new Set(['look', 'looking', 'settling', 'ready']);

export function createDeletions(parts: Parts, { reconcile, wakeAt, folders }: Tools): Deletions {
  const { clock, desk, ledger, look, timing } = parts;
  /** When each file was first found gone, monotonic ms. */
  const goneSince = new WeakMap<Task, number>();
  /** Why folders are held whose hold is on its way into the ledger. */
  const beginning = new Map<string, string>();
  /** The device on which each file would have to lie now. */
  const goneFrom = new WeakMap<Task, number>();

  async function admit(task: Task, device: number): Promise<boolean> {
    goneFrom.set(task, device);
    const since = goneSince.get(task) ?? clock.monotonic();
    goneSince.set(task, since);
    desk.change(task, { present: false });
    const left = since + timing.removeGraceMs - clock.monotonic();
    if (left > 0) {
      wakeAt(task, 'grace', left);
      return false;
    }
    if (isUnsettled(task, since)) {
      wakeAt(task, 'grace', otherHalfMs);
      return false;
    }
    return stillAllowed([task]);
  }

  /** Sweeps under way, or a new file that may be this one and was not compared with it yet: nothing is deleted. */
  function isUnsettled(task: Task, since: number): boolean {
    // Its record is about to leave: it is no longer the document of this path.
    if (parts.moving.has(task.key)) return true;
    for (const name of folders()) {
      const health = parts.folder(name)?.port.health();
      if (health?.state !== 'unavailable' && !reconcile.isSwept(name)) return true;
    }
    if (parts.folder(task.ref.folder)?.port.health().busy === true) return true;
    const stamp = ledger.get(task.ref)?.stamp;
    if (stamp === undefined) return false;
    let found = false;
    for (const other of desk.newcomersLike(stamp)) {
      if (!comparing.has(other.phase) || (other.phase === 'ready' && other.phaseSince >= since)) continue;
      found = true;
      if (other.phase === 'ready' || other.phase === 'look') look(other);
    }
    return found;
  }

  async function stillAllowed(tasks: readonly Task[]): Promise<boolean> {
    const folder = tasks[0]?.ref.folder;
    if (folder === undefined) return false;
    if (tasks.every(({ ref }) => ledger.isApproved(ref))) return true;
    const verdict = await judge(folder);
    if (verdict.kind === 'allow') return true;
    await hold(folder, verdict.reason);
    return false;
  }

  async function judge(folder: string): Promise<ReturnType<typeof judgeDeletions>> {
    const rootChanged = await isRootChanged(folder);
    const reason = ledger.hold(folder)?.reason ?? beginning.get(folder);
    if (reason !== undefined) return { kind: 'hold', reason };
    const missing = [...desk.missing(folder)].filter(({ ref }) => !ledger.isApproved(ref));
    const waiting = missing.filter(({ phase }) => phase !== 'held');
    const recent = recentDeletions(ledger.removals(folder), clock.now());
    return judgeDeletions({
      removed: waiting.length,
      held: missing.length - waiting.length,
      recent,
      documents: ledger.count(folder) + recent,
      limits: parts.safety,
      rootChanged,
      unmounted: waiting.filter(isUnmounted).length,
    });
  }

  async function isRootChanged(folder: string): Promise<boolean> {
    const root = await parts.folder(folder)?.port.rootNow();
    const known = ledger.root(folder);
    return (
      reconcile.isRootChanged(folder) ||
      root === null ||
      root === undefined ||
      (known !== undefined && (known.ino !== root.ino || known.dev !== root.dev))
    );
  }

  /** Its file system was never seen under the device that its directory has now. */
  function isUnmounted(task: Task): boolean {
    const now = goneFrom.get(task);
    return now !== undefined && isOtherDevice(task.ref.folder, ledger.get(task.ref)?.stamp.dev ?? 0, now);
  }

  function isOtherDevice(folder: string, was: number, now: number): boolean {
    return was !== 0 && !reconcile.isSameDevice(folder, was, now);
  }

  async function hold(folder: string, reason: string): Promise<void> {
    const tasks = [...desk.missing(folder)].filter(
      ({ phase, ref }) => phase !== 'held' && phase !== 'sending' && !ledger.isApproved(ref),
    );
    const past = tasks.filter((task) => {
      const since = goneSince.get(task);
      return since !== undefined && clock.monotonic() - since >= timing.removeGraceMs;
    });
    if (past.length === 0) return;
    await setAside(past, { folder, reason, documents: tasks.length });
  }

  /**
   * Held from now on. The first of a folder is told of, with the number of all that go with it, and the hold is kept
   * across a restart.
   */
  async function setAside(
    tasks: readonly Task[],
    { folder, reason, documents }: { folder: string; reason: string; documents: number },
  ): Promise<void> {
    for (const task of tasks)
      desk.change(task, { phase: 'held', due: null, operation: null, message: reason });
    if (ledger.hold(folder) !== undefined || beginning.has(folder)) return;
    beginning.set(folder, reason);
    parts.tell({ folder, path: '', what: 'held', docId: null, message: reason, documents });
    try {
      await parts.commit([{ kind: 'hold', folder, hold: { since: clock.now(), reason } }]);
    } finally {
      beginning.delete(folder);
    }
  }

  async function releaseIfEmpty(folder: string): Promise<void> {
    if (ledger.hold(folder) === undefined || !reconcile.isSwept(folder)) return;
    for (const task of desk.missing(folder)) if (!ledger.isApproved(task.ref)) return;
    await parts.commit([{ kind: 'hold', folder, hold: null }]);
  }

  return {
    admit,
    stillAllowed,
    holdBack: async (task, reason) => {
      const told = setAside([task], { folder: task.ref.folder, reason, documents: 1 });
      if (task.again) look(task);
      await told;
    },
    approve: async (folder) => {
      let approved = 0;
      for (const name of folder === null ? folders() : [folder]) {
        const held = [...desk.missing(name)].filter(({ phase }) => phase === 'held');
        if (held.length > 0) {
          await parts.commit([
            { kind: 'approve', folder: name, paths: held.map(({ ref }) => ref.path) },
            { kind: 'hold', folder: name, hold: null },
          ]);
        } else if (ledger.hold(name) !== undefined) {
          await parts.commit([{ kind: 'hold', folder: name, hold: null }]);
        }
        await reconcile.adoptRoot(name);
        // What has moved on meanwhile finds its approval by itself.
        for (const task of held) if (task.phase === 'held') look(task);
        approved += held.length;
      }
      return approved;
    },
    isAway: async (folder, was, now) => isOtherDevice(folder, was, now) || (await isRootChanged(folder)),
    settle: async (task) => {
      goneSince.delete(task);
      if (ledger.isApproved(task.ref)) {
        await parts.commit([{ kind: 'unapprove', folder: task.ref.folder, paths: [task.ref.path] }]);
      }
      await releaseIfEmpty(task.ref.folder);
    },
  };
}
