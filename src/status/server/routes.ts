import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify';
import * as z from 'zod';
import { isLoopbackAddress } from '../../lib/server/host.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { decisionNames, decisionSchemas } from '../../model/ports/control-port.ts';
import type { ControlPort, DecisionName, Given } from '../../model/ports/control-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { FleetStatus } from '../../model/report/fleet.ts';
import type { Activity } from '../../model/report/status.ts';
import type { DeliveryHistory } from '../metrics/delivery-history.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { securityHeaders } from './answers.ts';
import type { EventHub } from './event-hub.ts';
import type { AccessRules } from './request-guard.ts';
import type { StatusSnapshot } from './status-snapshot.ts';
import { existsSync, readFileSync } from 'node:fs';

/** What the routes answer from. */
export interface AppOptions {
  readonly control: ControlPort;
  readonly snapshot: StatusSnapshot;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** What the chart shows. */
  readonly deliveries: DeliveryHistory;
  /** What happened last, newest first, over restarts. */
  readonly readLog: () => Promise<readonly Activity[]>;
  /** All hosts of the account, null while Redis is away; left out or null: this host is alone. */
  readonly fleet?: (() => Promise<FleetStatus | null>) | null | undefined;
  readonly hub: EventHub;
  /** Before the paths of all routes, where a reverse proxy leaves it there: `/ingestd`, or nothing. */
  readonly publicPath: string;
  readonly log: LogPort;
  readonly clock: Clock;
  /** Of the address, once it is bound; null: it is the socket, which its file mode guards. */
  readonly rules: (() => AccessRules) | null;
}

/** What the page and the command line ask for. The guard has checked the caller. */
export function addRoutes(app: FastifyInstance, options: AppOptions): void {
  addPageRoutes(app, options);
  addReadRoutes(app, options);
  addChangeRoutes(app, options);
}

/** Scrapes within this time get the same text. */
const metricsEveryMs = 250;

const why = z.object({
  path: z
    .string()
    .min(1)
    .max(8192)
    .refine((path) => !path.includes('\0')),
});

const documents = z.object({
  search: z.string().max(200).default(''),
  narrower: z.enum(['true', 'false']).default('false'),
});

/** What may be asked, by the last name of the path. */
export const querySchemas = { why, documents };

/** The routes that only read. */
function addReadRoutes(
  app: FastifyInstance,
  { control, snapshot, metrics, deliveries, readLog, fleet, hub, clock, rules }: AppOptions,
): void {
  app.get('/healthz', { config: { access: 'open' } }, (_request, reply) => {
    const healthy = control.healthy();
    return reply.code(healthy ? 200 : 503).send({ healthy });
  });
  app.get('/readyz', (_request, reply) => {
    const reasons = control.unready();
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons });
  });
  let scraped: { readonly text: Promise<string>; readonly at: number } | null = null;
  app.get('/metrics', async (_request, reply) => {
    const now = clock.monotonic();
    if (scraped === null || now - scraped.at >= metricsEveryMs) scraped = { text: metrics.text(), at: now };
    return reply.header('content-type', metrics.contentType).send(await scraped.text);
  });
  app.get('/api/status', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(snapshot.json()),
  );
  app.get('/api/history', () => deliveries.report());
  const ask = <T>(path: string, schema: z.ZodType<T>, tell: (query: T) => Promise<object>) =>
    app.get(path, async (request, reply) => {
      const query = schema.safeParse(request.query);
      return query.success ? await tell(query.data) : refuse(reply, 'query', query.error);
    });
  app.get('/api/log', async () => ({ entries: await readLog() }));
  ask('/api/why', why, ({ path }) => control.why(path));
  ask('/api/documents', documents, ({ search, narrower }) =>
    control.documents({ search, narrower: narrower === 'true' }),
  );
  app.get('/api/fleet', async (_request, reply) => {
    if (fleet === null || fleet === undefined) {
      return reply.code(404).send({ code: 'no-fleet', message: 'this configuration is for one host' });
    }
    const hosts = await fleet();
    if (hosts !== null) return reply.send(hosts);
    return reply.code(503).send({
      code: 'redis-unavailable',
      message: 'Redis cannot be reached or takes no writes',
    });
  });
  // A stream has no end: there is no HEAD route.
  app.get('/api/events', { exposeHeadRoute: false }, async (request, reply) => {
    const peer = rules === null ? ownPeer : await peerOf(request.raw.socket);
    if (hub.isFull(peer))
      return reply.code(503).send({ code: 'full', message: 'too many pages are open; close some' });
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...securityHeaders,
      'content-type': 'text/event-stream; charset=utf-8',
      // Nginx would collect events until its buffer is full.
      'x-accel-buffering': 'no',
    });
    hub.add(raw, peer);
    return reply;
  });
}

