import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { errorCode, errorMessage, exitCodes } from '../model/errors.ts';
import type { Credentials, Settings } from '../model/settings.ts';
import { verdict } from '../model/report/headline.ts';
import type { Log } from '../log/create-log.ts';
import type { StatusServer } from '../status/server/start-status-server.ts';
import { composeDaemon } from './compose.ts';
import type { Daemon } from './daemon.ts';
import { startNotifier } from './notify/notifier.ts';
import { createServiceNotify } from './process/service-notify.ts';
import { listenForSignals } from './process/signals.ts';
import type { Signals } from './process/signals.ts';
import { warnOfLostState } from './process/state-volume.ts';
import { systemClock } from './system-clock.ts';
import { version } from './version.ts';

/** What SIGHUP reads again. */
export interface Reloaded {
  readonly settings: Settings;
  /** Null in embedded mode. */
  readonly credentials: Credentials | null;
  readonly httpToken: string | null;
  /** Where notifications go, a secret; null: nowhere. */
  readonly notifyWebhook: string | null;
  /** Reads the credentials again from where they came from, for each token. */
  readonly readCredentials: () => Promise<Credentials | null>;
  /** True for the trial configuration that ships with ingestd: folders that were never there are made. */
  readonly makesFolders: boolean;
}

export interface RunOptions extends Reloaded {
  readonly log: Log;
  /** Reads the configuration again. Throws ConfigurationError; what runs then stays as it is. */
  readonly reload: () => Promise<Reloaded>;
}

/** Linux takes no longer path for a socket. */
const longestSocketPath = 100;
const heartbeatMs = 1_000;

const unusable = 'the new configuration is invalid; the previous one stays in effect';

/** Runs until SIGTERM or SIGINT; gives the exit code. */
export async function runDaemon({ log, reload, ...first }: RunOptions): Promise<number> {
  const notify = createServiceNotify({ env: process.env, clock: systemClock, log });
  const signals = listenForSignals();
  const startedAt = new Date().toISOString();
  // The clock's timers keep no process alive; this one does, while nothing else moves.
  const heartbeat = setInterval(() => {}, heartbeatMs * 60);
  try {
    const lost = await warnOfLostState(first.settings.state.dir, process.env);
    if (lost !== null) log.warn({ dir: first.settings.state.dir }, lost);
    let current: Reloaded = first;
    let before: Reloaded | null = null;
    let refused: string | null = null;
    for (;;) {
      try {
        const next = await runUntilChanged(current, refused, () => (before = null));
        if (next === null) return exitCodes.ok;
        before = current;
        current = next;
        refused = null;
      } catch (error) {
        // What can be read need not be what can be run: a port that is taken, a folder that is not there.
        if (before === null) throw error;
        refused = errorMessage(error);
        log.error({ error: refused }, unusable);
        current = before;
        before = null;
      }
    }
  } finally {
    clearInterval(heartbeat);
    signals.close();
    await notify.flushed();
  }

  /**
   * One composition, until a signal ends it (null) or another configuration is to be run. Calls `onRunning` when it
   * has everything that it needs; `refused` is why it is not the configuration on disk.
   */
  async function runUntilChanged(
    current: Reloaded,
    refused: string | null,
    onRunning: () => void,
  ): Promise<Reloaded | null> {
    log.setLevel(current.settings.log.level);
    const daemon = await composeDaemon({
      ...current,
      log,
      clock: systemClock,
      startedAt,
      maxAttempts: null,
    });
    // A state directory that cannot be written keeps its lock and its socket: the next start takes both over.
    const left = (error: unknown): void =>
      log.warn({ error: errorMessage(error) }, 'stopping left something behind');
    const server = await serve(daemon, current, log).catch(async (error: unknown) => {
      await daemon.stop().catch(left);
      throw error;
    });
    try {
      onRunning();
      daemon.refuseConfiguration(refused);
      const failure = failureOf(daemon.start());
      welcome(daemon, server.server, log);
      notify.ready();
      const stopWatchdog = notify.watchdog(daemon.control.healthy);
      const stopNotifier = await startNotifier({
        settings: current.settings,
        webhook: current.notifyWebhook,
        control: daemon.control,
        clock: systemClock,
        log,
      });
      const stopListening = daemon.control.onStatus(() => notify.status(verdict(daemon.control.status())));
      try {
        return await Promise.race([obey(daemon, current, signals), failure]);
      } finally {
        stopListening();
        await stopNotifier();
        stopWatchdog();
      }
    } finally {
      log.info({}, 'stopping');
      await daemon.stop().catch(left);
      await server.close().catch(left);
      log.info({}, 'stopped');
    }
  }

  async function obey(daemon: Daemon, current: Reloaded, { next }: Signals): Promise<Reloaded | null> {
    for (;;) {
      const signal = await next();
      if (signal !== 'SIGHUP') {
        // Only here: after a reload the process goes on, and a service manager would end what says that it stops.
        notify.stopping();
        return null;
      }
      notify.reloading();
      const fresh = await reload().catch((error: unknown) => {
        log.error({ error: errorMessage(error) }, unusable);
        daemon.refuseConfiguration(errorMessage(error));
        return null;
      });
      if (fresh !== null && JSON.stringify(fresh) !== JSON.stringify(current)) {
        log.info({}, 'configuration changed; restarting with it');
        return fresh;
      }
      if (fresh !== null) {
        daemon.refuseConfiguration(null);
        log.info({}, 'configuration unchanged; rescanning all folders and signing in again');
        await daemon
          .refresh()
          .catch((error: unknown) => log.error({ error: errorMessage(error) }, 'rescan failed'));
      }
      notify.ready();
    }
  }
}

