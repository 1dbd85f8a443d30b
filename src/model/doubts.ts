import { nameOf, refKey, unknownStat } from './document.ts';
import type { DocumentRef, FileStat, FoundDocument } from './document.ts';
import { dismissedCode } from './errors.ts';
import type { Change, Doubt, Failure, Intent, LedgerPort, LedgerRecord } from './ports/ledger-port.ts';
import type { SafetySettings } from './settings.ts';

/** The code of a document whose upload has no answer, and waits for a person. */
export const inDoubtCode = 'in-doubt';

/** The code of an upload that the service accepted without a docId that can be used. */
export const noDocIdCode = 'no-doc-id';
/** So begins what a doubt about one says. */
export const withoutDocIdWords = 'the service accepted it without a docId that can be used';

/** A path with an unknown number of documents at the service, and its state in the ledger. */
export interface DoubtfulPath {
  readonly ref: DocumentRef;
  readonly record: LedgerRecord | undefined;
  readonly failure: Failure | undefined;
  /** Uploads whose outcome was never learned. */
  readonly doubts: readonly Doubt[];
}

/** Uploads whose outcome was never learned and that nobody has dismissed. */
export function openDoubts(ledger: Pick<LedgerPort, 'doubts'>): readonly Doubt[] {
  return ledger.doubts().filter(isOpenDoubt);
}

/** Uploads that were accepted without a usable docId, and that wait for a person, since one was accepted with one. */
export function lastWithoutDocId(ledger: Pick<LedgerPort, 'doubts' | 'entries'>): readonly Doubt[] {
  const without = openDoubts(ledger).filter(
    ({ holds, message }) => holds && message.startsWith(withoutDocIdWords),
  );
  if (without.length === 0) return without;
  let last = -Infinity;
  for (const { record } of ledger.entries()) last = Math.max(last, Date.parse(record.uploadedAt));
  return without.filter(({ since }) => since > last);
}

/** What ends a doubt, with its choices. */
export function resolveWords(path = 'PATH'): string {
  return `run ingestd resolve ${path}: --doc-id ID if the service has it, --again if not, --dismiss to send nothing`;
}

/** Of one that a person has sent again without a word on whether the service has it. */
export const perhapsTwice = 'The service may have it already: then it is there twice.';

/** Of one whose upload is under way once more: nobody can decide anything then. */
export const sentAgainNow = 'it is being sent again now, and there is nothing to decide meanwhile';

/** Nobody has dismissed it, or has looked and said that the service does not have it. */
export function isOpenDoubt({ dismissed, count }: Doubt): boolean {
  return dismissed !== true && count > 0;
}

/** Uploads of this path whose outcome was never learned. */
export function doubtsAbout(ref: DocumentRef, ledger: Pick<LedgerPort, 'doubts'>): readonly Doubt[] {
  return ledger.doubts().filter((doubt) => refKey(doubt.ref) === refKey(ref));
}

/** Uploads of a process that has ended before the service answered are in doubt from now on. */
export function interruptedUploads(intents: readonly Intent[], inDoubt: SafetySettings['inDoubt']) {
  const message = 'ingestd stopped before the service answered the upload';
  const holds = inDoubt === 'hold';
  return intents.flatMap(({ id, ref, stat, carried, at }) => [
    { kind: 'doubt' as const, doubt: { id, ref, stat, carried, count: 1, since: at, message, holds } },
    { kind: 'resolve' as const, id },
  ]);
}

/** Says whether there is anything to resolve. */
export function isDoubtful({ record, doubts }: DoubtfulPath): boolean {
  // What a person has sent again can still be decided otherwise, until it is.
  return doubts.some(({ dismissed }) => dismissed !== true) || (record?.possibleDuplicates ?? 0) > 0;
}

/** Sends it again: the service does not have it, so there will be no copy. What stays on record is how it was shared. */
export function sendAgain({ ref, failure, doubts }: Omit<DoubtfulPath, 'record'>): readonly Change[] {
  const open = doubts.filter(isOpenDoubt);
  const freed = open.map((doubt): Change => ({ kind: 'doubt', doubt: { ...doubt, holds: false, count: 0 } }));
  return failure === undefined ? freed : [...freed, { kind: 'clear', ref }];
}

