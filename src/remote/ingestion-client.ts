import { abortForMany } from '../lib/abort-for-many.ts';
import type { Clock } from '../lib/time/clock.ts';
import { isUsableDocId } from '../model/document.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type {
  FileOutcome,
  LimiterPort,
  Outcome,
  RequestWatch,
  ServicePort,
  Permit,
} from '../model/ports/service-port.ts';
import type { ServiceSettings } from '../model/settings.ts';
import { createAgents } from './http/agents.ts';
import { createBandwidth } from './http/bandwidth.ts';
import { waitsOf } from './http/watch-connection.ts';
import { sendCall } from './send-call.ts';
import type { Call, CallResult } from './send-call.ts';
import { judgeAnswer } from './judge-answer.ts';
import { withoutToken } from './auth/token-source.ts';
import type { AccessToken, TokenSource } from './auth/token-source.ts';

/** Assumed bandwidth, to estimate how long a token is needed. */
const expectedBytesPerMs = 1000;

export interface IngestionClientOptions {
  /** Without a slash at the end. */
  readonly ingestUrl: string;
  readonly tokens: TokenSource;
  readonly limiter: LimiterPort;
  readonly settings: Pick<
    ServiceSettings,
    | 'connectSeconds'
    | 'idleSeconds'
    | 'responseSeconds'
    | 'sendApiKey'
    | 'concurrency'
    | 'maxKilobytesPerSecond'
    | 'documentOwner'
  >;
  readonly clock: Clock;
  readonly log: LogPort;
  /** The service is known to have taken requests at this address. */
  readonly hasWorked?: boolean;
}

export interface IngestionClient extends ServicePort {
  /** Ends requests under way; their outcomes say what had been sent. */
  readonly close: () => void;
}

