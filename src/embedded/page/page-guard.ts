import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';

import type { FastifyInstance, FastifyReply } from 'fastify';

import type { Clock } from '../../lib/time/clock.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../lib/server/host.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import {
  bearerOf,
  cookieHeader,
  createLoginThrottle,
  failedLogins,
  hasCookie,
  tooManyLogins,
} from '../../lib/server/login.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { loginHtml } from './page-assets.ts';

/**
 * Keeps the page, and the content of every document with it, to those who may see the status page. With a token
 * everybody is asked for it, as a bearer token or by the login form. Without one only the user that runs the service,
 * and root, see the page, on this machine and under a name of this machine.
 */
export function addPageGuard(
  app: FastifyInstance,
  { token, clock, log }: { readonly token: string | null; readonly clock: Clock; readonly log: LogPort },
): void {
  const peers = new WeakMap<Socket, Promise<boolean>>();
  const throttle = createLoginThrottle({
    clock,
    onFailure: (failure) => log.warn(failure, 'login to the page of the embedded service failed'),
  });
  app.addHook('preClose', async () => throttle.close());
  const value =
    token === null ? '' : createHmac('sha256', token).update('embedded service').digest('base64url');
  const cookie = { name: 'ingestd-service', value };

  app.addHook('onRequest', async (request, reply) => {
    const { headers, socket } = request.raw;
    if (token === null) {
      const name = (headers.host ?? '').replace(/:\d*$/, '');
      if (!isLoopbackHost(name) || !isLoopbackAddress(socket.remoteAddress ?? '')) {
        return refuse(reply, 403, 'this page answers only to its own machine, under its own address');
      }
      const isOwn = peers.get(socket) ?? isOwnPeer(socket);
      peers.set(socket, isOwn);
      if (await isOwn) return undefined;
      return refuse(
        reply,
        403,
        'only the user that runs the service may see this page; log in as that user, or set INGESTD_HTTP_TOKEN',
      );
    }
    if (openRoutes.has(request.routeOptions.url ?? '')) return undefined;
    const bearer = bearerOf(headers);
    if (bearer !== null) {
      const attempt = await throttle.attempt(socket, bearer, token);
      if (attempt === 'right') return undefined;
      if (attempt === 'busy') return refuse(reply, 429, tooManyLogins);
    }
    if (hasCookie(headers.cookie ?? '', cookie)) return undefined;
    reply.header('WWW-Authenticate', 'Bearer realm="ingestd"');
    if (request.routeOptions.url !== '/') return refuse(reply, 401, 'this address asks for its token');
    return reply.code(401).type('text/html; charset=utf-8').send(loginHtml(''));
  });

  // The login form: the right token is exchanged for a cookie.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 8192 },
    (_request, body, done) => done(null, new URLSearchParams(String(body)).get('token') ?? ''),
  );
  app.post('/login', async ({ body, raw }, reply) => {
    const given = typeof body === 'string' ? body : '';
    reply.type('text/html; charset=utf-8');
    const attempt = token === null ? 'right' : await throttle.attempt(raw.socket, given, token);
    if (attempt !== 'right') {
      const { status, words } = failedLogins[attempt];
      return reply.code(status).send(loginHtml(words));
    }
    reply.header('Set-Cookie', cookieHeader(raw, cookie));
    // No redirect: a strict cookie is not sent when the navigation began at another site.
    return reply.header('Refresh', '0; url=/').send(loginHtml('You are logged in.'));
  });
}

/** The login and how it looks. */
const openRoutes: ReadonlySet<string> = new Set(['/page.css', '/icon.svg', '/login']);

function refuse(reply: FastifyReply, status: 401 | 403 | 429, message: string): FastifyReply {
  return reply.code(status).send({ error: message });
}
