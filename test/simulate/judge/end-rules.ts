import type { Status } from '../../../src/model/report/status.ts';
import { isListed } from './content-rules.ts';
import type { HeldDocument } from './held-documents.ts';
import type { Judge } from './judge.ts';
import type { Add } from './moment.ts';
import type { Kind } from './promises.ts';
import { nameOf, Reading } from './reading.ts';
import type { Role, RoledFile } from './reading.ts';
import { isWider, mayWiden } from './statement.ts';
import { stillSent } from './taints.ts';
import { isSentWithShut, nameIn, toldRules } from './told-rules.ts';
import type { End, EndRule } from './told-rules.ts';
import { isWhole } from './time-rules.ts';

type DocumentRole = Extract<Role, { readonly kind: 'document' }>;

export interface Ref {
  readonly folder: string;
  readonly path: string;
}

/** What ingestd itself says at the end, in the shapes of sections 5 and 6 of the contract. */
export interface Claims {
  readonly status: Pick<
    Status,
    'folders' | 'queue' | 'failures' | 'skipped' | 'kept' | 'held' | 'inDoubt' | 'health' | 'reasons'
  >;
  /** What the ledger exports. */
  readonly documents: readonly (Ref & { readonly docId: string })[];
  /** Documents that the service may hold beside those: possible duplicates, and uploads in doubt. */
  readonly duplicates: number;
  /** What waits, with the reason and until when; null: for no moment. */
  readonly waits: readonly {
    readonly path: string;
    readonly code: string;
    readonly reason: string;
    readonly until: number | null;
  }[];
}

/** What is not whole goes out when it has not changed for ten minutes (7.36), and has been looked at since. */
const longestPartMs = 11 * 60_000;
/** So long nothing keeps a document waiting that could go out. */
const longMs = 25 * 60_000;

/** After quiet the service is what the folders say, and all else is told. */
export function judgeEnd(judge: Judge, claims: Claims): void {
  const places = new Map(claims.documents.map((one) => [one.docId, nameIn(one)]));
  for (const rule of endRules) rule({ judge, claims, reading: judge.reading(), places });
}

/** Nothing waits without a reason and a moment, or a named event, until which it waits. */
const nothingWaitsForNothing: EndRule = ({ judge, claims: { waits } }) => {
  for (const { path, reason, until } of waits)
    if (reason === '') judge.report('waits-for-nothing', `${path} waits until ${until} without a reason`);
};

/** Each file that may go out is at the service as it is; each that may not is in a list (7.18). */
const everyFileIsThere: EndRule = (end) => {
  for (const file of end.reading.files.values()) judgeFile(end, file);
};

