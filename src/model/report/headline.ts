import { printable } from '../../lib/text/printable.ts';
import { capitalized, sentence, sentences } from '../../lib/text/sentences.ts';
import { countWords, durationWords, finishWords, numberWords } from '../../lib/text/amounts.ts';
import type { FolderStatus, Reason, Status } from './status.ts';
import type { WaitKind } from './wait-kinds.ts';
import { explain } from './explanations.ts';
import { sortFailures } from './failures.ts';
import { isFleetPaused } from './fleet-pause.ts';
import { health, isLastingObstacle, reasonHealth } from './health.ts';

/** More parts than this would be no headline any more. */
const headlineParts = 3;

/** The headline where there is no document, and nothing to be looked at. */
export const nothingYet = 'Nothing to deliver yet';

/** The state in one phrase, what needs attention first. It follows `health`. */
export function headline(status: Status): string {
  const stopped = status.reasons.find(({ code }) => code === 'not-running');
  if (status.state === 'stopped') return stopped?.message ?? 'ingestd is not running';
  if (status.state === 'stopping') return 'Stopping';
  if (status.health === 'error') return errorPhrase(status);
  if (status.health === 'attention') return attentionPhrase(status) || 'Needs attention';
  return progressPhrase(status);
}

/** The state in a word or two. A person's pause is said as such; another one ends by itself. */
export function stateWords(status: Status): string {
  const { state, queue, folders } = status;
  if (status.health === 'error') return 'Error';
  if (isOnlyPaused(status)) return 'Paused';
  if (status.health === 'attention') return 'Attention';
  const waits = sumsOf(folders).waiting > 0 && queue.pending + queue.inFlight === 0;
  // Nobody works on what only waits.
  if (state === 'paused' || ((state === 'working' || state === 'idle') && (waits || isMuted(status))))
    return 'Waiting';
  return state === 'idle' ? 'Up to date' : capitalized(state);
}

/** Whether a person's pause is all there is to say. */
export function isOnlyPaused(status: Status): boolean {
  if (status.paused.length === 0 && !isFleetPaused(status.reasons)) return false;
  const reasons = status.reasons.filter(({ code }) => code !== 'paused' && code !== 'fleet-paused');
  return health({ ...status, paused: [], reasons }) === 'ok';
}

/** The state as the title of a window. */
export function titleOf(status: Status): string {
  const { pending, waiting } = sumsOf(status.folders);
  if (status.health !== 'ok') return `${printable(headline(status))} · ingestd`;
  return pending + waiting > 0 ? `${numberWords(pending + waiting)} to deliver · ingestd` : 'ingestd';
}

/**
 * How many documents are delivered, and how long the rest takes; empty where there is nothing to deliver. `now`, wall
 * clock, ms: for a reader in this machine's zone, when it is done.
 */
export function deliveredLine(status: Status, now?: number): string {
  const { documents, synced } = sumsOf(status.folders);
  const deletions = toDeleteCount(status);
  const seconds = secondsLeft(status);
  const finish = seconds === null || now === undefined ? '' : finishWords(seconds, now);
  return [
    ...(documents === 0 ? [] : [`${numberWords(synced)} of ${countWords(documents, 'document')} delivered`]),
    ...(deletions === 0 ? [] : [`${numberWords(deletions)} to delete`]),
    ...(seconds === null ? [] : [`${durationWords(seconds)} left${finish}`]),
  ].join(', ');
}

/** What `deliveredLine` says, where the headline has not said it: "All 4 documents delivered". */
export function progressLine(status: Status, now?: number): string {
  return headline(status).endsWith('delivered') ? '' : deliveredLine(status, now);
}

/** Deletions that are queued, on their way or retried: their files are gone, so that they are in no folder's count. */
function toDeleteCount({ folders, queue }: Status): number {
  const underWay = Math.max(0, queue.pending + queue.inFlight - sumsOf(folders).pending);
  return underWay + (queue.deletionsToRetry ?? 0);
}

