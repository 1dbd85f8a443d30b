import type { Clock } from '../lib/time/clock.ts';
import type { Log } from '../log/create-log.ts';
import type { Place } from './process/join-cluster.ts';
import type { Reloaded } from './process/obey-signals.ts';

/** What a daemon is started with. What is left out stays as it is, is nowhere, or nobody knows it. */
export interface DaemonOptions
  extends
    Pick<Reloaded, 'settings' | 'credentials'>,
    Partial<Pick<Reloaded, 'httpToken' | 'readCredentials' | 'credentialsAdvice' | 'makesFolders'>> {
  readonly log: Log;
  readonly clock: Clock;
  readonly startedAt: string;
  /** `sync` gives up after so many attempts; null: never. */
  readonly maxAttempts: number | null;
  /** Among the hosts of one account, with the lease of the state directory. Null or left out: this host is alone. */
  readonly place?: Place | null | undefined;
}
