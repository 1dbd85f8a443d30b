import type { IncomingMessage } from 'node:http';

import type { ControlPort } from '../model/ports/control-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { DeliveryHistory } from './delivery-history.ts';
import type { EventHub } from './event-hub.ts';
import type { PageFiles } from './page-files.ts';
import type { Door } from './request-guard.ts';

/** The text that Prometheus reads. */
export interface MetricsSource {
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** What the routes are made of. */
export interface AppOptions {
  readonly control: ControlPort;
  readonly metrics: MetricsSource;
  readonly history: DeliveryHistory;
  readonly hub: EventHub;
  /** Null: it is not built. */
  readonly page: () => Promise<PageFiles | null>;
  readonly version: string;
  readonly log: LogPort;
  /** What guards a request: null for one that came through the socket, whose file mode guards it. */
  readonly doorOf: (request: IncomingMessage) => Door | null;
}
