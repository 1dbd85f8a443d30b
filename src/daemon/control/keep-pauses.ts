import { createTurns } from '../../lib/queue/turns.ts';
import { errorMessage, LedgerUnwritableError } from '../../model/errors.ts';
import { pause, pausedNames, resume, writePauses } from './pauses.ts';
import type { PausedFolder, Pauses } from './pauses.ts';

interface Options {
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
export function createPauseKeeper({ stateDir, folders, first, onChange }: Options) {
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
      throw new LedgerUnwritableError(`the pause cannot be saved (${errorMessage(error)}): ${consequence}`, {
        cause: error,
      });
    });
  }
}
