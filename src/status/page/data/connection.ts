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

/** Keeps one stream of events open, and comes back by itself. */
export function connect({ onStatus, onActivity, onOpen, onOffline }: ConnectionEvents): void {
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
      if (failures > 1) onOffline();
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
    hear('open', onOpen);
    stream.addEventListener('error', broken);
    hear('status', (json) => onStatus(JSON.parse(json) as StatusAnswer));
    hear('activity', (json) => onActivity(JSON.parse(json) as Activity));
    hear('heartbeat', () => {});
  };
  open();
}
