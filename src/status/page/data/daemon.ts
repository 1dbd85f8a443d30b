import { useEffect, useRef, useState } from 'preact/hooks';

import { numberWords } from '../../../lib/text/amounts.ts';
import type { Answer, DecisionName, Given } from '../../../model/ports/control-port.ts';
import type { Activity } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { change, page } from './page.ts';

/** How long the page waits for an answer, ms: a daemon that hangs is no reason to hang with it. */
const patienceMs = 30_000;

/** What the daemon answers. Rejects with its words, or why there are none. */
async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const asked = fetch(path, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const read = async (response: Response) => ({
    ok: response.ok,
    body: (await response.json()) as unknown,
  });
  const answer = await asked.then(read).catch(() => {
    const unsure = init.method === 'POST' ? ' It may still do what you asked for.' : '';
    throw new Error(`The daemon does not answer.${unsure}`);
  });
  if (answer.ok) return answer.body as T;
  throw new Error((answer.body as { readonly message: string }).message);
}

/** In words, where less was done than was asked for. */
const shortfalls: {
  readonly [Name in DecisionName]?: (answer: Answer<Name>, given: Given<Name>) => string | null;
} = {
  retry: ({ retried }, { paths }) =>
    retried === paths.length
      ? null
      : `${retried === 0 ? 'Nothing to retry' : `${numberWords(retried)} of ${numberWords(paths.length)} retried`}. What waited is tried now.`,
  approve: ({ approved }) => (approved === 0 ? 'Nothing is held.' : null),
  keep: ({ kept }) => (kept === 0 ? 'Nothing is held.' : null),
  share: ({ shared }, { shown = [] }) =>
    shared === shown.length
      ? null
      : `${numberWords(shared)} of ${numberWords(shown.length)} shared. Something else is stated for the others by now.`,
};

/** What was asked for and is not answered yet: pressed twice, it is asked for once. */
const asked = new Set<string>();

/** Has the daemon do what a person decided, and says why it did not; what comes of it is among what happened. */
export function decide<Name extends DecisionName>(name: Name, given: Given<Name>): void {
  const key = JSON.stringify([name, given]);
  if (asked.has(key)) return;
  asked.add(key);
  const send = async () => {
    // The token is of one start of the daemon: it is asked for each time.
    const { token } = await ask<{ readonly token: string }>('api/token');
    const headers = { 'content-type': 'application/json', 'x-ingestd-token': token };
    const body = JSON.stringify(given);
    const answer = await ask<Answer<Name>>(`api/${name}`, { method: 'POST', headers, body });
    return shortfalls[name]?.(answer, given) ?? 'Done.';
  };
  void send()
    .catch((error: Error) => error.message)
    .then((words) => change({ feedback: { words } }))
    .finally(() => asked.delete(key));
}

const retryMs = 1_000;

/** The daemon gives a sign of life every 15 seconds. */
const silenceMs = 40_000;

/** So much of what happened is kept, however long the page is open: the log has the rest. */
const mostRecent = 100;

/** Follows the daemon by one stream of events; when that ends, by another. */
export function followDaemon(): void {
  const stream = new EventSource('api/events');
  const broken = () => {
    clearTimeout(timer);
    stream.close();
    change({ isOffline: true });
    setTimeout(followDaemon, retryMs);
  };
  let timer = setTimeout(broken, silenceMs);
  const hear = (name: string, learn: (json: string) => Parameters<typeof change>[0]) => {
    stream.addEventListener(name, ({ data }: MessageEvent<string>) => {
      clearTimeout(timer);
      timer = setTimeout(broken, silenceMs);
      change({ heardAt: Date.now(), isOffline: false, ...learn(data) });
    });
  };
  stream.addEventListener('error', broken);
  stream.addEventListener('open', () => {
    const missed = ask<{ readonly entries: readonly Activity[] }>('api/log');
    // What cannot be told now is asked for with the next stream.
    missed.then(({ entries }) => change({ recent: entries })).catch(() => {});
  });
  hear('status', (json) => {
    const status = JSON.parse(json) as StatusAnswer;
    // A newer daemon has a newer page.
    if (page.status !== null && page.status.version !== status.version) location.reload();
    return { status };
  });
  hear('activity', (json) => ({
    recent: [JSON.parse(json) as Activity, ...page.recent].slice(0, mostRecent),
  }));
  hear('heartbeat', () => ({}));
}

/** A question that is being typed is asked about this often, ms. */
const restMs = 250;

type Found<T> = { readonly answer?: T; readonly problem?: string };

/** What the daemon answered last, or why it did not; asked again when `news` change. Undefined: nothing is asked. */
export function useAnswer<T>(path: string | undefined, news: unknown): Found<T> {
  const [found, learn] = useState<Found<T>>({});
  const last = useRef({ path, at: -Infinity, tookMs: 0 });
  useEffect(() => {
    if (path === undefined) return learn({});
    const { at, tookMs } = last.current;
    const put = async () => {
      const asked = { path, at: performance.now(), tookMs };
      last.current = asked;
      const now = await ask<T>(path).then(
        (answer) => ({ answer }),
        (error: Error) => ({ problem: error.message }),
      );
      asked.tookMs = performance.now() - asked.at;
      // An older answer may come after the newer one.
      if (last.current === asked) learn(now);
    };
    // Among a million documents, a search is work for the daemon.
    const dueMs = at + restMs + (path === last.current.path ? 4 * tookMs : 0);
    const timer = setTimeout(() => void put(), Math.max(0, dueMs - performance.now()));
    return () => clearTimeout(timer);
  }, [path, news]);
  return found;
}
