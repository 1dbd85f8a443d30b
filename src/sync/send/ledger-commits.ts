import type { Clock } from '../../lib/time/clock.ts';
import { errorCode, errorMessage, StoppedError } from '../../model/errors.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';

const firstRetryMs = 500;
const longestRetryMs = 15_000;

interface Options {
  readonly commit: LedgerPort['commit'];
  /** Gets what a person decides, before. */
  readonly decided?: LedgerPort['commit'] | undefined;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Called when trouble comes or goes. */
  readonly changed: () => void;
}

export type LedgerCommits = ReturnType<typeof createLedgerCommits>;

/** Commits that wait for the disk: what the service accepted is not forgotten because the disk is full. */
export function createLedgerCommits({ commit: write, decided, clock, log, changed }: Options) {
  let trouble: Reason | null = null;
  let closed = false;
  const wakers = new Set<() => void>();
  let cancelProbe = () => {};
  let probeMs = firstRetryMs;

  /** One attempt, for what must not go on without: rejects when the disk does not take it. */
  async function commitOnce(changes: readonly Change[]): Promise<void> {
    try {
      await write(changes);
      if (trouble === null) return;
      log.info({}, 'ledger can be written again');
      setTrouble(null);
    } catch (error) {
      if (errorCode(error) !== 'ledger-unwritable') throw error;
      if (trouble === null)
        log.error({ error: errorMessage(error) }, 'ledger cannot be written; sending is paused');
      setTrouble({ code: 'ledger-unwritable', message: errorMessage(error) });
      throw error;
    }
  }

  function setTrouble(reason: Reason | null): void {
    trouble = reason;
    cancelProbe();
    probeMs = reason === null ? firstRetryMs : Math.min(probeMs * 2, longestRetryMs);
    if (reason !== null) cancelProbe = clock.after(probeMs, probe);
    changed();
  }

  /** Finds out by itself that there is room again, when nobody else commits: an answer to no request changes nothing. */
  function probe(): void {
    if (closed) return;
    void commitOnce([{ kind: 'answered', id: 'probe', at: clock.now() }]).catch(() => {});
  }

  /** Resolves when it is durable; tries again while the disk does not take it. Rejects with StoppedError after close. */
  async function commit(changes: readonly Change[]): Promise<void> {
    for (let delayMs = firstRetryMs; ; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
      if (closed) throw new StoppedError();
      try {
        await commitOnce(changes);
        return;
      } catch (error) {
        if (errorCode(error) !== 'ledger-unwritable') throw error;
      }
      await pause(delayMs);
    }
  }

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, wake);
      function wake(): void {
        cancel();
        wakers.delete(wake);
        resolve();
      }
      wakers.add(wake);
    });
  }

  return {
    commit,
    commitOnce,
    /** The same, for what a person decides. `waits` for the disk: what it belongs to is written already. */
    commitDecision: async (changes: readonly Change[], waits = false): Promise<void> => {
      await decided?.(changes);
      await (waits ? commit(changes) : commitOnce(changes));
    },
    /** Why nothing is sent now; null: the disk takes it. */
    trouble: () => trouble,
    close: () => {
      closed = true;
      cancelProbe();
      for (const wake of wakers) wake();
    },
  };
}
