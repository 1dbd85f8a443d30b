import { sentence, sentences } from '../../lib/text/sentences.ts';
import { countWords, durationWords, numberWords } from '../../lib/text/amounts.ts';
import { refKey } from '../document.ts';
import { inDoubtCode } from '../doubts.ts';
import type { FleetStatus } from './fleet.ts';
import type { FailureStatus, FolderStatus, Reason, Status } from './status.ts';
import { waitKinds } from './wait-kinds.ts';
import type { WaitKind } from './wait-kinds.ts';
import { explain } from './explanations.ts';
import { isFleetPaused } from './fleet-pause.ts';
import { reasonHealth } from './health.ts';

/** More parts than this would be no headline any more. */
const headlineParts = 3;

/** The state in one phrase, what needs attention first. It follows `health`. */
export function headline(status: Status): string {
  if (status.state === 'stopped') return 'ingestd is not running';
  if (status.state === 'stopping') return 'Stopping';
  if (status.health === 'error') return errorPhrase(status);
  if (status.health === 'attention') return attentionPhrase(status);
  return progressPhrase(status);
}

/** How many documents are delivered, and how long the rest takes; empty where there is nothing to deliver. */
export function deliveredLine(status: Status): string {
  const parts = [...deliveredPart(status), ...toDeletePart(status)];
  const seconds = secondsLeft(status);
  if (parts.length > 0 && seconds !== null) parts.push(`${durationWords(seconds)} left`);
  return parts.join(', ');
}

/** How far the deliveries are, in numbers; empty where there is nothing to deliver. */
export function progressLine(status: Status): string {
  const { pending, waiting } = sumsOf(status.folders);
  const parts = deliveredPart(status);
  if (pending > 0) parts.push(`${numberWords(pending)} to send`);
  const deletions = toDeletePart(status);
  parts.push(...deletions);
  if (waiting > 0) parts.push(`${numberWords(waiting)} waiting`);
  const seconds = secondsLeft(status);
  if (pending + deletions.length > 0 && seconds !== null) parts.push(`${durationWords(seconds)} left`);
  return parts.join(', ');
}

function deliveredPart({ folders }: Status): string[] {
  const { documents, synced } = sumsOf(folders);
  return documents === 0 ? [] : [`${numberWords(synced)} of ${countWords(documents, 'document')} delivered`];
}

function toDeletePart(status: Status): string[] {
  const count = toDeleteCount(status);
  return count === 0 ? [] : [`${numberWords(count)} to delete`];
}

/** Deletions that are queued or on their way: their files are gone, so that they are in no folder's count. */
function toDeleteCount({ folders, queue }: Status): number {
  return Math.max(0, queue.pending + queue.inFlight - sumsOf(folders).pending);
}

/** How long the queue takes at the request limit; null where nobody can say: while sending is paused or impossible. */
export function secondsLeft({
  paused,
  health,
  queue,
}: Pick<Status, 'paused' | 'health' | 'queue'>): number | null {
  const { pending, etaSeconds } = queue;
  if (paused.length > 0 || health === 'error' || pending === 0) return null;
  return etaSeconds !== null && etaSeconds > 0 && Number.isFinite(etaSeconds) ? etaSeconds : null;
}

/** Headline, its reason, the progress and what else needs a person: for one line of text. */
export function statusLine(status: Status): string {
  const first = headline(status);
  const progress = progressLine(status);
  if (status.state === 'stopped') {
    const trouble = startTrouble(status);
    // Deliveries are left out where something prevents the next start.
    const rest = trouble === undefined ? progress || 'Nothing delivered yet' : reasonWords(trouble);
    return sentences([first, rest, ...asks(status)]);
  }
  const covered = status.health === 'ok' && first.endsWith('delivered');
  const failing = status.health === 'error';
  const level = status.reasons.filter(
    ({ code }) => code !== 'held' && code !== 'paused' && reasonHealth(code) === status.health,
  );
  const why = status.health === 'ok' ? undefined : level[0];
  return sentences([
    failing && why !== undefined ? withReason(first, why.message) : first,
    ...(progress === '' || covered ? [] : [progress]),
    ...(failing ? asks(status) : []),
    ...(failing || why === undefined ? [] : [sentence(why.message)]),
  ]);
}

/** What prevents the next start; undefined: nothing that is known. */
export function startTrouble({ reasons }: Pick<Status, 'reasons'>): Reason | undefined {
  return reasons.find(({ code }) => reasonHealth(code) === 'error');
}

function errorPhrase({ reasons, auth }: Status): string {
  const worst = reasons.find(({ code }) => reasonHealth(code) === 'error');
  if (worst !== undefined) return phraseOf(worst.code);
  return auth.state === 'refused' ? phraseOf('credentials-refused') : 'Something is wrong';
}

