import { toTheSecond } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { noDocIdCode } from '../../model/doubts.ts';
import { elsewhereCodes, notTheServiceCode } from '../../model/errors.ts';
import { nextDelayMs, refusedDelayMs } from '../../model/back-off.ts';
import type { Outcome } from '../../model/ports/service-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Untaken } from '../tasks/task.ts';

/** From this many in a row on it is the service, not the document. */
const inARow = 3;

/** What has nothing to do with the document: too many requests, and answers of another program. */
const serviceCodes: ReadonlySet<string> = new Set([
  ...elsewhereCodes,
  'http-425',
  'http-429',
  'answer-not-json',
]);

/** They pass by themselves: where nothing is to be sent, nobody knows whether they have. */
const passingCodes: ReadonlySet<string> = new Set(['service-unavailable', 'rate-limited', ...elsewhereCodes]);

/** In one pass, probes are no further apart than the back-off after so many failures: 4 s. */
const longestPassAttempt = 3;

/** No answer of the service itself. */
type Unanswered = Extract<Outcome, { kind: 'unavailable' | 'unknown' }>;

interface Options {
  readonly clock: Clock;
  readonly random: () => number;
  /** How long the token endpoint is left alone, ms; 0 or less: it does not say. */
  readonly restMs: () => number;
  /** For one pass, which is over when each document was tried: probes are never far apart. */
  readonly isPass?: boolean;
  readonly changed: () => void;
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Tells from the outcomes whether the service as a whole takes requests now, or some documents are what it does not
 * take: those that fail while it answers others. Open: nothing goes out.
 */
export function createCircuitBreaker({ clock, random, restMs, isPass = false, changed }: Options) {
  /** Requests that it answered, whatever it said. */
  let answers = 0;
  // Failures that found out something: those of requests that were under way together count as one.
  let unavailable = 0;
  let unanswered = 0;
  let unmet = 0;
  /** Whose requests failed since one was answered: one document alone may be what is wrong. */
  let suspect: string | null = null;
  let isSeveral = false;
  let refused = 0;
  /** Requests in a row whose document the service, or what answers there, did not know. One that is tried again counts once. */
  const missing = new Set<string>();
  let forbidden = 0;
  /** Uploads in a row that were accepted without a docId, and what was said of the last. */
  let withoutDocId = 0;
  let stopped: Reason | null = null;
  let openUntil = -Infinity;
  /** The same by the wall clock, as it was then. */
  let until = '';
  /** What was found to be wrong and no answer has shown to be over: also while nobody asks, or a person has all tried. */
  let reason: Pick<Reason, 'code' | 'message'> | null = null;
  /** For that reason requests are kept back: nobody has had all tried since. */
  let isProbing = false;
  /** When the first of the reasons in a row was found. */
  let since = '';
  let misaddressed = false;

  /** Whether nobody else had found it out when this request went out. */
  const isNews = () => clock.monotonic() >= openUntil;

  function open(ms: number, why: Reason): void {
    const now = clock.monotonic();
    openUntil = Math.max(openUntil, now + ms);
    until = toTheSecond(clock.now() + openUntil - now);
    if (reason === null) since = toTheSecond(clock.now());
    reason = why;
    isProbing = true;
    changed();
  }

  function wait(attempt: number, why: Reason): void {
    open(refusedDelayMs(attempt), why);
  }

  function openForCredentials(why: Reason): void {
    const rest = restMs();
    if (rest > 0) open(rest, why);
    else wait(refused, why);
  }

  function answered(): void {
    unavailable = 0;
    unanswered = 0;
    unmet = 0;
    suspect = null;
    isSeveral = false;
  }

  function reset(): void {
    missing.clear();
    recovered();
  }

  function recovered(): void {
    close();
    forget();
  }

  function close(): void {
    answered();
    refused = 0;
    forbidden = 0;
    misaddressed = false;
    isProbing = false;
    openUntil = -Infinity;
  }

  function forget(): void {
    if (reason !== null) changed();
    reason = null;
  }

  function noteUnavailable(outcome: Unanswered, about: string, untaken: Untaken | null): void {
    const isMet = mayBeTheDocument(outcome);
    // Of the service it says nothing: that took others since this document failed first.
    const isOwn = isMet && isOwnFault(untaken);
    if (isOwn && !isSeveral) return;
    if (isNews()) unavailable += 1;
    if (!isTooMany(outcome)) unanswered += 1;
    if (!isTooMany(outcome) && !isMet) unmet += 1;
    suspect ??= about;
    isSeveral ||= suspect !== about || !isMet;
    // With a Retry-After the limiter waits; without one, all hold back all the same.
    if (unavailable < 2 && (!isTooMany(outcome) || outcome.retryAfterMs !== null)) return;
    const asked = outcome.kind === 'unavailable' ? outcome.retryAfterMs : null;
    const code = elsewhereCodes.has(outcome.code) ? outcome.code : 'service-unavailable';
    const found = { code: isTooMany(outcome) ? 'rate-limited' : code, message: outcome.message };
    // Whoever answered with something else, and this time not to the end, is no service yet.
    const why = isMet && reason !== null && elsewhereCodes.has(reason.code) ? reason : found;
    const attempt = isPass ? Math.min(unavailable, longestPassAttempt) : unavailable;
    const setBack = { kind: 'circuit', attempt, retryAfterMs: asked } as const;
    // Of one document alone it is said, and its own back-off is enough: others find out at once.
    open(isSeveral || isTooMany(outcome) ? nextDelayMs({ ...setBack, random: random() }) : 0, why);
  }

  /** More say no more. */
  function noteMissing(about: string): void {
    if (missing.size < inARow) missing.add(about);
  }

  /** An upload was accepted, and nobody knows as what: after three in a row a person is asked first. */
  function noteWithoutDocId(message: string): void {
    withoutDocId += 1;
    if (withoutDocId < inARow) return;
    const since = stopped?.since ?? new Date(clock.now()).toISOString();
    stopped = { code: 'uploads-stopped', message, since };
    changed();
  }

  function isOwnFault(untaken: Untaken | null): boolean {
    return untaken !== null && untaken.since < answers;
  }

  /**
   * Takes note of one outcome; `about` tells the documents of one request from those of another, `untaken` is what is
   * known of them. Gives what is known of them now.
   */
  function note(outcome: Outcome, about: string, untaken: Untaken | null = null, count = 1): Untaken | null {
    const isTaken = outcome.kind === 'accepted' || outcome.kind === 'rejected';
    const isAnswer = isTaken || outcome.kind === 'missing';
    if (isAnswer) answers += 1;
    if (isNoDocId(outcome)) noteWithoutDocId(outcome.message);
    else if (outcome.kind === 'accepted' && about.startsWith('upload ')) withoutDocId = 0;
    noteOfService(outcome, about, untaken);
    if (isAnswer && !isProbing) forget();
    if (outcome.kind === 'accepted') return null;
    if (!mayBeTheDocument(outcome)) return untaken;
    const since = untaken?.since ?? answers;
    const isShared = count > 1;
    return { count: (untaken?.count ?? 0) + 1, since, isShared, isOwn: !isShared && since < answers };
  }

  function noteOfService(outcome: Outcome, about: string, untaken: Untaken | null): void {
    switch (outcome.kind) {
      case 'accepted':
        reset();
        return;
      case 'unavailable':
      case 'unknown':
        if (isNoDocId(outcome)) return reset();
        if (outcome.code === notTheServiceCode && !about.startsWith('upload ')) noteMissing(about);
        return noteUnavailable(outcome, about, untaken);
      case 'unauthorized':
        if (isNews()) refused += 1;
        openForCredentials({ code: 'credentials-refused', message: outcome.message });
        return;
      case 'misaddressed':
        if (isNews()) refused += 1;
        misaddressed = true;
        wait(refused, { code: outcome.code, message: outcome.message });
        return;
      case 'missing': {
        // It answers, and of this one document: whatever was wrong with all of it is over.
        if (isProbing) recovered();
        else answered();
        return noteMissing(about);
      }
      case 'rejected':
        answered();
        missing.clear();
        if (outcome.code !== 'http-403') forbidden = 0;
        else if (isNews()) forbidden += 1;
        if (forbidden >= inARow) {
          wait(forbidden - inARow + 1, { code: 'no-access', message: outcome.message });
        } else if (isProbing) reset();
        return;
      case 'withdrawn':
      case 'changed':
      case 'unreadable':
    }
  }

  return {
    note,
    /** It answered others since it first failed to take these: they are what is wrong. */
    isOwnFault,
    /** One request at a time tries whether what stands in the way is over. */
    isProbing: () => isProbing,
    /** Requests that may be under way at once: all, one that tries, or none. */
    allowedInFlight: (concurrency: number) => {
      if (clock.monotonic() < openUntil) return 0;
      return isProbing ? 1 : concurrency;
    },
    /** Ms until one request may try; 0: now. */
    openMs: () => Math.max(0, openUntil - clock.monotonic()),
    /** `isIdle`: nothing is to be sent. */
    reasons: (isIdle: () => boolean): readonly Reason[] => {
      const isLasting = (code: string) => misaddressed || !passingCodes.has(code);
      const isAsked = (code: string) => (isProbing && isLasting(code)) || !isIdle();
      const ended = stopped === null ? [] : [stopped];
      if (reason === null || !isAsked(reason.code)) return ended;
      return [{ ...reason, since, ...(clock.monotonic() < openUntil && { until }) }, ...ended];
    },
    unresolved: () => reason?.code ?? null,
    /** Whether so many in a row were unknown to the service that the address may be wrong. */
    manyMissing: () => missing.size >= inARow,
    manyForbidden: () => forbidden >= inARow,
    forbiddenInARow: () => forbidden,
    /** The last answer said that the address is wrong: no other document fares better. */
    isMisaddressed: () => misaddressed,
    /** How many in a row were not taken, and no answer between. What asks to wait is there. */
    unansweredInARow: () => unanswered,
    /** Of these, how many say by themselves that it is the service, not the document. */
    unmetInARow: () => unmet,
    /** No upload goes out before a person says so. */
    areUploadsStopped: () => stopped !== null,
    noteWithoutDocId,
    /** A person has seen it. */
    allowUploads: () => {
      withoutDocId = 0;
      stopped = null;
    },
    /** Something was fixed, or is there again: try at once what is not stopped. */
    close: () => {
      missing.clear();
      close();
    },
  };
}

/**
 * The service was there, or nearly, and it may be this document alone that it does not take. False where no connection
 * came about, where it asks to wait, and where another program answers at its address: no document fares better.
 */
function mayBeTheDocument(outcome: Outcome): boolean {
  if (outcome.kind !== 'unknown' && outcome.kind !== 'unavailable') return false;
  if (serviceCodes.has(outcome.code)) return false;
  if (outcome.kind === 'unknown') return true;
  return outcome.retryAfterMs === null && (outcome.sent !== 'nothing' || outcome.code.startsWith('http-'));
}

function isTooMany(outcome: Outcome): outcome is Extract<Outcome, { kind: 'unavailable' }> {
  return outcome.kind === 'unavailable' && outcome.code === 'http-429';
}

function isNoDocId(outcome: Outcome): outcome is Extract<Outcome, { kind: 'unknown' }> {
  return outcome.kind === 'unknown' && outcome.code === noDocIdCode;
}