/** How long the queue takes at the request limit; null where nobody can say: while sending is paused or impossible. */
export function secondsLeft(status: Pick<Status, 'paused' | 'health' | 'queue'>): number | null {
  const { pending, etaSeconds } = status.queue;
  if (status.paused.length > 0 || status.health === 'error' || pending === 0) return null;
  return etaSeconds !== null && etaSeconds > 0 && Number.isFinite(etaSeconds) ? etaSeconds : null;
}

/** Headline, its reason, the progress and what else needs a person: for one line of text. `now`: as above. */
export function statusLine(status: Status, now?: number): string {
  const first = headline(status);
  const progress = progressLine(status, now);
  const trouble = startTrouble(status);
  if (status.state === 'stopped') {
    // Deliveries are left out where something prevents the next start.
    const hasDelivered = status.folders.some(({ held, kept }) => held + kept > 0);
    const delivered = progress || (hasDelivered ? '' : 'Nothing delivered yet');
    const rest = trouble === undefined ? delivered : reasonWords(trouble);
    // What a command lacks, a service may have.
    const reasons = status.reasons.filter(({ code }) => code !== 'credential-missing');
    return sentences([first, rest, attentionPhrase({ ...status, reasons })]);
  }
  if (status.health === 'error')
    return sentences([trouble === undefined ? first : reasonWords(trouble), progress, ...asks(status)]);
  const why = status.reasons.find(({ code }) => isPartial(code));
  return sentences([first, progress, why === undefined ? '' : sentence(placedMessage(why))]);
}

/** It concerns some documents; held deletions and pauses are in the headline by their counts. */
function isPartial(code: string): boolean {
  return reasonHealth(code) === 'attention' && code !== 'held' && code !== 'paused';
}

/** What prevents the next start; undefined: nothing that is known. */
function startTrouble({ reasons }: Pick<Status, 'reasons'>): Reason | undefined {
  return reasons.find(isLastingObstacle);
}

function errorPhrase(status: Status): string {
  const code = startTrouble(status)?.code ?? (status.auth.state === 'refused' ? 'credentials-refused' : null);
  return code === null ? 'Something is wrong' : phraseOf(code);
}

/** Empty where nothing is known to need it. */
function attentionPhrase(status: Status): string {
  const { paused, folders, reasons } = status;
  const away = folders.filter(({ state }) => state === 'unavailable').map(({ name }) => name);
  // That the fleet is paused is a part of its own.
  const halted = isFleetPaused(reasons) ? [] : paused;
  const isAllPaused = halted.length > 0 && halted.length === folders.length;
  // Those that no other part of the headline speaks of.
  const others = reasons.filter(
    ({ code, folder = '' }) =>
      isPartial(code) && !(away.length > 0 && (code.startsWith('folder-') || away.includes(folder))),
  );
  const problems = [
    ...(isAllPaused ? ['paused'] : foldersPart(halted, 'paused')),
    ...foldersPart(away, 'unavailable'),
    ...new Set(others.map(({ code }) => phraseOf(code).replace(/^./u, (first) => first.toLowerCase()))),
  ];
  // What waits for a person is always counted.
  const counts = asks(status);
  const shown = problems.slice(0, Math.max(1, headlineParts - counts.length));
  const more = problems.length - shown.length;
  const parts = [...shown, ...(more > 0 ? [countWords(more, 'more problem')] : []), ...counts];
  return capitalized(parts.join(', '));
}

function foldersPart(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  return [names.length === 1 ? `folder ${names[0]} ${what}` : `${names.length} folders ${what}`];
}

