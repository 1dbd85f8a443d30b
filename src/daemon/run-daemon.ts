import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { keepHeapSmall } from '../lib/process/heap.ts';
import { durationWords } from '../lib/text/amounts.ts';
import { isWithin, systemClock } from '../lib/time/clock.ts';
import { errorCode, errorMessage, exitCodes, isDiskFull, StateLockedError } from '../model/errors.ts';
import type { Settings } from '../model/settings.ts';
import { statusLine } from '../model/report/headline.ts';
import type { Log } from '../log/create-log.ts';
import { UnsentAttachments } from '../sync/decide/unsent-attachments.ts';
import type { NotifierOptions } from './notify/notifier.ts';
import { openDaemon } from './open-daemon.ts';
import { isLeased, joinCluster } from './process/join-cluster.ts';
import type { LeasedPlace, Place } from './process/join-cluster.ts';
import { obeySignals, refusalOf } from './process/obey-signals.ts';
import type { Reloaded } from './process/obey-signals.ts';
import { serveStatus } from './process/serve-status.ts';
import type { Served } from './process/serve-status.ts';
import { createServiceNotify } from './process/service-notify.ts';
import { listenForSignals } from './process/signals.ts';
import type { Counted, StandBy } from './process/stand-by.ts';
import { spaceMs, waitingFile } from './process/waiting-start.ts';

export interface RunOptions extends Reloaded {
  readonly log: Log;
  /** Reads the configuration again. Throws ConfigurationError; what runs then stays as it is. */
  readonly reload: () => Promise<Reloaded>;
}

/** A lease that is free is there after this. */
const soonMs = 1_000;
const askMs = 100;
const ownersMs = 5;
/** The garbage of a start is collected so long after it: what waited for the daemon is answered first. */
const tidyAfterMs = 400;
const longestGrowthMs = 60_000;
/** What signals act on where no daemon runs. */
const idle = { refuseConfiguration: () => {}, refresh: async () => {}, drain: async () => {} };

const lostWords = 'the state directory is lost to another host; standing by';
const lapsedWords =
  'the lease of the state directory ran out because Redis did not renew it; standing by until Redis works again';

