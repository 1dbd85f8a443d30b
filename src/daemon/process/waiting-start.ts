import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A start that found a full disk is tried again after this. */
export const spaceMs = 5_000;

/** Written again by a start at each try, while it waits for space. It is empty, so that a full disk takes it. */
export function waitingFile(stateDir: string): string {
  return join(stateDir, 'waiting');
}

export const waitsForSpace = 'ingestd waits for space to start';

/** Whether a start waits for space: it said so a moment ago. */
export async function isStartWaiting(stateDir: string): Promise<boolean> {
  const said = await stat(waitingFile(stateDir)).catch(() => null);
  return said !== null && Date.now() - said.mtimeMs < 2 * spaceMs;
}
