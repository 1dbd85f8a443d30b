import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import type { HoldingService } from '../../support/services/holding-service.ts';

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

/** What meets the first request, or the first few. */
interface Meeting {
  readonly steps: (service: HoldingService, operation: Operation) => readonly Step[];
  /** The service has taken the request all the same. */
  readonly taken?: boolean;
  /** Where a large file is of the essence, of an upload. */
  readonly bytes?: number;
  /** The service refuses connections until the fault has shown. */
  readonly away?: boolean;
}

export interface NetworkFault extends Fates, Meeting {
  /** Of faults.md, section 2b. */
  readonly row: string;
  readonly fault: string;
}

type Known = Omit<Fates, 'token'>;

const again = (code: string): Known => all(`again ${code}`);
/** An upload is in doubt; all else may be repeated. */
const lost = (code: string): Known => ({ ...again(code), upload: `doubt ${code}` });
const refused = (code: string): Known => ({ ...all(`fails ${code}`), bulk: 'singly' });
const words = (upload: Fate): Known => ({ upload, modify: 'warned', remove: 'warned', bulk: 'accepted' });

function all(fate: Fate): Known {
  return { upload: fate, modify: fate, remove: fate, bulk: fate };
}

const tokenLater = 'again no-token';
const noCredentials = 'alarm credentials-refused';
const notFound = 'alarm auth-not-found';

const meets = (...list: readonly Step[]): Meeting => ({ steps: () => list });
const taken = (step: Step): Meeting => ({ steps: (service) => [service.taken(step)], taken: true });
const stalled = (step: Step): Meeting => ({
  steps: (service) => [service.stalling(service.taken(step))],
  taken: true,
});
const answering = (step: (docId: string) => Step): Meeting => ({
  steps: (service) => [service.answering(step)],
  taken: true,
});

const bytes = 7_500_000;
const resetMidBody: Meeting = {
  steps: (_, operation) => [operation === 'remove' ? steps.resetBeforeBody() : steps.resetMidBody(20)],
  bytes,
};
const notKnown: Meeting = {
  steps: (service, operation) => {
    const answer = steps.refuse('no such document', 404);
    return [operation === 'remove' ? service.taken(answer) : answer];
  },
};
const success = (docId: string) => ({ success: { docId, message: '' } });
const asHtml = { 'Content-Type': 'text/html' };
const packed = steps.answer(200, '\u001f\u008b packed', { 'Content-Encoding': 'gzip' });
const elsewhere = 'http://127.0.0.2:9';

/**
 * Row, fault, what is met, what comes of it, and what comes of a new document whose token meets it. One of each kind of
 * outcome: which answer and which fault has which outcome, the tests of `judgeAnswer` and of the client say.
 */
const table: readonly (readonly [string, string, Meeting, Known, Fate | null])[] = [
  ['N1', 'a refused connection', { ...meets(), away: true }, again('econnrefused'), tokenLater],
  ['N3', 'no answer', stalled(steps.silence()), lost('response-timeout'), tokenLater],
  ['N4', 'a reset in the middle of the body', resetMidBody, again('econnreset|epipe'), tokenLater],
  ['N5', 'a reset after the service took it', taken(steps.resetAfterBody()), lost('econnreset'), tokenLater],
  ['N5', '502 after the service took it', taken(steps.html(502)), lost('http-502'), tokenLater],
  ['N19', '503', meets(steps.html(503)), again('http-503'), tokenLater],
  [
    'N20',
    'an envelope with error',
    meets(steps.refuse('the service says no')),
    refused('error-envelope'),
    tokenLater,
  ],
  [
    'N20',
    'an envelope with warning',
    answering((docId) => steps.warn(docId, 'careful')),
    all('warned'),
    null,
  ],
  ['N21', 'the login page of a proxy', meets(steps.html()), lost('answer-not-json'), tokenLater],
  ['N22', 'an answer cut off', taken(steps.cutAnswer()), lost('answer-cut'), tokenLater],
  ['N22', 'an empty success', taken(steps.empty()), lost('answer-empty'), tokenLater],
  [
    'N22',
    'a success under a wrong Content-Type',
    answering((docId) => steps.json(200, success(docId), asHtml)),
    all('accepted'),
    null,
  ],
  [
    'N23',
    'a success without docId',
    taken(steps.json(200, { success: { message: 'ok' } })),
    { ...all('accepted'), upload: 'conflict in-doubt' },
    tokenLater,
  ],
  ['N23', 'a docId that leads elsewhere', taken(steps.accept('..')), words('conflict in-doubt'), tokenLater],
  [
    'N24',
    'the docId of another document',
    taken(steps.accept('doc-1')),
    words('conflict docid-conflict'),
    null,
  ],
  [
    'N25',
    'an answer of 64 MiB',
    taken(steps.longAnswer(64 * 1024 * 1024)),
    lost('answer-too-long'),
    tokenLater,
  ],
  ['N25', 'a packed answer', taken(packed), lost('answer-not-json'), tokenLater],
  ['N16', '400', meets(steps.refuse('no', 400)), refused('http-400'), noCredentials],
  ['N7', '401 once, in XML', meets(steps.xml(401)), all('replayed'), noCredentials],
  [
    'N8',
    '401 with a fresh token too',
    meets(steps.xml(401), steps.xml(401)),
    all(noCredentials),
    noCredentials,
  ],
  [
    'N15',
    '404 of something else',
    meets(steps.html(404)),
    { ...again('not-the-service'), bulk: 'singly' },
    notFound,
  ],
  [
    'N15',
    '404 of the service itself',
    notKnown,
    { ...refused('http-404'), modify: 'fails missing-at-service', remove: 'accepted' },
    notFound,
  ],
  ['N16', '422', meets(steps.refuse('no', 422)), refused('http-422'), tokenLater],
  ['N18', '429 without Retry-After', meets(steps.html(429)), all('waits http-429'), tokenLater],
  [
    'N17',
    '429 with Retry-After in seconds',
    meets(steps.answer(429, '', { 'Retry-After': '90' })),
    all('waits http-429'),
    tokenLater,
  ],
  [
    'N26',
    'a redirect to another host',
    meets(steps.redirect(`${elsewhere}/steal`)),
    again('redirect'),
    'alarm redirect',
  ],
  [
    'N26',
    'a redirect to the result of what the service took',
    taken(steps.redirect(`${elsewhere}/result`, 303)),
    lost('redirect'),
    null,
  ],
];

/** Every fault that a single request can meet, and what comes of it for every operation. */
export const networkFaults: readonly NetworkFault[] = table.map(([row, fault, meeting, known, token]) => ({
  row,
  fault,
  ...meeting,
  ...known,
  token,
}));
