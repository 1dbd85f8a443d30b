import type { Outcome, ServicePort } from '../model/ports/service-port.ts';
import { excerpt } from '../lib/text/printable.ts';
import { noDocIdCode, withoutDocIdWords } from '../model/doubts.ts';
import { describeFault } from './http/describe-fault.ts';
import type { Answer, HttpResult, Fault } from './http/send-http-request.ts';
import {
  answerWords,
  isHtml,
  noOperationStatuses,
  readEnvelope,
  readRetryAfter,
} from './http/read-answer.ts';
import type { Envelope } from './http/read-answer.ts';
import { isUsableDocId } from '../model/document.ts';
import { isUnreadable, notTheServiceCode } from '../model/errors.ts';

export interface Circumstances {
  readonly operation: keyof ServicePort;
  /** The document that was asked for; null where there is not exactly one. */
  readonly docId: string | null;
  /** Wall clock, ms. */
  readonly now: number;
  /** Base of the ingestion operations. */
  readonly ingestUrl: string;
  /** The service is known at this address: what looks like a wrong one now may pass by itself. */
  readonly hasWorked: boolean;
}

/** Redirects that tell to send the same request elsewhere. Others also lead to the result of one that was taken. */
const turnedAwayStatuses = new Set([301, 302, 307, 308]);
/** Answers of whoever stopped waiting for a request or its answer: the service may have accepted it. */
const gaveUpStatuses = new Set([408, 460, 499, 502, 504, 520, 524, 598, 599]);
const laterStatuses = new Set([425, 429]);

/**
 * Decides the outcome of a request: by status first, then by the envelope. Messages are raw: redact them before they
 * are shown.
 *
 * An upload is unknown when a success has no usable docId (it is taken, and held for a person), when nothing came back after its last byte, when a gateway
 * gave up on it then (502, 504), or with a status that HTTP does not know: there is no way to ask. 500 and 503 are the
 * service's own statement that it did not accept it. Everything else may be repeated without harm, so it is unavailable.
 * Where another program answers, that says nothing about a document. A redirect is a wrong address, and an upload
 * that it answers is in doubt all the same, unless it says to send it elsewhere (301, 302, 307, 308).
 */
export function judgeAnswer(answer: HttpResult, circumstances: Circumstances): Outcome {
  if (answer.kind === 'fault') return judgeFault(answer, circumstances);
  const { status, sent } = answer;
  const { operation } = circumstances;
  if (status >= 200 && status < 300) return judgeSuccess(answer, circumstances);
  const words = answerWords(answer);
  const message = `the service answered ${words}`;
  const foreign = `something else than the service answers at service.ingestUrl, ${circumstances.ingestUrl} (${words})`;
  const isUnclear = gaveUpStatuses.has(status) || status < 200 || status >= 600;
  if (status >= 300 && status < 400) {
    const mayBeTaken = sent === 'all' && !turnedAwayStatuses.has(status);
    return elsewhere({ code: 'redirect', message: redirectWords(answer), mayBeTaken }, circumstances, sent);
  }
  // The service and its token endpoints have no pages for people.
  if ((status === 401 || status === 403) && isHtml(answer)) {
    const page = { code: notTheServiceCode, message: foreign, mayBeTaken: false };
    return elsewhere(page, circumstances, sent);
  }
  if (status === 401) return { kind: 'unauthorized', message };
  if (status === 407) {
    return { kind: 'misaddressed', code: 'proxy-authentication', message, mayBeTaken: false };
  }
  const isBulk = operation === 'bulkModify' || operation === 'bulkRemove';
  // The service may be back in a minute. A bulk call it may not have: that falls back to single calls.
  if (noOperationStatuses.has(status) && !isBulk && !isOwnWord(answer)) {
    return { kind: 'unavailable', code: notTheServiceCode, message: foreign, retryAfterMs: null, sent };
  }
  if ((status === 404 || status === 410) && (operation === 'modify' || operation === 'remove')) {
    return { kind: 'missing', message };
  }
  if (status < 500 && !laterStatuses.has(status) && !isUnclear) {
    return { kind: 'rejected', code: `http-${status}`, message };
  }
  const code = `http-${status}`;
  if (operation === 'upload' && sent === 'all' && isUnclear) {
    return { kind: 'unknown', code, message: `${message} after the whole request was sent` };
  }
  const retryAfterMs = readRetryAfter(answer.headers['retry-after'], {
    now: circumstances.now,
    date: answer.headers.date,
  });
  return { kind: 'unavailable', code, message, retryAfterMs, sent };
}

