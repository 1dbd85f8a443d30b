import { randomUUID } from 'node:crypto';

import type { TransferStatus } from '../model/report/status.ts';

/** Requests under way, for progress. */
export interface Transfers {
  readonly start: (transfer: Omit<TransferStatus, 'bytesSent'>) => Transfer;
  readonly list: () => readonly TransferStatus[];
}

interface Transfer {
  readonly id: string;
  readonly bytes: (count: number) => void;
  readonly end: () => void;
}

export function createTransfers(): Transfers {
  const running = new Map<string, TransferStatus & { bytesSent: number }>();
  return {
    start: (transfer) => {
      const id = randomUUID();
      const status = { ...transfer, bytesSent: 0 };
      running.set(id, status);
      return {
        id,
        bytes: (count) => {
          status.bytesSent += count;
        },
        end: () => running.delete(id),
      };
    },
    list: () => [...running.values()].map((status) => ({ ...status })),
  };
}
