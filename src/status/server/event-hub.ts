import type { ServerResponse } from 'node:http';
import { printableJson } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import type { Activity } from '../../model/report/status.ts';
import type { StatusSnapshot } from './status-snapshot.ts';

const maxListeners = 64;

/** At most four statuses a second. */
const flushMs = 250;

/** Ages, permits and the remaining time change by themselves: the status is checked this often. */
const tickMs = 1000;

const heartbeatMs = 15_000;

/** Of one flush; the older ones of a burst are left out. */
const maxActivities = 100;

/** One listener's stream. What it does not read is dropped. */
interface Listener {
  readonly response: ServerResponse;
  /** It missed a status: it gets the newest when it reads again. */
  behind: boolean;
  /** It had something to read at the last heartbeat, and still has. */
  stuck: boolean;
}

/** The listeners of `/api/events`. Without listeners it costs nothing. */
export type EventHub = ReturnType<typeof createEventHub>;

/** Sends status and activity, gathered into at most four flushes a second, each written once for all. */
export function createEventHub({
  control,
  snapshot,
  clock,
}: {
  readonly control: ControlPort;
  readonly snapshot: StatusSnapshot;
  readonly clock: Clock;
}) {
  const listeners = new Set<Listener>();
  let activities: Activity[] = [];
  let statusDirty = false;
  let lastStatus = '';
  let flushedAt = Number.NEGATIVE_INFINITY;
  let cancelFlush: (() => void) | null = null;
  let stops: (() => void)[] = [];

  const flush = () => {
    cancelFlush = null;
    flushedAt = clock.monotonic();
    const burst = activities
      .map((activity) => frame('activity', printableJson(JSON.stringify(activity))))
      .join('');
    activities = [];
    if (burst !== '') {
      const bytes = Buffer.from(burst);
      // Who does not read misses it: the list is asked for again when the stream is opened again.
      for (const { response } of listeners) if (!response.writableNeedDrain) response.write(bytes);
    }
    if (!statusDirty) return;
    statusDirty = false;
    const json = snapshot.json();
    if (json === lastStatus) return;
    lastStatus = json;
    const bytes = Buffer.from(frame('status', json));
    for (const listener of listeners) {
      listener.behind = listener.response.writableNeedDrain;
      if (!listener.behind) listener.response.write(bytes);
    }
  };

  const schedule = () => {
    cancelFlush ??= clock.after(Math.max(0, flushedAt + flushMs - clock.monotonic()), flush);
  };

  const noteStatus = () => {
    snapshot.expire();
    statusDirty = true;
    schedule();
  };

  const beat = () => {
    for (const listener of listeners) {
      if (listener.response.writableNeedDrain && listener.stuck) {
        listener.response.destroy();
        continue;
      }
      listener.stuck = listener.response.writableNeedDrain;
      if (!listener.stuck) listener.response.write(frame('heartbeat', '{}'));
    }
  };

  const start = () => {
    stops = [
      control.onActivity((activity) => {
        activities.push(activity);
        if (activities.length > maxActivities) activities.shift();
        schedule();
      }),
      control.onStatus(noteStatus),
      every(clock, tickMs, noteStatus),
      every(clock, heartbeatMs, beat),
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

  const stuckOnes = () => [...listeners].filter(({ response }) => response.writableNeedDrain);

  return {
    /** Takes over a response whose headers are written. */
    add: (response: ServerResponse): void => {
      // The client left while it was being let in: the event that removes it has been.
      if (response.destroyed) return;
      // A new listener takes the place of a stalled one.
      if (listeners.size >= maxListeners) stuckOnes()[0]?.response.destroy();
      const listener: Listener = { response, behind: false, stuck: false };
      response.on('drain', () => {
        listener.stuck = false;
        if (!listener.behind) return;
        listener.behind = false;
        response.write(frame('status', snapshot.json()));
      });
      response.once('close', () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      });
      // A listener that disconnects is not an error.
      response.on('error', () => undefined);
      listeners.add(listener);
      if (listeners.size === 1) start();
      const json = snapshot.json();
      // Existing listeners have not been sent this one.
      if (listeners.size === 1) lastStatus = json;
      response.write(`retry: 2000\n\n${frame('status', json)}`);
    },
    /** There are too many listeners, and none of them is stalled. */
    full: () => listeners.size >= maxListeners && stuckOnes().length === 0,
    listeners: () => listeners.size,
    /** Ends every stream. */
    close: () => {
      for (const { response } of listeners) response.end();
      listeners.clear();
      stop();
    },
  };
}

/** JSON holds no line break of its own, so that one line of data is the whole. */
function frame(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

function every(clock: Clock, ms: number, call: () => void): () => void {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    call();
  });
  return () => cancel();
}
