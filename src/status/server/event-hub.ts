import type { ServerResponse } from 'node:http';
import { printableJson } from '../../lib/text/printable.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import { repeat } from '../../lib/time/clock.ts';
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

/** One listener's stream. What comes while it has something to read is not kept for it. */
interface Listener {
  readonly response: ServerResponse;
  /** Who reads it. */
  readonly peer: string;
  /** The status that it was sent last. */
  status: string;
  /** It had something to read at the last heartbeat. */
  isSlow: boolean;
}

/** The listeners of `/api/events`. Without listeners it costs nothing. */
export type EventHub = ReturnType<typeof createEventHub>;

/** Sends status and activity, gathered into at most four flushes a second, each written once for all. */
export function createEventHub(control: ControlPort, snapshot: StatusSnapshot, clock: Clock) {
  const listeners = new Set<Listener>();
  let activities: Activity[] = [];
  let stops: (() => void)[] = [];

  const flush = () => {
    const burst = activities
      .map((activity) => frame('activity', printableJson(JSON.stringify(activity))))
      .join('');
    activities = [];
    const status = snapshot.json();
    // Written from the same memory for all listeners.
    const activityBytes = Buffer.from(burst);
    const statusBytes = Buffer.from(frame('status', status));
    for (const listener of listeners) {
      const { response } = listener;
      // The list of activities is asked for again when the stream is opened again.
      if (response.writableNeedDrain) continue;
      if (burst !== '') response.write(activityBytes);
      if (listener.status !== status) response.write(statusBytes);
      listener.status = status;
    }
  };

  const beat = () => {
    for (const listener of listeners) {
      const { response, isSlow } = listener;
      listener.isSlow = response.writableNeedDrain;
      if (!listener.isSlow) response.write(frame('heartbeat', '{}'));
      else if (isSlow) response.destroy();
    }
  };

  const start = () => {
    const { note, listen, close } = createChangeSignal(clock, flushMs);
    listen(flush);
    stops = [
      close,
      control.onActivity((activity) => {
        activities.push(activity);
        if (activities.length > maxActivities) activities.shift();
        note();
      }),
      control.onStatus(note),
      repeat(clock, tickMs, note),
      repeat(clock, heartbeatMs, beat),
    ];
  };

  const stop = () => {
    for (const end of stops) end();
    stops = [];
    activities = [];
  };

  /**
   * Who gives way to one more of a peer: one that does not read, or the first of the peer that has the most, more than this
   * one. So each has a share, and who comes first finds a place, however little the others read at a time.
   */
  const giving = (peer: string): Listener | undefined => {
    const slow = [...listeners].find(({ response }) => response.writableNeedDrain);
    if (slow !== undefined) return slow;
    const count = (of: string) => [...listeners].filter((one) => one.peer === of).length;
    const [most] = [...listeners].sort((one, other) => count(other.peer) - count(one.peer));
    return most !== undefined && count(most.peer) > count(peer) ? most : undefined;
  };

  return {
    /** Takes over a response whose headers are written, for a peer that there is room for. */
    add: (response: ServerResponse, peer: string): void => {
      // The client left while it was being let in: the event that removes it has been.
      if (response.destroyed) return;
      if (listeners.size >= maxListeners) giving(peer)?.response.destroy();
      const listener: Listener = { response, peer, status: snapshot.json(), isSlow: false };
      response.once('close', () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      });
      // A listener that disconnects is not an error.
      response.on('error', () => undefined);
      listeners.add(listener);
      if (listeners.size === 1) start();
      response.write(`retry: 2000\n\n${frame('status', listener.status)}`);
    },
    /** There are too many listeners, and none of them gives way to one more of this peer. */
    isFull: (peer: string) => listeners.size >= maxListeners && giving(peer) === undefined,
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
