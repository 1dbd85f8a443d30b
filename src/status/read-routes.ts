import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { send } from './answer-error.ts';
import type { AppOptions } from './app-options.ts';
import { securityHeaders } from './security-headers.ts';
import { statusAnswer } from './status-answer.ts';

/** What `/metrics` answers with. */

const MAX_PATH_LENGTH = 8192;

const whySchema = z.object({
  path: z
    .string()
    .min(1)
    .max(MAX_PATH_LENGTH)
    .refine((path) => !path.includes('\0')),
});

type ReadRouteOptions = Pick<AppOptions, 'control' | 'metrics' | 'history' | 'hub'>;

/** Everything that only tells: contract section 6. */
export function addReadRoutes(
  app: FastifyInstance,
  { control, metrics, history, hub }: ReadRouteOptions,
): void {
  app.get('/healthz', (_request, reply) => {
    const healthy = control.healthy();
    return reply.code(healthy ? 200 : 503).send({ healthy });
  });
  app.get('/readyz', (_request, reply) => {
    const reasons = control.unready();
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.text()),
  );
  app.get('/api/status', () => statusAnswer(control.status()));
  app.get('/api/activity', () => ({ activities: control.recent() }));
  app.get('/api/history', () => history.report());
  app.get('/api/why', async (request, reply) => {
    const query = whySchema.safeParse(request.query);
    if (!query.success) return send(reply, 400, { code: 'request', message: 'ask with ?path= and one path' });
    return await control.why(query.data.path);
  });
  // A stream has no end, and nothing before its body.
  app.get('/api/events', { exposeHeadRoute: false }, (_request, reply) => {
    if (hub.full()) return send(reply, 503, { code: 'full', message: 'too many pages are open' });
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream; charset=utf-8' });
    hub.add(raw);
    return reply;
  });
}
