import type { TransferStatus } from '../../model/report/status.ts';

/** One request under way, for progress. */
interface Transfer {
  readonly bytes: (count: number) => void;
  readonly end: () => void;
}

/** Requests under way. */
export class Transfers {
  readonly #running = new Set<TransferStatus & { bytesSent: number }>();

  start(transfer: Omit<TransferStatus, 'bytesSent'>): Transfer {
    const status = { ...transfer, bytesSent: 0 };
    this.#running.add(status);
    return {
      bytes: (count) => {
        status.bytesSent += count;
      },
      end: () => {
        this.#running.delete(status);
      },
    };
  }

  list(): readonly TransferStatus[] {
    return [...this.#running].map((status) => ({ ...status }));
  }
}
