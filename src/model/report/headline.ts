import { sentence, sentences } from '../../lib/text/sentences.ts';
import { countWords, durationWords, finishWords, numberWords } from '../../lib/text/amounts.ts';
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

/**
 * How many documents are delivered, and how long the rest takes; empty where there is nothing to deliver. `now`, wall
 * clock, ms: for a reader in this machine's zone, when it is done.
 */
export function deliveredLine(status: Status, now?: number): string {
  const { documents, synced } = sumsOf(status.folders);
  const deletions = toDeleteCount(status);
  const seconds = secondsLeft(status);
  const parts = [
    ...(documents === 0 ? [] : [`${numberWords(synced)} of ${countWords(documents, 'document')} delivered`]),
    ...(deletions === 0 ? [] : [`${numberWords(deletions)} to delete`]),
  ];
  if (parts.length > 0 && seconds !== null)
    parts.push(`${durationWords(seconds)} left${now === undefined ? '' : finishWords(seconds, now)}`);
  return parts.join(', ');
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

/** Headline, its reason, the progress and what else needs a person: for one line of text. `now`: as above. */
export function statusLine(status: Status, now?: number): string {
  const first = headline(status);
  const progress = deliveredLine(status, now);
  const trouble = startTrouble(status);
  if (status.state === 'stopped') {
    // Deliveries are left out where something prevents the next start.
    const rest = trouble === undefined ? progress || 'Nothing delivered yet' : reasonWords(trouble);
    return sentences([first, rest, ...asks(status)]);
  }
  if (status.health === 'error')
    return sentences([
      trouble === undefined ? first : withReason(first, trouble.message),
      progress,
      ...asks(status),
    ]);
  const why = status.reasons.find(({ code }) => isSaidAlone(code) && reasonHealth(code) === 'attention');
  const isCovered = status.health === 'ok' && first.endsWith('delivered');
  return sentences([first, isCovered ? '' : progress, why === undefined ? '' : sentence(why.message)]);
}

/** Held deletions and pauses are in the headline by their counts. */
function isSaidAlone(code: string): boolean {
  return code !== 'held' && code !== 'paused';
}

/** What prevents the next start; undefined: nothing that is known. */
export function startTrouble({ reasons }: Pick<Status, 'reasons'>): Reason | undefined {
  return reasons.find(({ code }) => reasonHealth(code) === 'error');
}

function errorPhrase(status: Status): string {
  const worst = startTrouble(status);
  if (worst !== undefined) return phraseOf(worst.code);
  return status.auth.state === 'refused' ? phraseOf('credentials-refused') : 'Something is wrong';
}

function attentionPhrase(status: Status): string {
  const { paused, folders, reasons } = status;
  const away = folders.filter(({ state }) => state === 'unavailable').map(({ name }) => name);
  // That the fleet is paused is a part of its own.
  const halted = isFleetPaused(reasons) ? [] : paused;
  const isAllPaused = halted.length > 0 && halted.length === folders.length;
  const parts = [
    ...(isAllPaused ? ['paused'] : foldersPart(halted, 'paused')),
    ...foldersPart(away, 'unavailable'),
    ...partialReasons(status),
    ...asks(status),
  ];
  if (parts.length === 0) return 'Needs attention';
  const shown = parts.slice(0, headlineParts).join(', ');
  const more = parts.length - headlineParts;
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}${more > 0 ? ` and ${numberWords(more)} more` : ''}`;
}

function foldersPart(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  return [names.length === 1 ? `folder ${names[0]} ${what}` : `${names.length} folders ${what}`];
}

/** Those that no other part of the headline speaks of. */
function partialReasons({ reasons, folders }: Status): string[] {
  const away = folders.some(({ state }) => state === 'unavailable');
  const codes = new Set(reasons.map(({ code }) => code).filter((code) => reasonHealth(code) === 'attention'));
  return [...codes]
    .filter((code) => isSaidAlone(code) && !(away && code.startsWith('folder-')))
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
    .filter((kind) => kind !== 'other')
    .filter((kind) => waitingFor[kind] > 0)
    .toSorted((a, b) => waitingFor[b] - waitingFor[a]);
  const documents = countWords(waiting, 'document');
  const [only] = kinds;
  if (only !== undefined && waitingFor[only] === waiting) return `${documents} ${waitWords[only]}`;
  const parts = kinds.map(
    (kind) => `${numberWords(waitingFor[kind])} ${waitWords[kind].replace('waiting ', '')}`,
  );
  return `${documents} waiting${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

const waitWords: Readonly<Record<Exclude<WaitKind, 'other'>, string>> = {
  settling: 'still changing',
  sidecar: 'waiting for a sidecar',
  attachment: 'waiting for an attachment',
  retry: 'to be retried',
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
  const doubts = new Map(inDoubt.map((doubt) => [refKey(doubt), doubt.message]));
  const isDoubt = (failure: FailureStatus) => {
    const message = doubts.get(refKey(failure));
    return message !== undefined && (failure.code === inDoubtCode || failure.message === message);
  };
  return new Set(failures.filter(isDoubt));
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
