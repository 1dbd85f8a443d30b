import { join } from 'node:path';
import * as z from 'zod';

import { readIfThere, writeDurably } from '../../lib/files/durable-file.ts';
import type { NotifyEvent } from './event.ts';

/** What the notifier knows over restarts. */
export interface NotifyState {
  /** Troubles that wait to be announced, by key, and since when: wall clock, ms. */
  readonly waiting: Readonly<Record<string, number>>;
  /** Keys of troubles that an event was made for. */
  readonly announced: readonly string[];
  /** A trouble was announced since the last recovery. */
  readonly owesRecovery: boolean;
  /** Since when nothing is wrong any more, although something was announced; wall clock, ms. */
  readonly clearSince: number | null;
  /** Events that are not delivered yet, oldest first. */
  readonly events: readonly NotifyEvent[];
}

const none: NotifyState = { waiting: {}, announced: [], owesRecovery: false, clearSince: null, events: [] };

const place = z.string().nullable();
const schema = z.object({
  waiting: z.record(z.string(), z.number()),
  announced: z.array(z.string()),
  owesRecovery: z.boolean(),
  clearSince: z.number().nullable(),
  events: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['trouble', 'recovery', 'test']),
      text: z.string(),
      at: z.string(),
      host: z.string(),
      health: z.enum(['ok', 'attention', 'error']),
      folder: place,
      path: place,
      code: place,
      troubles: z.array(z.object({ folder: place, path: place, code: z.string(), message: z.string() })),
      troublesTotal: z.number(),
    }),
  ),
});

/** One that cannot be read counts as none: the worst is a notification that comes twice. */
export async function readNotifyState(stateDir: string): Promise<NotifyState> {
  try {
    const text = await readIfThere(fileIn(stateDir));
    return text === null ? none : schema.parse(JSON.parse(text));
  } catch {
    return none;
  }
}

export async function writeNotifyState(stateDir: string, state: NotifyState): Promise<void> {
  await writeDurably(fileIn(stateDir), `${JSON.stringify(state)}\n`);
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'notify.json');
}