/** The ingestion operations, interface 4.3 to 4.7, over got and form-data. */
export function createIngestionClient(options: IngestionClientOptions): IngestionClient {
  const { tokens, limiter, clock, log, settings } = options;
  let hasWorked = options.hasWorked ?? false;
  const agents = createAgents(options.ingestUrl);
  const stopping = abortForMany();
  const { maxKilobytesPerSecond, concurrency } = settings;
  /** Of one request among as many as may be sent at once. */
  const ownBytesPerMs = (maxKilobytesPerSecond ?? Infinity) / concurrency;
  const wire = {
    ingestUrl: options.ingestUrl,
    sendApiKey: settings.sendApiKey,
    http: { agents, clock, waits: waitsOf(settings, ownBytesPerMs), signal: stopping.signal },
    bandwidth:
      maxKilobytesPerSecond === undefined ? null : createBandwidth(maxKilobytesPerSecond * 1000, clock),
  };

  return {
    upload: ({ file, attachments, metadata }, permit, watch) =>
      run(permit, watch, {
        operation: 'upload',
        method: 'POST',
        path: () => '/upload-document',
        docId: null,
        content: { kind: 'form', metadata, file, attachments },
      }),
    modify: ({ docId, file, attachments, metadata }, permit, watch) =>
      run(permit, watch, {
        operation: 'modify',
        method: 'PUT',
        path: () => `/modify-document/${encoded(docId)}`,
        docId,
        content: { kind: 'form', metadata, file, attachments: attachments ?? [] },
      }),
    remove: ({ docId, documentOwner }, permit, watch) =>
      run(permit, watch, {
        operation: 'remove',
        method: 'DELETE',
        path: (username) => {
          const owner = ownerOf(documentOwner, username);
          return `/delete-document/${encoded(docId)}${owner === undefined ? '' : `?documentOwner=${encoded(owner)}`}`;
        },
        docId,
        content: { kind: 'none' },
      }),
    bulkModify: (value, permit, watch) =>
      run(permit, watch, {
        operation: 'bulkModify',
        method: 'PATCH',
        path: () => '/bulk/modify/metadata',
        docId: null,
        content: { kind: 'json', value: () => value },
      }),
    bulkRemove: ({ docIds, documentOwner: owner }, permit, watch) =>
      run(permit, watch, {
        operation: 'bulkRemove',
        method: 'DELETE',
        path: () => '/bulk/delete',
        docId: null,
        content: { kind: 'json', value: (username) => ({ docIds, documentOwner: ownerOf(owner, username) }) },
      }),
    close: () => {
      stopping.abort();
      agents.close();
    },
  };

  /** The owner that a deletion is asked to name or, with `documentOwner: always`, who is signed in. */
  function ownerOf(owner: string | undefined, username: string): string | undefined {
    return owner ?? (settings.documentOwner === 'always' ? username : undefined);
  }

  async function run(permit: Permit, watch: RequestWatch, call: Call): Promise<FileOutcome> {
    if (call.docId !== null && !isUsableDocId(call.docId)) {
      permit.giveBack();
      const message = 'docId: it cannot be part of an address';
      return nothingSent({ kind: 'rejected', code: 'invalid-request', message });
    }
    const first = await sendCall(call, { permit, watch, accessToken }, wire);
    if (first.kind === 'sent' && first.result.kind === 'answer' && first.result.status === 401)
      return replay(call, first.accessToken, watch);
    return conclude(call, first);
  }

  /** One that lasts for so many bytes. */
  function accessToken(bytes: number): Promise<AccessToken> {
    return tokens.access({ needMs: bytes / Math.min(expectedBytesPerMs, ownBytesPerMs) });
  }

  /** After a 401: a fresh token, a permit of its own, a new body; once. */
  async function replay(call: Call, stale: AccessToken, watch: RequestWatch): Promise<FileOutcome> {
    let permit: Permit;
    try {
      // Without one there is nothing to wait for. When the permit is there, it may have expired again.
      await tokens.renew(stale);
      permit = await limiter.take({ ahead: true });
    } catch (error) {
      return nothingSent(withoutToken(error));
    }
    const second = await sendCall(call, { permit, watch, accessToken }, wire);
    const result = conclude(call, second);
    if (second.kind !== 'sent' || result.outcome.kind !== 'unauthorized') return result;
    const message = tokens.refuse(second.accessToken, options.ingestUrl, result.outcome.message);
    return { ...result, outcome: { kind: 'unauthorized', message } };
  }

  function conclude({ operation, docId }: Call, ended: CallResult): FileOutcome {
    if (ended.kind === 'unsent') return nothingSent(ended.outcome);
    const { accessToken, result, contents } = ended;
    const raw = judgeAnswer(result, {
      operation,
      docId,
      ingestUrl: options.ingestUrl,
      now: clock.now(),
      hasWorked,
    });
    hasWorked ||= raw.kind === 'accepted';
    const outcome = redacted(raw, (text) => tokens.redact(text, accessToken));
    const status = result.kind === 'answer' ? result.status : null;
    if (status !== null && status !== 401 && status < 500) tokens.confirm(accessToken);
    if (outcome.kind === 'unavailable' && outcome.retryAfterMs !== null)
      limiter.pause(outcome.retryAfterMs, outcome.message);
    log.debug({ operation, status, outcome: outcome.kind }, 'request ended');
    return { outcome, sent: outcome.kind === 'accepted' ? contents : [] };
  }
}

/** For an address. Half a surrogate pair, which JSON can carry, would make `encodeURIComponent` throw. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function nothingSent(outcome: Outcome): FileOutcome {
  return { outcome, sent: [] };
}

/** The texts of an outcome come from the service: secrets out, control characters escaped. */
function redacted(outcome: Outcome, clean: (text: string) => string): Outcome {
  if (outcome.kind !== 'accepted') return { ...outcome, message: clean(outcome.message) };
  return { ...outcome, warning: outcome.warning === null ? null : clean(outcome.warning) };
}
