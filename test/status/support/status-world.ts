import { systemClock } from '../../../src/lib/time/clock.ts';
import { createDeliveryHistory } from '../../../src/status/metrics/delivery-history.ts';
import { createMetrics } from '../../../src/status/metrics/metrics.ts';
import type { PageState } from '../../../src/status/server/open-page.ts';
import { startStatusServer } from '../../../src/status/server/start-status-server.ts';
import type { StatusServerOptions } from '../../../src/status/server/start-status-server.ts';
import type { Status } from '../../../src/model/report/status.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { call } from './call.ts';
import type { Answer, Call } from './call.ts';
import { fakeControl } from './fake-control.ts';
import type { FakeControl } from './fake-control.ts';

export interface StatusWorld {
  readonly control: FakeControl;
  readonly url: string;
  readonly port: number;
  /** What was told of the page, newest last. */
  readonly pages: readonly PageState[];
  readonly socketPath: string;
  readonly get: (path: string, headers?: Call['headers']) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Call['headers']) => Promise<Answer>;
  /** The same through the socket. */
  readonly tell: (path: string, body: unknown) => Promise<Answer>;
  readonly pageToken: () => Promise<string>;
  /** Stops the server; the folder stays, so that it can be started again. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export type WorldOptions = Partial<Omit<StatusServerOptions, 'control'>> & {
  readonly status?: Partial<Status>;
};

/** A server on a free port of 127.0.0.1 and on a socket of its own, over a fake daemon. */
export async function openStatusWorld({ status, ...options }: WorldOptions = {}): Promise<StatusWorld> {
  const folder = await temporaryFolder();
  const control = fakeControl(status);
  const socketPath = folder.join('daemon.sock');
  const pages: PageState[] = [];
  const close = await startStatusServer({
    onPage: (state) => pages.push(state),
    control,
    deliveries: createDeliveryHistory(systemClock),
    readLog: async () => control.happened(),
    metrics: createMetrics({ status: control.status, unready: control.unready, version: '1.2.3' }),
    http: { host: '127.0.0.1', port: 0 },
    socketPath,
    httpToken: null,
    log: silentLog,
    clock: systemClock,
    ...options,
  });
  const page = pages.find((state) => state.kind === 'open');
  const port = Number(new URL(page?.url ?? 'http://none:1').port);
  const host = `127.0.0.1:${port}`;
  const get: StatusWorld['get'] = (path, headers) => call({ to: port, path, headers: { host, ...headers } });
  const json = (path: string, body: unknown) => ({
    path,
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

  return {
    control,
    url: page?.url ?? '',
    port,
    pages,
    socketPath,
    get,
    post: (path, body, headers) =>
      call({
        to: port,
        ...json(path, body),
        headers: { host, 'content-type': 'application/json', ...headers },
      }),
    tell: (path, body) =>
      call({ to: socketPath, ...json(path, body), headers: { 'content-type': 'application/json' } }),
    pageToken: async () => ((await get('/api/token')).json() as { token: string }).token,
    stop: close,
    close: async () => {
      await close();
      await folder.remove();
    },
  };
}
