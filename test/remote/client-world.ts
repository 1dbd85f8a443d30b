import { systemClock } from '../../src/lib/time/clock.ts';
import type { Clock } from '../../src/lib/time/clock.ts';
import type {
  FileOutcome,
  LimiterPort,
  Outcome,
  OutgoingFile,
  RequestWatch,
  ServicePort,
} from '../../src/model/ports/service-port.ts';
import { createIngestionClient } from '../../src/remote/ingestion-client.ts';
import type { IngestionClient } from '../../src/remote/ingestion-client.ts';
import { createLimiter } from '../../src/remote/limiter.ts';
import { createTokenSource } from '../../src/remote/auth/token-source.ts';
import type { TokenSource } from '../../src/remote/auth/token-source.ts';
import type { ServiceSettings } from '../../src/model/settings.ts';
import { serviceSettingsOf } from '../support/fixtures/default-settings.ts';
import { fileSource } from '../support/fixtures/file-source.ts';
import type { TestFile } from '../support/fixtures/file-source.ts';
import { recordedLog } from '../support/recorded-log.ts';
import type { RecordedLog } from '../support/recorded-log.ts';
import { startScriptedService } from '../support/services/scripted-service.ts';
import type { ScriptedService } from '../support/services/scripted-service.ts';
import { plantedCredentials } from '../support/planted-secrets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

/** A client, its token source and its limiter before a scripted service. */
export interface ClientWorld {
  readonly service: ScriptedService;
  readonly folder: TemporaryFolder;
  readonly tokens: TokenSource;
  readonly limiter: LimiterPort;
  readonly client: IngestionClient;
  readonly log: RecordedLog;
  /** A file in the folder that is sent under its last name. */
  readonly file: (name: string, content: string | Uint8Array) => Promise<TestFile>;
  /** Takes a permit and makes the call. */
  readonly call: (name: OperationName, watch?: Partial<RequestWatch>) => Promise<FileOutcome>;
  /** The same with this file, and no metadata. */
  readonly upload: (file: OutgoingFile, attachments?: readonly OutgoingFile[]) => Promise<FileOutcome>;
  readonly close: () => Promise<void>;
}

export interface ClientWorldOptions extends Partial<
  Pick<
    ServiceSettings,
    | 'ingestUrl'
    | 'connectSeconds'
    | 'idleSeconds'
    | 'responseSeconds'
    | 'sendApiKey'
    | 'maxKilobytesPerSecond'
    | 'documentOwner'
    | 'requestsPerMinute'
  >
> {
  readonly clock?: Clock;
  /** Of the document that `call` sends. */
  readonly bytes?: number;
}

export type OperationName = keyof ServicePort;

export const operationNames: readonly OperationName[] = [
  'upload',
  'modify',
  'remove',
  'bulkModify',
  'bulkRemove',
];

/** Of a request that nobody watches. */
export const unwatched: RequestWatch = {
  beforeSend: () => Promise.resolve(),
  stillFollows: () => Promise.resolve(true),
  onAnswer: () => {},
  onBytes: () => {},
};

const open = new Set<ClientWorld>();

/** Starts a world of its own for one test. */
export async function startClientWorld(options: ClientWorldOptions = {}): Promise<ClientWorld> {
  const service = await startScriptedService();
  const folder = await temporaryFolder();
  const log = recordedLog();
  const clock = options.clock ?? systemClock;
  const settings = serviceSettingsOf({
    connectSeconds: 5,
    idleSeconds: 5,
    responseSeconds: 5,
    ingestUrl: service.ingestUrl,
    ...options,
  });
  const tokens = createTokenSource({
    authUrl: service.authUrl,
    credentials: () => plantedCredentials,
    clock,
    settings,
    log,
  });
  const { ingestUrl, requestsPerMinute } = settings;
  const limiter = createLimiter({ requestsPerMinute, clock, recent: [] });
  const client = createIngestionClient({ ingestUrl, tokens, limiter, settings, clock, log });
  const file = async (name: string, content: string | Uint8Array) =>
    fileSource(await folder.write(name, content), { name });

  let documents = 0;
  const document = async () => {
    documents += 1;
    const path = await folder.write(`${documents}/report.pdf`, Buffer.alloc(options.bytes ?? 2000, 'pdf '));
    return fileSource(path, { name: 'report.pdf' });
  };
  const world: ClientWorld = {
    service,
    folder,
    tokens,
    limiter,
    client,
    log,
    file,
    upload: async (document, attachments = []) =>
      client.upload({ file: document, attachments, metadata: {} }, await limiter.take(), unwatched),
    call: async (name, watched = {}) => {
      const watch = { ...unwatched, ...watched };
      const permit = await limiter.take();
      const metadata = { title: 'Report', shareInfo: { mode: 'NONE' } } as const;
      const docIds = ['doc-a', 'doc-b'];
      switch (name) {
        case 'upload':
          return client.upload({ file: await document(), attachments: [], metadata }, permit, watch);
        case 'modify':
          return client.modify(
            { docId: 'doc-a', file: await document(), attachments: null, metadata },
            permit,
            watch,
          );
        case 'remove':
          return client.remove({ docId: 'doc-a', documentOwner: 'jane' }, permit, watch);
        case 'bulkModify':
          return client.bulkModify({ docIds, customTags: [{ name: 'x', operation: 'ADD' }] }, permit, watch);
        case 'bulkRemove':
          return client.bulkRemove({ docIds, documentOwner: 'jane' }, permit, watch);
        default:
          throw new Error(`no such operation: ${String(name)}`);
      }
    },
    close: async () => {
      open.delete(world);
      client.close();
      tokens.close();
      limiter.close();
      await service.close();
      await folder.remove();
    },
  };
  open.add(world);
  return world;
}

/** Closes the worlds that a test left open, a failed one too. */
export async function closeWorlds(): Promise<void> {
  await Promise.all([...open].map((world) => world.close()));
}

/** `kind`, and the code where it has one: `unavailable http-500`. */
export function shortOutcome(outcome: Outcome): string {
  return 'code' in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind;
}