/** Each record has its file, or its deletion is held (7.25). */
const everyDocumentHasItsFile: EndRule = ({ judge, claims, reading, places }) => {
  const left = new Map<string, HeldDocument[]>();
  const isOneOf = (one: HeldDocument, { path }: RoledFile) =>
    one.may.some((at) => at.path === path) ||
    judge.held.mayFilesOf(one, reading).some((file) => file.path === path);
  for (const [docId, place] of places) {
    const file = reading.files.get(place);
    const one = judge.held.all.get(docId);
    // Where numbers do not tell, what cannot be seen may be it (7.19).
    const mayBeHidden =
      judge.isIdentityUnsure && [...reading.files.values()].some(({ isHidden }) => isHidden);
    if (one === undefined || one.isDeleted || mayBeHidden || judge.isKept(docId)) continue;
    // A link is listed and not sent (7.5): what has it in its place is kept.
    if (reading.links.has(place)) continue;
    // Of what lies below an ignore file that is not valid nothing is sent, no deletion either (7.35); nor of what lay in a
    // directory that cannot be read, as where its ignore file cannot (4).
    const isShut = [place, ...one.may.map(({ path }) => path)].some(
      (path) => reading.shutDirectory(path) !== null || reading.isBelowUntold(path),
    );
    if (file?.role.kind === 'unowned' || isShut) continue;
    const folder = place.split('/')[0] ?? '';
    // It shows the files of another folder: nothing of it is sent, no deletion either, and its state says so. Nor is
    // anything of one that was taken out of the configuration (4).
    if (!claims.status.folders.some(({ name, state }) => name === folder && state !== 'unavailable'))
      continue;
    // What is listed and not sent keeps its document; another document's own file does not count.
    // Where numbers do not tell, what its content says counts too (7.19).
    const standings = judge.isIdentityUnsure
      ? [judge.held.filesOf(one, reading)]
      : judge.held.standingsOf(one, reading);
    const isKept = standings.some((files) => files.some(isListed));
    if (isKept && (file === undefined || !isListed(file))) continue;
    if (file === undefined || !isListed(file)) left.set(folder, [...(left.get(folder) ?? []), one]);
    else if (!isOneOf(one, file))
      judge.report(
        wrongFileKind(one, file),
        `${docId} is known at ${place}, and is of ${one.may.map(({ path }) => path).join()}`,
      );
  }
  for (const [folder, documents] of left) {
    const held = claims.status.held.find((one) => one.folder === folder)?.count ?? 0;
    if (documents.length <= held) continue;
    const words = documents.map(({ docId }) => `${docId} (${places.get(docId)})`).join(', ');
    judge.report(
      leftOverKind(judge, documents, reading, places),
      `${words}: gone, and still at the service; held are ${held}`,
    );
  }
};

function wrongFileKind({ text, holding }: HeldDocument, file: RoledFile): Kind {
  if (text === file.text) return 'wrong-file/copy';
  // Its name is right.
  return holding.path === file.path ? 'wrong-file/by-identity' : 'wrong-file';
}

function leftOverKind(
  judge: Judge,
  documents: readonly HeldDocument[],
  reading: Reading,
  known: End['places'],
): Kind {
  const isKept = (one: HeldDocument) =>
    judge.held.wasKept(one) ||
    [known.get(one.docId) ?? '', one.holding.path, ...one.may.map(({ path }) => path)].some((path) =>
      reading.isIgnored(path),
    );
  if (documents.some(isKept)) return 'left-over/was-kept';
  return documents.every(({ holding }) => reading.isListedBySidecar(holding.path))
    ? 'left-over/listed'
    : 'left-over';
}

/** Nothing doubled unreported. */
const nothingUnknown: EndRule = ({ judge, claims: { duplicates }, places }) => {
  const unknown = judge.held.alive().filter(({ docId }) => !places.has(docId) && !judge.isForgotten(docId));
  if (unknown.length > duplicates)
    judge.report(
      'unreported',
      `the service holds ${unknown.map(({ docId, holding }) => `${docId} (${holding.path})`).join(', ')}; told are ${duplicates}`,
    );
};

const endRules: readonly EndRule[] = [
  nothingWaitsForNothing,
  everyFileIsThere,
  everyDocumentHasItsFile,
  nothingUnknown,
  ...toldRules,
];

/** While the service does not take some documents, all others are tried (7.38): those that have stood for long. */
export function judgeTried(
  judge: Judge,
  { status, waits }: Pick<Claims, 'status' | 'waits'>,
  now: number,
): void {
  const reading = judge.reading();
  const listed = [...status.failures, ...status.skipped, ...status.inDoubt].map(nameIn);
  if (status.reasons.some(({ code }) => code === 'uploads-stopped')) return;
  for (const file of reading.files.values()) {
    const { path, role, text } = file;
    const isReady = role.kind === 'document' && role.obstacle === null && isWhole(path, text);
    if (!isReady || judge.isAttached(file) || listed.includes(path) || reading.hasTwin(path)) continue;
    if (judge.held.documentsOf([file], reading).length > 0 || judge.wasTried(file, now - longMs)) continue;
    const isLikeAttached = waits.some((one) => one.path === path && one.code === 'attached-before');
    if (isLikeAttached && judge.isLikeUnsent(file)) continue;
    judge.report(
      isLikeAttached ? 'kept-back/attached-before' : 'kept-back',
      `${path} was not tried while the service did not take others`,
    );
  }
}

