import { promisify } from 'node:util';

import { createTurns } from '../../lib/queue/turns.ts';
import { repeat } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { printable } from '../../lib/text/printable.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';

/** A message that the service manager has not taken after this long is given up. */
const sendTimeoutMs = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

export type ServiceNotify = ReturnType<typeof createServiceNotify>;

/**
 * Speaks systemd's notify protocol where `$NOTIFY_SOCKET` is set, and does nothing elsewhere. It never throws, and
 * nobody waits for it.
 *
 * Node opens no datagram sockets of the Unix family, and the packages that add them need a compiler. So the program
 * `systemd-notify` sends each message. It is installed wherever systemd is, and it runs until the manager has read the
 * message: by that the manager knows the sender. The unit has to say `NotifyAccess=all`.
 */
export function createServiceNotify(env: Environment, clock: Clock, log: LogPort) {
  const socket = env['NOTIFY_SOCKET'] ?? '';
  const inTurn = createTurns();
  let hasComplained = false;
  let wanted: string | null = null;
  let told: string | null = null;
  const intervalMs = watchdogIntervalMs(env);

  return {
    /** Started, or done with a reload. */
    ready: () => void send(() => ['READY=1']),
    /** The configuration is being read again; `ready` must follow. */
    reloading: () =>
      // Of CLOCK_MONOTONIC, the machine's and not the process's.
      void send(() => ['RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`]),
    stopping: () => void send(() => ['STOPPING=1']),
    /** One line for people, sent when it changes. Of those that wait for a message under way the newest is sent. */
    status: (text: string): void => {
      wanted = text;
      void send(() => {
        if (wanted === null || wanted === told) return [];
        told = wanted;
        // A line break would end the status and begin another assignment.
        return [`STATUS=${printable(wanted)}`];
      });
    },
    /** Pings twice per watchdog interval for as long as `alive` says so; what it returns ends that. */
    watchdog: (alive: () => boolean) => {
      if (intervalMs === null || socket === '') return () => undefined;
      let silent = false;
      const beat = () => {
        const well = alive();
        if (well) void send(() => ['WATCHDOG=1']);
        if (!well && !silent) log.error({}, 'no progress; no more watchdog messages to systemd');
        silent = !well;
      };
      beat();
      return repeat(clock, intervalMs, beat);
    },
    /** Resolves when everything said so far has been taken or given up. */
    flushed: () => send(() => []),
  };

  /** One process at a time, in the order of the calls: READY is never overtaken by a status line. */
  async function send(pairsNow: () => readonly string[]): Promise<void> {
    if (socket !== '') await inTurn(() => run(pairsNow())).catch(complain);
  }

  async function run(pairs: readonly string[]): Promise<void> {
    if (pairs.length === 0) return;
    const { execFile } = await import('node:child_process');
    // No more of the environment than the program needs: it holds secrets.
    const senderEnv = { NOTIFY_SOCKET: socket, PATH: env['PATH'] ?? '/usr/bin:/bin' };
    const options = { env: senderEnv, timeout: sendTimeoutMs, killSignal: 'SIGKILL' } as const;
    await promisify(execFile)('systemd-notify', [...pairs], options);
  }

  function complain(error: unknown): void {
    if (hasComplained) return;
    hasComplained = true;
    log.warn({ code: errorCode(error), reason: errorMessage(error) }, 'cannot notify the service manager');
  }
}

/** Half of `$WATCHDOG_USEC` in milliseconds, or null where no watchdog watches this process. */
function watchdogIntervalMs(env: Environment): number | null {
  const microseconds = Number(env['WATCHDOG_USEC']);
  if (!Number.isFinite(microseconds) || microseconds <= 0) return null;
  const watched = env['WATCHDOG_PID'];
  if (watched !== undefined && watched !== '' && Number(watched) !== process.pid) return null;
  return microseconds / 2_000;
}
