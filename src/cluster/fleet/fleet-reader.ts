import { errorMessage } from '../../model/errors.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { FleetStatus } from '../../model/report/fleet.ts';
import type { RedisSession } from '../redis/session.ts';
import { readFleet } from './summaries.ts';

interface FleetReaderOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: LogPort;
}

/** However many pages are open, Redis is asked no more often. */
const freshMs = 2_000;

/** Reads what all hosts say of themselves, at most every two seconds; null: Redis is away or does not answer. */
export function fleetReader({
  session,
  prefix,
  clock,
  log,
}: FleetReaderOptions): () => Promise<FleetStatus | null> {
  let known: { readonly fleet: Promise<FleetStatus | null>; readonly at: number } | null = null;

  async function read(): Promise<FleetStatus | null> {
    const open = session();
    if (open === null) return null;
    try {
      return await readFleet(open, prefix);
    } catch (error) {
      log.debug({ reason: errorMessage(error) }, 'the fleet could not be read');
      return null;
    }
  }

  return () => {
    const now = clock.monotonic();
    if (known === null || now - known.at >= freshMs) known = { fleet: read(), at: now };
    return known.fleet;
  };
}
