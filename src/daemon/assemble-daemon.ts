import { createChangeSignal } from '../lib/time/change-signal.ts';
import { isWithin } from '../lib/time/clock.ts';
import { doubtsAbout, isOpenDoubt } from '../model/doubts.ts';
import { elsewhereCodes, isOfUnreadPlace } from '../model/errors.ts';
import type { FolderPort } from '../model/ports/folder-port.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { UnreadPlaces } from '../model/report/command-reports.ts';
import { placedMessage } from '../model/report/headline.ts';
import { isObstacle } from '../model/report/health.ts';
import type { Activity, Reason, Status } from '../model/report/status.ts';
import type { EmbeddedService } from '../embedded/embedded-service.ts';
import type { DeliveryHistory } from '../status/metrics/delivery-history.ts';
import { createMetrics } from '../status/metrics/metrics.ts';
import type { Metrics } from '../status/metrics/metrics.ts';
import { Engine } from '../sync/engine.ts';
import { version } from '../config/package-files.ts';
import { createControl } from './control/control.ts';
import { pausedAmong } from './control/pauses.ts';
import type { Pauses } from './control/pauses.ts';
import { createDaemonReasons, draining, refusedReason } from './daemon-reasons.ts';
import type { History } from './history/history.ts';
import { createTimeline } from './history/timeline.ts';
import type { Ending } from './history/timeline.ts';
import { generalReasons, limitReached, makeStatus } from './make-status.ts';
import { newLedgerNotice } from './preconditions/new-ledger.ts';
import { watchForService } from './process/watch-for-service.ts';
import { reachService } from './reach-service.ts';
import type { DaemonOptions } from './reach-service.ts';
import { createSignIn } from './sign-in.ts';

/** Folders, engine, ledger, service and status, put together. */
export type Daemon = ReturnType<typeof assembleDaemon>;

const longestRevokeMs = 5_000;

/** What is opened before the rest is loaded. */
interface Opened {
  readonly ledger: LedgerPort;
  /** In the order of the settings. */
  readonly folders: readonly FolderPort[];
  /** Null in remote mode. */
  readonly embedded: EmbeddedService | null;
  readonly history: History;
  readonly pauses: Pauses;
  /** What the chart shows of the last day. */
  readonly deliveries: DeliveryHistory;
}

