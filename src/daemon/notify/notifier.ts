import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';

import type { Clock } from '../../lib/time/clock.ts';
import { excerpt, printableJson } from '../../lib/text/printable.ts';
import { nextDelayMs } from '../../model/back-off.ts';
import { errorMessage } from '../../model/errors.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { postToWebhook } from '../../remote/webhook.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import type { NotifyEvent } from './event.ts';
import {
  isAccepted,
  nextNotifyState,
  readNotifyState,
  withAccepted,
  withoutDone,
  writeNotifyState,
} from './notify-state.ts';
import type { WayName } from './notify-state.ts';

/** Where events go. */
export interface NotifyTarget {
  readonly settings: Pick<Settings, 'notify' | 'file'>;
  /** The address, a secret; null: none. */
  readonly webhook: string | null;
}

interface NotifierOptions extends NotifyTarget {
  readonly settings: Pick<Settings, 'notify' | 'file' | 'state'>;
  readonly control: Pick<ControlPort, 'status' | 'onStatus'>;
  readonly clock: Clock;
  readonly log: LogPort;
}

/** A change of the status waits this long for others, so that many count once. */
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
      send: (event, signal) => runNotifyCommand(command, event, { cwd, signal }),
    });
  if (webhook !== null)
    ways.push({ name: 'webhook', send: (event, signal) => postToWebhook(webhook, event, signal) });
  return ways;
}

/**
 * Notifies when something needs a person, and when nothing does any more: gathered, written down before it is sent, and
 * repeated with the same id until it is accepted, by each way on its own. Deliveries never wait for it. The function it
 * returns ends it; what was not accepted is sent at the next start.
 */
export async function startNotifier(options: NotifierOptions): Promise<() => Promise<void>> {
  const { settings, control, clock, log } = options;
  const ways = waysOf(options);
  if (ways.length === 0) return async () => {};
  const names = ways.map(({ name }) => name);
  const afterMs = settings.notify.afterMinutes * 60_000;
  const ending = new AbortController();
  const before = await readNotifyState(settings.state.dir);
  let written = JSON.stringify(before);
  // One that waited for a way that is not set any more is done.
  let state = withoutDone(before, names);
  let cancelTimer = (): void => {};
  let work = Promise.resolve();
  const senders = ways.map(createSender);

  const changes = createChangeSignal(clock, gatherMs);
  changes.listen(() => enqueue(evaluate));
  const stopListening = control.onStatus(changes.note);
  enqueue(evaluate);
  send();

  return async () => {
    stopListening();
    changes.close();
    cancelTimer();
    for (const { cancel } of senders) cancel();
    ending.abort();
    await work;
    await keep();
  };

  /** One step after the other: each writes the state. */
  function enqueue(step: () => Promise<void>): void {
    work = work
      .then(() => (ending.signal.aborted ? undefined : step()))
      .catch((error: unknown) =>
        log.warn({ error: errorMessage(error) }, 'notification could not be prepared'),
      );
  }

  async function evaluate(): Promise<void> {
    const next = nextNotifyState(state, control.status(), { now: clock.now(), afterMs });
    state = next.state;
    await keep();
    cancelTimer();
    if (next.nextMs !== null) cancelTimer = clock.after(next.nextMs, () => enqueue(evaluate));
    send();
  }

  /** A disk that does not accept it is no reason to be silent. */
  async function keep(): Promise<void> {
    const text = JSON.stringify(state);
    if (text === written) return;
    await writeNotifyState(settings.state.dir, state).then(
      () => (written = text),
      (error: unknown) => log.debug({ error: errorMessage(error) }, 'notification state could not be saved'),
    );
  }

  function send(): void {
    for (const sender of senders) void sender.send();
  }

  /** Sends by one way what it has not accepted yet, one event after the other. */
  function createSender(way: Way) {
    let attempts = 0;
    let isSending = false;
    let cancelRetry = (): void => {};
    return { send: sendNext, cancel: () => cancelRetry() };

    async function sendNext(): Promise<void> {
      const event = state.events.find(({ id }) => !isAccepted(state, { id, way: way.name }));
      if (event === undefined || isSending || ending.signal.aborted) return;
      isSending = true;
      try {
        await way.send(event, ending.signal);
      } catch (error) {
        if (ending.signal.aborted) return;
        attempts += 1;
        if (attempts === 1)
          log.warn({ way: way.name, error: errorMessage(error) }, 'notification was not accepted; retrying');
        const random = Math.random();
        const ms = nextDelayMs({ kind: 'unavailable', attempt: attempts, retryAfterMs: null, random });
        cancelRetry = clock.after(ms, () => {
          isSending = false;
          void sendNext();
        });
        return;
      }
      attempts = 0;
      isSending = false;
      // At once: an evaluation that ends now must not find it again.
      state = withAccepted(state, { id: event.id, way: way.name }, names);
      log.info({ id: event.id, kind: event.kind, way: way.name }, 'notification sent');
      enqueue(async () => {
        await keep();
        void sendNext();
      });
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
  {
    cwd,
    signal,
    longestMs = usualCommandMs,
  }: { readonly cwd: string; readonly signal: AbortSignal; readonly longestMs?: number },
): Promise<void> {
  signal.throwIfAborted();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownVariables.test(name)));
  // A group of its own, so that what it starts ends with it.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  const end = (): void => endGroup(child);
  const timer = setTimeout(end, longestMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      let complaint = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaint = `${complaint}${text}`.slice(0, longestComplaint);
      });
      child.on('error', (error) => reject(new Error(`${program} cannot be run: ${errorMessage(error)}`)));
      // Not `close`: a program that it left behind may hold its standard error.
      child.on('exit', (code, killedBy) => {
        const how = killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`;
        const said = complaint.trim() === '' ? '' : `: ${excerpt(complaint.trim())}`;
        if (code === 0) resolve();
        else reject(new Error(`${program}: ${how}${said}`));
      });
      // One that does not read its input is not wrong for that.
      child.stdin.on('error', () => {});
      child.stdin.end(`${printableJson(JSON.stringify(value))}\n`);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    child.stderr.destroy();
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
