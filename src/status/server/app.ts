import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { printableJson } from '../../lib/text/printable.ts';
import { tokenChallenge } from '../../lib/server/brings-token.ts';
import { noSchemas } from '../../lib/server/http-server.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import { answerError, securityHeaders, send } from './answers.ts';
import { addRoutes } from './routes.ts';
import type { AppOptions } from './routes.ts';
import { isReading, judgeRequest } from './request-guard.ts';
import type { AccessRules, Access, Refusal } from './request-guard.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may ask for the route; left out: `guarded`. */
    access?: Access;
  }
}

const maxBodyBytes = 64 * 1024;

/** Builds the routes, to be served by as many listeners as there are; nothing listens yet. */
export async function openApp(options: AppOptions) {
  let handle: RequestListener | null = null;
  const app = fastify({
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: true,
    logger: false,
    schemaController: noSchemas,
    rewriteUrl: ({ url = '' }) => withoutPath(url, options.publicPath),
    // For a path that cannot be decoded no hooks run: headers and guard are applied here.
    frameworkErrors: (error, request, reply) => {
      void reply.headers(securityHeaders);
      const refusal = judgeRoute(request, options.rulesOf(request.raw));
      if (refusal === null) void answerError(error, reply, options.log);
      else void refuse(reply, refusal);
    },
    // There are two listeners of our own, each with its own access rules.
    serverFactory: (handler) => {
      handle = handler;
      return createServer();
    },
  });
  app.setReplySerializer((answer) => printableJson(JSON.stringify(answer)));
  addGuard(app, options);
  addRoutes(app, options);
  app.setErrorHandler((error, _request, reply) => answerError(error, reply, options.log));
  app.setNotFoundHandler((request, reply) => answerNotFound(app, request, reply));
  await app.ready();
  return {
    handle: (request: IncomingMessage, response: ServerResponse): void => handle?.(request, response),
    close: () => app.close(),
  };
}

/** A request's URL as the routes know it. */
function withoutPath(url: string, publicPath: string): string {
  return url.startsWith(`${publicPath}/`) ? url.slice(publicPath.length) : url;
}

/** Wrong tokens are logged no more often than this. */
const wrongTokenEveryMs = 60_000;

function addGuard(app: FastifyInstance, { rulesOf, log, clock }: AppOptions): void {
  let wrongTokenAt = Number.NEGATIVE_INFINITY;
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(securityHeaders);
    const rules = rulesOf(request.raw);
    if (rules === null) return undefined;
    const refusal = judgeRoute(request, rules) ?? (await judgeUser(request, rules));
    if (refusal === null) return undefined;
    log.debug({ method: request.method, route: routeOf(request), code: refusal.code }, 'request refused');
    const isGuess = refusal.code === 'login-required' && request.headers.authorization !== undefined;
    if (isGuess && clock.monotonic() - wrongTokenAt >= wrongTokenEveryMs) {
      wrongTokenAt = clock.monotonic();
      log.warn({ peer: request.raw.socket.remoteAddress }, 'a request with a wrong token was refused');
    }
    return refuse(reply, refusal);
  });
  // A request takes as long as its sender wants: who is there at its beginning need not be there at its end.
  app.addHook('preHandler', async (request, reply) => {
    const rules = rulesOf(request.raw);
    const refusal = rules === null ? null : await judgeUser(request, rules);
    return refusal === null ? undefined : refuse(reply, refusal);
  });
}

/** The matched route decides, never the text of the URL; null: no route. */
function routeOf(request: FastifyRequest): string | null {
  return request.is404 ? null : (request.routeOptions?.url ?? null);
}

function judgeRoute(request: FastifyRequest, rules: AccessRules | null): Refusal | null {
  if (rules === null) return null;
  const { method, headers } = request;
  const access = routeOf(request) === null ? 'guarded' : (request.routeOptions.config.access ?? 'guarded');
  return judgeRequest({ method, headers, access }, rules);
}

/**
 * Judges who is at the other end of a changing call: where the address asks for no token, the page's own can be fetched
 * by everybody on the machine, so that only the user that runs the daemon and root may change things.
 */
async function judgeUser(
  { method, raw }: FastifyRequest,
  { httpToken }: AccessRules,
): Promise<Refusal | null> {
  if (isReading({ method }) || httpToken !== null || (await isOwnPeer(raw.socket))) return null;
  const message =
    'only the user that runs ingestd may do this; use its command line as that user, or set INGESTD_HTTP_TOKEN';
  return { status: 403, code: 'other-user', message };
}

function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.status === 401) void reply.header('www-authenticate', tokenChallenge);
  return send(reply, refusal.status, refusal);
}

function answerNotFound(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const end = request.url.search(/[?#;]/);
  const url = end === -1 ? request.url : request.url.slice(0, end);
  const allowed = (['GET', 'HEAD', 'POST'] as const).filter(
    (method) => app.findRoute({ method, url }) !== null,
  );
  if (allowed.length === 0) return send(reply, 404, { code: 'not-found', message: 'not found' });
  void reply.header('allow', allowed.join(', '));
  return send(reply, 405, { code: 'method', message: `allowed here: ${allowed.join(', ')}` });
}
