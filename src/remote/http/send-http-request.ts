import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

import { got } from 'got';

import type { Clock } from '../../lib/time/clock.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { answerHoldsMs, mostQuestions } from '../../model/ports/service-port.ts';
import type { BodySent, PermitGuard, RequestWatch } from '../../model/ports/service-port.ts';
import type { Agents } from './agents.ts';
import { watchConnection } from './watch-connection.ts';
import type { Waits } from './watch-connection.ts';

const maxAnswerBytes = 1024 * 1024;

/** A request as it goes onto the wire, once. */
export interface HttpRequest {
  readonly method: 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: HttpBody | null;
  /** Called with the number of bytes of each piece of the body as it goes out. */
  readonly onBytes?: (bytes: number) => void;
  /** Keeps it from going out, or on; left out: nothing does. */
  readonly guard?: PermitGuard | undefined;
  /** As of a RequestWatch; left out: it follows from nothing on disk. */
  readonly stillFollows?: RequestWatch['stillFollows'];
}

export interface HttpBody {
  /** Used up by the request, and destroyed whenever it ends. */
  readonly stream: Readable;
  /** Exact. */
  readonly bytes: number;
}

/** An answer: its status always, its text as far as it came. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `cut`: the connection ended within it; `too-long`: more than 1 MiB, the rest was not read. */
  readonly state: 'whole' | 'cut' | 'too-long';
  readonly text: string;
  readonly sent: BodySent;
}

/** No answer. `code` is the literal of Node's error, or one of ours: `connect-timeout`, `proxy-refused` … */
export interface Fault {
  readonly kind: 'fault';
  readonly code: string;
  /** Of a body that could not be read: why. */
  readonly message?: string | undefined;
  /** Host and port of the address, and nothing else of it; the proxy on the way there. */
  readonly host: string;
  readonly sent: BodySent;
}

export type HttpResult = Answer | Fault;

export interface HttpOptions {
  readonly agents: Agents;
  readonly clock: Clock;
  readonly waits: Waits;
  readonly signal: AbortSignal;
}

/**
 * Sends one request and reads its answer. Never rejects, follows no redirect, repeats nothing, unpacks nothing and
 * carries no error object out: theirs hold the whole request, secrets included.
 */
