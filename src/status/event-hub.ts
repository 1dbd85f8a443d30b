import type { ServerResponse } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import type { ControlPort } from '../model/ports/control-port.ts';
import type { Activity } from '../model/report/status.ts';
import { createEventClient } from './event-client.ts';
import type { EventClient } from './event-client.ts';
import { statusAnswer } from './status-answer.ts';

/** Everyone who listens to `/api/events`. Costs nothing while nobody does. */
export interface EventHub {
  /** Takes over an answer whose head is written. */
  readonly add: (response: ServerResponse) => void;
  /** Too many listen already. */
  readonly full: () => boolean;
  readonly listeners: () => number;
  /** Ends every stream. */
  readonly close: () => void;
}

export interface EventHubOptions {
  readonly control: ControlPort;
  readonly clock: Clock;
}

const MAX_LISTENERS = 64;

/** At most four statuses a second. */
const FLUSH_MS = 250;

/** Ages, the minute and the way to go change by themselves: looked at this often. */
const TICK_MS = 1000;

const HEARTBEAT_MS = 15_000;

/** Of one flush; the older ones of a burst are left out. */
const MAX_ACTIVITIES = 100;

/** Sends status and activity, gathered into at most four flushes a second, each text written once for all. */
export function createEventHub({ control, clock }: EventHubOptions): EventHub {
  const clients = new Set<EventClient>();
  let activities: Activity[] = [];
  let statusDirty = false;
  let lastStatus = '';
  let flushedAt = Number.NEGATIVE_INFINITY;
  let cancelFlush: (() => void) | null = null;
  let stops: (() => void)[] = [];

  const statusFrame = () => frame('status', statusAnswer(control.status()));

  const flush = () => {
    cancelFlush = null;
    flushedAt = clock.monotonic();
    const burst = activities.map((activity) => frame('activity', activity)).join('');
    activities = [];
    if (burst !== '') for (const client of clients) client.send(burst);
    if (!statusDirty) return;
    statusDirty = false;
    const text = statusFrame();
    if (text === lastStatus) return;
    lastStatus = text;
    for (const client of clients) client.sendNewest(text);
  };

  const schedule = () => {
    cancelFlush ??= clock.after(Math.max(0, flushedAt + FLUSH_MS - clock.monotonic()), flush);
  };

  const start = () => {
    stops = [
      control.onActivity((activity) => {
        activities.push(activity);
        if (activities.length > MAX_ACTIVITIES) activities.shift();
        schedule();
      }),
      control.onStatus(() => {
        statusDirty = true;
        schedule();
      }),
      every(clock, TICK_MS, () => {
        statusDirty = true;
        schedule();
      }),
      every(clock, HEARTBEAT_MS, () => {
        for (const client of clients) client.beat(frame('heartbeat', {}));
      }),
    ];
  };

  const stop = () => {
    for (const end of stops) end();
    stops = [];
    cancelFlush?.();
    cancelFlush = null;
    activities = [];
    statusDirty = false;
  };

  return {
    add: (response) => {
      const client = createEventClient(response, () => {
        clients.delete(client);
        if (clients.size === 0) stop();
      });
      clients.add(client);
      if (clients.size === 1) start();
      const status = statusFrame();
      // Those who listen already have not been sent this one.
      if (clients.size === 1) lastStatus = status;
      client.send(`retry: 2000\n\n${status}`);
    },
    full: () => clients.size >= MAX_LISTENERS,
    listeners: () => clients.size,
    close: () => {
      for (const client of clients) client.end();
      clients.clear();
      stop();
    },
  };
}

/** JSON holds no line break of its own, so that one line of data is the whole. */
function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function every(clock: Clock, ms: number, call: () => void): () => void {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    call();
  });
  return () => cancel();
}