/** Where `sync` says that all is done, what stood before it began is at the service as it is (7.18). */
export function judgeSynced(judge: Judge, began: number): void {
  const reading = judge.reading();
  for (const file of reading.files.values()) {
    const { path, role, text } = file;
    const isReady = role.kind === 'document' && role.obstacle === null && isWhole(path, text);
    if (
      !isReady ||
      judge.isAttached(file) ||
      judge.isDismissed(file) ||
      reading.hasTwin(path) ||
      !judge.hasStood(file, began)
    )
      continue;
    // A copy, too, of which nothing else is left (7.1).
    const isOf = (one: HeldDocument) =>
      judge.held.mayFilesOf(one, reading).some((other) => other.path === path);
    if (!judge.held.alive().some((one) => one.text === text && isOf(one)))
      judge.report('unfinished', `sync says that all is done, and ${path} is not at the service as it is`);
  }
}

function judgeFile(end: End, file: RoledFile): void {
  const { judge, claims, places, reading } = end;
  const { path, role, text } = file;
  const { status, waits } = claims;
  const tell: Add = (kind, words) => judge.report(kind, words);
  const docId = [...places].find(([, place]) => place === path)?.[0] ?? '';
  const one = judge.held.all.get(docId);
  const isHeld = one?.isDeleted === false;
  const failure = status.failures.find((other) => nameIn(other) === path);
  const wait = waits.find((other) => other.path === path);
  const isListed = [...status.skipped, ...status.inDoubt].some((other) => nameIn(other) === path);
  const why = whyNot(file);
  // A restart forgets the list of an owner that was not sent.
  const isOpen = role.kind === 'document' && (role.obstacle?.isOpen === true || listsAnOwner(end, role));
  if (isHeld && !reading.twins.has(path)) judgeWidth(judge, file, one);
  if (isOpen || judge.isAttached(file) || judge.isDismissed(file)) return judge.blames(path);
  if (why !== null) {
    // Of a directory that cannot be read a reason tells, for all that is below.
    const isBelow = status.reasons.some(
      ({ code, folder, path: place = '' }) =>
        /^(unreadable-directory|ignore-file|path-too-long)/.test(code) &&
        `${path}/`.startsWith(place === '' ? `${folder}/` : `${folder}/${place}/`),
    );
    const isTold = failure !== undefined || wait !== undefined || isListed || isBelow;
    // What is at the service as it is needs no reason.
    if (!isTold && !(isHeld && one.text === text))
      tell(
        `untold/${role.kind === 'document' ? role.obstacle?.kind : role.kind}`,
        `${path} is not sent (${why}), and nobody is told`,
      );
    return;
  }
  if (role.kind !== 'document' || role.obstacle?.kind === 'hidden') return;
  const isDoubt = failure?.code === 'in-doubt' || (!isHeld && isListed);
  if (isDoubt && judge.isInDoubt(file)) return;
  // Of two names that are one either may stand, and the other is failed (contract 7.3): a sidecar with its document.
  const names = [path, reading.sidecarOf(path)?.path ?? path];
  if (names.some((name) => reading.hasTwin(name)) && (isHeld || failure !== undefined)) return;
  if (failure !== undefined)
    return tell(`refused-at-end/${failure.code}`, `${path} is failed: ${failure.code}`);
  if (wait?.code === 'incomplete' && !isWhole(path, text) && judge.standsFor(file) < longestPartMs)
    return judge.blames(path);
  if (wait?.code === 'ignore-file-invalid' && isHeld && isSentWithShut(end, one)) return judge.blames(path);
  if (wait?.code === 'attached-before' && judge.isLikeUnsent(file)) return judge.blames(path);
  if (wait !== undefined) return tell(`waits-at-end/${wait.code}`, `${path} waits: ${wait.reason}`);
  if (!isHeld) return tell('missing', `${path} is not at the service, and nobody is told why`);
  if (one.text !== text) tell('old-at-end', `${path}: the service holds ${one.text}`);
  judgeSharing(judge, file, one, reading);
}

