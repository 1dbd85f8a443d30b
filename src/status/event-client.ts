import type { ServerResponse } from 'node:http';

/** One listener's stream. What it does not take in time is not kept for it. */
export interface EventClient {
  /** Sends text that may not be left out; a listener that is too far behind is dropped instead. */
  readonly send: (text: string) => void;
  /** Sends text that the next of its kind replaces: only the newest waits for a slow listener. */
  readonly sendNewest: (text: string) => void;
  /** Sends a sign of life; a listener that has taken nothing since the last one is dropped. */
  readonly beat: (text: string) => void;
  readonly end: () => void;
}

/** What may wait in memory for one listener. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Calls `onGone` once, when the stream has ended for whatever reason. */
export function createEventClient(response: ServerResponse, onGone: () => void): EventClient {
  let newest: string | null = null;
  let stuck = false;

  const send = (text: string) => {
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
    else response.write(text);
  };

  response.on('drain', () => {
    stuck = false;
    if (newest === null) return;
    const text = newest;
    newest = null;
    send(text);
  });
  response.once('close', onGone);
  // A listener that went is no error of ours.
  response.on('error', () => undefined);

  return {
    send,
    sendNewest: (text) => {
      if (response.writableNeedDrain) newest = text;
      else send(text);
    },
    beat: (text) => {
      if (response.writableNeedDrain && stuck) {
        response.destroy();
        return;
      }
      stuck = response.writableNeedDrain;
      if (!stuck) send(text);
    },
    end: () => response.end(),
  };
}
