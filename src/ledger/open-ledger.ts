import { Low } from 'lowdb';

import type { Clock } from '../lib/time/clock.ts';
import { errorMessage } from '../model/errors.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import { createCommitQueue } from './journal/commit-queue.ts';
import { realDisk } from './disk-operations.ts';
import type { Disk } from './disk-operations.ts';
import { createLowdbAdapter } from './lowdb-adapter.ts';
import type { LowdbAdapter } from './lowdb-adapter.ts';
import { notHeld, unwritable } from './ledger-errors.ts';
import { ledgerPaths, listLedger } from './ledger-files.ts';
import type { LedgerPaths } from './ledger-files.ts';
import type { LoadedLedger } from './read-ledger.ts';
import { claimFence, prepareDirectory, takeStateLock } from './lock-state-directory.ts';
import type { WriteLease } from './lock-state-directory.ts';
import { LedgerData } from './records/ledger-data.ts';

/** What a ledger is opened with. */
export interface LedgerOptions {
  /** The state directory, absolute. Made with mode 0700 where there is none. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** So many bytes of journal, and a new snapshot is written. Default: half of the snapshot, 4 MiB at least. */
  readonly compactAfterBytes?: number | undefined;
  /** Of a directory that hosts share: what was written under a lower fence is taken over. Null: nobody shares it. */
  readonly lease?: WriteLease | null | undefined;
  /** Since when this process has held the directory, as another one is told, ISO 8601; left out: from now on. */
  readonly since?: string | undefined;
  /** For tests that let it fail. */
  readonly disk?: Disk | undefined;
}

/**
 * Takes the state directory for this process and reads the ledger. Rejects with StateLockedError when another process
 * holds it, LedgerDamagedError when it cannot be read without guessing, LedgerUnwritableError when it cannot be written.
 */
export async function openLedger(options: LedgerOptions): Promise<LedgerPort> {
  const { dir, clock, log, lease = null, since, disk = realDisk } = options;
  await prepareDirectory(dir);
  const lock = await takeStateLock(dir, clock, { lease, since });
  const paths = await choosePaths(dir, lease).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  let wasRecovered = false;
  const adapter = createLowdbAdapter({
    paths,
    disk,
    confirm: async () => {
      await lease?.confirm();
      if (!lock.isHeld()) throw unwritable(dir, new Error(notHeld));
    },
    // Who takes the lock without a lease goes on with the very files that this process has open.
    mayCut: () => lease !== null || lock.isHeld(),
    isHeld: () => lock.isHeld() && lease?.holds() !== false,
    onLoaded: (loaded) => {
      wasRecovered = loaded.recovered !== null;
      report(log, dir, loaded);
    },
  });

  async function letGo(): Promise<void> {
    try {
      await adapter.close();
    } finally {
      await lock.release();
    }
  }

  try {
    const low = new Low(adapter, new LedgerData());
    await low.read();
    const { data } = low;
    data.side.prune(clock);
    const compactor = createCompactor(adapter, options, () => {
      data.side.prune(clock);
      return low.write();
    });
    const queue = createCommitQueue(data, async (changes, apply) => {
      await adapter.append(changes, apply);
      if (data.side.isGrown()) data.side.prune(clock);
      compactor.consider();
    });
    if (wasRecovered) await compactor.run();
    else compactor.consider();
    return {
      ...data.reader,
      commit: queue.commit,
      close: async () => {
        await queue.close();
        await compactor.close();
        await letGo();
      },
    };
  } catch (error) {
    await letGo().catch(() => undefined);
    throw error;
  }
}

const SMALLEST_JOURNAL = 4 * 1024 * 1024;
/** Of the snapshot's size. A start then reads at most half as much again. */
const SHARE_WHILE_RUNNING = 0.5;
/** At a close a smaller journal is worth a snapshot: the next start is quicker. */
const SHARE_AT_CLOSE = 0.1;
const SMALLEST_AT_CLOSE = 256 * 1024;
const RETRY_MS = 60_000;

/** Decides when the journal is long enough for a new snapshot. */
function createCompactor(
  { sizes }: LowdbAdapter,
  { dir, clock, log, compactAfterBytes }: LedgerOptions,
  compact: () => Promise<void>,
) {
  let running: Promise<void> | null = null;
  let notBefore = 0;
  let closed = false;

  function isDue(): boolean {
    const { journal, snapshot } = sizes();
    return journal > (compactAfterBytes ?? Math.max(SMALLEST_JOURNAL, snapshot * SHARE_WHILE_RUNNING));
  }

  async function attempt(): Promise<void> {
    try {
      await compact();
    } catch (error) {
      notBefore = clock.monotonic() + RETRY_MS;
      log.warn({ dir, problem: errorMessage(error) }, 'ledger snapshot cannot be written');
    } finally {
      running = null;
    }
  }

  function run(): Promise<void> {
    running ??= attempt();
    return running;
  }

  return {
    /** Makes one now. */
    run,
    /** Starts one in the background when it is due; after a failure not before a minute has passed. */
    consider: () => {
      if (!closed && running === null && clock.monotonic() >= notBefore && isDue()) void run();
    },
    /** Waits for one that is under way, and makes a last one where it pays. */
    close: async () => {
      closed = true;
      await running;
      const { journal, snapshot } = sizes();
      const pays = Math.max(SMALLEST_AT_CLOSE, snapshot * SHARE_AT_CLOSE);
      if (journal > Math.min(pays, compactAfterBytes ?? pays)) await run();
    },
  };
}

/** Those of this holder; where nobody shares the directory any more, those of the last one who did. */
async function choosePaths(dir: string, lease: WriteLease | null): Promise<LedgerPaths> {
  if (lease === null) return (await listLedger(dir)).paths;
  const paths = ledgerPaths(dir, lease.fence);
  await claimFence(paths.claim);
  return paths;
}

/** One line for each thing that was not as it should be. */
function report(log: LogPort, dir: string, { recovered, journal, rejected }: LoadedLedger): void {
  if (recovered !== null) {
    log.error(
      { dir, problem: errorMessage(recovered.error) },
      'ledger snapshot was damaged; restored from the previous one and the journals',
    );
  }
  if (journal.tornBytes > 0) {
    log.warn(
      { dir, journal: journal.generation, bytes: journal.tornBytes },
      'ledger journal ended with an incomplete entry, which was removed',
    );
  }
  if (rejected.length > 0) {
    log.error(
      { dir, count: rejected.length, first: rejected.slice(0, 10).map((one) => ({ ...one })) },
      'damaged ledger records were skipped',
    );
  }
}
