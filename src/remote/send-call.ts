import { randomUUID } from 'node:crypto';

import { errorCode, errorMessage, unreadCode } from '../model/errors.ts';
import type { Metadata } from '../model/metadata/metadata.ts';
import type {
  Outcome,
  OutgoingFile,
  RequestWatch,
  SentContent,
  ServicePort,
  Permit,
} from '../model/ports/service-port.ts';
import { throttled } from './http/bandwidth.ts';
import type { Bandwidth } from './http/bandwidth.ts';
import { sendHttpRequest, textBody } from './http/send-http-request.ts';
import type { HttpRequest, HttpResult, HttpOptions, HttpBody } from './http/send-http-request.ts';
import { buildMultipart } from './http/multipart.ts';
import type { OpenPart } from './http/multipart.ts';
import { withoutToken } from './auth/token-source.ts';
import type { AccessToken } from './auth/token-source.ts';

/** Of all ingestion operations: interface, section 4. */
export const ingestionPrefix = '/services/i/ingestion-api/v1';

/** One operation, ready to be sent and sent again. */
export interface Call {
  /** The method of the port. */
  readonly operation: keyof ServicePort;
  readonly method: HttpRequest['method'];
  /** Below the prefix of interface section 4, encoded, once the signed-in user is known. */
  readonly path: (username: string) => string;
  /** The document it is about; null where that is not exactly one. */
  readonly docId: string | null;
  readonly content: Content;
}

type Content =
  | { readonly kind: 'none' }
  /** `value`: once the signed-in user is known. */
  | { readonly kind: 'json'; readonly value: (username: string) => unknown }
  | {
      readonly kind: 'form';
      readonly metadata: Metadata | null;
      readonly file: OutgoingFile | null;
      readonly attachments: readonly OutgoingFile[];
    };

/** It was sent, or its connection was tried; `unsent`: nothing went out, for a local reason. */
export type CallResult =
  | {
      readonly kind: 'sent';
      readonly result: HttpResult;
      readonly accessToken: AccessToken;
      /** What went out; empty unless the answer was a success. */
      readonly contents: readonly SentContent[];
    }
  | { readonly kind: 'unsent'; readonly outcome: Outcome };

interface Wire {
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
export async function sendCall(call: Call, ticket: Ticket, wire: Wire): Promise<CallResult> {
  const { permit, watch } = ticket;
  const parts: OpenPart[] = [];
  /** What follows when the present step fails: nothing has gone out then. */
  let outcomeOf = withoutContent;
  try {
    // All of them before the first byte goes out: one that is gone costs no request.
    for (const { field, file } of filesOf(call.content))
      parts.push({ field, name: file.name, source: await file.open() });
    const bytes = parts.reduce((sum, { source }) => sum + source.size, 0);
    outcomeOf = withoutToken;
    const accessToken = await ticket.accessToken(bytes);
    outcomeOf = (error) => unsent('ledger-unwritable', error);
    const id = randomUUID();
    await watch.beforeSend(id);
    outcomeOf = withoutContent;
    let isUnauthorized = false;
    try {
      await permit.guard?.confirm();
      const request = await requestOf(call, parts, accessToken, wire);
      const { onBytes, stillFollows } = watch;
      const result = await sendHttpRequest(
        { ...request, onBytes, stillFollows, guard: permit.guard },
        wire.http,
      );
      isUnauthorized = result.kind === 'answer' && result.status === 401;
      // Without a connection the service has not counted the request.
      if (result.sent === 'nothing') permit.giveBack();
      else permit.spent();
      const isSuccess = result.kind === 'answer' && result.status < 300 && result.sent === 'all';
      const contents = isSuccess ? parts.map(({ source }) => ({ sha256: source.sha256() })) : [];
      return { kind: 'sent', result, accessToken, contents };
    } finally {
      watch.onAnswer(id, isUnauthorized);
    }
  } catch (error) {
    permit.giveBack();
    return { kind: 'unsent', outcome: outcomeOf(error) };
  } finally {
    await Promise.allSettled(parts.map(({ source }) => source.close()));
  }
}

async function requestOf(
  { method, path, content }: Call,
  parts: readonly OpenPart[],
  { value, credentials }: AccessToken,
  { ingestUrl, sendApiKey, bandwidth }: Wire,
): Promise<HttpRequest> {
  const { username } = credentials;
  let headers: Readonly<Record<string, string>> = {};
  let body: HttpBody | null = null;
  if (content.kind === 'json') {
    headers = { 'content-type': 'application/json' };
    body = textBody(JSON.stringify(content.value(username)));
  } else if (content.kind === 'form') {
    const metadata = content.metadata === null ? null : JSON.stringify(content.metadata);
    ({ headers, body } = await buildMultipart(metadata, parts));
  }
  return {
    method,
    url: `${ingestUrl}${ingestionPrefix}${path(username)}`,
    headers: {
      ...headers,
      authorization: `Bearer ${value}`,
      ClientId: credentials.clientId,
      ...(sendApiKey ? { 'x-api-key': credentials.apiKey } : {}),
    },
    body: body === null || bandwidth === null ? body : throttled(body, bandwidth),
  };
}

function filesOf(
  content: Content,
): readonly { readonly field: OpenPart['field']; readonly file: OutgoingFile }[] {
  if (content.kind !== 'form') return [];
  const attachments = content.attachments.map((file) => ({ field: 'attachments' as const, file }));
  return content.file === null ? attachments : [{ field: 'file', file: content.file }, ...attachments];
}

/** What it means that a file could not be opened, or a permit was lost: nothing went out. */
export function withoutContent(error: unknown): Outcome {
  const code = errorCode(error);
  const message = errorMessage(error);
  if (code === 'content-changed') return { kind: 'changed', message, sent: 'nothing' };
  if (code === 'permit-lost') return unsent('permit-lost', error);
  return { kind: 'unreadable', code: unreadCode(error), message, sent: 'nothing' };
}

function unsent(code: string, error: unknown): Outcome {
  return { kind: 'unavailable', code, message: errorMessage(error), retryAfterMs: null, sent: 'nothing' };
}
