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
  const { permit, watch } = ticket;
  const parts: OpenPart[] = [];
  /** What follows when the present step fails. */
  let outcomeOf = withoutContent;
  try {
    // All of them before the first byte goes out: one that is gone costs no request.
    for (const { field, file } of filesOf(call.content))
      parts.push({ field, name: file.name, source: await file.open() });
    const bytes = parts.reduce((sum, { source }) => sum + source.size, 0);
    outcomeOf = withoutToken;
    const accessToken = await ticket.accessToken(bytes);
    outcomeOf = ledgerUnwritable;
    const id = randomUUID();
    await watch.beforeSend(id);
    outcomeOf = withoutContent;
    const outgoing = call.signedBy?.(accessToken.credentials.username) ?? call;
    try {
      return await send(outgoing, parts, { ...options, permit, watch, accessToken });
    } finally {
      watch.onAnswer(id);
    }
  } catch (error) {
    permit.giveBack();
    return { kind: 'unsent', outcome: outcomeOf(error) };
  } finally {
    await Promise.allSettled(parts.map(({ source }) => source.close()));
  }
}

/** Rejects only while nothing has gone out. */
async function send(
  call: Call,
  parts: readonly OpenPart[],
  {
    ingestUrl,
    sendApiKey,
    http,
    bandwidth,
    permit,
    watch,
    accessToken,
  }: SendCallOptions & Pick<Ticket, 'permit' | 'watch'> & { readonly accessToken: AccessToken },
): Promise<Sent> {
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
      stillFollows: watch.stillFollows,
    },
    http,
  );
  // Without a connection the service has not counted the request.
  if (result.sent === 'nothing') permit.giveBack();
  else permit.spent();
  const isSuccess = result.kind === 'answer' && result.status < 300 && result.sent === 'all';
  const contents = isSuccess ? parts.map(({ source }) => ({ sha256: source.sha256() })) : [];
  return { kind: 'sent', result, accessToken, contents };
}

function filesOf(
  content: Content,
): readonly { readonly field: OpenPart['field']; readonly file: OutgoingFile }[] {
  if (content.kind !== 'form') return [];
  const attachments = content.attachments.map((file) => ({ field: 'attachments' as const, file }));
  return content.file === null ? attachments : [{ field: 'file', file: content.file }, ...attachments];
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