/**
 * Rejects when the start does, and never resolves: a daemon that watches a part of its folders, or none, is of no use,
 * and whoever started it starts it again. It does not act on a stop during the start.
 */
async function failureOf(start: Promise<void>): Promise<never> {
  await start.catch((error: unknown) => {
    if (errorCode(error) !== 'stopped') throw error;
  });
  return new Promise(() => {});
}

interface ServedDaemon {
  readonly server: StatusServer;
  readonly close: () => Promise<void>;
}

/** Opens the HTTP address and the socket for the command line, and says where they are in daemon.json. */
async function serve(daemon: Daemon, { settings, httpToken }: Reloaded, log: Log): Promise<ServedDaemon> {
  const { dir } = settings.state;
  const near = join(dir, 'daemon.sock');
  const far = Buffer.byteLength(near) > longestSocketPath ? await mkdtemp(join(tmpdir(), 'ingestd-')) : null;
  const socketPath = far === null ? near : join(far, 'daemon.sock');
  const { startStatusServer } = await import('../status/server/start-status-server.ts');
  const server = await startStatusServer({
    control: daemon.control,
    metrics: daemon.metrics,
    deliveries: daemon.deliveries,
    readLog: daemon.readLog,
    fleet: daemon.fleet,
    http: settings.http,
    socketPath,
    httpToken,
    log,
    clock: systemClock,
    version: version(),
  });
  const file = join(dir, 'daemon.json');
  // Whoever waits for it never reads half of it.
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  const address = {
    pid: process.pid,
    socket: socketPath,
    http: server.url,
    configuration: settings.file,
  };
  await writeFile(fresh, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  await rename(fresh, file);
  return {
    server,
    close: async () => {
      await rm(file, { force: true });
      await server.close();
      if (far !== null) await rm(far, { recursive: true, force: true });
    },
  };
}

/** The first lines a person sees. */
function welcome(daemon: Daemon, server: StatusServer, log: Log): void {
  if (server.url !== null) log.info({ url: server.url }, 'status page');
  if (daemon.servicePage !== null)
    log.info({ url: daemon.servicePage }, 'embedded service; its page lists the documents');
}
