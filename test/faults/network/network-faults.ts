import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import type { HoldingService } from '../holding-service.ts';

export type Operation =
  'upload' | 'modify' | 'modifyMetadata' | 'remove' | 'bulkModify' | 'bulkRemove' | 'token';

/**
 * What comes of the first request, and what status says of it:
 * - `accepted`, `warned`: delivered; with the service's words.
 * - `replayed`: delivered by a second request at once.
 * - `again CODE`: listed with the code and the time of the next attempt, and delivered by that.
 * - `waits CODE`: the same, and everything waits as the service asked.
 * - `doubt CODE`: the same, and it is in doubt: one possible duplicate.
 * - `fails CODE`: listed as failed; nothing goes out before a person retries.
 * - `conflict CODE`: the same, and it is in doubt.
 * - `alarm CODE`: the service is said to be out of order for this reason, and it is tried again.
 * - `singly`: what was refused together is delivered one by one.
 */
export type Fate =
  | 'accepted'
  | 'warned'
  | 'replayed'
  | 'singly'
  | `${'again' | 'waits' | 'doubt' | 'fails' | 'conflict' | 'alarm'} ${string}`;

interface Fates {
  readonly upload: Fate;
  readonly modify: Fate;
  readonly remove: Fate;
  readonly bulk: Fate;
  /** A new document whose token meets the fault; null: it has no meaning there. */
  readonly token: Fate | null;
}

export interface NetworkFault extends Fates {
  /** Of faults.md, section 2b. */
  readonly row: string;
  readonly fault: string;
  /** What meets the first request, or the first few. */
  readonly steps: (service: HoldingService, operation: Operation) => readonly Step[];
  /** The service has taken the request all the same. */
  readonly taken?: boolean;
  /** Where a large file is of the essence, of an upload. */
  readonly bytes?: number;
  /** The service refuses connections until the fault has shown. */
  readonly away?: boolean;
}

const again = (code: string): Omit<Fates, 'token'> => all(`again ${code}`);
/** An upload is in doubt; all else may be repeated. */
const lost = (code: string): Omit<Fates, 'token'> => ({ ...again(code), upload: `doubt ${code}` });
const refused = (code: string): Omit<Fates, 'token'> => ({ ...all(`fails ${code}`), bulk: 'singly' });
const tokenLater: Fate = 'again no-token';

function all(fate: Fate): Omit<Fates, 'token'> {
  return { upload: fate, modify: fate, remove: fate, bulk: fate };
}

const once = (step: Step) => () => [step];
const onceTaken = (step: Step) => (service: HoldingService) => [service.taken(step)];
const onceStalled = (step: Step) => (service: HoldingService) => [service.stalling(service.taken(step))];
const gzip = { 'Content-Encoding': 'gzip' };
const mebibyte = 1024 * 1024;

