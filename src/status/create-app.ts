import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noSchemas } from '../lib/no-schemas.ts';
import { answerError, send } from './answer-error.ts';
import type { AppOptions } from './app-options.ts';
import { addChangeRoutes } from './change-routes.ts';
import { addLoginRoute, showLogin } from './login-route.ts';
import { addPageRoutes } from './page-routes.ts';
import { addReadRoutes } from './read-routes.ts';
import { peerUser } from '../lib/peer-user.ts';
import { isReading, judgePeer, judgeRequest } from './request-guard.ts';
import type { Door, Refusal } from './request-guard.ts';
import { securityHeaders } from './security-headers.ts';

/** All routes in one place, to be served by as many listeners as there are. */
export interface App {
  readonly handle: RequestListener;
  readonly close: () => Promise<void>;
}

const BODY_LIMIT_BYTES = 64 * 1024;

/** Builds the routes; nothing listens yet. */
export async function openApp(options: AppOptions): Promise<App> {
  let handle: RequestListener | null = null;
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: true,
    logger: false,
    schemaController: noSchemas,
    // The listeners are not the framework's: there are two, and one guard for each.
    serverFactory: (handler) => {
      handle = handler;
      return createServer();
    },
  });
  addGuard(app, options);
  addPageRoutes(app, options);
  addReadRoutes(app, options);
  addChangeRoutes(app, options);
  addLoginRoute(app, options);
  app.setErrorHandler((error, _request, reply) => answerError(error, reply, options.log));
  app.setNotFoundHandler((request, reply) => answerNotFound(app, request, reply));
  await app.ready();
  return {
    handle: (request, response) => handle?.(request, response),
    close: () => app.close(),
  };
}

function addGuard(app: FastifyInstance, { doorOf, log }: AppOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(securityHeaders);
    const door = doorOf(request.raw);
    if (door === null) return undefined;
    const path = pathOf(request);
    const knock = { method: request.method, path, headers: request.headers };
    const refusal = judgeRequest(knock, door) ?? (await judgeUser(request, door));
    if (refusal === null) return undefined;
    log.debug({ method: request.method, path, code: refusal.code }, 'request refused');
    if (refusal.code === 'login-required' && isReading(request) && path === '/') {
      return showLogin(request, reply, door);
    }
    if (refusal.status === 401) void reply.header('www-authenticate', 'Bearer realm="ingestd"');
    return send(reply, refusal.status, refusal);
  });
}

/** The address's own token says more than the user does: where it is asked for, users are not. */
async function judgeUser({ method, raw }: FastifyRequest, { httpToken }: Door): Promise<Refusal | null> {
  const own = process.getuid?.();
  if (isReading({ method }) || httpToken !== null || own === undefined) return null;
  return judgePeer(await peerUser(raw.socket, own), own);
}

function answerNotFound(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const url = pathOf(request);
  const allowed = (['GET', 'HEAD', 'POST'] as const).filter(
    (method) => app.findRoute({ method, url }) !== null,
  );
  if (allowed.length === 0) return send(reply, 404, { code: 'not-found', message: 'there is nothing here' });
  void reply.header('allow', allowed.join(', '));
  return send(reply, 405, { code: 'method', message: `answered here: ${allowed.join(', ')}` });
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.search(/[?#;]/);
  return end === -1 ? url : url.slice(0, end);
}
