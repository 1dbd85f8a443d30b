import { setMaxListeners } from 'node:events';

import type { z } from 'zod';

import type { Clock } from '../core/clock.ts';
import type { LogPort } from '../core/log-port.ts';
import type {
  FileOutcome,
  LimiterPort,
  OutgoingFile,
  Outcome,
  RequestWatch,
  ServicePort,
  Turn,
} from '../core/service-port.ts';
import type { ServiceSettings } from '../core/settings.ts';
import { createAgents } from './agents.ts';
import { createAttempt } from './attempt.ts';
import type { Attempted, Call, Sent } from './attempt.ts';
import { isUsableDocId } from './doc-id.ts';
import { judge } from './judge.ts';
import type { Pass, TokenSource } from './token-source.ts';
import { waitsOf } from './watch-connection.ts';
import { bulkModify, bulkRemove, modifyMetadata, uploadMetadata } from './wire-schemas.ts';
import { withoutToken } from './without-token.ts';

const maxAttachments = 10;
/** What a token has to outlast is guessed with this. */
const expectedBytesPerMs = 1000;

export interface IngestionClientOptions {
  /** Without a slash at the end. */
  readonly ingestUrl: string;
  readonly tokens: TokenSource;
  readonly limiter: LimiterPort;
  readonly settings: Pick<
    ServiceSettings,
    'connectSeconds' | 'idleSeconds' | 'responseSeconds' | 'sendApiKey'
  >;
  readonly clock: Clock;
  readonly log: LogPort;
}

export interface IngestionClient extends ServicePort {
  /** Ends requests under way; their outcomes say what had gone out. */
  readonly close: () => void;
}

/** The ingestion operations, interface 4.3 to 4.7, over got and form-data. */
export function createIngestionClient(options: IngestionClientOptions): IngestionClient {
  const { tokens, limiter, clock, log, settings } = options;
  const agents = createAgents(options.ingestUrl);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const attempt = createAttempt({
    ingestUrl: options.ingestUrl,
    sendApiKey: settings.sendApiKey,
    exchange: { agents, clock, waits: waitsOf(settings), signal: stopping.signal },
  });

  return {
    upload: ({ file, attachments, metadata }, turn, watch) =>
      run(
        {
          operation: 'upload',
          method: 'POST',
          path: '/upload-document',
          docId: null,
          content: { kind: 'form', metadata, file, attachments },
          fault: faultOf(uploadMetadata, metadata) ?? faultOfAttachments(attachments),
        },
        turn,
        watch,
      ),

    modify: ({ docId, file, attachments, metadata }, turn, watch) =>
      run(
        {
          operation: 'modify',
          method: 'PUT',
          path: `/modify-document/${encoded(docId)}`,
          docId,
          content: { kind: 'form', metadata, file, attachments: attachments ?? [] },
          fault:
            faultOfDocId(docId) ??
            (metadata === null ? null : faultOf(modifyMetadata, metadata)) ??
            faultOfAttachments(attachments ?? []) ??
            (file === null && metadata === null && !attachments?.length ? 'nothing to modify' : null),
        },
        turn,
        watch,
      ),

    remove: ({ docId, documentOwner }, turn, watch) =>
      run(
        {
          operation: 'remove',
          method: 'DELETE',
          path:
            `/delete-document/${encoded(docId)}` +
            (documentOwner === undefined ? '' : `?documentOwner=${encoded(documentOwner)}`),
          docId,
          content: { kind: 'none' },
          fault: faultOfDocId(docId),
        },
        turn,
        watch,
      ),

    bulkModify: (request, turn, watch) =>
      run(
        {
          operation: 'bulkModify',
          method: 'PATCH',
          path: '/bulk/modify/metadata',
          docId: null,
          content: { kind: 'json', value: request },
          fault: faultOf(bulkModify, request),
        },
        turn,
        watch,
      ),

    bulkRemove: (request, turn, watch) =>
      run(
        {
          operation: 'bulkRemove',
          method: 'DELETE',
          path: '/bulk/delete',
          docId: null,
          content: { kind: 'json', value: request },
          fault: faultOf(bulkRemove, request),
        },
        turn,
        watch,
      ),

    close: () => {
      stopping.abort();
      agents.close();
    },
  };

  async function run(call: Call, turn: Turn, watch: RequestWatch = {}): Promise<FileOutcome> {
    if (call.fault !== null) {
      turn.giveBack();
      return nothingSent({ kind: 'rejected', code: 'invalid-request', message: call.fault });
    }
    const first = await attempt(call, {
      turn,
      watch,
      pass: (bytes) => tokens.access({ needMs: bytes / expectedBytesPerMs }),
    });
    if (first.kind === 'sent' && isUnauthorized(first)) return replay(call, first.pass, watch);
    return conclude(call, first);
  }

  /** After a 401: a fresh token, a turn of its own, a new body; once. */
  async function replay(call: Call, stale: Pass, watch: RequestWatch): Promise<FileOutcome> {
    let pass: Pass;
    let turn: Turn;
    try {
      pass = await tokens.renew(stale);
      turn = await limiter.take({ ahead: true });
    } catch (error) {
      return { ...nothingSent(withoutToken(error)), requests: 1 };
    }
    const second = await attempt(call, { turn, watch, pass: async () => pass });
    const result = conclude(call, second);
    if (result.outcome.kind === 'unauthorized') tokens.refuse(pass, result.outcome.message);
    return { ...result, requests: 1 + result.requests };
  }

  function conclude({ operation, docId }: Call, tried: Attempted): FileOutcome {
    if (tried.kind === 'held') return nothingSent(tried.outcome);
    const { pass, exchange, contents } = tried;
    const raw = judge(exchange, { operation, docId, now: clock.now() });
    const outcome = censored(raw, (text) => tokens.censor(text, pass));
    const status = exchange.kind === 'answer' ? exchange.status : null;
    if (status !== null && status !== 401 && status < 500) tokens.prove(pass);
    if (outcome.kind === 'unavailable' && outcome.retryAfterMs !== null) limiter.pause(outcome.retryAfterMs);
    log.debug({ operation, status, outcome: outcome.kind }, 'request ended');
    return { outcome, sent: outcome.kind === 'accepted' ? contents : [], requests: 1 };
  }
}

function isUnauthorized({ exchange }: Sent): boolean {
  return exchange.kind === 'answer' && exchange.status === 401;
}

function nothingSent(outcome: Outcome): FileOutcome {
  return { outcome, sent: [], requests: 0 };
}

/** The texts of an outcome come from the service: secrets out, control characters escaped. */
function censored(outcome: Outcome, clean: (text: string) => string): Outcome {
  if (outcome.kind !== 'accepted') return { ...outcome, message: clean(outcome.message) };
  return { ...outcome, warning: outcome.warning === null ? null : clean(outcome.warning) };
}

/** What the interface would not take is not sent. */
function faultOf(schema: z.ZodType, value: unknown): string | null {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue === undefined ? null : `${issue.path.join('.') || 'request'}: ${issue.message}`;
}

function faultOfAttachments(attachments: readonly OutgoingFile[]): string | null {
  return attachments.length > maxAttachments ? `attachments: more than ${maxAttachments}` : null;
}

function faultOfDocId(docId: string): string | null {
  return isUsableDocId(docId) ? null : 'docId: cannot be put into an address';
}

/** For an address. Half a surrogate pair, which JSON can carry, would make `encodeURIComponent` throw. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
