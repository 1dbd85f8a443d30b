import { join } from 'node:path';
import * as z from 'zod';

import { pathInside } from '../../lib/files/path-inside.ts';
import { readIfThere, writeDurably } from '../../lib/files/durable-file.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import { toTheSecond } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { ConfigurationError, errorMessage, LedgerUnwritableError } from '../../model/errors.ts';
import { fileFault } from '../../model/report/file-fault.ts';
import type { PausedFolders } from '../../model/ports/control-port.ts';
import { deciders } from '../../model/report/status.ts';

/** One that is given another name, or another path, stays paused; so does what is made of it. */
const pausedFolder = z.object({
  name: z.string(),
  path: z.string(),
  /** Wall clock, ms: until then; left out: until somebody resumes. */
  until: z.number().optional(),
  /** Wall clock, ms, and where a person paused it; left out: not known. */
  since: z.number().optional(),
  by: z.enum(deciders).optional(),
});

/** As it is kept in the state directory. `all`: once written of every folder. */
const schema = z.object({ all: z.boolean(), until: z.number().optional(), folders: z.array(pausedFolder) });

export type PausedFolder = Readonly<z.output<typeof pausedFolder>>;
type PauseMade = Omit<PausedFolder, 'name' | 'path'>;

/** What a person paused. */
export type Pauses = readonly PausedFolder[];

/** All folders, those that are configured later too. */
const everything: PausedFolder = { name: '', path: '/' };

/** The wall clock may be set meanwhile: it is asked again, at the latest after this. */
const longestTimerMs = 60_000;

/** A file that cannot be read pauses everything: what a person wanted kept back must not go out. */
export async function readPauses(stateDir: string): Promise<Pauses> {
  try {
    const text = await readIfThere(fileIn(stateDir));
    const { all, until, folders } = schema.parse(JSON.parse(text ?? '{"all": false, "folders": []}'));
    return lasting([...(all ? [{ ...everything, until }] : []), ...folders], Date.now());
  } catch {
    return [everything];
  }
}

/** Durable when it resolves. */
export async function writePauses(stateDir: string, pauses: Pauses): Promise<void> {
  await writeDurably(fileIn(stateDir), `${JSON.stringify({ all: false, folders: pauses })}\n`);
}

/** When the pause of a folder ends by itself, wall clock, ms; Infinity: never; null: it is not paused. */
export function pauseEnd(pauses: Pauses, { name, path }: PausedFolder): number | null {
  const pause = longestOf(pauses, { name, path });
  return pause === null ? null : (pause.until ?? Infinity);
}

/** A folder is paused with what it was before it was narrowed, widened, split or merged, and got another name. */
function longestOf(pauses: Pauses, { name, path }: PausedFolder): PausedFolder | null {
  const isOf = (one: string, other: string) => pathInside(one, other) !== null;
  const own = pauses.filter((one) => one.name === name || isOf(one.path, path) || isOf(path, one.path));
  return own.toSorted((one, other) => (other.until ?? Infinity) - (one.until ?? Infinity))[0] ?? null;
}

/** With one folder more on pause; null: with all. Who does it again, until the same moment, changes nothing. */
export function pause(pauses: Pauses, folder: PausedFolder | null, made: PauseMade = {}): Pauses {
  const { name, path } = folder ?? everything;
  if (pauses.some((one) => one.name === name && one.until === made.until)) return pauses;
  return [...pauses.filter((one) => one.name !== name), { name, path, ...made }];
}

/** Those whose time is not over. */
function lasting(pauses: Pauses, now: number): Pauses {
  return pauses.filter(({ until }) => until === undefined || until > now);
}

/** Without one folder, the others of `configured` as they are; null: with none on pause. */
export function resume(
  pauses: Pauses,
  folder: PausedFolder | null,
  configured: readonly PausedFolder[],
): Pauses {
  if (folder === null) return [];
  return configured.flatMap(({ name, path }) => {
    const still = name === folder.name ? null : longestOf(pauses, { name, path });
    return still === null ? [] : [{ ...still, name, path }];
  });
}

