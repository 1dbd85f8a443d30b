import { countWords, withLocalTimes } from '../../lib/text/amounts.ts';
import { sentence, sentences } from '../../lib/text/sentences.ts';
import { directoryOf, isAtOrBelow, refKey } from '../document.ts';
import { sidecarEnd, sidecarPlaces } from '../names-and-types.ts';
import type { ShareMode } from '../metadata/metadata.ts';
import type { Why } from './command-reports.ts';
import { copiesWords } from './failures.ts';
import type { Activity, Decider, SharingChange } from './status.ts';

/** What there is to say about something that happened, beside what it was and where; null: nothing. */
export function activityWords(activity: Activity): string | null {
  const { what, from, message, by, after } = activity;
  const shared = sharingIn(activity);
  const isEnd = what === 'recovered' || what === 'ended' || what === 'returned';
  const words = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(shared === null ? [] : [shared]),
    ...(message === null || message === '' ? [] : [message]),
    ...(by === undefined ? [] : [deciderWords[by]]),
    // A decision and an end say so themselves.
    ...(after === undefined || by !== undefined || isEnd ? [] : [afterWords[after]]),
  ];
  return words.length === 0 ? null : words.join(', ');
}

/** The same of many in one directory: from which one they came. */
function burstWords(activity: Activity): string | null {
  const { from } = activity;
  return activityWords(from === undefined ? activity : { ...activity, from: directoryOf(from) });
}

/** What the ledger and the folder know of a file, by its name; times in ISO 8601. Null or empty: nothing. */
export function factsOf(why: Why): readonly (readonly [name: string, value: string | null])[] {
  const { possibleDuplicates } = why;
  return [
    ['docId', why.docId],
    [why.imported ? 'imported' : 'uploaded', why.uploadedAt],
    ['modified', why.modifiedAt],
    ['sha256', why.sha256],
    ['sent as', why.sentAs],
    ['sidecar', why.sidecar],
    ['attachments', why.attachments.join(', ')],
    ['duplicates', possibleDuplicates === 0 ? null : copiesWords(possibleDuplicates)],
  ];
}

