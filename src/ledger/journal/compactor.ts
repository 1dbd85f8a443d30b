const SMALLEST_JOURNAL = 4 * 1024 * 1024;
/** Of the snapshot's size. A start then reads at most half as much again. */
const SHARE_WHILE_RUNNING = 0.5;
/** At a close a smaller journal is worth a snapshot: the next start is quicker. */
const SHARE_AT_CLOSE = 0.1;
const SMALLEST_AT_CLOSE = 256 * 1024;
const RETRY_MS = 60_000;

interface CompactorParts {
  readonly sizes: () => { readonly journal: number; readonly snapshot: number };
  readonly compact: () => Promise<void>;
  readonly monotonic: () => number;
  readonly onError: (error: unknown) => void;
  readonly afterBytes: number | undefined;
}

/** Decides when the journal is long enough for a new snapshot. */
export interface Compactor {
  /** Starts one in the background when it is due; after a failure not before a minute has passed. */
  readonly consider: () => void;
  /** Makes one now; an error goes to `onError`. */
  readonly run: () => Promise<void>;
  /** Waits for one that is under way, and makes a last one where it pays. */
  readonly close: () => Promise<void>;
}

/** A compactor with nothing under way. */
export function createCompactor({
  sizes,
  compact,
  monotonic,
  onError,
  afterBytes,
}: CompactorParts): Compactor {
  let running: Promise<void> | null = null;
  let notBefore = 0;
  let closed = false;

  function isDue(): boolean {
    const { journal, snapshot } = sizes();
    return journal > (afterBytes ?? Math.max(SMALLEST_JOURNAL, snapshot * SHARE_WHILE_RUNNING));
  }

  async function attempt(): Promise<void> {
    try {
      await compact();
    } catch (error) {
      notBefore = monotonic() + RETRY_MS;
      onError(error);
    } finally {
      running = null;
    }
  }

  function run(): Promise<void> {
    running ??= attempt();
    return running;
  }

  return {
    run,
    consider: () => {
      if (closed || running !== null || monotonic() < notBefore || !isDue()) return;
      void run();
    },
    close: async () => {
      closed = true;
      await running;
      const { journal, snapshot } = sizes();
      const pays = Math.max(SMALLEST_AT_CLOSE, snapshot * SHARE_AT_CLOSE);
      if (journal > Math.min(pays, afterBytes ?? pays)) await run();
    },
  };
}
