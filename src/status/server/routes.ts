import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';
import * as z from 'zod';

import { isLoopbackAddress } from '../../lib/server/host.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import type { ControlPort, DecisionPort } from '../../model/ports/control-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { FleetStatus } from '../../model/report/fleet.ts';
import type { LogPage, LogQuery } from '../../model/report/log-query.ts';
import type { DeliveryHistory } from '../metrics/delivery-history.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { securityHeaders, send } from './answers.ts';
import { pagePaths, readPage } from './page-files.ts';
import type { EventHub } from './event-hub.ts';
import type { Access, AccessRules } from './request-guard.ts';
import type { StatusSnapshot } from './status-snapshot.ts';

/** What the routes answer from. */
export interface AppOptions {
  readonly control: ControlPort;
  readonly snapshot: StatusSnapshot;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly history: DeliveryHistory;
  /** What happened, newest first, over restarts. */
  readonly readLog: (query: LogQuery) => Promise<LogPage>;
  /** All hosts of the account, null while Redis is away; left out or null: this host is alone. */
  readonly fleet?: (() => Promise<FleetStatus | null>) | null | undefined;
  readonly hub: EventHub;
  /** Before the paths of all routes, where a reverse proxy leaves it there: `/ingestd`, or nothing. */
  readonly publicPath: string;
  readonly log: LogPort;
  readonly clock: Clock;
  /** Null for a request that came through the socket: the socket's file mode guards it. */
  readonly rulesOf: (request: IncomingMessage) => AccessRules | null;
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

const log = z.object({
  search: z.string().max(200).default(''),
  failed: z.enum(['true', 'false']).default('false'),
  since: z.iso.datetime().nullable().default(null),
  before: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}\.\d{1,6}\.jsonl:\d{1,12}$/)
    .nullable()
    .default(null),
});

/** What may be asked, by the last name of the path. */
export const querySchemas = { why, documents, log };

