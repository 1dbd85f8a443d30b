import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

import { writeDurably } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import { isWithin } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { excerpt, printableJson } from '../../lib/text/printable.ts';
import { nextDelayMs } from '../../model/back-off.ts';
import { errorMessage } from '../../model/errors.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import type { Activity } from '../../model/report/status.ts';
import { postToWebhook } from '../../remote/webhook.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import type { NotifyEvent } from './event.ts';
import { nextNotifyState, notifyFile, readNotifyState } from './notify-state.ts';
import type { WayName } from './notify-state.ts';

/** Where events go. */
export interface NotifyTarget {
  readonly settings: Pick<Settings, 'notify' | 'file'>;
  /** The address, a secret; null: none. */
  readonly webhook: string | null;
}

export interface NotifierOptions extends NotifyTarget {
  readonly settings: Pick<Settings, 'notify' | 'file' | 'state'>;
  readonly control: Pick<ControlPort, 'status' | 'onStatus'>;
  /** Entries of the log that are not over, oldest first. */
  readonly open: () => readonly Activity[];
  /** False: other things may be wrong, too. */
  readonly isAll: boolean;
  readonly clock: Clock;
  readonly log: LogPort;
}

/** A change waits this long for others, so that many count once. */
const gatherMs = 1_000;

/** One way to notify. */
interface Way {
  readonly name: WayName;
  /** Rejects where the event is not accepted. */
  readonly send: (event: NotifyEvent, signal: AbortSignal) => Promise<void>;
}

/** The command and the webhook, whichever are set. */
export function waysOf({ settings, webhook }: NotifyTarget): readonly Way[] {
  const { command } = settings.notify;
  const cwd = dirname(settings.file);
  const ways: Way[] = [];
  if (command.length > 0)
    ways.push({
      name: 'command',
      send: (event, signal) => runNotifyCommand(command, event, cwd, signal),
    });
  if (webhook !== null)
    ways.push({ name: 'webhook', send: (event, signal) => postToWebhook(webhook, event, signal) });
  return ways;
}

/** Beyond these the oldest that a way has not accepted is given up. */
const mostEvents = 100;

/**
 * Notifies when something needs a person, and when nothing does any more: gathered, written down before it is sent, and
 * repeated with the same id until it is accepted, by each way on its own. Deliveries never wait for it. The function it
 * returns ends it; what was not accepted is sent at the next start.
 */
export async function startNotifier(options: NotifierOptions): Promise<() => Promise<void>> {
  const { settings, control, open, clock, log } = options;
  const ways = waysOf(options);
  if (ways.length === 0) return async () => {};
  const afterMs = settings.notify.afterMinutes * 60_000;
  const ending = new AbortController();
  const ended = once(ending.signal, 'abort');
  let state = await readNotifyState(settings.state.dir);
  let written = JSON.stringify(state);
  let cancelTimer = (): void => {};
  const inTurn = createTurns();
  const queues = ways.map((way) => createQueue(way, state.queues[way.name] ?? []));

  const changes = createChangeSignal(clock, gatherMs);
  changes.listen(look);
  const stopListening = control.onStatus(changes.note);
  look();

  return async () => {
    stopListening();
    changes.close();
    cancelTimer();
    ending.abort();
    await Promise.all(queues.map(({ send }) => send()));
    await inTurn(keep);
  };

  function look(): void {
    inTurn(evaluate).catch((error: unknown) =>
      log.warn({ error: errorMessage(error) }, 'notification could not be prepared'),
    );
  }

  async function evaluate(): Promise<void> {
    if (ending.signal.aborted) return;
    const { event, nextMs, ...next } = nextNotifyState(state, open(), control.status, {
      now: clock.now(),
      afterMs,
      isAll: options.isAll,
    });
    ({ state } = next);
    if (event !== null) for (const { add } of queues) add(event);
    await keep();
    cancelTimer();
    if (nextMs !== null) cancelTimer = clock.after(nextMs, look);
    for (const { send } of queues) void send();
  }

  /** A disk that does not accept it is no reason to be silent. */
  async function keep(): Promise<void> {
    // Of a way that is not set any more nothing is kept.
    const now = { ...state, queues: Object.fromEntries(queues.map(({ name, events }) => [name, events()])) };
    const text = JSON.stringify(now);
    if (text === written) return;
    await writeDurably(notifyFile(settings.state.dir), `${text}\n`).then(
      () => (written = text),
      (error: unknown) => log.debug({ error: errorMessage(error) }, 'notification state could not be saved'),
    );
  }

  /** What one way has not accepted yet: sent one after the other, each until it is accepted. */
  function createQueue({ name, send }: Way, unsent: readonly NotifyEvent[]) {
    let events = unsent;
    let sending: Promise<void> | null = null;
    return {
      name,
      events: () => events,
      add: (event: NotifyEvent) => (events = [...events, event].slice(-mostEvents)),
      /** Resolves when nothing is left, or the notifier ends. */
      send: () => (sending ??= sendAll().finally(() => (sending = null))),
    };

    async function sendAll(): Promise<void> {
      let attempt = 0;
      for (let [event] = events; event !== undefined && !ending.signal.aborted; [event] = events) {
        const { id, kind } = event;
        try {
          await send(event, ending.signal);
        } catch (error) {
          if (ending.signal.aborted) break;
          attempt += 1;
          if (attempt === 1)
            log.warn({ way: name, error: errorMessage(error) }, 'notification was not accepted; retrying');
          const random = Math.random();
          const ms = nextDelayMs({ kind: 'unavailable', attempt, retryAfterMs: null, random });
          await isWithin(clock, ms, ended);
          continue;
        }
        attempt = 0;
        events = events.filter((other) => other.id !== id);
        log.info({ id, kind, way: name }, 'notification sent');
        // In turn: what has come meanwhile is written down before it is sent.
        await inTurn(keep);
      }
    }
  }
}

const usualCommandMs = 30_000;
const longestComplaint = 2_000;
/** Secrets of ingestd, and what a service manager gives to it alone. */
const ownVariables = /^(?:INGESTD_.*|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|WATCHDOG_\w+|LISTEN_\w+)$/;

/**
 * Runs a program, without a shell, with a value as JSON on standard input and none of ingestd's own variables in its
 * environment. It, and what it started, is ended after 30 s, or by the signal. Rejects unless it exits with 0.
 */
export async function runNotifyCommand(
  [program = '', ...args]: readonly string[],
  value: unknown,
  cwd: string,
  signal: AbortSignal,
  longestMs = usualCommandMs,
): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownVariables.test(name)));
  // A group of its own, so that what it starts ends with it.
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    signal,
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(0, longestComplaint);
  });
  // One that does not read its input is not wrong for that.
  child.stdin.on('error', () => {});
  child.stdin.end(`${printableJson(JSON.stringify(value))}\n`);
  try {
    // Not `close`: a program that it left behind may hold its standard error.
    const [code, killedBy] = (await once(child, 'exit').catch((error: unknown) => {
      throw new Error(`${program} cannot be run: ${errorMessage(error)}`, { cause: error });
    })) as [number | null, string | null];
    if (code === 0) return;
    const how = killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`;
    const said = complaint.trim() === '' ? '' : `: ${excerpt(complaint.trim())}`;
    throw new Error(`${program}: ${how}${said}`);
  } finally {
    const { pid, killed } = child;
    if (killed && pid !== undefined) orNull(() => process.kill(-pid, 'SIGKILL'));
    child.stderr.destroy();
  }
}
