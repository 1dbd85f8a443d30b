import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { printableJson } from '../../lib/text/printable.ts';
import { tokenChallenge } from '../../lib/server/brings-token.ts';
import {
  answerUnreadable,
  backlog,
  closeInTime,
  createLimitedServer,
  noSchemas,
} from '../../lib/server/http-server.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import { answerError, securityHeaders } from './answers.ts';
import { addRoutes } from './routes.ts';
import type { AppOptions } from './routes.ts';
import { isReading, judgeRequest } from './request-guard.ts';
import type { Access, Refusal } from './request-guard.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may ask for the route; left out: `guarded`. */
    access?: Access;
  }
}

const maxBodyBytes = 64 * 1024;

/** Time for answers that are under way when the address closes. */
const closeGraceMs = 1000;

/** An address with its routes: nothing listens yet. It has its own connections, whatever other addresses have. */
export function createApp(options: AppOptions, maxConnections: number) {
  const { publicPath } = options;
  const app: FastifyInstance = fastify({
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: true,
    logger: false,
    schemaController: noSchemas,
    // As the routes know it.
    rewriteUrl: ({ url = '' }) => (url.startsWith(`${publicPath}/`) ? url.slice(publicPath.length) : url),
    // For a path that cannot be decoded no hooks run: headers and guard are applied here.
    frameworkErrors: (error, request, reply) => {
      void reply.headers(securityHeaders);
      const refusal = judgeRoute(request, options.rules);
      if (refusal === null) void answerError(error, reply, options.log);
      else void refuse(reply, refusal);
    },
    serverFactory: (handler) => createLimitedServer(handler, { maxConnections }),
    // Bytes that are not HTTP reach no route: they are answered here, with the usual headers.
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, securityHeaders),
  });
  app.setReplySerializer((answer) => printableJson(JSON.stringify(answer)));
  addGuard(app, options);
  addRoutes(app, options);
  app.setErrorHandler((error, _request, reply) => answerError(error, reply, options.log));
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ code: 'not-found', message: 'not found' }),
  );
  return {
    /** Listens on a TCP address or on a Unix socket; gives the port. Rejects with Node's error where it cannot be had. */
    listen: async (where: { readonly path: string } | { readonly host: string; readonly port: number }) => {
      await app.listen({ ...where, backlog });
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    },
    /** Takes no more connections, gives answers under way a moment, then cuts the rest. */
    close: () => closeInTime(app.server, closeGraceMs, () => app.close()),
  };
}

/** Wrong tokens are logged no more often than this. */
const wrongTokenEveryMs = 60_000;

function addGuard(app: FastifyInstance, { rules: rulesNow, log, clock }: AppOptions): void {
  let wrongTokenAt = Number.NEGATIVE_INFINITY;
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(securityHeaders);
    const refusal = judgeRoute(request, rulesNow) ?? (await judgeUser(request, rulesNow));
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
    const refusal = await judgeUser(request, rulesNow);
    return refusal === null ? undefined : refuse(reply, refusal);
  });
}

/** The matched route decides, never the text of the URL; null: no route. */
function routeOf(request: FastifyRequest): string | null {
  return request.is404 ? null : (request.routeOptions?.url ?? null);
}

function judgeRoute(request: FastifyRequest, rules: AppOptions['rules']): Refusal | null {
  if (rules === null) return null;
  const { method, headers } = request;
  const access = routeOf(request) === null ? 'guarded' : (request.routeOptions.config.access ?? 'guarded');
  return judgeRequest({ method, headers, access }, rules());
}

/**
 * Judges who is at the other end of a changing call: where the address asks for no token, the page's own can be fetched
 * by everybody on the machine, so that only the user that runs the daemon and root may change things.
 */
async function judgeUser(
  { method, raw }: FastifyRequest,
  rules: AppOptions['rules'],
): Promise<Refusal | null> {
  if (rules === null || isReading({ method }) || rules().httpToken !== null) return null;
  if (await isOwnPeer(raw.socket)) return null;
  const message =
    'only the user that runs ingestd may do this; use its command line as that user, or set INGESTD_HTTP_TOKEN';
  return { status: 403, code: 'other-user', message };
}

function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.status === 401) void reply.header('www-authenticate', tokenChallenge);
  return reply.code(refusal.status).send(refusal);
}
