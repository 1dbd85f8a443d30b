import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { statusSchema } from './status.ts';
import type { Health } from './status.ts';

const text = z.string();
const count = z.number().default(0);

/**
 * What a host tells the others about itself, a few kilobytes. Another version of ingestd may leave out what is a list.
 */
export const hostSummarySchema = z.object({
  version: text,
  state: statusSchema.shape.state,
  health: statusSchema.shape.health,
  /** The state in one phrase. */
  headline: text,
  reasons: z.array(z.object({ code: text, message: text })).default([]),
  folders: z
    .array(
      z.object({
        name: text,
        state: text,
        onDisk: count,
        synced: count,
        pending: count,
        waiting: count,
        failed: count,
        held: count,
      }),
    )
    .default([]),
  queue: z.object({ pending: count, inFlight: count, waiting: count }),
  /** The first of them. */
  failures: z.array(z.object({ folder: text, path: text, code: text, message: text })).default([]),
  failuresTotal: count,
});

export type HostSummary = DeepReadonly<z.output<typeof hostSummarySchema>>;

/** `gone`: nothing was heard of it for a while. `stopped`: it said that it stops. */
export const presences = ['here', 'gone', 'stopped'] as const;
export type Presence = (typeof presences)[number];

export interface FleetHost extends HostSummary {
  readonly host: string;
  readonly presence: Presence;
  /** ISO 8601, UTC. */
  readonly lastSeen: string;
  /** Its part of the minute: permits that count now. */
  readonly used: number;
}

/** All hosts of an account, those that need a person first. */
export interface FleetStatus {
  /** Of the host that needs a person most; a host that is gone counts as attention. */
  readonly health: Health;
  readonly account: string;
  /** Nothing is sent by any host until `resume --fleet`. */
  readonly paused: boolean;
  readonly rate: { readonly used: number; readonly windowSeconds: number };
  readonly hosts: readonly FleetHost[];
}