/** Puts what was opened and everything else together. Throws ConfigurationError. */
export function assembleDaemon(options: DaemonOptions, opened: Opened) {
  const { settings, log, clock, place = null } = options;
  const { ledger, folders, embedded, history, pauses } = opened;
  const { tokens, limiter, client, service } = reachService(options, ledger, embedded);
  const changes = createChangeSignal(clock);
  place?.listen(changes.note);
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  const knownDocuments = ledger.total();
  const onBack = () => engine.retryWaiting();
  const signIn = createSignIn(tokens, clock, { onChange: changes.note, onBack });
  const metrics: Metrics = createMetrics({
    status,
    unready: () => reasons.unready(),
    version: version(),
    fleet: place?.fleet ?? null,
  });
  const engine = new Engine({
    clock,
    log,
    ledger,
    folders: settings.folders.flatMap((folder) =>
      folders.filter(({ name }) => name === folder.name).map((port) => ({ settings: folder, port })),
    ),
    limiter,
    service: client,
    metrics,
    settings,
    authRestMs: () => tokens.backOffMs(),
    maxAttempts: options.maxAttempts,
    random: Math.random,
    paused: pausedAmong(pauses, settings.folders).paused,
    onActivity: history.add,
    isTold: history.isTold,
    unsent: options.unsent,
    onChange: changes.note,
  });
  const parts = { settings, clock, log, ledger, folders, engine, limiter, tokens };
  const isSignInFailing = signIn.isFailing;
  const reasons = createDaemonReasons({ ...parts, isSignInFailing, place, onChange: changes.note });
  const isAway = () =>
    phase !== 'stopping' && engine.reasons().some(({ code }) => code === 'service-unavailable');
  const stopWatching = watchForService(service.address, clock, isAway, onBack);
  const general = () => generalReasons({ ...parts, ownReasons: reasons.own() });
  history.count(() => engine.totals);
  function endOf({ what, code, folder, path }: Activity, isTold: boolean): Ending | null {
    if (folder !== '' && settings.folders.every(({ name }) => name !== folder)) return 'removed';
    if (path === '') {
      const isServed = engine.totals.uploaded + engine.totals.modified + engine.totals.deleted > 0;
      const { state } = tokens.status();
      const isSignedIn = phase === 'running' && state !== 'none';
      // Whatever the service says.
      const isOver: Readonly<Record<string, boolean>> = {
        'configuration-refused': phase === 'running',
        'auth-not-found': state !== 'none',
        'credentials-refused': state === 'ok',
      };
      const isKnown = isTold || isOver[code ?? ''] === true;
      if (!isKnown && !(isSignedIn && (isServed || engine.isIdle()))) return null;
      const open = engine.unresolved();
      if (open !== null && open !== code && isOutage(code) && isOutage(open)) return 'replaced';
      const isOpen = isTold || isServed ? open === code : code === 'service-unavailable';
      return isOpen ? 'unasked' : 'passed';
    }
    const ref = { folder, path };
    if (what === 'in doubt' && doubtsAbout(ref, ledger).some(isOpenDoubt)) return null;
    if (phase !== 'running' || !engine.folders.areAllScanned()) return null;
    if (engine.folders.isUnavailable(folder) || engine.tasks.backlog.has(ref)) return null;
    if (what === 'problem') return 'passed';
    const task = engine.tasks.get(ref);
    if (task === undefined && ledger.get(ref) !== undefined) return 'fixed';
    return (task?.state.kind ?? 'dormant') === 'dormant' ? 'gone' : null;
  }
  const timeline = createTimeline(history, { clock, log, endOf }, () => {
    const reasons = general();
    // What keeps requests back is not the limit.
    return reasons.some(isObstacle) ? reasons : [...reasons, ...limitReached(parts)];
  });
  changes.listen(timeline.look);
  const control = createControl({
    ...parts,
    pauses,
    history,
    changes,
    status,
    unready: reasons.unready,
    reasons: general,
  });

  function status(): Status {
    return makeStatus({
      ...parts,
      startedAt: options.startedAt,
      auth: tokens,
      fleet: place === null ? undefined : { host: place.host, hosts: place.hosts() },
      phase,
      service,
      totals: history.totals(),
      ownReasons: reasons.own(),
      pauses: control.pausedNow(),
    });
  }

  let ended: Promise<void> | null = null;
  function endRequests(): Promise<void> {
    // What has come a moment ago may be why it stops.
    if (ended === null) timeline.look();
    phase = 'stopping';
    void control.close();
    signIn.close();
    stopWatching();
    changes.close();
    ended ??= engine.stop(settings.timing.stopSeconds * 1000, () => {
      client.close();
      limiter.close();
    });
    return ended;
  }

  async function noticeNewLedger(): Promise<void> {
    const found = status().folders.reduce((total, { onDisk, skipped }) => total + onDisk - skipped, 0);
    // One that has documents was not lost.
    const files = { told: history.newLedger, unknown: knownDocuments === 0 ? found : 0 };
    const notice = await newLedgerNotice(settings.state.dir, files, clock);
    if (notice === null || phase !== 'running') return;
    const { code, message } = notice.reason;
    reasons.note(code, notice.reason);
    log.warn({ code }, message);
    if (!notice.isTold) timeline.warned(message, code);
    clock.after(notice.until - clock.now(), () => reasons.note(code, null));
  }

  return {
    control,
    engine,
    /** Calls it with everything that happens from now on. */
    listen: history.listen,
    metrics,
    /** What the chart of the page shows. */
    deliveries: opened.deliveries,
    /** What happened last, newest first. */
    readLog: history.readBack,
    /** What of it is not over. */
    open: history.open,
    /** Address of the embedded service's page; null in remote mode. */
    servicePage: embedded?.pageUrl ?? null,
    timeline,
    /** Watches and scans; resolves after the first scan of every folder. */
    start: async (): Promise<void> => {
      await engine.recover();
      signIn.begin();
      await Promise.all(folders.map((port) => port.start(engine.listener(port.name))));
      if (phase !== 'starting') return;
      phase = 'running';
      changes.note();
      await noticeNewLedger();
      place?.publish(status);
    },
    /** Says in the status why the configuration on disk is not the one that runs; null: it is. */
    refuseConfiguration: (message: string | null): void =>
      reasons.note('configuration-refused', message === null ? null : refusedReason(message)),
    /** Says in the status why the page is unavailable; null: it is not. */
    notePage: (reason: Reason | null): void => reasons.note('page-unavailable', reason),
    /** Takes no more work; resolves when the requests under way have ended, however long that takes. */
    drain: (): Promise<void> => {
      reasons.note(draining.code, draining);
      return engine.drain();
    },
    /** Scans everything, tries credentials again. */
    refresh: async (): Promise<void> => {
      tokens.forget();
      signIn.begin();
      engine.retryWaiting();
      await Promise.all(folders.map((port) => port.rescan('event')));
    },
    unread: () => unreadPlaces(folders),
    /** True when the credentials were refused and have not been accepted since. */
    isRefused: () => tokens.status().state === 'refused',
    /**
     * Takes no more work and lets requests under way end; what takes longer than `timing.stopSeconds` is ended. What has
     * become of them is in the ledger and the status then.
     */
    endRequests,
    /** Ends requests and closes everything in reverse order. `goesOn`: the process does, with another daemon. */
    stop: async ({ goesOn } = { goesOn: false }): Promise<void> => {
      await endRequests();
      await Promise.all(folders.map((port) => port.close()));
      // The other hosts go on with a token that is shared.
      if (settings.service.revokeOnStop && place === null) {
        const revoked = tokens.revoke({ all: false }).catch(() => {});
        // A token endpoint that does not answer holds nobody up: a service manager would kill what stops for minutes.
        await isWithin(clock, longestRevokeMs, revoked);
      }
      client.close();
      tokens.close();
      limiter.close();
      // What is paused the daemon that follows reads.
      await control.close();
      if (!goesOn) timeline.stopped();
      history.close();
      await ledger.close();
      await embedded?.close();
    },
  };
}

/** What cannot be read now: what is in there is not known. */
export function unreadPlaces(folders: readonly FolderPort[]): UnreadPlaces {
  const healths = folders.map((port) => ({ folder: port.name, ...port.health() }));
  return {
    unavailable: healths
      .filter(({ state }) => state === 'unavailable')
      .map(({ folder, reasons }) => ({ folder, message: reasons.map(({ message }) => message).join('; ') })),
    unreadable: healths.flatMap(({ folder, state, reasons }) =>
      state === 'unavailable'
        ? []
        : reasons
            .filter(isOfUnreadPlace)
            .map((one) => ({ folder, message: placedMessage({ folder, ...one }) })),
    ),
  };
}

/** Nobody answered as the service does. */
function isOutage(code = ''): boolean {
  return code === 'service-unavailable' || elsewhereCodes.has(code);
}
