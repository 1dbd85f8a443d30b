import { randomUUID } from 'node:crypto';

import { errorCode, errorMessage, unreadableCode, unreadableNowCode } from '../model/errors.ts';
import type {
  Outcome,
  OutgoingFile,
  RequestWatch,
  SentContent,
  Permit,
} from '../model/ports/service-port.ts';
import type { Call, Content } from './operation-calls.ts';
import { throttled } from './http/bandwidth.ts';
import type { Bandwidth } from './http/bandwidth.ts';
import { sendHttpRequest, textBody } from './http/send-http-request.ts';
import type { HttpResult, HttpOptions, HttpBody } from './http/send-http-request.ts';
import { buildMultipart } from './http/multipart.ts';
import type { OpenPart } from './http/multipart.ts';
import { withoutToken } from './auth/token-source.ts';
import type { AccessToken } from './auth/token-source.ts';

const prefix = '/services/i/ingestion-api/v1';

/** It was sent, or its connection was tried. */
interface Sent {
  readonly kind: 'sent';
  readonly result: HttpResult;
  readonly accessToken: AccessToken;
  /** What went out; empty unless the answer was a success. */
  readonly contents: readonly SentContent[];
}

/** `unsent`: nothing went out, for a local reason. */
export type CallResult = Sent | { readonly kind: 'unsent'; readonly outcome: Outcome };

interface SendCallOptions {
  readonly ingestUrl: string;
  readonly sendApiKey: boolean;
  readonly http: HttpOptions;
  /** Null: unlimited. */
  readonly bandwidth: Bandwidth | null;
}

interface Ticket {
  /** Asked for when the files are open and their size is known. */
  readonly accessToken: (bytes: number) => Promise<AccessToken>;
  readonly permit: Permit;
  readonly watch: RequestWatch;
}

/** Sends a call once on the given permit, which is spent or given back. Never rejects. */
export async function sendCall(call: Call, ticket: Ticket, options: SendCallOptions): Promise<CallResult> {
  const parts: OpenPart[] = [];
  try {
    // All of them before the first byte goes out: one that is gone costs no request.
    await openParts(call.content, parts);
    const bytes = parts.reduce((sum, { source }) => sum + source.size, 0);
    const accessToken = await orUnsent(ticket.accessToken(bytes), withoutToken);
    const id = randomUUID();
    await orUnsent(note(ticket.watch, id), ledgerUnwritable);
    const outgoing = call.signedBy?.(accessToken.credentials.username) ?? call;
    return await send(outgoing, parts, { ...options, ...ticket, accessToken, id });
  } catch (error) {
    ticket.permit.giveBack();
    return { kind: 'unsent', outcome: error instanceof Unsent ? error.outcome : withoutContent(error) };
  } finally {
    await Promise.allSettled(parts.map(({ source }) => source.close()));
  }
}

/** Rejects only while nothing has gone out. */
async function send(
  call: Call,
  parts: readonly OpenPart[],
  ticket: SendCallOptions &
    Omit<Ticket, 'accessToken'> & { readonly accessToken: AccessToken; readonly id: string },
): Promise<CallResult> {
  const { ingestUrl, sendApiKey, bandwidth, accessToken, permit, watch } = ticket;
  try {
    await permit.guard?.confirm();
    const { headers, body } = await wireBody(call.content, parts);
    const result = await sendHttpRequest(
      {
        method: call.method,
        url: `${ingestUrl}${prefix}${call.path}`,
        headers: {
          ...headers,
          authorization: `Bearer ${accessToken.value}`,
          ClientId: accessToken.credentials.clientId,
          ...(sendApiKey ? { 'x-api-key': accessToken.credentials.apiKey } : {}),
        },
        body: body === null || bandwidth === null ? body : throttled(body, bandwidth),
        onBytes: watch.onBytes,
        guard: permit.guard,
      },
      ticket.http,
    );
    // Without a connection the service has not counted the request.
    if (result.sent === 'nothing') permit.giveBack();
    else permit.spent();
    const isSuccess = result.kind === 'answer' && result.status < 300 && result.sent === 'all';
    const contents = isSuccess ? parts.map(({ source }) => ({ sha256: source.sha256() })) : [];
    return { kind: 'sent', result, accessToken, contents };
  } finally {
    reportAnswered(watch, ticket.id);
  }
}

/** A listener that throws must not make an accepted upload go out again. */
function reportAnswered(watch: RequestWatch, id: string): void {
  try {
    watch.onAnswer(id);
  } catch {
    // The listener's failure says nothing about the request.
  }
}

/** Nothing went out, with what follows from that. */
class Unsent extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, cause: unknown) {
    super('not sent', { cause });
    this.outcome = outcome;
  }
}

function orUnsent<T>(promise: Promise<T>, outcomeOf: (error: unknown) => Outcome): Promise<T> {
  return promise.catch((error: unknown) => {
    throw new Unsent(outcomeOf(error), error);
  });
}

async function note(watch: RequestWatch, id: string): Promise<void> {
  await watch.beforeSend(id);
}

async function openParts(content: Content, parts: OpenPart[]): Promise<void> {
  if (content.kind !== 'form') return;
  if (content.file !== null) parts.push(await openPart('file', content.file));
  for (const attachment of content.attachments) parts.push(await openPart('attachments', attachment));
}

async function openPart(field: OpenPart['field'], file: OutgoingFile): Promise<OpenPart> {
  return { field, name: file.name, source: await file.open() };
}

async function wireBody(
  content: Content,
  parts: readonly OpenPart[],
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: HttpBody | null }> {
  if (content.kind === 'none') return { headers: {}, body: null };
  if (content.kind === 'json') {
    const headers = { 'content-type': 'application/json' };
    return { headers, body: textBody(JSON.stringify(content.value)) };
  }
  return buildMultipart(content.metadata === null ? null : JSON.stringify(content.metadata), parts);
}

/** What it means that a file could not be opened, or a permit was lost: nothing went out. */
export function withoutContent(error: unknown): Outcome {
  const message = errorMessage(error);
  if (errorCode(error) === 'content-changed') return { kind: 'changed', message };
  if (errorCode(error) === 'permit-lost')
    return { kind: 'unavailable', code: 'permit-lost', message, retryAfterMs: null, sent: 'nothing' };
  const isBarred = errorCode(error) === unreadableCode;
  return { kind: 'unreadable', code: isBarred ? unreadableCode : unreadableNowCode, message };
}

function ledgerUnwritable(error: unknown): Outcome {
  return {
    kind: 'unavailable',
    code: 'ledger-unwritable',
    message: errorMessage(error),
    retryAfterMs: null,
    sent: 'nothing',
  };
}