const ownPeer = 'own';

/** Whose share of the streams a connection counts in: the owner's, that of the other users here, or of a host's address. */
async function peerOf(socket: Socket): Promise<string> {
  if (await isOwnPeer(socket)) return ownPeer;
  const { remoteAddress = '' } = socket;
  return isLoopbackAddress(remoteAddress) ? 'other users' : remoteAddress;
}

const revokeBody = z.strictObject({ all: z.boolean() });

/** A person is shown a thousand paths at most, and each may be long. */
const manyPaths = { bodyLimit: 8 * 1024 * 1024 };
const withManyPaths: ReadonlySet<DecisionName> = new Set(['retry', 'approve', 'share']);

/** The routes that change something. */
function addChangeRoutes(app: FastifyInstance, { control, snapshot, rules }: AppOptions): void {
  // The next status shows what the call did.
  app.addHook('onSend', async ({ method }) => {
    if (method === 'POST') snapshot.expire();
  });
  const post = <T>(
    name: string,
    options: RouteShorthandOptions,
    schema: z.ZodType<T>,
    act: (given: T) => Promise<object>,
  ) =>
    app.post(`/api/${name}`, options, async (request, reply) => {
      const given = schema.safeParse(request.body);
      return given.success ? await act(given.data) : refuse(reply, 'body', given.error);
    });
  const by = rules === null ? 'command line' : 'page';
  for (const name of decisionNames) {
    const schema: z.ZodType<Given<typeof name>> = decisionSchemas[name].given;
    const options = withManyPaths.has(name) ? manyPaths : {};
    post(name, options, schema, (given) => control.decisions(by)[name](given as never));
  }
  const revoke = async (options: { readonly all: boolean }) => {
    await control.revoke(options);
    return {};
  };
  // Only the command line asks for it.
  post('revoke', { config: { access: 'socket' } }, revokeBody, revoke);
}

function refuse(reply: FastifyReply, what: 'query' | 'body', error: z.ZodError): FastifyReply {
  return reply.code(400).send({
    code: 'request',
    message: `the ${what} is not valid: ${z.prettifyError(error)}`,
  });
}

/** The page, its files, and the token that lets it change things. */
function addPageRoutes(app: FastifyInstance, { rules }: AppOptions): void {
  let files: ReturnType<typeof readPage> = null;
  for (const [path, type] of Object.entries(types)) {
    app.get(path, (_request, reply) => {
      files ??= readPage();
      const file = files?.get(path);
      if (file !== undefined) return reply.type(type).send(file);
      return reply
        .code(503)
        .send({ code: 'not-built', message: 'the page is not built; run: npm run build' });
    });
  }
  app.get('/api/token', () => ({ token: rules?.().pageToken ?? null }));
}

/** What is served, by its path, and nothing else. */
const types = {
  '/': 'text/html; charset=utf-8',
  '/assets/page.js': 'text/javascript; charset=utf-8',
  '/assets/page.css': 'text/css; charset=utf-8',
  '/assets/icon.svg': 'image/svg+xml',
  '/assets/icon-attention.svg': 'image/svg+xml',
  '/assets/icon-error.svg': 'image/svg+xml',
} as const;

/** Where the built page is: beside the bundled program, or in `dist` when this runs from source. */
const roots = [
  new URL('../status/page/', import.meta.url),
  new URL('../../../dist/status/page/', import.meta.url),
];

/** The page's files by their paths; null: it has not been built. Throws what reading throws. */
function readPage(): ReadonlyMap<string, Buffer> | null {
  const root = roots.find((one) => existsSync(new URL('index.html', one)));
  if (root === undefined) return null;
  return new Map(
    Object.keys(types).map((path) => {
      const name = path === '/' ? 'index.html' : path.replace('/assets/', '');
      return [path, readFileSync(new URL(name, root))];
    }),
  );
}
