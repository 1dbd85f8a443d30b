import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import type { LimiterPort } from '../../../src/model/ports/service-port.ts';
import type { Settings } from '../../../src/model/settings.ts';
import type { Reason, Status } from '../../../src/model/report/status.ts';
import { limitReached, makeStatus } from '../../../src/daemon/make-status.ts';
import { createIngestionClient } from '../../../src/remote/ingestion-client.ts';
import { createTokenSource } from '../../../src/remote/auth/token-source.ts';
import { safetySettingsOf, serviceSettingsOf } from '../../support/fixtures/default-settings.ts';
import { plantedCredentials } from '../../support/planted-secrets.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';
import type { HoldingService } from '../../support/services/holding-service.ts';
import { engineTiming, engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld, EngineWorldOptions } from '../../support/worlds/engine-world.ts';

/** The engine, the client, the tokens, the limiter and the ledger, all real, before a service over a real socket. */
export interface NetworkWorld extends Pick<
  EngineWorld,
  'clock' | 'folder' | 'activities' | 'engine' | 'ledger' | 'quiesce' | 'sync' | 'pass' | 'restart' | 'close'
> {
  readonly service: HoldingService;
  readonly status: () => Status;
  readonly limitReached: () => readonly Reason[];
  /** Writes files and lets the folder be scanned. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** Lets time pass until this is true, in steps from one timer to the next. Throws after so many hours. */
  readonly until: (done: () => boolean, hours?: number) => Promise<void>;
  /** Until every document is delivered, failed, held, or waits for a retry. */
  readonly shown: () => Promise<void>;
  /**
   * What folder, ledger and service do not agree on, in words; documents at the service that the ledger does not know
   * are `strays`.
   */
  readonly disagreements: () => readonly string[];
  readonly strays: () => readonly string[];
}

type Options = Pick<EngineWorldOptions, 'service' | 'safety'>;

/** Nothing here takes this long of real time unless it hangs. */
const hangsMs = 20_000;

const open = new Set<NetworkWorld>();

/** Starts a world of its own for one test. */
export async function startNetworkWorld(options: Options = {}): Promise<NetworkWorld> {
  const service = await startHoldingService();
  const metadata = new Map<string, Metadata>();
  const settings = settingsFor(service, options);
  let remote: ReturnType<typeof connect>;
  const engineAlone = await engineWorld({
    ...options,
    service: settings.service,
    remote: (parts) => (remote = connect(parts)),
  });
  const { clock, folder, engine, ledger, activities } = engineAlone;

  function connect({ clock, log, limiter }: Parameters<NonNullable<EngineWorldOptions['remote']>>[0]) {
    const { authUrl, ingestUrl } = settings.service;
    const parts = { clock, settings: settings.service, log };
    const tokens = createTokenSource({ ...parts, authUrl, credentials: () => plantedCredentials });
    const waiting = { any: 0, ahead: 0 };
    const counted = countTakes(limiter, waiting);
    const client = createIngestionClient({ ...parts, ingestUrl, tokens, limiter: counted });
    return {
      tokens,
      waiting,
      limiter: counted,
      service: client,
      authRestMs: () => tokens.backOffMs(),
      close: () => {
        client.close();
        tokens.close();
      },
    };
  }

  /** Real input and output is under way: the clock has to stand still for it. */
  function isMoving(): boolean {
    const { limiter, waiting } = remote;
    const hasRoom = limiter.status().nextFreeMs === 0;
    if (hasRoom && waiting.any > 0) return true;
    const blocked = service.stalled() + (hasRoom ? 0 : waiting.ahead);
    return engine().inFlight() > blocked || engine().tasks.in('inspecting').size > 0;
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
    const { limiter, tokens } = remote;
    const refused = { code: 'credentials-refused', message: 'the service refused the credentials' };
    return makeStatus({
      startedAt: '',
      settings,
      clock,
      engine: engine(),
      ledger: ledger(),
      folders: [folder],
      limiter,
      auth: tokens,
      service: { address: 'https://ingest.example', account: 'ada' },
      totals: engine().totals,
      phase: 'running',
      ownReasons: tokens.status().state === 'refused' ? [refused] : [],
    });
  }

  function isShown(): boolean {
    const moving = ['inspect', 'inspecting', 'ready', 'sending', 'settling', 'grace'] as const;
    return moving.every((kind) => engine().tasks.in(kind).size === 0);
  }

  const docIds = () => new Map([...ledger().entries()].map(({ ref, record }) => [ref.path, record]));
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
    engine,
    ledger,
    status,
    limitReached: () => limitReached({ engine: engine(), limiter: remote.limiter }),
    write: (files) => {
      for (const [path, content] of Object.entries(files)) folder.write(path, content);
      folder.scan();
    },
    until,
    quiesce: (hours) => until(() => engine().isIdle(), hours),
    sync: () => {
      folder.scan();
      return world.quiesce();
    },
    shown: () => until(isShown),
    pass,
    restart: engineAlone.restart,
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
      await engineAlone.close();
      await service.close();
    },
  };
  open.add(world);
  return world;
}

/** One whose service holds so many documents, `0.txt` and on, and has a free minute. */
export async function filledNetworkWorld(count: number, options?: Options): Promise<NetworkWorld> {
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

function settingsFor({ authUrl, ingestUrl }: HoldingService, { service, safety }: Options): Settings {
  return {
    file: '',
    service: serviceSettingsOf({ authUrl, ingestUrl, ...service }),
    folders: [],
    state: { dir: '', mustExist: false },
    timing: engineTiming,
    safety: safetySettingsOf(safety),
    notify: { command: [], afterMinutes: 5 },
    http: { host: '127.0.0.1', port: false },
    cluster: null,
    log: { level: 'info', format: 'json', keepDays: 30, keepMegabytes: 64 },
  };
}
