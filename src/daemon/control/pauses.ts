import { join } from 'node:path';
import * as z from 'zod';

import { pathInside } from '../../lib/files/path-inside.ts';
import { readIfThere, writeDurably } from '../../lib/files/durable-file.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import { ConfigurationError, errorMessage, fileFault, LedgerUnwritableError } from '../../model/errors.ts';

/** What a person paused, kept in the state directory. */
const schema = z.object({
  /** Every folder, those that are configured later too. */
  all: z.boolean(),
  /** One that is given another name, or another path, stays paused; so does what is made of it. */
  folders: z.array(z.object({ name: z.string(), path: z.string() })).readonly(),
});

export type Pauses = Readonly<z.output<typeof schema>>;

export type PausedFolder = Readonly<Pauses['folders'][number]>;

const noPauses: Pauses = { all: false, folders: [] };

/** A file that cannot be read pauses everything: what a person wanted kept back must not go out. */
export async function readPauses(stateDir: string): Promise<Pauses> {
  try {
    const text = await readIfThere(fileIn(stateDir));
    return text === null ? noPauses : schema.parse(JSON.parse(text));
  } catch {
    return { all: true, folders: [] };
  }
}

/** Durable when it resolves. */
export async function writePauses(stateDir: string, pauses: Pauses): Promise<void> {
  await writeDurably(fileIn(stateDir), `${JSON.stringify(pauses)}\n`);
}

/** A folder is paused with what it was before it was narrowed, widened, split or merged, and got another name. */
function isPaused({ all, folders }: Pauses, { name, path }: PausedFolder): boolean {
  const isOf = (one: string, other: string) => pathInside(one, other) !== null;
  return all || folders.some((one) => one.name === name || isOf(one.path, path) || isOf(path, one.path));
}

/** Names of the folders that are paused. */
export function pausedNames(pauses: Pauses, folders: readonly PausedFolder[]): readonly string[] {
  return folders.filter((folder) => isPaused(pauses, folder)).map(({ name }) => name);
}

/** With one folder more on pause; null: with all. */
export function pause(pauses: Pauses, folder: PausedFolder | null): Pauses {
  if (folder === null) return { all: true, folders: [] };
  if (isPaused(pauses, folder)) return pauses;
  return { ...pauses, folders: [...pauses.folders, { name: folder.name, path: folder.path }] };
}

/** Without one folder, the others of `configured` as they are; null: with none on pause. */
export function resume(
  pauses: Pauses,
  folder: PausedFolder | null,
  configured: readonly PausedFolder[],
): Pauses {
  if (folder === null) return noPauses;
  const left = configured.filter((one) => one.name !== folder.name && isPaused(pauses, one));
  return { all: false, folders: left.map(({ name, path }) => ({ name, path })) };
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'paused.json');
}

interface KeeperOptions {
  readonly stateDir: string;
  /** Those that are configured. */
  readonly folders: readonly PausedFolder[];
  /** As they stood at the start. */
  readonly first: Pauses;
  /** Called with the names of the folders that are paused from now on. */
  readonly onChange: (names: readonly string[]) => void;
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
export function createPauseKeeper({ stateDir, folders, first, onChange }: KeeperOptions) {
  const inTurn = createTurns();
  let kept = first;
  /** Pauses whose turn has not come. They count already. */
  const coming = new Set<{ readonly folder: PausedFolder | null }>();

  /** Of the folders that are paused now. */
  function names(): readonly string[] {
    return pausedNames(
      [...coming].reduce((pauses, { folder }) => pause(pauses, folder), kept),
      folders,
    );
  }

  return {
    names,
    /** Counts at once, and is durable when it resolves. Rejects where it is not saved: it counts until the next start. */
    pause: (folder: PausedFolder | null, note: (change: PauseChange) => void): Promise<void> => {
      const decision = { folder };
      coming.add(decision);
      onChange(names());
      return inTurn(async () => {
        coming.delete(decision);
        const before = kept;
        kept = pause(before, folder);
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
        onChange(names());
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