/** Whether what a document lists was sent with attachments itself: the contract leaves open what that is. */
function listsAnOwner({ judge, reading }: End, { attachments }: DocumentRole): boolean {
  const listed = attachments.map((path) => reading.files.get(path)).filter((file) => file !== undefined);
  return judge.held.documentsOf(listed, reading).some((one) => one.attachments.length > 0);
}

/** Why a file may not go out, where somebody has to be told; null: it may, or it is ignored or goes out with another. */
function whyNot({ path, role, isHidden }: RoledFile): string | null {
  // Of what cannot be looked at its directory is told.
  if (isHidden || (role.kind === 'document' && role.obstacle?.kind === 'hidden')) return null;
  // What is of no type that the service takes is counted only.
  if (role.kind === 'empty' || (role.kind === 'unfit' && Reading.maySay(path))) return `it is ${role.kind}`;
  return role.kind === 'document' ? (role.obstacle?.words ?? null) : null;
}

/** It is not held more widely than is stated, whether its content can go out or not. */
function judgeWidth(judge: Judge, { path, role }: RoledFile, { holding }: HeldDocument): void {
  if (!('isStated' in role) || !role.isStated || role.statement === null) return;
  const { mode, by, place } = role.statement;
  if (isWider(holding.mode, mode))
    judge.report(
      role.kind === 'document' && role.obstacle === null ? 'wider-at-end' : 'wider-at-end/without-content',
      `${path} is held as ${holding.mode}, stated is ${mode} by ${by} ${place}`,
    );
}

/** It is held as widely as is stated, or as it may be, and with what is listed. */
function judgeSharing(judge: Judge, file: RoledFile, one: HeldDocument, reading: Reading): void {
  const { path, role } = file;
  if (role.kind !== 'document') return;
  const { mode, by, place } = role.statement;
  const { holding, attachments } = one;
  const words = `${path} is held as ${holding.mode}, stated is ${mode} by ${by} ${place}`;
  const listed = role.attachments.map(nameOf);
  // No mode widens over attachments that cannot be taken back, and may have been sent by a process that died.
  const isUntaken = listed.length === 0 && (attachments.length > 0 || judge.maySend(one));
  // With another file its mode may have come with that; hard links have the narrowest of theirs.
  if (
    reading.pathsOf(file.identity).length === 1 &&
    one.accepted === file.identity &&
    one.before === null &&
    isWider(mode, holding.mode) &&
    [holding, ...one.perhaps].every((held) => held.mode !== holding.mode || mayWiden(held, role.statement)) &&
    !isUntaken
  )
    judge.report(
      narrowerKind(judge, one, file),
      `${words}; held by ${holding.statement.by} ${holding.statement.place}`,
    );
  const wanted = role.attachments.map((attachment) => reading.files.get(attachment)?.text ?? '').toSorted();
  const still = stillSent(reading, file, {
    docId: one.docId,
    taintOf: (identity) => judge.taintNow(identity),
  });
  const isMore = (text: string) => still.has(text) && !wanted.includes(text);
  const texts = attachments.map(({ text }) => text);
  const sent = texts.filter((text) => !isMore(text)).toSorted();
  // The last attachment cannot be taken back (contract 7.8).
  if (wanted.length > 0 && wanted.join('\n') !== sent.join('\n'))
    judge.report('attachments-at-end', `${path} is held with [${sent.join()}], and has [${wanted.join()}]`);
}

function narrowerKind(judge: Judge, one: HeldDocument, file: RoledFile): Kind {
  // Without birth times it may be the one that had its number before (contract 7.19): the narrower mode counts.
  if (judge.isNumberUsedAgain(file)) return 'narrower-at-end/by-identity';
  // Taken for a document's own file, a copy counts as held as that was.
  const isCopy = judge.held.alive().some((other) => other !== one && other.text === one.text);
  return isCopy ? 'narrower-at-end/copy' : 'narrower-at-end';
}
