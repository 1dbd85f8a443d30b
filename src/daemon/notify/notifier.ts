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
import { nextNotifyState, readNotifyState, writeNotifyState } from './notify-state.ts';

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

/**
 * Sends one event, to the command and to the webhook, whichever are set. Rejects where one of them does not accept it.
 */
export async function sendEvent(
  { settings, webhook }: NotifyTarget,
  event: NotifyEvent,
  signal: AbortSignal,
): Promise<void> {
  const { command } = settings.notify;
  if (command.length > 0) await runNotifyCommand(command, event, { cwd: dirname(settings.file), signal });
  if (webhook !== null) await postToWebhook(webhook, event, signal);
}

export function isNotifying({ settings, webhook }: NotifyTarget): boolean {
  return settings.notify.command.length > 0 || webhook !== null;
}

/**
 * Notifies when something needs a person, and when nothing does any more: gathered, written down before it is sent, and
 * repeated with the same id until it is accepted. Deliveries never wait for it. The function it returns ends it; what
 * was not accepted is sent at the next start.
 */
export async function startNotifier(options: NotifierOptions): Promise<() => Promise<void>> {
  const { settings, control, clock, log } = options;
  if (!isNotifying(options)) return async () => {};
  const afterMs = settings.notify.afterMinutes * 60_000;
  const ending = new AbortController();
  let state = await readNotifyState(settings.state.dir);
  let written = JSON.stringify(state);
  let attempts = 0;
  let cancelTimer = (): void => {};
  let cancelRetry = (): void => {};
  let work = Promise.resolve();
  let isSending = false;

  const changes = createChangeSignal(clock, gatherMs);
  changes.listen(() => enqueue(evaluate));
  const stopListening = control.onStatus(changes.note);
  enqueue(evaluate);
  void send();

  return async () => {
    stopListening();
    changes.close();
    cancelTimer();
    cancelRetry();
    ending.abort();
    await work;
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
    void send();
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

  async function send(): Promise<void> {
    const [event] = state.events;
    if (event === undefined || isSending || ending.signal.aborted) return;
    isSending = true;
    try {
      await sendEvent(options, event, ending.signal);
    } catch (error) {
      if (ending.signal.aborted) return;
      attempts += 1;
      if (attempts === 1) log.warn({ error: errorMessage(error) }, 'notification was not accepted; retrying');
      const random = Math.random();
      const ms = nextDelayMs({ kind: 'unavailable', attempt: attempts, retryAfterMs: null, random });
      cancelRetry = clock.after(ms, () => {
        isSending = false;
        void send();
      });
      return;
    }
    attempts = 0;
    isSending = false;
    log.info({ id: event.id, kind: event.kind }, 'notification sent');
    enqueue(async () => {
      state = { ...state, events: state.events.filter(({ id }) => id !== event.id) };
      await keep();
      void send();
    });
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
