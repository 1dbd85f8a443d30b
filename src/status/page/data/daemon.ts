import { useEffect, useRef, useState } from 'preact/hooks';

import { countWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
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

/** How it went, by what was asked for. */
const outcomes: {
  readonly [Name in DecisionName]: (answer: Answer<Name>, given: Given<Name>) => string;
} = {
  retry: ({ retried }) => `${countWords(retried, 'document')} queued again.`,
  resolve: (_, { path }) => `${printable(path)} is no longer in doubt.`,
  approve: ({ approved }) => `${countWords(approved, 'deletion')} approved.`,
  keep: ({ kept }) => `${countWords(kept, 'document')} kept at the service.`,
  share: ({ shared }, { paths }) =>
    `${shared} of ${countWords(paths.length, 'document')} to be shared as stated.`,
  pause: (_, { folder }) => `${printable(folder ?? 'All folders')} paused.`,
  resume: (_, { folder }) => `${printable(folder ?? 'All folders')} resumed.`,
  rescan: ({ folders }) => `Scanning ${printable(folders.join(', '))}.`,
};

/** Has the daemon do what a person decided, and says how it went. */
export function decide<Name extends DecisionName>(name: Name, given: Given<Name>): void {
  const send = async () => {
    // The token is of one start of the daemon: it is asked for each time.
    const { token } = await ask<{ readonly token: string }>('api/token');
    const headers = { 'content-type': 'application/json', 'x-ingestd-token': token };
    const body = JSON.stringify(given);
    return outcomes[name](await ask(`api/${name}`, { method: 'POST', headers, body }), given);
  };
  void send()
    .catch((error: Error) => error.message)
    .then((words) => change({ feedback: { words } }));
}

/** The first try after a stream broke is almost at once: a proxy may have ended it. */
const firstRetryMs = 300;
const retryMs = 2_000;

/** The daemon gives a sign of life every 15 seconds. */
const silenceMs = 40_000;

/** So much of what happened is kept, however long the page is open: the log has the rest. */
const mostRecent = 100;

/** Follows the daemon by one stream of events, and comes back to it by itself. */
export function followDaemon(): void {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = (act: () => void, ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const follow = () => {
    const stream = new EventSource('api/events');
    const broken = () => {
      stream.close();
      failures += 1;
      change({ isOffline: failures > 1 });
      plan(follow, failures > 1 ? retryMs : firstRetryMs);
    };
    const hear = (name: string, learn: (json: string) => Parameters<typeof change>[0]) => {
      stream.addEventListener(name, ({ data }: MessageEvent<string>) => {
        failures = 0;
        plan(broken, silenceMs);
        change({ heardAt: Date.now(), isOffline: false, ...learn(data) });
      });
    };
    plan(broken, silenceMs);
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
    hear('activity', (json) => {
      const all = [JSON.parse(json) as Activity, ...(page.recent ?? [])];
      return { recent: all.slice(0, mostRecent) };
    });
    hear('heartbeat', () => ({}));
  };
  follow();
}

interface Known<T> {
  /** Null: none came yet. */
  readonly answer: T | null;
  /** In words, why there was no newer answer. */
  readonly problem: string | null;
}

/** A question that is being typed is asked about this often, ms. */
const restMs = 250;

/** What the daemon answered last; asked again when `news` change. Null: nothing is asked. */
export function useAnswer<T>(path: string | null, news: unknown): Known<T> {
  const [known, learn] = useState<Known<T>>({ answer: null, problem: null });
  const last = useRef({ path, at: -Infinity, tookMs: 0 });
  useEffect(() => {
    if (path === null) return undefined;
    const { at, tookMs } = last.current;
    const put = async () => {
      const asked = { path, at: performance.now(), tookMs };
      last.current = asked;
      const found = await ask<T>(path).then(
        (answer) => ({ answer, problem: null }),
        (error: Error) => ({ problem: error.message }),
      );
      asked.tookMs = performance.now() - asked.at;
      // An older answer may come after the newer one.
      if (last.current === asked) learn((before) => ({ ...before, ...found }));
    };
    // Among a million documents, a search is work for the daemon.
    const dueMs = at + restMs + (path === last.current.path ? 4 * tookMs : 0);
    const timer = setTimeout(() => void put(), Math.max(0, dueMs - performance.now()));
    return () => clearTimeout(timer);
  }, [path, news]);
  return known;
}
