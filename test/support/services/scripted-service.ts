import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

import { eventually } from '../eventually.ts';
import { readRequest } from './read-request.ts';
import type { ArrivingRequest, ReceivedRequest } from './read-request.ts';

/**
 * What the service does with one request. It gets the request when its head is here; `request.body()` resolves
 * when the body is. Steps are made by `steps`; a test may write its own.
 */
export type Step = (request: ArrivingRequest) => Promise<void> | void;

export interface ScriptedService {
  readonly port: number;
  /** `http://127.0.0.1:port/oauth`, or where it listens: the token endpoints are below it. */
  readonly authUrl: string;
  /** `http://127.0.0.1:port`: the ingestion operations are below it. */
  readonly ingestUrl: string;
  /** The next ingestion requests get these, in turn; after them the default again. */
  readonly script: (...steps: readonly Step[]) => void;
  /** What ingestion requests get that nothing is scripted for: a success with a docId of its own. */
  readonly always: (step: Step) => void;
  /** The same for the token endpoints; without a script they issue `token-1`, `token-2` … and revoke. */
  readonly scriptTokens: (...steps: readonly Step[]) => void;
  readonly alwaysTokens: (step: Step) => void;
  /** Requests to the ingestion operations in the order in which their heads came. */
  readonly requests: readonly ReceivedRequest[];
  readonly tokenRequests: readonly ReceivedRequest[];
  /** Connections that were made, of either kind. */
  readonly connections: () => number;
  /** Hangs up on everybody and refuses connections, until `back`. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ServiceOptions {
  /** Where it listens; left out: on loopback. */
  readonly address?: string;
  /** With a certificate it speaks HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A service over a real socket that answers as a test's script says, and notes what arrived, byte by byte. */
export async function startScriptedService({
  address = '127.0.0.1',
  tls,
}: ServiceOptions = {}): Promise<ScriptedService> {
  const requests: ReceivedRequest[] = [];
  const tokenRequests: ReceivedRequest[] = [];
  const scripted: Step[] = [];
  const tokenScripted: Step[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let documents = 0;
  let tokens = 0;
  let usual: Step = (request) => {
    documents += 1;
    return steps.accept(`doc-${documents}`)(request);
  };
  let usualToken: Step = (request) => {
    if (request.url.endsWith('/revoke')) return steps.answer(200, '')(request);
    tokens += 1;
    return steps.token({ access_token: `token-${tokens}`, refresh_token: `refresh-${tokens}` })(request);
  };

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const serve = (socket: Socket) => {
    connections += 1;
    const connection = connections;
    keep(socket);
    readRequest(socket, connection, (request) => {
      const isToken = request.url.startsWith('/oauth');
      (isToken ? tokenRequests : requests).push(request.received);
      const step = (isToken ? tokenScripted : scripted).shift() ?? (isToken ? usualToken : usual);
      // A step that waits for a body that never comes ends with its socket.
      Promise.resolve(step(request)).catch(() => socket.destroy());
    });
  };
  const server =
    tls === undefined
      ? createServer({ noDelay: true, pauseOnConnect: false }, serve)
      : createTlsServer({ noDelay: true, ...tls }, serve).on('connection', keep);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  const url = `${tls === undefined ? 'http' : 'https'}://${address}:${port}`;

  return {
    port,
    authUrl: `${url}/oauth`,
    ingestUrl: url,
    script: (...more) => {
      scripted.push(...more);
    },
    always: (step) => {
      usual = step;
    },
    scriptTokens: (...more) => {
      tokenScripted.push(...more);
    },
    alwaysTokens: (step) => {
      usualToken = step;
    },
    requests,
    tokenRequests,
    connections: () => connections,
    away: hangUp,
    // Meanwhile somebody's connection may have the port.
    back: async () => {
      await eventually(() => once(server.listen(port, address), 'listening'));
    },
    close: hangUp,
  };

  async function hangUp(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }
}

type Headers = Readonly<Record<string, string>>;

function head(status: number, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`;
}

function wholeAnswer(status: number, body: string, headers: Headers = {}): string {
  const bytes = String(Buffer.byteLength(body));
  return head(status, { 'Content-Type': 'application/json', 'Content-Length': bytes, ...headers }) + body;
}

/** The repertoire. Those without `Early` or `Before` in their name read the whole body first. */
export const steps = {
  /** Any answer. */
  answer:
    (status: number, body: string, headers: Headers = {}): Step =>
    async (request) => {
      await request.body();
      request.socket.write(wholeAnswer(status, body, headers));
    },

  json: (status: number, value: unknown, headers: Headers = {}): Step =>
    steps.answer(status, JSON.stringify(value), headers),

  /** The envelope of a success. */
  accept: (docId: unknown, message = 'done'): Step =>
    steps.json(200, { error: null, success: { docId, message }, warning: null }),

  warn: (docId: unknown, message: string): Step =>
    steps.json(200, { error: null, success: null, warning: { docId, message } }),

  refuse: (message: string, status = 200): Step =>
    steps.json(status, { error: { docId: null, message }, success: null, warning: null }),

  token: (token: object): Step => steps.json(200, { token_type: 'Bearer', expires_in: 1800, ...token }),

  html: (status = 200): Step =>
    steps.answer(status, '<!doctype html><title>Log in</title>', { 'Content-Type': 'text/html' }),

  xml: (status: number): Step =>
    steps.answer(status, '<fault>no</fault>', { 'Content-Type': 'application/xml' }),

  empty: (status = 200): Step => steps.answer(status, ''),

  redirect: (location: string, status = 307): Step => steps.answer(status, '', { Location: location }),

  /** These very bytes, and hangs up. */
  raw:
    (text: string): Step =>
    async (request) => {
      await request.body();
      request.socket.end(text, 'latin1');
    },

  /** Announces more than it sends, and hangs up. */
  cutAnswer:
    (status = 200): Step =>
    async (request) => {
      await request.body();
      request.socket.end(head(status, { 'Content-Length': '500' }) + '{"success":{"docId":"d');
    },

  /** `bytes` of JSON text, as fast as it is read. */
  longAnswer:
    (bytes: number, status = 200): Step =>
    async (request) => {
      await request.body();
      const piece = 'x'.repeat(65_536);
      request.socket.write(head(status, { 'Content-Length': String(bytes) }));
      for (let sent = 0; sent < bytes && !request.socket.destroyed; sent += piece.length) {
        if (request.socket.write(piece)) continue;
        await new Promise<void>((resolve) => {
          request.socket.once('drain', resolve);
          request.socket.once('close', resolve);
        });
      }
    },

  /** A byte now and then, for ever. */
  trickle:
    (everyMs: number): Step =>
    async (request) => {
      await request.body();
      request.socket.write(head(200, { 'Content-Length': '100000' }));
      const timer = setInterval(() => request.socket.write(' '), everyMs);
      request.socket.once('close', () => clearInterval(timer));
    },

  /** Reads everything and never says a word. */
  silence: (): Step => async (request) => {
    await request.body();
  },

  /** Sends a head and never the body. */
  silentBody:
    (status = 200): Step =>
    async (request) => {
      await request.body();
      request.socket.write(head(status, { 'Content-Length': '500' }));
    },

  /** Resets once the head is here, before anything of the body is read. */
  resetBeforeBody: (): Step => (request) => {
    request.socket.resetAndDestroy();
  },

  /** Resets after this many bytes of the body. */
  resetMidBody:
    (bytes: number): Step =>
    async (request) => {
      await request.bodyBytes(bytes);
      request.socket.resetAndDestroy();
    },

  /** Takes everything, and the answer is lost. */
  resetAfterBody: (): Step => async (request) => {
    await request.body();
    request.socket.resetAndDestroy();
  },

  /** Takes everything and hangs up in good manners, without an answer. */
  hangUp: (): Step => async (request) => {
    await request.body();
    request.socket.end();
  },

  /** Stops reading after the head, for ever. */
  stopReading: (): Step => (request) => {
    request.socket.pause();
  },

  /** Reads one piece now and then, and then takes it. */
  readSlowly:
    (everyMs: number, step: Step): Step =>
    async (request) => {
      request.socket.pause();
      request.socket.on('data', () => request.socket.pause());
      const timer = setInterval(() => request.socket.resume(), everyMs);
      request.socket.once('close', () => clearInterval(timer));
      await step(request);
    },

  /** Answers before the body is read; goes on reading if `drain`, else leaves the socket as it is. */
  answerEarly:
    (status: number, body: string, { drain = true }: { readonly drain?: boolean } = {}): Step =>
    (request) => {
      if (!drain) request.socket.pause();
      request.socket.write(wholeAnswer(status, body));
    },

  /** Says 100, 103 and then answers. */
  informational:
    (step: Step): Step =>
    async (request) => {
      request.socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      await step(request);
    },
} as const;
