import { isWithin } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { sentences } from '../lib/text/sentences.ts';
import { ConfigurationError, isOfUnreadPlace } from '../model/errors.ts';
import type { FolderPort } from '../model/ports/folder-port.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { Credentials } from '../model/settings.ts';
import type { UnreadPlaces } from '../model/report/command-reports.ts';
import { reasonHealth } from '../model/report/health.ts';
import type { Reason, Status } from '../model/report/status.ts';
import type { EmbeddedService } from '../embedded/embedded-service.ts';
import type { Log } from '../log/create-log.ts';
import { createIngestionClient } from '../remote/ingestion-client.ts';
import { createLimiter } from '../remote/limiter.ts';
import { createTokenSource } from '../remote/auth/token-source.ts';
import type { DeliveryHistory } from '../status/metrics/delivery-history.ts';
import { createMetrics } from '../status/metrics/metrics.ts';
import type { Metrics } from '../status/metrics/metrics.ts';
import { Engine } from '../sync/engine.ts';
import { version } from '../config/package-files.ts';
import { newLedgerNotice } from './preconditions/new-ledger.ts';
import { documentsIn } from './preconditions/whose-ledger.ts';
import type { Place } from './process/join-cluster.ts';
import type { Reloaded } from './process/obey-signals.ts';
import { watchForService } from './process/watch-for-service.ts';
import { createChangeSignal } from '../lib/time/change-signal.ts';
import { duplicateLister, generalReasons, makeStatus, withoutRepeats } from './make-status.ts';
import { createControl } from './control/control.ts';
import { pausedNames } from './control/pauses.ts';
import type { Pauses } from './control/pauses.ts';
import { addTotals } from './history/history.ts';
import type { History } from './history/history.ts';
import { createTimeline } from './history/timeline.ts';
import { createSignIn } from './sign-in.ts';