function progressPhrase(status: Status): string {
  const { state, folders, rate, queue } = status;
  const { documents, synced, pending, waiting } = sumsOf(folders);
  if (state === 'standby') return 'Standing by';
  const isScanning = state === 'starting' || folders.some((folder) => folder.state === 'scanning');
  const toDelete = toDeleteCount(status);
  if (isMuted(status)) {
    // Nothing is called delivering that cannot be sent now. What is tried again waits just as the rest.
    const unsent = pending + status.waitingFor.retry;
    const isFleet = status.reasons.some(({ code }) => code === 'fleet-opens');
    const waits = isFleet ? 'Waiting for the shared minute' : 'Waiting for the service';
    if (unsent > 0) return `${waits}, ${countWords(unsent, 'document')} to deliver`;
    if (toDelete > 0) return `${waits}, ${countWords(toDelete, 'document')} to delete`;
  }
  const isAtLimit = rate.used >= rate.limit && rate.nextFreeSeconds > 0 && queue.inFlight === 0;
  const limit = isAtLimit ? ', at the request limit' : '';
  if (pending > 0) return `Delivering ${countWords(pending, 'document')}${limit}`;
  if (toDelete > 0) return `Deleting ${countWords(toDelete, 'document')}${limit}`;
  if (isScanning) return `Scanning ${countWords(folders.length, 'folder')}`;
  if (waiting > 0) return waitingPhrase(status.waitingFor, waiting);
  const missing = queue.waiting - waiting - (queue.deletionsToRetry ?? 0);
  if (missing > 0)
    return `Waiting to see whether ${countWords(missing, 'missing file comes', 'missing files come')} back`;
  if (documents === 0) return nothingYet;
  return documents === 1 ? '1 document delivered' : `All ${numberWords(synced)} documents delivered`;
}

/** True while the service, or the start of the fleet's minute, lets nothing be sent: it passes by itself. */
function isMuted({ reasons }: Pick<Status, 'reasons'>): boolean {
  return reasons.some(({ code }) => explain(code).halts === 'for-now');
}

/** What waiting documents wait for, the most frequent first. */
function waitingPhrase(waitingFor: Status['waitingFor'], waiting: number): string {
  const kinds = (Object.keys(waitWords) as (keyof typeof waitWords)[])
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
  const counts: readonly (readonly [count: number, one: string, many: string])[] = [
    [sortFailures(status).failedTotal, 'document failed', 'documents failed'],
    [status.held.reduce((total, { count }) => total + count, 0), 'deletion held', 'deletions held'],
    [status.inDoubtTotal, 'upload in doubt', 'uploads in doubt'],
    [status.recordedDuplicates, 'possible duplicate', 'possible duplicates'],
  ];
  return counts.filter(([count]) => count > 0).map((words) => countWords(...words));
}

function sumsOf(folders: readonly FolderStatus[]) {
  const sum = (of: 'synced' | 'pending' | 'waiting' | 'failed') =>
    folders.reduce((total, one) => total + one[of], 0);
  const [synced, pending, waiting] = [sum('synced'), sum('pending'), sum('waiting')];
  return { documents: synced + pending + waiting + sum('failed'), synced, pending, waiting };
}

/** A reason's words, with its place, unless they name one by its whole path. */
export function placedMessage({
  folder,
  path,
  message,
}: Pick<Reason, 'folder' | 'path' | 'message'>): string {
  const place = placeOf({ folder, path });
  return place === '' || message.startsWith('/') ? message : `${printable(place)}: ${message}`;
}

/** `folder/path`, of those that it has; empty: it is of all folders. */
export function placeOf({ folder, path }: Pick<Reason, 'folder' | 'path'>): string {
  return [folder, path].filter((part) => part !== undefined).join('/');
}

/** What a reason comes to, with its own words; they stand alone where they say it themselves. */
export function reasonWords(reason: Reason): string {
  const { code, message } = reason;
  return isWhole(reason) ? sentence(message) : `${phraseOf(code)}: ${message}`;
}

/** Whether a reason's own words say what it comes to. */
export function isWhole({ code, message }: Reason): boolean {
  return explain(code).isSentence === true || message.toLowerCase().includes(phraseOf(code).toLowerCase());
}

/** Exit codes are for those who read of a start that failed. */
function phraseOf(code: string): string {
  return explain(code).cause.replace(/ \(exit code \d\)$/, '');
}
