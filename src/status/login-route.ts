import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { loginPage, onwardPage } from './login-page.ts';
import { sameSecret } from '../lib/same-secret.ts';
import type { Door } from './request-guard.ts';
import type { AppOptions } from './app-options.ts';

const tokenSchema = z.object({ token: z.string().max(4096) });

/** Where the form of the login page goes: the right token is exchanged for a cookie that scripts cannot read. */
export function addLoginRoute(app: FastifyInstance, { doorOf }: Pick<AppOptions, 'doorOf'>): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.post('/login', (request, reply) => {
    const door = doorOf(request.raw);
    const given = tokenSchema.safeParse(request.body);
    return answer(reply, door, given.success ? given.data.token : '');
  });
}

/** Answers the page's address for who is not logged in; `?token=` in it is taken as the form would be. */
export function showLogin({ query }: FastifyRequest, reply: FastifyReply, door: Door): FastifyReply {
  const given = tokenSchema.safeParse(query);
  if (given.success) return answer(reply, door, given.data.token);
  return html(reply.code(401).header('www-authenticate', 'Bearer realm="ingestd"'), loginPage());
}

function answer(reply: FastifyReply, door: Door | null, given: string): FastifyReply {
  if (door !== null && door.httpToken !== null) {
    if (!sameSecret(given, door.httpToken)) return html(reply.code(401), loginPage('That is not the token.'));
    const { name, value } = door.cookie;
    void reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Strict`);
  }
  return html(reply, onwardPage());
}

function html(reply: FastifyReply, text: string): FastifyReply {
  // With no-referrer the browser would send the form with `Origin: null`, which the guard takes for another site.
  return reply.header('referrer-policy', 'same-origin').type('text/html; charset=utf-8').send(text);
}