/** What answers at the service's address is not the service. */
function elsewhere(
  { code, message, mayBeTaken }: Omit<Extract<Outcome, { kind: 'misaddressed' }>, 'kind'>,
  { operation, hasWorked }: Circumstances,
  sent: Answer['sent'],
): Outcome {
  if (!hasWorked || code === 'proxy-authentication')
    return { kind: 'misaddressed', code, message, mayBeTaken };
  if (mayBeTaken && operation === 'upload') return { kind: 'unknown', code, message };
  return { kind: 'unavailable', code, message, retryAfterMs: null, sent };
}

function judgeFault({ code, message: why = '', host, sent }: Fault, circumstances: Circumstances): Outcome {
  const { operation } = circumstances;
  if (code === 'content-changed')
    return { kind: 'changed', message: 'the file changed while it was being sent', sent };
  if (code === 'withdrawn')
    return { kind: 'withdrawn', message: 'it no longer follows from what is in the folder', sent };
  if (isUnreadable({ code })) return { kind: 'unreadable', code, message: why, sent };
  const words = describeFault(code);
  const message = `the service (${host}): ${words.message}`;
  if (words.misaddressed) {
    return elsewhere({ code: words.code, message, mayBeTaken: sent === 'all' }, circumstances, sent);
  }
  if (operation === 'upload' && sent === 'all') {
    return { kind: 'unknown', code: words.code, message: `${message} after the whole request was sent` };
  }
  return { kind: 'unavailable', code: words.code, message, retryAfterMs: null, sent };
}

/** Interface 7.3: failures are reported in the envelope. An `error` that is text is a framework's own word. */
function isOwnWord(answer: Answer): boolean {
  const body = readEnvelope(answer);
  if (body.kind !== 'envelope') return false;
  const { error } = body.envelope;
  return isPresent(error) && error?.whole.startsWith('{') === true;
}

function judgeSuccess(answer: Answer, circumstances: Circumstances): Outcome {
  const { operation } = circumstances;
  const { sent } = answer;
  // In doubt for an upload, repeated for all else.
  const unusable = (code: string, message: string): Outcome =>
    operation === 'upload'
      ? { kind: 'unknown', code, message }
      : { kind: 'unavailable', code, message, retryAfterMs: null, sent };
  if (sent !== 'all') {
    return unusable('answer-early', 'the service answered before it had received the whole request');
  }
  if (answer.status === 204 && operation !== 'upload')
    return { kind: 'accepted', docId: null, warning: null };
  const body = readEnvelope(answer);
  if (body.kind === 'unreadable') return unusable(body.code, body.message);
  const { error, success, warning } = body.envelope;
  const docId = success?.docId ?? warning?.docId ?? null;
  if (isPresent(error) || (error && !success && !warning)) {
    // Both at once: the service may hold the document under that docId.
    if (operation === 'upload' && isUsableDocId(docId)) {
      return unusable('answer-contradictory', 'the answer contains both an error and a success');
    }
    return {
      kind: 'rejected',
      code: 'error-envelope',
      message: messageOf(error) ?? 'the service reported an error without a message',
    };
  }
  if (operation === 'upload' && !isUsableDocId(docId)) {
    const said = excerpt((success ?? warning)?.whole ?? '');
    return unusable(noDocIdCode, `${withoutDocIdWords}; it said ${said}`);
  }
  return {
    kind: 'accepted',
    docId: isUsableDocId(docId) ? docId : null,
    warning: isPresent(warning)
      ? (messageOf(warning) ?? 'the service reported a warning without a message')
      : otherDocument(docId, circumstances),
  };
}

function otherDocument(docId: string | null, circumstances: Circumstances): string | null {
  if (docId === null || docId === '' || circumstances.docId === null || docId === circumstances.docId)
    return null;
  return 'the answer contains the docId of another document';
}

type Member = Envelope['error'];

function isPresent(member: Member): boolean {
  return messageOf(member) !== undefined || (member?.docId ?? '') !== '';
}

function messageOf(member: Member): string | undefined {
  const message = member?.message?.trim() ?? '';
  return message === '' ? undefined : message;
}

/** Never the whole location: it may carry what was sent. */
function redirectWords({ status, headers: { location } }: Answer): string {
  const origin = URL.canParse(location ?? '') ? new URL(location ?? '').origin : 'another path';
  const where = location === undefined ? 'nowhere' : origin;
  return `the service’s address redirects (${status}) to ${where}`;
}
