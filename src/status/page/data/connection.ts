import { useEffect, useRef, useState } from 'preact/hooks';

import type { Activity } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { tell } from './ask-daemon.ts';

/** The first try after a stream broke is at once: a proxy may have ended it. */
const firstRetryMs = 300;
const maxRetryMs = 8000;

/** The daemon gives a sign of life every 15 seconds. */
const silenceMs = 40_000;

/** So much of what happened is kept, however long the page is open: the log has the rest. */
export const mostRecent = 100;

/** Follows the daemon by one stream of events, and comes back to it by itself. */
export function useDaemon() {
  const [status, setStatus] = useState<StatusAnswer | null>(null);
  const [isOffline, setOffline] = useState(false);
  /** Newest first; null: not asked yet. */
  const [recent, setRecent] = useState<readonly Activity[] | null>(null);
  const heardAt = useRef('');
  useEffect(() => {
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (act: () => void, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(act, ms);
    };
    const open = () => {
      const stream = new EventSource('api/events');
      const broken = () => {
        stream.close();
        failures += 1;
        if (failures > 1) setOffline(true);
        plan(open, Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1)));
      };
      const hear = (name: string, call: (json: string) => void) => {
        stream.addEventListener(name, ({ data }: MessageEvent<string>) => {
          failures = 0;
          plan(broken, silenceMs);
          call(data);
        });
      };
      plan(broken, silenceMs);
      stream.addEventListener('error', broken);
      hear('open', () => {
        const missed = tell<{ readonly entries: readonly Activity[] }>('api/log');
        // What cannot be told now is asked for with the next stream.
        missed.then(({ entries }) => setRecent(entries)).catch(() => {});
      });
      hear('status', (json) => {
        heardAt.current = new Date().toISOString();
        setOffline(false);
        setStatus(JSON.parse(json) as StatusAnswer);
      });
      hear('activity', (json) =>
        setRecent((known) => [JSON.parse(json) as Activity, ...(known ?? [])].slice(0, mostRecent)),
      );
      hear('heartbeat', () => {});
    };
    open();
  }, []);
  // A newer daemon has a newer page.
  const version = useRef(status?.version);
  version.current ??= status?.version;
  if (version.current !== status?.version) location.reload();
  return { status, heardAt: heardAt.current, isOffline, recent };
}
