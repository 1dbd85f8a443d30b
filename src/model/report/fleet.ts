import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { statusSchema } from './status.ts';
import type { Health } from './status.ts';

/** What a host tells the others about itself: counts and a phrase. What is wrong in detail stands in its own status. */
export const hostSummarySchema = statusSchema
  .pick({ version: true, state: true, health: true, queue: true, failuresTotal: true })
  .extend({
    /** The state in one phrase. */
    headline: z.string(),
  });

export type HostSummary = DeepReadonly<z.output<typeof hostSummarySchema>>;

/** `gone`: nothing was heard of it for a while. `stopped`: it said that it stops. */
export const presences = ['here', 'gone', 'stopped'] as const;

export interface FleetHost extends HostSummary {
  readonly host: string;
  /** One that is gone needs attention, however well it was. */
  readonly presence: (typeof presences)[number];
  /** ISO 8601, UTC. */
  readonly lastSeen: string;
  /** Its part of the minute: permits that count now. */
  readonly used: number;
}

/** All hosts of an account, those that need a person first. */
export interface FleetStatus {
  /** Of the host that needs a person most. */
  readonly health: Health;
  readonly account: string;
  /** Nothing is sent by any host until `resume --fleet`. */
  readonly paused: boolean;
  readonly rate: { readonly used: number; readonly windowSeconds: number };
  readonly hosts: readonly FleetHost[];
}
