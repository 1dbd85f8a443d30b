import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { isLoopbackAddress } from '../../lib/server/is-loopback.ts';
import type { AppOptions } from './app-options.ts';
import { renderPage } from './page-files.ts';
import type { AccessRules } from './request-guard.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

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
  const result = await throttle.attempt(request.raw.socket.remoteAddress ?? '', given, rules.httpToken);
  if (result === 'busy')
    return html(reply.code(429), loginPage('Too many failed logins. Try again in a minute.'));
  if (result === 'wrong') return html(reply.code(401), loginPage('Wrong token.'));
  const { name, value } = rules.cookie;
  const secure = isOverTls(request) ? '; Secure' : '';
  void reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`);
  return html(reply, onwardPage);
}

/** The browser uses TLS: directly, or through a proxy on this machine. */
function isOverTls({ headers, raw }: FastifyRequest): boolean {
  if (headers.origin?.startsWith('https://') === true) return true;
  const [forwarded = ''] = [headers['x-forwarded-proto'] ?? ''].flat();
  return forwarded.trim().toLowerCase() === 'https' && isLoopbackAddress(raw.socket.remoteAddress ?? '');
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

/** Compares tokens, and slows down clients that keep sending wrong ones. */
export interface LoginThrottle {
  /** After some failures each attempt of a peer, a right one too, waits; `busy`: too many of its attempts wait. */
  readonly attempt: (peer: string, given: string, expected: string) => Promise<'right' | 'wrong' | 'busy'>;
  readonly close: () => void;
}

/** Wrong attempts before the throttle begins. */
const freeFailures = 3;
const slowMs = 1000;
const maxWaiting = 8;

/** After this long without an attempt a peer's failures are forgotten. */
const forgetMs = 10 * 60_000;
const maxPeers = 1000;

interface Peer {
  failures: number;
  waiting: number;
  /** Ends when the attempt before is answered. */
  last: Promise<void>;
  failedAt: number;
}

export function createLoginThrottle({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: LogPort;
}): LoginThrottle {
  const peers = new Map<string, Peer>();
  const cancels = new Set<() => void>();
  let closed = false;

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      if (closed) return resolve();
      const done = () => {
        cancels.delete(cancel);
        stop();
        resolve();
      };
      const stop = clock.after(ms, done);
      const cancel = done;
      cancels.add(cancel);
    });

  const noteFailure = (address: string, peer: Peer | undefined) => {
    const now = clock.monotonic();
    const known = peer ?? { failures: 0, waiting: 0, last: Promise.resolve(), failedAt: now };
    known.failures += 1;
    known.failedAt = now;
    for (const [key, { failedAt, waiting }] of peers) {
      const isOld = now - failedAt >= forgetMs || peers.size >= maxPeers;
      if (isOld && waiting === 0 && key !== address) peers.delete(key);
    }
    peers.set(address, known);
    // With the throttle that is at most one line a second for each peer.
    log.warn({ peer: address, failures: known.failures }, 'login failed');
  };

  return {
    attempt: async (address, given, expected) => {
      const known = peers.get(address);
      const isOld = known !== undefined && clock.monotonic() - known.failedAt >= forgetMs;
      const peer = isOld ? undefined : known;
      if (peer !== undefined && peer.failures >= freeFailures) {
        if (peer.waiting >= maxWaiting) return 'busy';
        peer.waiting += 1;
        peer.last = peer.last.then(() => wait(slowMs));
        await peer.last;
        peer.waiting -= 1;
      }
      if (sameSecret(given, expected)) {
        if (peer !== undefined) peer.failures = 0;
        return 'right';
      }
      noteFailure(address, peer);
      return 'wrong';
    },
    close: () => {
      closed = true;
      for (const cancel of cancels) cancel();
    },
  };
}