/**
 * Clears the doubt and sends nothing. A file that was never delivered is kept from being sent until it changes, or a person
 * retries it by name, and its doubts stay on record, to be counted as possible duplicates then. `file`: `gone` where there is
 * none, `unsent` where nothing is sent of it as it stands, or nobody looked.
 */
export function dismissDoubt(
  path: DoubtfulPath,
  file: Pick<FoundDocument, 'stat'> | 'gone' | 'unsent',
): readonly Change[] {
  const { ref, record, failure, doubts } = path;
  const forgotten = doubts.map(({ id }): Change => ({ kind: 'dismiss', id }));
  if (record !== undefined) {
    if (record.possibleDuplicates === 0) return forgotten;
    return [...forgotten, { kind: 'put', ref, record: { ...record, possibleDuplicates: 0 } }];
  }
  const cleared: readonly Change[] = failure === undefined ? [] : [{ kind: 'clear', ref }];
  if (file === 'gone') return [...forgotten, ...cleared];
  const dismissed = doubts.map((doubt): Change => ({
    kind: 'doubt',
    doubt: { ...doubt, ...(file === 'unsent' ? null : { stat: file.stat }), holds: false, dismissed: true },
  }));
  // Whatever keeps it back as it stands, it is the file that was sent until it changes.
  const stat = file === 'unsent' ? doubts.at(-1)?.stat : file.stat;
  if (stat === undefined) return [...dismissed, ...cleared];
  return [...dismissed, { kind: 'fail', ref, failure: dismissedFailure(stat, failure) }];
}

/** What keeps a file from being sent about whose upload a person dismissed the doubt, as it stood then. */
export function dismissedFailure(stat: FileStat, before: Failure | undefined): Failure {
  const message = 'the doubt about its upload was dismissed';
  const { attempts = 1, history = [] } = before ?? {};
  return { code: dismissedCode, message, attempts, history, stat, fingerprint: '' };
}

/** In `said` of a document whose docId a person gave, before what was said of its first upload in doubt. */
const adoptedMark = 'adopted:';

/** What the doubt said that led to such a document; undefined: it is none. */
export function adoptedWords({ said = [] }: Pick<LedgerRecord, 'said'>): string | undefined {
  return said.find((one) => one.startsWith(adoptedMark))?.slice(adoptedMark.length);
}

/** Whether the service has not accepted anything yet under a docId that a person gave. */
export function isUnconfirmed({ said, modifiedAt }: Pick<LedgerRecord, 'said' | 'modifiedAt'>): boolean {
  return modifiedAt === null && adoptedWords({ said }) !== undefined;
}

/**
 * Adopts a document that the service has. `sent` is the file, with its hash, where it is known to be still the one that
 * the upload sent; null: it is not, and its content goes out again as a modify. (An intent carries no hash: it is known
 * only after the last byte was sent.) Which of several uploads it was is not known, so its metadata is compared with
 * nothing, as that of an imported record, and one modify states it. What they carried it may hold.
 */
export function adoptDocument(
  { ref, doubts }: DoubtfulPath,
  docId: string,
  sent: { readonly stat: FileStat; readonly sha256: string } | null,
): readonly Change[] {
  const copies = doubts.reduce((total, { count }) => total + count, 0);
  const carried = doubts.map((doubt) => doubt.carried);
  const held = carried.length === 1 ? carried[0]?.held : undefined;
  const unsure = {
    content: sent === null,
    attachments: carried.some((one) => one?.attachments !== false),
    metadata: carried.flatMap((one) => (one === undefined ? [] : [one.metadata])),
  };
  const uploadedAt = Math.min(...doubts.map(({ since }) => since));
  const record: LedgerRecord = {
    docId,
    sha256: sent?.sha256 ?? '',
    stat: sent?.stat ?? unknownStat,
    fingerprint: '',
    fileName: nameOf(ref.path),
    attachments: [],
    metadata: {},
    uploadedAt: new Date(uploadedAt).toISOString(),
    modifiedAt: null,
    possibleDuplicates: Math.max(0, copies - 1),
    said: [`${adoptedMark}${doubts[0]?.message ?? ''}`],
    heldModes: held === undefined ? undefined : [held],
    unsure,
  };
  return [
    { kind: 'put', ref, record },
    ...doubts.map(({ id }): Change => ({ kind: 'dismiss', id })),
    { kind: 'clear', ref },
  ];
}
