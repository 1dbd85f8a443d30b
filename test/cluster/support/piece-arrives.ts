import { eventually } from '../../support/eventually.ts';
import type { ReceivedRequest } from '../../support/services/read-request.ts';

/**
 * Waits until another piece of a request's body is here. The next is not due for a while then, so a process that is
 * frozen now is not frozen between asking whether it may go on and writing.
 */
export async function pieceArrives({ bytes }: ReceivedRequest): Promise<void> {
  const before = bytes();
  await eventually(() => bytes() > before, { everyMs: 1 });
}
