import { createServer, request as forward } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { SeededRandom } from '../seeded-random.ts';

/** What can go wrong with one request on its way to the service and back. */
export const faults = [
  'reset before',
  'reset midway',
  'answer lost',
  'answer cut off',
  'answer empty',
  'answer html',
  '500',
  '502',
  '503',
  '502 though taken',
  '401',
  '429',
  'slow',
  'never',
] as const;

type Fault = (typeof faults)[number];
/** Moments of a request. */
export type Moment = 'head' | 'body' | 'taken' | 'answered';

/** The network between daemon and service: it counts every request, and can be told to fail. */
export interface FaultyWay {
  readonly url: string;
  /** So often a request meets one of these; 0: never. */
  readonly trouble: (share: number, kinds?: readonly Fault[]) => void;
  /** Arrivals at ingestion endpoints, monotonic ms. */
  readonly arrivals: readonly number[];
  /** Faults that were made, by kind. */
  readonly made: ReadonlyMap<Fault, number>;
  /** 429 that the service itself gave. */
  readonly overLimit: () => number;
  /** Called at every moment of every ingestion request. */
  onMoment: (moment: Moment) => void;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly random: SeededRandom;
  /** Of the service; null while it is down. */
  readonly port: () => number | null;
}

/** Starts it on a port of its own. */
export async function startFaultyWay({ random, port }: Options): Promise<FaultyWay> {
  const arrivals: number[] = [];
  const made = new Map<Fault, number>();
  let overLimit = 0;
  let share = 0;
  let kinds: readonly Fault[] = faults;

  function serve(req: IncomingMessage, res: ServerResponse): void {
    const isIngestion = req.url?.startsWith('/services/') === true;
    req.on('error', () => undefined);
    res.on('error', () => undefined);
    if (isIngestion) arrivals.push(performance.now());
    const moment = (which: Moment) => isIngestion && way.onMoment(which);
    moment('head');
    const fault = random.chance(share) ? random.pick(kinds) : null;
    if (fault !== null) made.set(fault, (made.get(fault) ?? 0) + 1);
    if (fault === 'reset before') req.socket.resetAndDestroy();
    else if (fault === 'never') setTimeout(() => req.socket.destroy(), 4_000);
    else if (fault !== null && /^\d+$/.test(fault)) req.resume().on('end', () => refuse(res, fault));
    else pass({ req, res, fault, moment });
  }

  function pass({ req, res, fault, moment }: Passing): void {
    const to = port();
    if (to === null) {
      req.socket.destroy();
      return;
    }
    const { method, url: path, headers } = req;
    const upstream = forward({ host: '127.0.0.1', port: to, method, path, headers, agent: false });
    upstream.on('error', () => req.socket.destroy());
    req.on('close', () => req.complete || upstream.destroy());
    req.once('data', () => moment('body'));
    if (fault === 'reset midway') {
      req.once('data', () => {
        upstream.destroy();
        req.socket.resetAndDestroy();
      });
    }
    req.pipe(upstream);
    upstream.on('response', (answer) => {
      if (answer.statusCode === 429) overLimit += 1;
      const chunks: Buffer[] = [];
      answer.on('error', () => req.socket.destroy());
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        moment('taken');
        giveBack({
          res,
          fault,
          status: answer.statusCode ?? 500,
          headers: answer.headers,
          body: Buffer.concat(chunks),
        });
        moment('answered');
      });
    });
  }

  const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const way: FaultyWay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trouble: (next, which = faults) => {
      share = next;
      kinds = which;
    },
    arrivals,
    made,
    overLimit: () => overLimit,
    onMoment: () => undefined,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return way;
}

interface Passing {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly fault: Fault | null;
  readonly moment: (which: Moment) => void;
}

function refuse(res: ServerResponse, status: string): void {
  const body = status === '401' ? '<fault>no</fault>' : '{"message":"not now"}';
  const type = status === '401' ? 'application/xml' : 'application/json';
  const more = status === '429' || status === '503' ? { 'Retry-After': '1' } : {};
  res.writeHead(Number(status), { 'Content-Type': type, ...more }).end(body);
}

interface Answer {
  readonly res: ServerResponse;
  readonly fault: Fault | null;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function giveBack({ res, fault, status, headers, body }: Answer): void {
  if (fault === 'answer lost') res.socket?.destroy();
  else if (fault === 'answer empty') res.writeHead(200).end();
  else if (fault === '502 though taken') res.writeHead(502).end('bad gateway');
  else if (fault === 'slow') setTimeout(() => res.writeHead(status, headers).end(body), 1_500);
  else if (fault === 'answer html')
    res.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Log in</title>');
  else if (fault === 'answer cut off') {
    res.writeHead(status, headers);
    res.write(body.subarray(0, body.length >> 1), () => res.socket?.destroy());
  } else res.writeHead(status, headers).end(body);
}