/** Runs until SIGTERM or SIGINT; gives the exit code. */
export async function runDaemon({ log, reload, ...first }: RunOptions): Promise<number> {
  const notify = createServiceNotify(process.env, systemClock, log);
  const signals = listenForSignals();
  const startedAt = new Date().toISOString();
  /** The lease ran out a moment ago and nobody had taken it: no other process uses the name of this host. */
  let hadName = false;
  /** By the last daemon of this process that had the state directory; null: none had. */
  let counted: Counted | null = null;
  /** Of the page; where any port will do, the next daemon in this process takes it again. */
  let usualPort: number | undefined;
  /** The same of the embedded service. */
  let lastServicePort: number | undefined;
  /** The configuration to go back to, until the one that was read after it runs; null: there is none. */
  let before: Reloaded | null = null;
  /** Why it is not the configuration on disk that runs; null: it is. */
  let refused: string | null = null;
  /** What ran before it in this process; null: nothing else. */
  let former: Settings | null = null;
  /** Since when the start has waited for space on the disk, by the monotonic clock; null: it has not. */
  let fullSince: number | null = null;
  const unsent = new UnsentAttachments();
  // The clock's timers keep no process alive; this one does, while nothing else moves.
  const heartbeat = setInterval(() => {}, 60_000);
  try {
    let current: Reloaded = first;
    for (;;) {
      try {
        const next: Reloaded | null = await runUntilChanged(current).catch((error: unknown) =>
          waitForSpace(current, error),
        );
        if (next === null) return exitCodes.ok;
        // The same after the state directory was lost to another host.
        before = next === current ? null : current;
        former = before === null ? null : current.settings;
        current = next;
        refused = null;
      } catch (error) {
        // What can be read need not be what can be run: an address open to others without a token, a folder that is not there.
        if (before === null) throw error;
        refused = refusalOf(error, log);
        former = current.settings;
        current = before;
        before = null;
      }
    }
  } finally {
    clearInterval(heartbeat);
    signals.close();
    await notify.flushed();
  }

  /** One daemon, until a signal ends it (null) or another configuration is to be run. */
  async function runUntilChanged(current: Reloaded): Promise<Reloaded | null> {
    log.setLevel(current.settings.log.level);
    const hasName = hadName;
    hadName = false;
    const username = current.credentials?.username ?? '';
    const place = await joinCluster({ settings: current.settings, username, log });
    try {
      if (isLeased(place)) {
        const next = await waitForPlace(place, current, hasName);
        if (next !== 'taken') return next;
      }
      return await runAlone(current, place);
    } catch (error) {
      // It was lost before everything was there that listens for it: while the ledger was read, for example.
      if (!isLeased(place) || place.lease.fence === 0 || place.lease.holds()) throw error;
      noteLoss(place, errorMessage(error));
      return current;
    } finally {
      await place?.close();
    }
  }

  /** Where a full disk is what keeps a daemon from starting: waits a while, or until a signal, as `runUntilChanged` gives. */
  async function waitForSpace(current: Reloaded, error: unknown): Promise<Reloaded | null> {
    const { dir } = current.settings.state;
    if (!isDiskFull(error)) throw error;
    const words = 'the disk of the state directory is full; waiting until there is space';
    if (fullSince === null) log.error({ dir, problem: errorMessage(error) }, words);
    fullSince ??= systemClock.monotonic();
    await writeFile(waitingFile(dir), '', { mode: 0o600 }).catch(() => {});
    notify.ready();
    notify.status(`Waiting: ${words} (${dir})`);
    const stopWatchdog = notify.watchdog(() => true);
    const over = new AbortController();
    try {
      const obeyed = obeySignals(idle, current, { signals, notify, log, reload, over: over.signal });
      const next = await Promise.race([obeyed, delay(spaceMs, current, { signal: over.signal })]);
      if (next === null) await rm(waitingFile(dir), { force: true });
      return next;
    } finally {
      over.abort();
      stopWatchdog();
    }
  }

  /** Stands by until this host has the lease of its state directory: `taken`; else as `runUntilChanged`. */
  async function waitForPlace(
    place: LeasedPlace,
    current: Reloaded,
    hasName: boolean,
  ): Promise<Reloaded | null | 'taken'> {
    const over = new AbortController();
    const taken = place.lease.taken.then(() => {
      over.abort();
      return 'taken' as const;
    });
    // Most hosts have their state directory for themselves. A lease that ran out has to rest first.
    if (!hasName && (await isWithin(systemClock, soonMs, taken))) return 'taken';
    const obeyed = obeySignals(idle, current, { signals, notify, log, reload, over: over.signal });
    try {
      // Whoever was killed a moment ago holds it under this name; another that uses the name renews it.
      const ended = Promise.race([taken, obeyed]);
      const isNameFree = hasName || (await Promise.race([waitForName(place), ended]));
      if (isNameFree === false) {
        throw new StateLockedError(
          `Another ingestd with the name ${place.host} uses the state directory ${current.settings.state.dir}. Stop it first, or give this host another cluster.host: it then stands by.`,
        );
      }
      if (isNameFree !== true) return isNameFree;
      return await serveStandBy(place, current, ended);
    } finally {
      over.abort();
    }
  }

  /** It has everything that it needs. */
  function noteRunning(): void {
    if (before !== null) log.info({}, 'the new configuration is in effect');
    before = null;
  }

  async function serveStandBy<T>(place: LeasedPlace, current: Reloaded, ended: Promise<T>): Promise<T> {
    const { standBy } = await import('./process/stand-by.ts');
    keepHeapSmall();
    const { settings } = current;
    const standing = standBy(place, current, startedAt, counted);
    const closePage = await servePage({ ...standing, place }, current);
    try {
      noteRunning();
      log.info({ holder: place.lease.holder?.host ?? null, dir: settings.state.dir }, 'standing by');
      notify.ready();
      notify.status(statusLine(standing.control.status()));
      const stopNotifier = await notifyInStandBy(place, current, standing);
      const stopWatchdog = notify.watchdog(standing.control.healthy);
      try {
        return await ended;
      } finally {
        stopWatchdog();
        await stopNotifier();
      }
    } finally {
      standing.close();
      await closePage();
    }
  }

  /** Notifies of what keeps this host from its lease, until another host is known to have it, which notifies itself. */
  async function notifyInStandBy(
    place: LeasedPlace,
    current: Reloaded,
    standing: StandBy,
  ): Promise<() => Promise<void>> {
    if (place.lease.holder?.isOther === true) return async () => {};
    // What was wrong with documents still is, and is not known while the ledger and the log are closed.
    const stop = await startNotifying(current, standing, false);
    const stopListening = standing.control.onStatus(() => {
      if (place.lease.holder?.isOther === true) void stop();
    });
    return async () => {
      stopListening();
      await stop();
    };
  }

  async function startNotifying(
    { settings, notifyWebhook: webhook }: Reloaded,
    { control, open }: Pick<NotifierOptions, 'control' | 'open'>,
    isAll: boolean,
  ): Promise<() => Promise<void>> {
    const { startNotifier } = await import('./notify/notifier.ts');
    return startNotifier({ settings, webhook, control, open, isAll, clock: systemClock, log });
  }

  async function runAlone(current: Reloaded, place: Place | null): Promise<Reloaded | null> {
    await waitForOwners(place, current);
    const daemon = await openDaemon({
      ...current,
      log,
      clock: systemClock,
      startedAt,
      maxAttempts: null,
      unsent,
      place,
      lastServicePort,
    });
    if (daemon.servicePage !== null) lastServicePort = Number(new URL(daemon.servicePage).port);
    // A state directory that cannot be written keeps its lock and its socket: the next start takes both over.
    const left = (error: unknown): void =>
      log.warn({ error: errorMessage(error) }, 'stopping left something behind');
    const closePage = await servePage({ ...daemon, place }, current).catch(async (error: unknown) => {
      // What did not start is not said to have stopped.
      await daemon.stop({ goesOn: former === null }).catch(left);
      throw error;
    });
    /** False: the process goes on with another daemon. */
    let isOver = true;
    try {
      noteRunning();
      if (former === null) daemon.timeline.started();
      else daemon.timeline.reloaded(refused !== null, former.folders, current.settings.folders);
      if (fullSince !== null) {
        const waited = durationWords((systemClock.monotonic() - fullSince) / 1000);
        daemon.timeline.warned(`the disk of the state directory was full: the start waited for ${waited}`);
      }
      fullSince = null;
      daemon.refuseConfiguration(refused);
      const over = new AbortController();
      // The heap was let grow for the first scan, which never ends on a drive that hangs.
      let cancelTidying = systemClock.after(longestGrowthMs, keepHeapSmall);
      const startAndTidy = async (): Promise<void> => {
        await daemon.start();
        cancelTidying();
        if (!over.signal.aborted) cancelTidying = systemClock.after(tidyAfterMs, keepHeapSmall);
      };
      const failure = failureOf(startAndTidy());
      // It is awaited below: it may reject while the notifier is still loaded.
      failure.catch(() => {});
      if (daemon.servicePage !== null)
        log.info({ url: daemon.servicePage }, 'embedded service; its page lists the documents');
      notify.ready();
      const stopWatchdog = notify.watchdog(daemon.control.healthy);
      // Only now: it loads what sends over HTTP, which would have held up the first scan.
      const stopNotifier = await startNotifying(current, daemon, true);
      const stopListening = daemon.control.onStatus(() => notify.status(statusLine(daemon.control.status())));
      try {
        const obeyed = obeySignals(daemon, current, { signals, notify, log, reload, over: over.signal });
        const next = await Promise.race([obeyed, failure, lossOf(place, current)]);
        isOver = next === null;
        return next;
      } finally {
        over.abort();
        cancelTidying();
        stopListening();
        await stopNotifier();
        stopWatchdog();
      }
    } finally {
      if (isOver) log.info({}, 'stopping');
      counted = { status: daemon.control.status(), at: systemClock.monotonic() };
      await daemon.stop({ goesOn: !isOver }).catch(left);
      await closePage().catch(left);
      if (isOver) log.info({}, 'stopped');
    }
  }

  function servePage(daemon: Served, current: Reloaded): Promise<() => Promise<void>> {
    const onOpen = (url: string) => {
      usualPort = Number(new URL(url).port);
    };
    return serveStatus(daemon, current, log, usualPort, onOpen);
  }

  /** Resolves when the lease of the state directory is lost: with the same configuration this host stands by. */
  async function lossOf(place: Place | null, current: Reloaded): Promise<Reloaded> {
    if (!isLeased(place)) return new Promise(() => {});
    noteLoss(place, await place.lease.lost);
    return current;
  }

  function noteLoss({ host, lease }: LeasedPlace, reason: string): void {
    hadName = !lease.isTakenOver;
    if (hadName) log.warn({ host, reason }, lapsedWords);
    else log.error({ host, reason }, lostWords);
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

/** Folders that another ledger has are not scanned at all, where that is known at once. */
async function waitForOwners(place: Place | null, { settings }: Reloaded): Promise<void> {
  if (place === null) return;
  const owners = place.claim(settings.folders);
  const until = systemClock.monotonic() + soonMs;
  while (!owners.isKnown() && systemClock.monotonic() < until) await delay(ownersMs);
}

/**
 * Says whether the name of this host is its own: nobody holds the state directory under it, or nobody any more. Where
 * Redis does not tell, nobody is seen to.
 */
async function waitForName({ lease, trouble }: LeasedPlace): Promise<boolean> {
  const isUnderThisName = () => lease.holder?.isOther === false;
  while (isUnderThisName() && lease.holder?.isThere === false && trouble() === null) await delay(askMs);
  return !(isUnderThisName() && lease.holder?.isThere === true);
}
