import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { cookieHeader, failedLogins } from '../../lib/server/login.ts';
import type { LoginThrottle } from '../../lib/server/login.ts';
import type { AppOptions } from './routes.ts';
import { renderPage } from './page-files.ts';
import type { AccessRules } from './request-guard.ts';

const tokenSchema = z.object({ token: z.string().max(4096) });

interface Login {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly rules: AccessRules;
  readonly throttle: LoginThrottle;
}

/** Where the form of the login page goes: the right token is exchanged for a cookie that scripts cannot read. */
export function addLoginRoute(
  app: FastifyInstance,
  { rulesOf }: Pick<AppOptions, 'rulesOf'>,
  throttle: LoginThrottle,
): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.post('/login', { config: { access: 'login' } }, async (request, reply) => {
    const rules = rulesOf(request.raw);
    if (rules === null) return html(reply, onwardPage);
    const given = tokenSchema.safeParse(request.body);
    return answer({ request, reply, rules, throttle }, given.success ? given.data.token : '');
  });
}

/** Answers the page's address for clients that are not logged in; `?token=` in it is taken as the form would be. */
export async function showLogin(login: Login): Promise<FastifyReply> {
  const given = tokenSchema.safeParse(login.request.query);
  if (given.success) return answer(login, given.data.token);
  return html(login.reply.code(401).header('www-authenticate', 'Bearer realm="ingestd"'), loginPage(''));
}

async function answer({ request, reply, rules, throttle }: Login, given: string): Promise<FastifyReply> {
  if (rules.httpToken === null) return html(reply, onwardPage);
  const result = await throttle.attempt(request.raw.socket, given, rules.httpToken);
  if (result !== 'right') {
    const { status, words } = failedLogins[result];
    return html(reply.code(status), loginPage(words));
  }
  void reply.header('set-cookie', cookieHeader(request.raw, rules.cookie));
  return html(reply, onwardPage);
}

function html(reply: FastifyReply, text: string): FastifyReply {
  // With no-referrer the browser would send the form with `Origin: null`, which the guard takes for another site.
  return reply.header('referrer-policy', 'same-origin').type('text/html; charset=utf-8').send(text);
}

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ingestd</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/page.css">`;

const form = `${head}
</head>
<body class="login">
<main>
<h1>ingestd</h1>
<p>Enter the token of this page (INGESTD_HTTP_TOKEN).</p>
<form method="post" action="/login">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<p class="login-problem" role="alert">{{problem}}</p>
<button type="submit" class="strong">Log in</button>
</form>
</main>
</body>
</html>
`;

/** A redirect would fail: a strict cookie is not sent when the navigation began at another site. */
const onwardPage = `${head}
<meta http-equiv="refresh" content="0;url=/">
</head>
<body class="login"><main><h1>ingestd</h1><p><a href="/">Open the page</a></p></main></body>
</html>
`;

function loginPage(problem: string): string {
  return renderPage(form, { problem });
}
