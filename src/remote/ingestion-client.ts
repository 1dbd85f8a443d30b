import { setMaxListeners } from 'node:events';

import type { Clock } from '../lib/clock.ts';
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
import { createAttempt } from './attempt.ts';
import type { Attempted, Sent } from './attempt.ts';
import { bulkModifyCall, bulkRemoveCall, modifyCall, removeCall, uploadCall } from './calls.ts';
import type { Call } from './calls.ts';
import { judge } from './judge.ts';
import type { Pass, TokenSource } from './auth/token-source.ts';
import { waitsOf } from './http/watch-connection.ts';
import { withoutToken } from './auth/outcome-without-token.ts';

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
    upload: (request, turn, watch) => run(uploadCall(request), turn, watch),
    modify: (request, turn, watch) => run(modifyCall(request), turn, watch),
    remove: (request, turn, watch) => run(removeCall(request), turn, watch),
    bulkModify: (request, turn, watch) => run(bulkModifyCall(request), turn, watch),
    bulkRemove: (request, turn, watch) => run(bulkRemoveCall(request), turn, watch),
    close: () => {
      stopping.abort();
      agents.close();
    },
  };

  async function run(call: Call, turn: Permit, watch: RequestWatch = {}): Promise<FileOutcome> {
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
    let turn: Permit;
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