/** Every fault that a single request can meet, and what comes of it for every operation. */
export const networkFaults: readonly NetworkFault[] = [
  {
    row: 'N1',
    fault: 'a refused connection',
    steps: () => [],
    away: true,
    ...again('econnrefused'),
    token: tokenLater,
  },
  {
    row: 'N3',
    fault: 'no answer',
    steps: onceStalled(steps.silence()),
    taken: true,
    ...lost('response-timeout'),
    token: tokenLater,
  },
  {
    row: 'N3',
    fault: 'the head of an answer and no body',
    steps: onceStalled(steps.silentBody()),
    taken: true,
    ...lost('answer-cut'),
    token: tokenLater,
  },
  {
    row: 'N3',
    fault: 'an answer by the byte for ever',
    steps: onceStalled(steps.trickle(5)),
    taken: true,
    ...lost('answer-cut'),
    token: tokenLater,
  },
  {
    row: 'N4',
    fault: 'a reset before the body',
    steps: once(steps.resetBeforeBody()),
    bytes: 7_500_000,
    ...again('econnreset|epipe'),
    token: tokenLater,
  },
  {
    row: 'N4',
    fault: 'a reset in the middle of the body',
    steps: (_, operation) => [operation === 'remove' ? steps.resetBeforeBody() : steps.resetMidBody(20)],
    bytes: 7_500_000,
    ...again('econnreset|epipe'),
    token: tokenLater,
  },
  {
    row: 'N5',
    fault: 'a reset after the service took it',
    steps: onceTaken(steps.resetAfterBody()),
    taken: true,
    ...lost('econnreset'),
    token: tokenLater,
  },
  {
    row: 'N5',
    fault: 'a connection closed after the service took it',
    steps: onceTaken(steps.hangUp()),
    taken: true,
    ...lost('econnreset'),
    token: tokenLater,
  },
  {
    row: 'N5',
    fault: '502 after the service took it',
    steps: onceTaken(steps.html(502)),
    taken: true,
    ...lost('http-502'),
    token: tokenLater,
  },
  {
    row: 'N5',
    fault: '504 after the service took it',
    steps: onceTaken(steps.html(504)),
    taken: true,
    ...lost('http-504'),
    token: tokenLater,
  },
  { row: 'N19', fault: '500', steps: once(steps.html(500)), ...again('http-500'), token: tokenLater },
  { row: 'N19', fault: '503', steps: once(steps.html(503)), ...again('http-503'), token: tokenLater },
  {
    row: 'N19',
    fault: '502 of a gateway that did not pass it on',
    steps: once(steps.html(502)),
    ...lost('http-502'),
    token: tokenLater,
  },
  {
    row: 'N20',
    fault: 'an envelope with error',
    steps: once(steps.refuse('the service says no')),
    ...refused('error-envelope'),
    token: tokenLater,
  },
  {
    row: 'N20',
    fault: 'an envelope with warning',
    steps: (service) => [service.answering((docId) => steps.warn(docId, 'careful'))],
    taken: true,
    ...all('warned'),
    token: null,
  },
  {
    row: 'N21',
    fault: 'the login page of a proxy',
    steps: once(steps.html()),
    ...lost('answer-not-json'),
    token: tokenLater,
  },
  {
    row: 'N22',
    fault: 'an answer cut off',
    steps: onceTaken(steps.cutAnswer()),
    taken: true,
    ...lost('answer-cut'),
    token: tokenLater,
  },
  {
    row: 'N22',
    fault: 'an empty success',
    steps: onceTaken(steps.empty()),
    taken: true,
    ...lost('answer-empty'),
    token: tokenLater,
  },
  {
    row: 'N22',
    fault: 'JSON that is no envelope',
    steps: onceTaken(steps.json(200, { ok: true })),
    taken: true,
    ...lost('answer-not-envelope'),
    token: tokenLater,
  },
  {
    row: 'N22',
    fault: 'a success under a wrong Content-Type',
    steps: (service) => [
      service.answering((docId) =>
        steps.json(200, { success: { docId, message: '' } }, { 'Content-Type': 'text/html' }),
      ),
    ],
    taken: true,
    ...all('accepted'),
    token: null,
  },
  {
    row: 'N23',
    fault: 'a success without docId',
    steps: onceTaken(steps.json(200, { success: { message: 'ok' } })),
    taken: true,
    ...all('accepted'),
    upload: 'doubt no-doc-id',
    token: tokenLater,
  },
  {
    row: 'N23',
    fault: 'a docId that leads elsewhere',
    steps: onceTaken(steps.accept('../bulk/delete?x')),
    taken: true,
    ...all('accepted'),
    modify: 'warned',
    remove: 'warned',
    upload: 'doubt no-doc-id',
    token: tokenLater,
  },
  {
    row: 'N24',
    fault: 'the docId of another document',
    steps: onceTaken(steps.accept('doc-1')),
    taken: true,
    ...all('accepted'),
    modify: 'warned',
    remove: 'warned',
    upload: 'conflict docid-conflict',
    token: null,
  },
  {
    row: 'N25',
    fault: 'an answer of 64 MiB',
    steps: onceTaken(steps.longAnswer(64 * mebibyte)),
    taken: true,
    ...lost('answer-too-long'),
    token: tokenLater,
  },
  {
    row: 'N25',
    fault: 'a packed answer',
    steps: onceTaken(steps.answer(200, '\u001f\u008b packed', gzip)),
    taken: true,
    ...lost('answer-not-json'),
    token: tokenLater,
  },
  {
    row: 'N16',
    fault: '400',
    steps: once(steps.refuse('no', 400)),
    ...refused('http-400'),
    token: 'alarm credentials-refused',
  },
  {
    row: 'N7',
    fault: '401 once, in XML',
    steps: once(steps.xml(401)),
    ...all('replayed'),
    token: 'alarm credentials-refused',
  },
  {
    row: 'N8',
    fault: '401 with a fresh token too',
    steps: () => [steps.xml(401), steps.xml(401)],
    ...all('alarm credentials-refused'),
    token: 'alarm credentials-refused',
  },
  {
    row: 'N14',
    fault: '403',
    steps: once(steps.refuse('no', 403)),
    ...refused('http-403'),
    token: 'alarm credentials-refused',
  },
  {
    row: 'N15',
    fault: '404 of something else',
    steps: once(steps.html(404)),
    ...again('http-404'),
    bulk: 'singly',
    token: 'alarm auth-not-found',
  },
  {
    row: 'N15',
    fault: '404 of the service itself',
    steps: (service, operation) =>
      operation === 'remove'
        ? [service.taken(steps.refuse('no such document', 404))]
        : [steps.refuse('no such document', 404)],
    ...refused('http-404'),
    modify: 'fails missing-at-service',
    remove: 'accepted',
    token: 'alarm auth-not-found',
  },
  { row: 'N19', fault: '408', steps: once(steps.html(408)), ...lost('http-408'), token: tokenLater },
  {
    row: 'N16',
    fault: '409',
    steps: once(steps.refuse('no', 409)),
    ...refused('http-409'),
    token: tokenLater,
  },
  { row: 'N16', fault: '413', steps: once(steps.html(413)), ...refused('http-413'), token: tokenLater },
  {
    row: 'N16',
    fault: '415',
    steps: once(steps.html(415)),
    ...refused('http-415'),
    token: tokenLater,
  },
  {
    row: 'N16',
    fault: '422',
    steps: once(steps.refuse('no', 422)),
    ...refused('http-422'),
    token: tokenLater,
  },
  {
    row: 'N18',
    fault: '429 without Retry-After',
    steps: once(steps.html(429)),
    ...all('waits http-429'),
    token: tokenLater,
  },
  {
    row: 'N17',
    fault: '429 with Retry-After in seconds',
    steps: once(steps.answer(429, '', { 'Retry-After': '90' })),
    ...all('waits http-429'),
    token: tokenLater,
  },
  {
    row: 'N17',
    fault: '429 with Retry-After as a date',
    steps: once(
      steps.answer(429, '', {
        Date: 'Thu, 01 Jan 2026 00:00:00 GMT',
        'Retry-After': 'Thu, 01 Jan 2026 00:01:30 GMT',
      }),
    ),
    ...all('waits http-429'),
    token: tokenLater,
  },
  {
    row: 'N26',
    fault: 'a redirect to another host',
    steps: once(steps.redirect('http://127.0.0.2:9/steal')),
    ...again('redirect'),
    token: 'alarm redirect',
  },
  {
    row: 'N26',
    fault: 'a redirect to the result of what the service took',
    steps: onceTaken(steps.redirect('http://127.0.0.2:9/result', 303)),
    taken: true,
    ...lost('redirect'),
    token: null,
  },
  {
    row: 'N5',
    fault: 'a proxy that was no longer waited for, after the service took it',
    steps: onceTaken(steps.html(499)),
    taken: true,
    ...lost('http-499'),
    token: null,
  },
];