export function sendHttpRequest(request: HttpRequest, options: HttpOptions): Promise<HttpResult> {
  return new Promise((resolve) => {
    const { agents, clock, waits, signal } = options;
    const { guard, stillFollows } = request;
    const body = request.body?.stream ?? null;
    let sent: BodySent = 'nothing';
    let head: { readonly status: number; readonly headers: IncomingHttpHeaders } | null = null;
    let settled = false;
    const chunks: Buffer[] = [];
    let received = 0;
    /** Monotonic, ms. */
    let followsUntil = -Infinity;

    const stream = got.stream(request.url, {
      method: request.method,
      headers: {
        ...request.headers,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'ingestd',
        ...(request.body === null ? {} : { 'content-length': String(request.body.bytes) }),
      },
      ...(body === null ? {} : { body }),
      agent: { http: agents.http, https: agents.https },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
    });
    const watch = watchConnection({
      clock,
      waits,
      bytes: request.body?.bytes ?? 0,
      mayBegin: async () => {
        if (!(await follows()) || settled) return false;
        if (guard?.mayBegin() === false) fail('permit-lost');
        else sent = 'part';
        return !settled;
      },
      onFinished: () => (sent = 'all'),
      onFault: fail,
    });

    const ends: readonly (readonly [AbortSignal | undefined, () => void])[] = [
      [signal, () => fail('stopped')],
      // What was sent in full is the service's: its answer is worth waiting for.
      [guard?.signal, () => sent !== 'all' && fail('permit-lost')],
      [guard?.lapsed, () => fail('permit-lost')],
    ];
    for (const [end, onAbort] of ends) {
      end?.addEventListener('abort', onAbort, { once: true });
      // A signal says it once: a guard may hold again and have another one by now.
      if (end?.aborted === true) queueMicrotask(onAbort);
    }
    if (body !== null && body.errored !== null) failBody(body.errored);
    body?.on('error', failBody);
    stream.on('request', (client: ClientRequest) => {
      watch.follow(client);
      if (body !== null) askBeforeEachPiece(client);
    });
    stream.on('response', (response: { statusCode: number; headers: IncomingHttpHeaders }) => {
      head = { status: response.statusCode, headers: response.headers };
      // An answer before the whole body was sent is a refusal. A success that early is not accepted.
      if (response.statusCode >= 300 && sent !== 'all') body?.unpipe();
      watch.answered();
    });
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxAnswerBytes) return settle('too-long');
      chunks.push(chunk);
    });
    stream.on('end', () => {
      // The event for the last byte may come one tick of the event loop after the answer.
      if (sent === 'all') settle('whole');
      else setImmediate(settle, 'whole');
    });
    stream.on('error', (error) => {
      const code = errorCode(error) ?? 'failed';
      // So got names an error without a code: that of an agent whose proxy hangs up, or answers no CONNECT.
      fail(code === 'ERR_GOT_REQUEST_ERROR' && agents.proxy !== null ? 'proxy-refused' : code);
    });
    // A request without a body is a stream that waits for one.
    if (body === null) stream.end();

    /**
     * Asks for each piece as it goes out, which is when the one before has left. Asked for when it is read, it would wait
     * its turn in some buffer, and go out after a process that was frozen meanwhile has lost its permit.
     */
    function askBeforeEachPiece(client: ClientRequest): void {
      const write = client.write.bind(client) as (piece: Buffer, ...more: unknown[]) => boolean;
      let left = request.body?.bytes ?? 0;
      client.write = (piece: Buffer, ...more: unknown[]) => {
        const isFirst = left === request.body?.bytes;
        left -= piece.length;
        const go = () => {
          if (guard?.mayGoOn() === false) fail('permit-lost');
          if (settled) return false;
          request.onBytes?.(piece.length);
          return write(piece, ...more);
        };
        if (left > 0 || isFirst) return go();
        void follows().then((isSo) => isSo && go());
        return false;
      };
    }

    /** Whether the request still follows: if not, it fails. */
    async function follows(): Promise<boolean> {
      for (let asked = 0; clock.monotonic() > followsUntil && asked < mostQuestions; asked += 1) {
        followsUntil = clock.monotonic() + answerHoldsMs;
        if ((await stillFollows?.(sent !== 'nothing')) === false) {
          fail('withdrawn');
          return false;
        }
      }
      return true;
    }

    function failBody(error: unknown): void {
      fail(errorCode(error) ?? 'body-failed', errorMessage(error));
    }

    function fail(code: string, message?: string): void {
      if (head !== null) settle('cut');
      else finish({ kind: 'fault', code, message, host: hostOf(request.url, agents), sent });
    }

    function settle(state: Answer['state']): void {
      if (head === null)
        return finish({ kind: 'fault', code: 'no-answer', host: hostOf(request.url, agents), sent });
      const text = state === 'too-long' ? '' : Buffer.concat(chunks).toString('utf8');
      finish({ kind: 'answer', ...head, state, text, sent });
    }

    function finish(result: HttpResult): void {
      if (settled) return;
      settled = true;
      for (const [end, onAbort] of ends) end?.removeEventListener('abort', onAbort);
      // What was given up must not arrive later, after its repetition or a newer change.
      if (sent !== 'nothing' && (result.kind === 'fault' || result.state !== 'whole')) watch.reset();
      watch.close();
      body?.destroy();
      stream.destroy();
      resolve(result);
    }
  });
}

/** A text as the body of a request. */
export function textBody(text: string): HttpBody {
  const bytes = Buffer.from(text);
  return { stream: Readable.from([bytes]), bytes: bytes.length };
}

/** `auth.example.com:443`, and the proxy on the way there: it may be what cannot be reached. */
function hostOf(address: string, { proxy }: Agents): string {
  const { hostname, port, protocol } = new URL(address);
  const host = `${hostname}:${port === '' ? (protocol === 'http:' ? '80' : '443') : port}`;
  return proxy === null ? host : `${host} by way of the proxy ${proxy}`;
}