/** The folders that are paused, and what is known of it. */
export function pausedAmong(pauses: Pauses, folders: readonly PausedFolder[]): PausedFolders {
  const iso = (ms?: number) => (ms === undefined ? undefined : toTheSecond(ms));
  const known = folders.flatMap((folder) => {
    const pause = longestOf(pauses, folder);
    if (pause === null) return [];
    return [[folder.name, { since: iso(pause.since), by: pause.by, until: iso(pause.until) }] as const];
  });
  return { paused: known.map(([name]) => name), pauses: Object.fromEntries(known) };
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'paused.json');
}

interface KeeperOptions {
  readonly stateDir: string;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Those that are configured. */
  readonly folders: readonly PausedFolder[];
  /** As they stood at the start. */
  readonly first: Pauses;
  /** Called with the names of the folders that are paused from now on. */
  readonly onChange: (names: readonly string[]) => void;
  /** Called when the time of a pause is over. */
  readonly onOver: (change: PauseChange) => void;
}

/** What one decision has changed. */
export interface PauseChange {
  readonly before: Pauses;
  readonly after: Pauses;
}

/**
 * What is paused while the daemon runs. Decisions count and are saved in the order in which they were made, whatever the
 * disk does meanwhile. A null folder means all of them.
 */
export function createPauseKeeper({ stateDir, clock, folders, first, onChange, onOver }: KeeperOptions) {
  const inTurn = createTurns();
  let kept = first;
  /** Pauses whose turn has not come. They count already. */
  const coming = new Set<{ readonly folder: PausedFolder | null; readonly made: PauseMade }>();
  let cancel = (): void => {};
  plan();

  /** Until the next pause is over. */
  function plan(): void {
    cancel();
    const until = Math.min(...folders.map((folder) => pauseEnd(kept, folder) ?? Infinity));
    if (until === Infinity) return;
    const ms = Math.min(longestTimerMs, Math.max(0, until - clock.now()));
    cancel = clock.after(ms, () => void inTurn(end));
  }

  async function end(): Promise<void> {
    const before = kept;
    kept = lasting(before, clock.now());
    plan();
    if (kept.length === before.length) return;
    onChange(now().paused);
    onOver({ before, after: kept });
    // What is not written is read as over at the next start, too.
    await writePauses(stateDir, kept).catch(() => {});
  }

  function now(): PausedFolders {
    return pausedAmong(
      [...coming].reduce((pauses, { folder, made }) => pause(pauses, folder, made), kept),
      folders,
    );
  }

  return {
    now,
    /** No pause ends by itself any more. Resolves when what was decided is saved. */
    close: (): Promise<void> => {
      cancel();
      return inTurn(() => Promise.resolve());
    },
    /** Counts at once, and is durable when it resolves. Rejects where it is not saved: it counts until the next start. */
    pause: (
      folder: PausedFolder | null,
      note: (change: PauseChange) => void,
      { by, ms }: Pick<PauseMade, 'by'> & { readonly ms?: number | undefined } = {},
    ): Promise<void> => {
      const since = clock.now();
      const decision = { folder, made: { since, by, until: ms === undefined ? undefined : since + ms } };
      coming.add(decision);
      onChange(now().paused);
      return inTurn(async () => {
        coming.delete(decision);
        const before = kept;
        kept = pause(before, folder, decision.made);
        plan();
        note({ before, after: kept });
        await save(kept, 'it lasts only until the next start');
      });
    },
    /** Counts when it is durable. Rejects where it is not saved: nothing has changed. */
    resume: (folder: PausedFolder | null, note: (change: PauseChange) => void): Promise<void> =>
      inTurn(async () => {
        const before = kept;
        const after = resume(before, folder, folders);
        await save(after, 'it stays paused');
        kept = after;
        plan();
        onChange(now().paused);
        note({ before, after });
      }),
  };

  async function save(pauses: Pauses, consequence: string): Promise<void> {
    await writePauses(stateDir, pauses).catch((error: unknown) => {
      const cause = fileFault(error);
      const words = `the pause cannot be saved (${errorMessage(cause)}): ${consequence}`;
      if (cause instanceof ConfigurationError) throw new ConfigurationError(words, { cause });
      throw new LedgerUnwritableError(words, { cause });
    });
  }
}
