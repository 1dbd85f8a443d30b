import type { Activity } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';

interface ConnectionEvents {
  readonly onStatus: (status: StatusAnswer) => void;
  readonly onActivity: (activity: Activity) => void;
  /** A stream has begun: what was missed meanwhile is to be asked for. */
  readonly onOpen: () => void;
  readonly onOffline: () => void;
}

/** The first try after a stream broke is at once: a proxy may have ended it. */
const firstRetryMs = 300;
const maxRetryMs = 8000;

/** The daemon gives a sign of life every 15 seconds. */
const silenceMs = 40_000;

/** A page that nobody sees gives its stream back after this: browsers allow six of them for one address. */
const hiddenMs = 30_000;

/** It looks up the status this often after that, so that its tab does not show an old one. */
const lookEveryMs = 60_000;

/** Keeps one stream of events open while the page is seen, and comes back by itself; unseen, it looks now and then. */
export function connect({ onStatus, onActivity, onOpen, onOffline }: ConnectionEvents): void {
  let source: EventSource | null = null;
  let failures = 0;
  let hiddenAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const plan = (act: () => void, ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };

  const close = (openAfterMs: number) => {
    source?.close();
    source = null;
    plan(open, openAfterMs);
  };

  const broken = () => {
    failures += 1;
    if (failures > 1) onOffline();
    close(Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1)));
  };

  const open = () => {
    const stream = new EventSource('api/events');
    source = stream;
    const hear = (name: string, call: (json: string) => void) => {
      stream.addEventListener(name, ({ data }: MessageEvent<string>) => {
        failures = 0;
        plan(broken, silenceMs);
        call(data);
      });
    };
    plan(broken, silenceMs);
    hear('open', onOpen);
    stream.addEventListener('error', broken);
    hear('status', (json) => {
      onStatus(JSON.parse(json) as StatusAnswer);
      restUnseen();
    });
    hear('activity', (json) => onActivity(JSON.parse(json) as Activity));
    hear('heartbeat', restUnseen);
  };

  const restUnseen = () => {
    if (document.hidden && Date.now() - hiddenAt >= hiddenMs) close(lookEveryMs);
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenAt = Date.now();
    else if (source === null) plan(open, 0);
  });
  open();
}