function attentionPhrase(status: Status): string {
  const parts = [
    ...pausedPart(status),
    ...unavailable(status.folders),
    ...partialReasons(status),
    ...asks(status),
  ];
  if (parts.length === 0) return 'Needs attention';
  const shown = parts.slice(0, headlineParts).join(', ');
  const more = parts.length - headlineParts;
  const first = parts[0] as string;
  // A folder keeps its name as it is written.
  const isName = status.paused.length === 1 && first === `${status.paused[0]} paused`;
  const phrase =
    !isName && /^[a-z]/.test(first) ? `${shown.charAt(0).toUpperCase()}${shown.slice(1)}` : shown;
  return more > 0 ? `${phrase} and ${numberWords(more)} more` : phrase;
}

function pausedPart({ paused, folders, reasons }: Status): string[] {
  // That the fleet is paused is a part of its own.
  if (paused.length === 0 || isFleetPaused(reasons)) return [];
  if (paused.length === folders.length) return ['paused'];
  return [paused.length === 1 ? `${paused[0]} paused` : `${paused.length} folders paused`];
}

function unavailable(folders: readonly FolderStatus[]): string[] {
  const away = folders.filter(({ state }) => state === 'unavailable');
  if (away.length === 0) return [];
  return [away.length === 1 ? `folder ${away[0]?.name} unavailable` : `${away.length} folders unavailable`];
}

/** Those that no other part of the headline speaks of. */
function partialReasons({ reasons, folders }: Status): string[] {
  const away = folders.some(({ state }) => state === 'unavailable');
  const codes = new Set(reasons.map(({ code }) => code).filter((code) => reasonHealth(code) === 'attention'));
  return [...codes]
    .filter((code) => code !== 'held' && code !== 'paused' && !(away && code.startsWith('folder-')))
    .map((code) => {
      const phrase = phraseOf(code);
      return `${phrase.charAt(0).toLowerCase()}${phrase.slice(1)}`;
    });
}

function progressPhrase(status: Status): string {
  const { documents, synced, pending, waiting } = sumsOf(status.folders);
  if (status.state === 'standby') return 'Standing by';
  const scanning =
    status.state === 'starting' || status.folders.some((folder) => folder.state === 'scanning');
  // What is tried again waits for the service just as the rest.
  const unsent = pending + status.waitingFor.retry;
  const toDelete = toDeleteCount(status);
  if (isMuted(status) && unsent + toDelete > 0) return mutedPhrase(status, unsent, toDelete);
  if (pending > 0) return atLimitWords(status, `Delivering ${countWords(pending, 'document')}`);
  if (toDelete > 0) return atLimitWords(status, `Deleting ${countWords(toDelete, 'document')}`);
  if (scanning) return `Scanning ${countWords(status.folders.length, 'folder')}`;
  if (waiting > 0) return waitingPhrase(status.waitingFor, waiting);
  if (documents === 0) return 'Nothing to deliver yet';
  return documents === 1 ? '1 document delivered' : `All ${numberWords(synced)} documents delivered`;
}

/** Nothing is called delivering that nothing can be sent of now. */
function mutedPhrase({ reasons }: Status, unsent: number, toDelete: number): string {
  const whom = reasons.some(({ code }) => code === 'fleet-opens') ? 'the shared minute' : 'the service';
  const what =
    unsent > 0
      ? `${countWords(unsent, 'document')} to deliver`
      : `${countWords(toDelete, 'document')} to delete`;
  return `Waiting for ${whom}, ${what}`;
}

function atLimitWords({ rate, queue }: Status, phrase: string): string {
  const atLimit = rate.used >= rate.limit && rate.nextFreeSeconds > 0 && queue.inFlight === 0;
  return `${phrase}${atLimit ? ', at the request limit' : ''}`;
}

/** True while the service, or the start of the fleet's minute, lets nothing be sent: it passes by itself. */
export function isMuted({ rate, reasons }: Pick<Status, 'rate' | 'reasons'>): boolean {
  return (
    rate.pausedUntil !== null || reasons.some(({ code }) => code === 'rate-limited' || code === 'fleet-opens')
  );
}

/** What waiting documents wait for, the most frequent first. */
function waitingPhrase(waitingFor: Status['waitingFor'], waiting: number): string {
  const kinds = waitKinds
    .filter((kind) => waitingFor[kind] > 0)
    .toSorted((a, b) => waitingFor[b] - waitingFor[a]);
  const only = kinds.length === 1 ? kinds[0] : undefined;
  if (only === undefined || only === 'other') {
    const parts = kinds
      .filter((kind) => kind !== 'other')
      .map((kind) => waitWords[kind].part(waitingFor[kind]));
    const listed = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
    return `${countWords(waiting, 'document')} waiting${listed}`;
  }
  return waitWords[only].phrase(waiting);
}

/** Alone as a phrase, and beside others. */
const waitWords: Readonly<
  Record<
    Exclude<WaitKind, 'other'>,
    { readonly phrase: (count: number) => string; readonly part: (count: number) => string }
  >
