import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

/** Bodies beyond this are counted and hashed, not kept. */
const keptBytes = 8 * 1024 * 1024;

/** A part of a multipart form as it came. */
interface ReceivedPart {
  readonly name: string;
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** The head of the part, untouched. */
  readonly head: string;
  readonly body: Buffer;
}

/** What arrived of one request; it grows while it arrives. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHead: string;
  /** Of the body, so far. */
  readonly bytes: () => number;
  readonly sha256: () => string;
  readonly complete: () => boolean;
  readonly text: () => string;
  readonly json: () => unknown;
  /** Empty when it is no form or longer than 8 MiB. */
  readonly parts: () => readonly ReceivedPart[];
  /** Counted from 1. */
  readonly connection: number;
  /** The address it came from. */
  readonly from: string;
  /** When its head was here: performance.now(). */
  readonly at: number;
  /** When its last byte so far was here. */
  readonly lastAt: () => number;
}

export interface ArrivingRequest {
  readonly received: ReceivedRequest;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly socket: Socket;
  /** Resolves when the whole body is here; rejects when the connection ends before. */
  readonly body: () => Promise<void>;
  /** Resolves when at least this many bytes of it are. */
  readonly bodyBytes: (bytes: number) => Promise<void>;
}

interface Wait {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads HTTP/1.1 requests from a socket by hand, so that nothing is forgiven or repaired, one after another.
 * Bytes beyond the announced length are the next request, as they are for a real server.
 */
export function readRequest(
  socket: Socket,
  connection: number,
  onRequest: (request: ArrivingRequest) => void,
): void {
  let pending = Buffer.alloc(0);
  let current: ReturnType<typeof openRequest> | null = null;
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (current === null) {
        pending = Buffer.concat([pending, rest]);
        const end = pending.indexOf('\r\n\r\n');
        if (end === -1) return;
        current = openRequest(pending.subarray(0, end).toString('latin1'), socket, connection);
        rest = pending.subarray(end + 4);
        pending = Buffer.alloc(0);
        onRequest(current.request);
      }
      rest = current.take(rest);
      if (current.isWhole()) current = null;
      else return;
    }
  });
  socket.on('close', () => current?.abandon());
}

function openRequest(rawHead: string, socket: Socket, connection: number) {
  const [first = '', ...lines] = rawHead.split('\r\n');
  const [method = '', url = ''] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers['content-length'] ?? 0);
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let waits: Wait[] = [];
  let bytes = 0;
  const at = performance.now();
  let lastAt = at;
  let ended = false;
  let digest: string | null = null;

  const settle = () => {
    const due = waits.filter((wait) => bytes >= wait.bytes);
    waits = waits.filter((wait) => bytes < wait.bytes);
    for (const wait of due) wait.resolve();
  };
  const bodyBytes = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      if (bytes >= wanted) return resolve();
      if (ended) return reject(new Error('the connection ended within the body'));
      waits.push({ bytes: wanted, resolve, reject });
    });
  const text = () => Buffer.concat(kept).toString('utf8');
  const received: ReceivedRequest = {
    method,
    url,
    headers,
    rawHead,
    bytes: () => bytes,
    sha256: () => (digest ??= hash.digest('hex')),
    complete: () => bytes === length,
    text,
    json: () => JSON.parse(text()) as unknown,
    parts: () => readParts(headers['content-type'] ?? '', Buffer.concat(kept), bytes),
    connection,
    from: socket.remoteAddress ?? '',
    at,
    lastAt: () => lastAt,
  };

  return {
    request: {
      received,
      method,
      url,
      headers,
      socket,
      body: () => bodyBytes(length),
      bodyBytes,
    } satisfies ArrivingRequest,
    isWhole: () => bytes === length,
    /** Gives what is not its own. */
    take: (chunk: Buffer) => {
      const own = chunk.subarray(0, length - bytes);
      if (bytes < keptBytes) kept.push(Buffer.from(own));
      hash.update(own);
      bytes += own.length;
      lastAt = performance.now();
      settle();
      return chunk.subarray(own.length);
    },
    abandon: () => {
      ended = true;
      for (const wait of waits) wait.reject(new Error('the connection ended within the body'));
      waits = [];
    },
  };
}

function readParts(contentType: string, body: Buffer, bytes: number): readonly ReceivedPart[] {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1];
  if (boundary === undefined || bytes > body.length) return [];
  const parts: ReceivedPart[] = [];
  const mark = Buffer.from(`--${boundary}`);
  let from = body.indexOf(mark);
  while (from !== -1) {
    const next = body.indexOf(mark, from + mark.length);
    if (next === -1) break;
    const part = body.subarray(from + mark.length + 2, next - 2);
    const split = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, split).toString('utf8');
    parts.push({
      name: /\bname="([^"]*)"/.exec(head)?.[1] ?? '',
      fileName: /\bfilename="([^"]*)"/.exec(head)?.[1] ?? null,
      contentType: /^content-type: (.*)$/im.exec(head)?.[1]?.trim() ?? null,
      head,
      body: part.subarray(split + 4),
    });
    from = next;
  }
  return parts;
}