/** What was asked of the service about a file, and what else happened to it, in words, oldest first. */
export function eventsOf({
  attempts,
  decisions,
  verdict,
}: Why): readonly (readonly [at: string, words: string])[] {
  return [
    ...attempts.map(({ at, operation, message }) => [at, `${operation}: ${message}`] as const),
    ...decisions.map((one) => [one.at, eventWords(one, verdict.message)] as const),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** The same with what it was, in the story of one file, which has `told` already: it may have moved away. */
export function eventWords(activity: Activity, told: string): string {
  const what = activity.from === undefined ? activity.what : `${activity.what} to ${refKey(activity)}`;
  const words = activityWords(activity.message === told ? { ...activity, message: null } : activity);
  return words === null ? what : `${what}: ${words}`;
}

/** What happened of one kind in one directory, with the same words. */
interface Burst {
  /** Newest first. */
  readonly activities: [Activity, ...Activity[]];
  readonly documents: Set<string>;
}

/** What comes later than this after the one before it is a burst of its own. */
const burstGapMs = 10 * 60_000;

/**
 * Gathers what happened of one kind in one directory, and with the same words, in a short time, whatever happened in
 * others meanwhile; deletions that are held, and what a person decided, in one folder, as one question and one answer. What
 * is about a folder, or about many documents already, stands alone.
 */
export function createBursts() {
  const burstOf = new Map<Activity, Burst>();
  /** The oldest of each directory, since what was about a folder: of one kind, by their words. */
  const open = new Map<string, { readonly what: string; readonly bursts: Map<string | null, Burst> }>();
  return {
    /** Takes the next older one. True where it is one more of what came before. */
    add: (activity: Activity): boolean => {
      const { at, what, folder, path, documents, by } = activity;
      if (path === '') open.clear();
      const isOfFolder = what === 'held' || by !== undefined;
      const place = isOfFolder ? folder : refKey({ folder, path: directoryOf(path) });
      const isAlone = path === '' || documents > 1;
      const words = burstWords(activity);
      const before = open.get(place);
      const goesOn = before?.what === what && !isAlone;
      const bursts = goesOn ? before.bursts : new Map<string | null, Burst>();
      const last = bursts.get(words);
      const gapMs = Date.parse(last?.activities.at(-1)?.at ?? '') - Date.parse(at);
      const isMore = last !== undefined && gapMs <= burstGapMs;
      const burst = isMore ? last : { activities: [activity] as [Activity], documents: new Set<string>() };
      if (isMore) last.activities.push(activity);
      burst.documents.add(refKey(activity));
      if (!isAlone) bursts.set(words, burst);
      open.set(place, { what, bursts });
      burstOf.set(activity, burst);
      return isMore;
    },
    /** Newest first: each alone, or where it is the newest of `least` documents or more, all of them. */
    lines: (least: number): readonly (readonly [Activity, ...Activity[]])[] =>
      Array.from(burstOf).flatMap(([activity, { activities, documents }]) => {
        if (documents.size < least) return [[activity]];
        return activities[0] === activity ? [activities] : [];
      }),
  };
}

/** What happened to many as if it were one: where all of it happened, to how many, and what there is to say. */
export function gathered(burst: readonly [Activity, ...Activity[]]) {
  const [newest] = burst;
  const documents = new Set(burst.map(refKey)).size;
  if (documents === 1) return { ...newest, words: activityWords(newest) };
  return { ...newest, path: directoryOfAll(burst), docId: null, documents, words: burstWords(newest) };
}

/** What something is about: `inbox/q3 (12 documents)`. */
export function subjectWords({
  folder,
  path,
  documents,
  what,
}: Pick<Activity, 'folder' | 'path' | 'documents'> & Partial<Pick<Activity, 'what'>>): string {
  const place = path === '' ? folder || 'ingestd' : refKey({ folder, path });
  const one = what === 'problem' || what === 'recovered' ? 'file' : 'document';
  return documents > 1 ? `${place} (${countWords(documents, one)})` : place;
}

/** The innermost directory in which all of them happened. */
export function directoryOfAll(burst: readonly Activity[]): string {
  const [first = '', ...others] = burst.map(({ path }) => directoryOf(path));
  return others.reduce((common, one) => {
    let directory = common;
    while (!isAtOrBelow(one, directory)) directory = directoryOf(directory);
    return directory;
  }, first);
}

/** Where a sharing mode comes from that nothing states. */
export const unstatedSource = 'the service’s default, as nothing states one';
/** Where a field of metadata comes from that the folder's `metadata` states. */
export const folderSource = 'folder settings';

/** Null: there is nothing to say. */
function sharingIn({ what, path, sharing }: Activity): string | null {
  if (sharing === undefined || (what === 'uploaded' && isFoldersUsual(sharing))) return null;
  // Documents with a sidecar each are one burst.
  const isOwn = Object.values(sidecarPlaces(path)).includes(sharing.source);
  return sharingWords(isOwn ? { ...sharing, source: 'its own sidecar' } : sharing);
}

/** Whether an upload is shared as the folder's documents are of which nothing more is stated, and was never otherwise. */
function isFoldersUsual({ before, after, perhaps, source }: SharingChange): boolean {
  const isFirst = before === null || before === after;
  return isFirst && perhaps === undefined && usualSources.has(source);
}

/** The last is the file at the top of the folder. */
const usualSources: ReadonlySet<string> = new Set([unstatedSource, folderSource, sidecarEnd]);

/** `sharing NONE → EVERYONE (report.pdf.meta.json)`; of an upload by default only the mode. */
export function sharingWords({ before, after, perhaps = [], source }: SharingChange): string {
  const modes = before === null || before === after ? after : `${before} → ${after}`;
  const between = perhaps.length === 0 ? '' : `, perhaps ${perhaps.join(' or ')} in between`;
  const isByDefault = before === null && source === unstatedSource;
  return `sharing ${modes}${between}${isByDefault ? '' : ` (${source})`}`;
}

/** Who can see a document with this sharing mode, interface 2.6; null: nobody knows which it has. */
export function audienceWords(mode: ShareMode | null): string {
  return mode === null ? 'sharing not known' : audiences[mode];
}

/** What is so of a file now, then what the service has of it. `timeWords`: of a time in ISO 8601. */
export function standingWords(why: Why, timeWords: (iso: string) => string): string {
  const { verdict, now, nextAt, docId, deletedAt, imported, metadata, modifiedAt, uploadedAt } = why;
  const what = imported && modifiedAt === null ? 'Imported' : 'Delivered';
  const delivered = [what, modifiedAt ?? uploadedAt].filter((word) => word !== null).join(' ');
  const held = docId === null ? '' : `${delivered}, ${audienceWords(metadata?.shareInfo?.mode ?? null)}`;
  const known = deletedAt === null ? held : `Deleted ${deletedAt}`;
  const isSaid = known !== '' && verdict.kind === 'document';
  const until = now?.state === 'waiting' && nextAt !== null ? ` until ${nextAt}` : '';
  const state = now && [`${nowLabels[now.state]}${until}`, now.message].filter(Boolean).join(': ');
  const words = sentences([sentence(state ?? (isSaid ? '' : verdict.message)), known]);
  return withLocalTimes(words, timeWords);
}

const nowLabels: Readonly<Record<NonNullable<Why['now']>['state'], string>> = {
  failed: 'Failed',
  inDoubt: 'In doubt',
  waiting: 'Waits',
  pending: 'To be sent',
  held: 'Not deleted',
  attached: 'Attachment',
};

const audiences: Readonly<Record<ShareMode, string>> = {
  NONE: 'private',
  DEFAULT: 'shared with your default group',
  EVERYONE: 'shared with everyone in your organization',
};

const afterWords: Readonly<Record<NonNullable<Activity['after']>, string>> = {
  failed: 'it had failed',
  'in doubt': 'it was in doubt',
  held: 'it was held',
};

export const deciderWords: Readonly<Record<Decider, string>> = {
  page: 'on the page',
  'command line': 'on the command line',
};