/** What is left out stays as it is, is nowhere, or nobody knows it. */
export interface DaemonOptions
  extends
    Pick<Reloaded, 'settings' | 'credentials'>,
    Partial<Pick<Reloaded, 'httpToken' | 'readCredentials' | 'credentialsAdvice' | 'makesFolders'>> {
  readonly log: Log;
  readonly clock: Clock;
  readonly startedAt: string;
  /** `sync` gives up after so many attempts; null: never. */
  readonly maxAttempts: number | null;
  /** Among the hosts of one account, with the lease of the state directory. Null or left out: this host is alone. */
  readonly place?: Place | null | undefined;
}

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
export function assembleDaemon(
  options: DaemonOptions,
  { ledger, folders, embedded, history, deliveries, pauses }: Opened,
) {
  const { settings, log, clock } = options;
  const cluster = options.place ?? null;
  const credentials = embedded?.credentials ?? options.credentials;
  if (credentials === null) throw new ConfigurationError('credentials for the remote service are missing');
  log.addSecrets([credentials.apiKey, credentials.clientId, credentials.clientSecret, credentials.password]);
  // The ledger is of this service: with documents in it, its addresses were right.
  const hasWorked = settings.folders.some(({ name }) => ledger.count(name) > 0);
  const tokens = createTokenSource({
    authUrl: embedded?.authUrl ?? settings.service.authUrl,
    credentials: () => currentCredentials(options, credentials),
    advice: options.credentialsAdvice,
    clock,
    settings: settings.service,
    log,
    store: cluster?.tokens ?? null,
    hasWorked,
  });
  const recent = ledger.sentRequests();
  const limiter = createLimiter({
    requestsPerMinute: settings.service.requestsPerMinute,
    clock,
    recent,
    source: cluster?.permits(recent) ?? null,
  });
  const client = createIngestionClient({
    ingestUrl: embedded?.ingestUrl ?? settings.service.ingestUrl,
    tokens,
    limiter,
    settings: settings.service,
    clock,
    log,
    hasWorked,
  });
  const duplicates = duplicateLister(ledger, clock);
  const changes = createChangeSignal(clock);
  cluster?.listen(changes.note);
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  /** What the daemon itself has to say, by its code. It keeps nobody from being ready. */
  const notices = new Map<string, Reason>();
  let forgetNotice = (): void => {};
  const knownDocuments = documentsIn(ledger);
  const signIn = createSignIn({ tokens, clock, log, onChange: changes.note });
  const metrics: Metrics = createMetrics({
    status,
    unready,
    version: version(),
    fleet: cluster?.fleet ?? null,
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
    paused: pausedNames(pauses, settings.folders),
    onActivity: history.add,
    isTold: history.isTold,
    onChange: changes.note,
  });

  const stopWatching = watchForService({
    address: embedded?.ingestUrl ?? settings.service.ingestUrl,
    clock,
    isAway: () => engine.reasons().some(({ code }) => code === 'service-unavailable'),
    onBack: () => engine.retryWaiting(),
  });
  history.count(() => engine.totals);
  const timeline = createTimeline({ history, clock, reasons: general });
  changes.listen(timeline.look);

  function status(): Status {
    return makeStatus({
      startedAt: options.startedAt,
      settings,
      clock,
      engine,
      ledger,
      folders,
      limiter,
      auth: tokens,
      fleet: cluster === null ? undefined : { host: cluster.host, hosts: cluster.hosts() },
      phase,
      service: {
        address: embedded?.ingestUrl ?? settings.service.ingestUrl,
        account: credentials?.username ?? '',
      },
      totals: addTotals(history.before, engine.totals),
      duplicates: duplicates(),
      ownReasons: [...ownReasons(), ...clusterReasons()],
      pausedUntil: control.pausedUntil(),
    });
  }

  function note(code: string, reason: Reason | null): void {
    if (reason === null) notices.delete(code);
    else notices.set(code, reason);
    changes.note();
  }

  function ownReasons(): readonly Reason[] {
    return [...notices.values(), ...tokenReasons()];
  }

  function tokenReasons(): readonly Reason[] {
    const tokenless = tokens.reason();
    // Where nobody needs a token and nobody asks for one, what the last attempt found may be over.
    const isKnown = tokens.backOffMs() > 0 || signIn.isFailing() || !engine.isIdle();
    return tokenless === null || !isKnown ? [] : [tokenless];
  }

  function clusterReasons(): readonly Reason[] {
    return cluster?.reasons() ?? [];
  }

  function general(): readonly Reason[] {
    return generalReasons({ ownReasons: [...ownReasons(), ...clusterReasons()], engine, limiter, folders });
  }

  function unready(): readonly Reason[] {
    // A service that asks to wait has accepted the credentials.
    const isAccepted = tokens.reason() === null;
    const reasons = [...tokenReasons(), ...engine.reasons()].filter(
      ({ code }) => code !== 'rate-limited' || !isAccepted,
    );
    // What keeps every host from sending, and passes by itself, is none.
    reasons.push(...clusterReasons().filter(({ code }) => reasonHealth(code) === 'error'));
    for (const port of folders) {
      const health = port.health();
      if (health.state === 'unavailable')
        reasons.push(...health.reasons.map((reason) => ({ ...reason, folder: port.name })));
      if (health.state === 'scanning')
        reasons.push({ code: `folder-${health.state}`, message: `the folder ${port.name} is being scanned` });
    }
    if (tokens.status().state === 'none') {
      reasons.push({ code: 'not-signed-in', message: 'the credentials have not been accepted yet' });
    }
    return withoutRepeats(reasons);
  }

  const control = createControl({
    settings,
    clock,
    log,
    pauses,
    engine,
    ledger,
    folders,
    tokens,
    history,
    changes,
    status,
    unready,
    reasons: general,
    fleet: cluster,
  });

  let ended: Promise<void> | null = null;
  function endRequests(): Promise<void> {
    phase = 'stopping';
    forgetNotice();
    control.close();
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
    const onDisk = status().folders.reduce((total, folder) => total + folder.onDisk, 0);
    const firstScan = { dir: settings.state.dir, unknownFiles: onDisk - knownDocuments };
    const notice = await newLedgerNotice(firstScan, clock);
    if (notice === null || phase !== 'running') return;
    const { code, message } = notice.reason;
    note(code, notice.reason);
    log.warn({ code }, message);
    forgetNotice = clock.after(notice.until - clock.now(), () => note(code, null));
  }

  return {
    control,
    engine,
    /** Calls it with everything that happens from now on. */
    listen: history.listen,
    metrics,
    /** What the chart of the page shows. */
    deliveries,
    /** What happened, newest first, as far as the history goes back. */
    readLog: history.readBack,
    /** All hosts of the account; null: this host is alone. */
    fleet: cluster?.fleet ?? null,
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
      cluster?.publish(status);
    },
    /** Says in the status why the configuration on disk is not the one that runs; null: it is. */
    refuseConfiguration: (faults: readonly string[] | null): void =>
      note('configuration-refused', faults === null ? null : refusedReason(faults)),
    /** Says in the status why the page is unavailable; null: it is not. */
    notePage: (reason: Reason | null): void => note('page-unavailable', reason),
    /** Takes no more work; resolves when the requests under way have ended, however long that takes. */
    drain: (): Promise<void> => {
      note(draining.code, draining);
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
      if (settings.service.revokeOnStop && cluster === null) {
        const revoked = tokens.revoke({ all: false }).catch(() => {});
        // A token endpoint that does not answer holds nobody up: a service manager would kill what stops for minutes.
        await isWithin(clock, longestRevokeMs, revoked);
      }
      client.close();
      tokens.close();
      limiter.close();
      if (!goesOn) timeline.stopped();
      history.close();
      await ledger.close();
      await embedded?.close();
    },
  };
}

/** Said from a SIGHUP with a changed configuration on, until the daemon that has it takes over. */
const draining: Reason = {
  code: 'reloading',
  message: 'the configuration has changed; it takes effect when the requests under way have ended',
};

/** What cannot be read now: what is in there is not known. */
export function unreadPlaces(folders: readonly FolderPort[]): UnreadPlaces {
  const healths = folders.map((port) => ({ folder: port.name, ...port.health() }));
  return {
    unavailable: healths
      .filter(({ state }) => state === 'unavailable')
      .map(({ folder, reasons }) => ({ folder, message: reasons.map(({ message }) => message).join('; ') })),
    unreadable: healths.flatMap(({ folder, reasons }) =>
      reasons.filter(isOfUnreadPlace).map(({ message }) => ({ folder, message })),
    ),
  };
}

/** The file is read at a SIGHUP only: a fix, or the old text put back, counts from the next one. */
function refusedReason(faults: readonly string[]): Reason {
  const advice = 'The previous configuration stays in effect. Correct the file, then send SIGHUP';
  return { code: 'configuration-refused', message: sentences([...faults, advice]) };
}

/** As they stand now; what cannot be read at the moment is as it was. */
async function currentCredentials(
  { readCredentials }: DaemonOptions,
  known: Credentials,
): Promise<Credentials> {
  try {
    return (await readCredentials?.()) ?? known;
  } catch {
    return known;
  }
}