/** The routes that only read. */
function addReadRoutes(
  app: FastifyInstance,
  { control, snapshot, metrics, history, readLog, fleet, hub, clock, rulesOf }: AppOptions,
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
  app.get('/api/activity', () => ({ activities: control.recent() }));
  app.get('/api/history', () => history.report());
  app.get('/api/log', async (request, reply) => {
    const query = log.safeParse(request.query);
    if (!query.success) {
      const message =
        'the query may have search (200 characters), failed (true or false), since (2026-01-31T08:00:00Z) and before (next of the last answer)';
      return send(reply, 400, { code: 'request', message });
    }
    return await readLog({ ...query.data, failed: query.data.failed === 'true' });
  });
  app.get('/api/fleet', async (_request, reply) => {
    if (fleet === null || fleet === undefined) {
      return send(reply, 404, { code: 'no-fleet', message: 'this configuration is for one host' });
    }
    const hosts = await fleet();
    if (hosts !== null) return reply.send(hosts);
    return send(reply, 503, { code: 'redis-unavailable', message: 'Redis cannot be reached' });
  });
  app.get('/api/why', async (request, reply) => {
    const query = why.safeParse(request.query);
    if (!query.success) return send(reply, 400, { code: 'request', message: 'use ?path= with one path' });
    return await control.why(query.data.path);
  });
  app.get('/api/documents', async (request, reply) => {
    const query = documents.safeParse(request.query);
    if (query.success) {
      const { search, narrower } = query.data;
      return await control.documents({ search, narrower: narrower === 'true' });
    }
    const message = 'the query may have search (200 characters) and narrower (true or false)';
    return send(reply, 400, { code: 'request', message });
  });
  // A stream has no end: there is no HEAD route.
  app.get('/api/events', { exposeHeadRoute: false }, async (request, reply) => {
    const peer = rulesOf(request.raw) === null ? ownPeer : await peerOf(request.raw.socket);
    if (hub.isFull(peer))
      return send(reply, 503, { code: 'full', message: 'too many pages are open; close some' });
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

const path = z.string().min(1);
/** A person is shown a thousand paths at most, and each may be long. */
const manyPaths = { bodyLimit: 8 * 1024 * 1024 };
const retryBody = {
  schema: z.strictObject({ paths: z.array(path), all: z.boolean().optional() }),
  wanted:
    '{"paths": ["folder/path", …]}, with no path for all that failed, or {"paths": ["folder"], "all": true}',
  options: manyPaths,
};
const resolveBody = {
  schema: z.discriminatedUnion('action', [
    z.strictObject({ path, action: z.literal('adopt'), docId: z.string().min(1) }),
    z.strictObject({ path, action: z.literal('again') }),
    z.strictObject({ path, action: z.literal('dismiss') }),
  ]),
  wanted:
    '{"path": "folder/path", "action": "adopt", "docId": "…"}, or the action "again" or "dismiss" without a docId',
};
const folderBody = {
  schema: z.strictObject({ folder: z.string().min(1).nullable() }),
  wanted: '{"folder": "name"}, or null for all',
};
const approveBody = {
  schema: z.strictObject({
    folder: z.string().min(1).nullable(),
    most: z.int().nonnegative().optional(),
    paths: z.array(path).default([]),
  }),
  wanted:
    '{"folder": "name"}, or null for all; {"folder": "name", "most": 3} releases none where more are held; {"folder": "name", "most": 1, "paths": ["name/path"]} none where others are held',
  options: manyPaths,
};
const shareBody = {
  schema: z.strictObject({
    paths: z.array(path),
    shown: z.array(z.strictObject({ path, sharing: z.enum(shareModes) })).optional(),
  }),
  wanted:
    '{"paths": ["folder/path", …]}, which names documents that are held more narrowly than is stated, or with "shown": [{"path": "folder/path", "sharing": "EVERYONE"}] those that are to be shared so',
  options: manyPaths,
};
const keepBody = {
  schema: z.strictObject({ place: z.string().min(1).nullable() }),
  wanted: '{"place": "folder"} or {"place": "folder/path"}, or null for all',
};
const pauseBody = {
  schema: folderBody.schema.extend({ ms: z.int().positive().optional() }),
  wanted: '{"folder": "name"}, or null for all; with "ms" for so long',
};
const revokeBody = {
  schema: z.strictObject({ all: z.boolean() }),
  wanted: '{"all": true} or {"all": false}',
};

/** The bodies of the calls that change something, by the last name of their paths. */
export const bodySchemas = {
  retry: retryBody.schema,
  resolve: resolveBody.schema,
  approve: approveBody.schema,
  share: shareBody.schema,
  keep: keepBody.schema,
  pause: pauseBody.schema,
  resume: folderBody.schema,
  rescan: folderBody.schema,
};

/** The routes that change something. */
function addChangeRoutes(app: FastifyInstance, { control, snapshot, rulesOf }: AppOptions): void {
  // The next status shows what the call did.
  app.addHook('onSend', async ({ method }) => {
    if (method === 'POST') snapshot.expire();
  });
  const post = <T>(
    path: string,
    body: {
      readonly schema: z.ZodType<T>;
      readonly wanted: string;
      readonly options?: { readonly bodyLimit: number };
    },
    act: (given: T, decisions: DecisionPort) => object | Promise<object>,
    access: Access = 'guarded',
  ) =>
    app.post(path, { config: { access }, ...body.options }, async (request, reply) => {
      const given = body.schema.safeParse(request.body);
      if (given.success) {
        const by = rulesOf(request.raw) === null ? 'command line' : 'page';
        return await act(given.data, control.decisions(by));
      }
      return send(reply, 400, { code: 'request', message: `the body must be ${body.wanted}` });
    });
  post('/api/retry', retryBody, ({ paths, all = false }, { retry }) => retry(paths, { all }));
  post('/api/resolve', resolveBody, async (given, { resolve }) => {
    const resolution =
      given.action === 'adopt' ? { kind: given.action, docId: given.docId } : { kind: given.action };
    await resolve(given.path, resolution);
    return {};
  });
  post('/api/approve', approveBody, ({ folder, most, paths }, { approve }) =>
    approve(folder, most === undefined ? undefined : { most, paths }),
  );
  post('/api/share', shareBody, ({ paths, shown }, { share }) => share(paths, shown));
  post('/api/keep', keepBody, ({ place }, { keep }) => keep(place));
  post('/api/pause', pauseBody, ({ folder, ms }, { pause }) => pause(folder, ms));
  post('/api/resume', folderBody, ({ folder }, { resume }) => resume(folder));
  post('/api/rescan', folderBody, ({ folder }) => control.rescan(folder));
  const revoke = async (options: { readonly all: boolean }) => {
    await control.revoke(options);
    return {};
  };
  // Only the command line asks for it.
  post('/api/revoke', revokeBody, revoke, 'socket');
}

/** The page, its files, and the token that lets it change things. */
function addPageRoutes(app: FastifyInstance, { rulesOf }: AppOptions): void {
  let files: ReturnType<typeof readPage> = null;
  for (const path of pagePaths) {
    app.get(path, (_request, reply) => {
      files ??= readPage();
      const file = files?.get(path);
      if (file !== undefined) return reply.type(file.type).send(file.body);
      return send(reply, 503, { code: 'not-built', message: 'the page is not built; run: npm run build' });
    });
  }
  app.get('/api/token', (request) => ({ token: rulesOf(request.raw)?.pageToken ?? null }));
}
