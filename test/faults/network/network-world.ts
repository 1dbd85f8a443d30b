import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { noMetrics } from '../../../src/model/ports/metrics-port.ts';
import type { LedgerPort } from '../../../src/model/ports/ledger-port.ts';
import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import type { LimiterPort } from '../../../src/model/ports/service-port.ts';
import type { Credentials, SafetySettings, ServiceSettings, Settings } from '../../../src/model/settings.ts';
import type { Activity, Status } from '../../../src/model/report/status.ts';
import { listDuplicates, makeStatus } from '../../../src/daemon/make-status.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { createIngestionClient } from '../../../src/remote/ingestion-client.ts';
import { createLimiter } from '../../../src/remote/limiter.ts';
import { createTokenSource } from '../../../src/remote/auth/token-source.ts';
import { Engine } from '../../../src/sync/engine.ts';
import { safetySettingsOf, serviceSettingsOf } from '../../support/fixtures/default-settings.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { simulatedFolder } from '../../support/worlds/simulated-folder.ts';
import type { SimulatedFolder } from '../../support/worlds/simulated-folder.ts';
import { temporaryFolderInMemory } from '../../support/temporary-folder.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';
import type { HoldingService } from '../../support/services/holding-service.ts';

/** The engine, the client, the tokens, the limiter and the ledger, all real, before a service over a real socket. */
export interface NetworkWorld {
  readonly clock: ManualClock;
  readonly folder: SimulatedFolder;
  readonly service: HoldingService;
  readonly activities: readonly Activity[];
  readonly engine: () => Engine;
  readonly ledger: () => LedgerPort;
  readonly status: () => Status;
  /** Writes files and lets the folder be scanned. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** Lets time pass until this is true, in steps from one timer to the next. Throws after so many hours. */
  readonly until: (done: () => boolean, hours?: number) => Promise<void>;
  /** Until nothing moves any more. */
  readonly quiesce: (hours?: number) => Promise<void>;
  /** Until every document is delivered, failed, held, or waits for a retry. */
  readonly shown: () => Promise<void>;
  readonly pass: (ms: number) => Promise<void>;
  /** Ends the process and starts another on the same state. */
  readonly restart: () => Promise<void>;
  /**
   * What folder, ledger and service do not agree on, in words; documents at the service that the ledger does not know
   * are `strays`.
   */
  readonly disagreements: () => readonly string[];
  readonly strays: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface NetworkWorldOptions {
  readonly service?: Partial<ServiceSettings>;
  readonly safety?: Partial<SafetySettings>;
}

const secrets: Credentials = {
  apiKey: 'planted-api-key',
  clientId: 'planted-client-id',
  clientSecret: 'planted-client-secret',
  username: 'planted.user@example.com',
  password: 'planted-password',
};

const timing = {
  settleMs: 2_000,
  removeGraceMs: 5_000,
  rescanMinutes: 15,
  pollSeconds: 30,
  incompleteMinutes: 10,
  stopSeconds: 30,
};
/** Nothing here takes this long of real time unless it hangs. */
const hangsMs = 20_000;

const open = new Set<NetworkWorld>();

/** Starts a world of its own for one test. */
export async function startNetworkWorld(options: NetworkWorldOptions = {}): Promise<NetworkWorld> {
  const clock = manualClock();
  const state = await temporaryFolderInMemory();
  const service = await startHoldingService();
  let inode = 100;
  const folder = simulatedFolder({
    name: 'inbox',
    clock,
    settleMs: timing.settleMs,
    nextInode: () => (inode += 1),
  });
  const metadata = new Map<string, Metadata>();
  const activities: Activity[] = [];
  const settings = settingsFor(service, state.join('state'), options);
  let life = await begin();

  async function begin() {
    const log = recordedLog();
    const ledger = await openLedger({ dir: settings.state.dir, clock, log });
    const tokens = createTokenSource({
      authUrl: settings.service.authUrl,
      credentials: () => secrets,
      clock,
      settings: settings.service,
      log,
    });
    const { requestsPerMinute } = settings.service;
    const limiter = createLimiter({ requestsPerMinute, clock, recent: ledger.sentRequests() });
    const waiting = { any: 0, ahead: 0 };
    const counted = countTakes(limiter, waiting);
    const client = createIngestionClient({
      ingestUrl: settings.service.ingestUrl,
      tokens,
      limiter: counted,
      settings: settings.service,
      clock,
      log,
    });
    const engine = new Engine({
      clock,
      log,
      ledger,
      folders: [{ settings: { name: 'inbox', onRemove: 'delete' }, port: folder }],
      limiter: counted,
      service: client,
      metrics: noMetrics,
      settings,
      authRestMs: () => tokens.backOffMs(),
      maxAttempts: null,
      random: () => 0.5,
      onActivity: (activity) => activities.push(activity),
      onChange: () => {},
    });
    await engine.recover();
    await folder.start(engine.listener('inbox'));
    return { ledger, tokens, limiter, waiting, client, engine, log };
  }

  async function end(): Promise<void> {
    const { engine, client, tokens, limiter, ledger } = life;
    const stopped = engine.stop(0);
    await clock.advance(0);
    await stopped;
    client.close();
    tokens.close();
    limiter.close();
    await ledger.close();
  }

  /** Real input and output is under way: the clock has to stand still for it. */
  function isMoving(): boolean {
    const { engine, limiter, waiting } = life;
    const hasRoom = limiter.status().nextFreeMs === 0;
    if (hasRoom && waiting.any > 0) return true;
    const blocked = service.stalled() + (hasRoom ? 0 : waiting.ahead);
    return engine.inFlight() > blocked || engine.tasks.in('inspecting').size > 0;
  }

  async function rest(): Promise<void> {
    const deadline = performance.now() + hangsMs;
    for (let quiet = 0; quiet < 4; quiet = isMoving() ? 0 : quiet + 1) {
      await (quiet === 0 && isMoving() ? delay(1) : new Promise((resolve) => setImmediate(resolve)));
      if (performance.now() > deadline) throw new Error(`hangs: ${JSON.stringify(status())}`);
    }
  }

  async function until(done: () => boolean, hours = 2): Promise<void> {
    const deadline = clock.monotonic() + hours * 3_600_000;
    for (;;) {
      await rest();
      if (done()) return;
      if (clock.monotonic() > deadline) throw new Error(`never became true: ${JSON.stringify(status())}`);
      await clock.advance(clock.untilNext() ?? 100);
    }
  }

  async function pass(ms: number): Promise<void> {
    const end = clock.monotonic() + ms;
    for (;;) {
      await rest();
      const left = end - clock.monotonic();
      const next = clock.untilNext();
      await clock.advance(next === null ? left : Math.min(left, next));
      if (clock.monotonic() >= end) return rest();
    }
  }

  function status(): Status {
    const { engine, ledger, limiter, tokens } = life;
    const refused = { code: 'credentials-refused', message: 'the service refused the credentials' };
    return makeStatus({
      startedAt: '',
      settings,
      clock,
      engine,
      ledger,
      folders: [folder],
      limiter,
      auth: tokens,
      service: { address: 'https://ingest.example', account: 'ada' },
      duplicates: listDuplicates(ledger),
      totals: engine.totals,
      phase: 'running',
      ownReasons: tokens.status().state === 'refused' ? [refused] : [],
    });
  }

  function isShown(): boolean {
    const moving = ['inspect', 'inspecting', 'ready', 'sending', 'settling', 'grace'] as const;
    return moving.every((kind) => life.engine.tasks.in(kind).size === 0);
  }

  const docIds = () => new Map([...life.ledger.entries()].map(({ ref, record }) => [ref.path, record]));
  const world: NetworkWorld = {
    clock,
    folder: {
      ...folder,
      describe: (path, given) => {
        metadata.set(path, given);
        folder.describe(path, given);
      },
    },
    service,
    activities,
    engine: () => life.engine,
    ledger: () => life.ledger,
    status,
    write: (files) => {
      for (const [path, content] of Object.entries(files)) folder.write(path, content);
      folder.scan();
    },
    until,
    quiesce: (hours) => until(() => life.engine.isIdle(), hours),
    shown: () => until(isShown),
    pass,
    restart: async () => {
      await end();
      life = await begin();
    },
    disagreements: () => {
      const known = docIds();
      const contents = folder.contents();
      const words = [...known.keys()]
        .filter((path) => !contents.has(path))
        .map((path) => `${path} is not gone`);
      for (const [path, content] of contents) {
        const record = known.get(path);
        const held = record === undefined ? undefined : service.documents.get(record.docId);
        const sha256 = createHash('sha256').update(content).digest('hex');
        if (record === undefined) words.push(`${path} has no record`);
        else if (held === undefined) words.push(`${path} is not at the service`);
        else if (held.sha256 !== sha256) words.push(`${path} has other bytes at the service`);
        else if (record.sha256 !== sha256) words.push(`${path} has other bytes in the ledger`);
        else if (held.title !== (metadata.get(path)?.title ?? path)) words.push(`${path} has another title`);
        else {
          const tags = (metadata.get(path)?.customTags ?? []).map(({ name }) => name);
          if ([...held.tags].sort().join() !== tags.sort().join()) words.push(`${path} has other tags`);
        }
      }
      return words;
    },
    strays: () => {
      const known = new Set([...docIds().values()].map(({ docId }) => docId));
      return [...service.documents.keys()].filter((docId) => !known.has(docId));
    },
    close: async () => {
      open.delete(world);
      await end();
      await service.close();
      await state.remove();
    },
  };
  open.add(world);
  return world;
}

/** One whose service holds so many documents, `0.txt` and on, and has a free minute. */
export async function filledNetworkWorld(
  count: number,
  options?: NetworkWorldOptions,
): Promise<NetworkWorld> {
  const world = await startNetworkWorld(options);
  world.write(textFiles(count));
  await world.quiesce();
  await world.pass(60_000);
  return world;
}

/** So many files, by their paths. */
export function textFiles(count: number, prefix = ''): Record<string, string> {
  const paths = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  return Object.fromEntries(paths.map((path) => [`${path}.txt`, `text ${path}`]));
}

/** Closes the worlds that a test left open, a failed one too. */
export async function closeNetworkWorlds(): Promise<void> {
  await Promise.all([...open].map((world) => world.close()));
}

/** The limiter, and how many wait for a place in it. */
function countTakes(limiter: LimiterPort, waiting: { any: number; ahead: number }): LimiterPort {
  return {
    ...limiter,
    take: async (options = {}) => {
      const ahead = options.ahead === true ? 1 : 0;
      waiting.any += 1;
      waiting.ahead += ahead;
      try {
        return await limiter.take(options);
      } finally {
        waiting.any -= 1;
        waiting.ahead -= ahead;
      }
    },
  };
}

function settingsFor(
  { authUrl, ingestUrl }: HoldingService,
  dir: string,
  { service, safety }: NetworkWorldOptions,
): Settings {
  return {
    file: '',
    service: serviceSettingsOf({ authUrl, ingestUrl, ...service }),
    folders: [],
    state: { dir, mustExist: false },
    timing,
    safety: safetySettingsOf(safety),
    notify: { command: [], afterMinutes: 5 },
    http: { host: '127.0.0.1', port: false },
    cluster: null,
    log: { level: 'info', format: 'json' },
  };
}
