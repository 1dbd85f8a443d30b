import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../lib/time/clock.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { FleetStatus } from '../../model/report/fleet.ts';
import type { LogPage, LogQuery } from '../../model/report/log-query.ts';
import type { DeliveryHistory } from '../metrics/delivery-history.ts';
import type { EventHub } from './event-hub.ts';
import type { PageFiles } from './page-files.ts';
import type { AccessRules } from './request-guard.ts';
import type { StatusSnapshot } from './status-snapshot.ts';

/** The text that Prometheus reads. */
export interface MetricsSource {
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** What the routes answer from. */
export interface AppOptions {
  readonly control: ControlPort;
  readonly snapshot: StatusSnapshot;
  readonly metrics: MetricsSource;
  readonly history: DeliveryHistory;
  /** What happened, newest first, over restarts. */
  readonly readLog: (query: LogQuery) => Promise<LogPage>;
  /** All hosts of the account, null while Redis is away; left out or null: this host is alone. */
  readonly fleet?: (() => Promise<FleetStatus | null>) | null | undefined;
  readonly hub: EventHub;
  /** Null: it is not built. */
  readonly page: () => Promise<PageFiles | null>;
  readonly version: string;
  readonly log: LogPort;
  readonly clock: Clock;
  /** Null for a request that came through the socket: the socket's file mode guards it. */
  readonly rulesOf: (request: IncomingMessage) => AccessRules | null;
}
