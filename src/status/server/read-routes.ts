import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { AppOptions } from './app-options.ts';
import { send } from './answers.ts';
import { securityHeaders } from './answers.ts';

/** Scrapes within this time get the same text. */
const metricsEveryMs = 250;

const maxPathLength = 8192;

const whySchema = z.object({
  path: z
    .string()
    .min(1)
    .max(maxPathLength)
    .refine((path) => !path.includes('\0')),
});

const logSchema = z.object({
  search: z.string().max(200).default(''),
  failed: z.enum(['true', 'false']).default('false'),
  since: z.iso.datetime().nullable().default(null),
  before: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}\.\d{1,6}\.jsonl:\d{1,12}$/)
    .nullable()
    .default(null),
});

type ReadRouteOptions = Pick<
  AppOptions,
  'control' | 'readLog' | 'fleet' | 'snapshot' | 'metrics' | 'history' | 'hub' | 'clock'
>;

/** The routes that only read: contract section 6. */
export function addReadRoutes(
  app: FastifyInstance,
  { control, snapshot, metrics, history, readLog, fleet, hub, clock }: ReadRouteOptions,
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
    const query = logSchema.safeParse(request.query);
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
    const query = whySchema.safeParse(request.query);
    if (!query.success) return send(reply, 400, { code: 'request', message: 'use ?path= with one path' });
    return await control.why(query.data.path);
  });
  // A stream has no end: there is no HEAD route.
  app.get('/api/events', { exposeHeadRoute: false }, (_request, reply) => {
    if (hub.full()) return send(reply, 503, { code: 'full', message: 'too many pages are open; close some' });
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream; charset=utf-8' });
    hub.add(raw);
    return reply;
  });
}