> = {
  settling: {
    phrase: (count) => `${countWords(count, 'document')} still changing`,
    part: (count) => `${numberWords(count)} still changing`,
  },
  sidecar: {
    phrase: (count) =>
      `${countWords(count, 'document')} waiting for ${count === 1 ? 'its sidecar' : 'their sidecars'}`,
    part: (count) => `${numberWords(count)} for a sidecar`,
  },
  attachment: {
    phrase: (count) =>
      `${countWords(count, 'document')} waiting for ${count === 1 ? 'an attachment' : 'attachments'}`,
    part: (count) => `${numberWords(count)} for an attachment`,
  },
  retry: {
    phrase: (count) => `Retrying ${countWords(count, 'document')} soon`,
    part: (count) => `${numberWords(count)} to be retried`,
  },
};

/** What waits for a person, each a few words. */
function asks(status: Status): string[] {
  const parts: string[] = [];
  const failed = failedCount(status);
  const held = heldCount(status);
  const duplicates = status.recordedDuplicates;
  if (failed > 0) parts.push(`${countWords(failed, 'document')} failed`);
  if (held > 0) parts.push(`${countWords(held, 'deletion')} held`);
  if (status.inDoubtTotal > 0) parts.push(`${countWords(status.inDoubtTotal, 'upload')} in doubt`);
  if (duplicates > 0) parts.push(countWords(duplicates, 'possible duplicate'));
  return parts;
}

/** Documents that failed. One that is held back because its upload is in doubt is counted once: as in doubt. */
export function failedCount(status: Pick<Status, 'folders' | 'failures' | 'inDoubt'>): number {
  const heldInDoubt = [...failuresInDoubt(status)].filter(({ retryAt }) => retryAt === null).length;
  return Math.max(0, sumsOf(status.folders).failed - heldInDoubt);
}

function heldCount({ held }: Status): number {
  return held.reduce((total, { count }) => total + count, 0);
}

function sumsOf(folders: readonly FolderStatus[]) {
  const sum = (of: (folder: FolderStatus) => number) => folders.reduce((total, one) => total + of(one), 0);
  const synced = sum((one) => one.synced);
  const pending = sum((one) => one.pending);
  const waiting = sum((one) => one.waiting);
  const failed = sum((one) => one.failed);
  return { documents: synced + pending + waiting + failed, synced, pending, waiting, failed };
}

/** What a reason comes to, with its own words. */
export function reasonWords({ code, message }: Reason): string {
  return withReason(phraseOf(code), message);
}

/** Exit codes are for those who read of a start that failed. */
function phraseOf(code: string): string {
  return explain(code).cause.replace(/ \(exit code \d\)$/, '');
}

/** The message alone where it says the phrase itself. */
function withReason(phrase: string, message: string): string {
  return message.toLowerCase().includes(phrase.toLowerCase()) ? sentence(message) : `${phrase}: ${message}`;
}

/**
 * The failures that are an upload in doubt and nothing else: they wait for its answer, or for a person's word about it.
 * A list that names the doubt need not name them again.
 */
export function failuresInDoubt({
  failures,
  inDoubt,
}: Pick<Status, 'failures' | 'inDoubt'>): ReadonlySet<FailureStatus> {
  if (inDoubt.length === 0) return new Set();
  const doubts = new Map(inDoubt.map((doubt) => [refKey(doubt), doubt]));
  return new Set(
    failures.filter((failure) => {
      const doubt = doubts.get(refKey(failure));
      return doubt !== undefined && (failure.code === inDoubtCode || failure.message === doubt.message);
    }),
  );
}

/** The folders, with how many of their failures are uploads in doubt. */
export function withDoubts({
  folders,
  ...status
}: Pick<Status, 'folders' | 'failures' | 'inDoubt'>): readonly (FolderStatus & {
  readonly inDoubt: number;
})[] {
  const doubts = [...failuresInDoubt(status)].filter(({ retryAt }) => retryAt === null);
  return folders.map((one) => ({
    ...one,
    inDoubt: Math.min(one.failed, doubts.filter(({ folder }) => folder === one.name).length),
  }));
}

/** The fleet in one line. */
export function fleetHeadline({ hosts, paused, health }: FleetStatus): string {
  const here = hosts.filter(({ presence }) => presence === 'here');
  const gone = hosts.filter(({ presence }) => presence === 'gone').length;
  const troubled = here.filter((host) => host.health !== 'ok').length;
  if (hosts.length === 0) return 'No host has reported in the last day';
  return [
    ...(paused ? ['The whole fleet is paused'] : []),
    ...(troubled > 0
      ? [`${countWords(troubled, 'host')} ${troubled === 1 ? 'needs' : 'need'} attention`]
      : []),
    ...(gone > 0 ? [`${countWords(gone, 'host')} ${gone === 1 ? 'is' : 'are'} gone`] : []),
    `${here.length === 0 ? 'No host' : countWords(here.length, 'host')} connected${health === 'ok' ? ', no problems' : ''}`,
  ].join('. ');
}
