import { printable } from '../../lib/text/printable.ts';
import { directoriesTo, directoryOf, isAlike, joinPath, nameOf, pathAfterMove, refKey } from '../document.ts';
import type { DocumentRef, FileStat, FoundAttachment, FoundDocument, HeldMode } from '../document.ts';
import { attachmentDirectoryEnd, sidecarPlaces } from '../names-and-types.ts';
import { mayHoldAttachments } from '../plan.ts';
import { isImported, tellsOf } from '../ports/ledger-port.ts';
import type { Change, FormerMode, LedgerEntry, LedgerPort, LedgerRecord } from '../ports/ledger-port.ts';
import type { Reason } from '../report/status.ts';
import { isModeUnknown, recordedSource } from '../report/sharing-change.ts';
import { modeOf, shareModes } from './metadata.ts';
import type { ShareMode } from './metadata.ts';

/** A record remembers so many files that it had, the latest ones: about 200 bytes each. */
const mostFormerFiles = 8;

/** `code` of a document that is held more narrowly than is stated for it. */
const keptPrivateCode = 'kept-private';

/** `code` of one whose file has another name that is held so. A record does not say it: the ledger does. */
const linkedFileCode = 'linked-file';

/** Where the mode of an imported document was stated, as far as is known: only an own sidecar may widen it. */
const importSource = 'the import';

const unknownMode = 'kept as it is: its sharing mode is not known, because ingestd did not upload it';

/** What a file counts as held with, beside what the record of its path says. */
export interface Holders {
  /** Records that have, had, or attached this very file. */
  readonly records: readonly LedgerEntry[];
  /** Modes of before it was sent: what an own sidecar stated, or those of a document that was deleted. */
  readonly unsent: readonly HeldMode[];
  /** What own sidecars state for other names of it that were not sent with it yet. */
  readonly links?: readonly HeldMode[];
}

/** Says whether one mode shows a document to more people than another. */
export function isWider(mode: ShareMode, than: ShareMode): boolean {
  return shareModes.indexOf(mode) > shareModes.indexOf(than);
}

/**
 * The mode that the service has, as far as answers tell: the narrowest that it may have. NONE where nobody knows, as of
 * an imported document.
 */
function narrowestMode(record: LedgerRecord): ShareMode {
  if (isNobodysGuess(record)) return 'NONE';
  const attempts = record.unsure?.metadata ?? [];
  const known = isModeUnknown(record) ? attempts : [record.metadata, ...attempts];
  const possible = new Set(known.map(modeOf));
  return shareModes.find((mode) => possible.has(mode)) ?? 'NONE';
}

/**
 * A document with the sharing mode that may go out, contract 7.27: the one that is stated for it, or a narrower one that
 * is held and that this statement may not widen. `attachments` null: nobody knows what it has now.
 */
export function keepHeldMode(
  document: FoundDocument,
  record: LedgerRecord | undefined,
  holders: Holders,
  attachments: FoundDocument['attachments'] | null = document.attachments,
): FoundDocument {
  const { ref, metadata, sources } = document;
  const stated = { mode: modeOf(metadata), source: sources?.['shareInfo'] };
  const own = record === undefined ? null : modeOfRecord({ ref, record });
  const isAllowed = record !== undefined && isWideningAllowed(record, stated.mode);
  const keeps = (one: HeldMode) => !isWider(one.mode, stated.mode) && !mayWiden(one, document, stated.source);
  const modes = isAllowed ? [] : [...otherModes(document, record, holders), ...(own === null ? [] : [own])];
  const isTold = record !== undefined && tellsOf(record, document.stat);
  const links = isTold ? statedLinksOf(document, holders) : linksOf(document, holders);
  const linked = strictest([...links.map(modeOfRecord), ...(holders.links ?? [])].filter(keeps));
  const kept = strictest([...(linked === null ? [] : [linked]), ...modes.filter(keeps)]);
  const because = kept === linked && record !== undefined ? 'link' : undefined;
  const found =
    kept === null
      ? isAllowed
        ? { ...document, metadata: { ...metadata, shareInfo: { mode: stated.mode } } }
        : document
      : withKept(document, { held: kept, stated, because }, record);
  const wouldShowAttachments =
    record !== undefined &&
    own !== null &&
    attachments !== null &&
    !areListed(attachments, document) &&
    mayHoldAttachments(record) &&
    isWider(stated.mode, own.mode) &&
    !isWider(own.mode, modeOf(found.metadata));
  if (!wouldShowAttachments) return found;
  const held = kept?.mode === own.mode ? kept : own;
  return withKept(document, { held, stated, because: 'attachments' }, record);
}

/** Whether something lists the attachments that the service has: without a sidecar those elsewhere stand in the record alone. */
function areListed(attachments: FoundDocument['attachments'], { ref, sidecar }: FoundDocument): boolean {
  const own = `${ref.path}${attachmentDirectoryEnd}`;
  const isListed = ({ path }: FoundAttachment) => typeof sidecar === 'string' || directoryOf(path) === own;
  return attachments.length > 0 && attachments.every(isListed);
}

/** Of some modes the one that it takes most to widen; null: no statement is too wide for any of them. */
function strictest(modes: readonly HeldMode[]): HeldMode | null {
  const [first, ...others] = modes.filter(canNarrow);
  return first === undefined ? null : others.reduce(stricter, first);
}

/** Of two modes the one that it takes more to widen. */
function stricter(one: HeldMode, other: HeldMode): HeldMode {
  if (one.mode !== other.mode) return isWider(one.mode, other.mode) ? other : one;
  return isByOwnSidecar(other) && !isByOwnSidecar(one) ? other : one;
}

function withKept(
  document: FoundDocument,
  kept: NonNullable<FoundDocument['kept']>,
  record: LedgerRecord | undefined,
): FoundDocument {
  const { held, stated } = kept;
  if (!isWider(stated.mode, held.mode)) return { ...document, kept };
  const { shareInfo: _, ...rest } = document.metadata;
  // What nobody knows stays as it is.
  const isUnknown =
    record !== undefined &&
    refKey(held) === refKey(document.ref) &&
    isNobodysGuess(record) &&
    (record.unsure?.metadata ?? []).every(({ shareInfo }) => shareInfo === undefined);
  return {
    ...document,
    kept: isUnknown ? { ...kept, because: 'unknown' } : kept,
    metadata: isUnknown ? rest : { ...rest, shareInfo: { mode: held.mode } },
    sources: { ...document.sources, shareInfo: recordedSource },
  };
}

/** Uploads that led to an adopted document say its mode. Of an imported one attempts say at most what else it may be. */
function isNobodysGuess(record: LedgerRecord): boolean {
  return isModeUnknown(record) && (isImported(record) || (record.unsure?.metadata ?? []).length === 0);
}

/** Why a document is not shared as it is stated for it now, contract 7.27; null: it is. */
export function keptReason({ kept, ref }: FoundDocument): (Reason & { readonly sharing: ShareMode }) | null {
  if (kept === undefined || !isWider(kept.stated.mode, kept.held.mode)) return null;
  const { held, stated, because } = kept;
  const sharing = stated.mode;
  if (because === 'unknown') return { sharing, code: keptPrivateCode, message: unknownMode };
  const how = held.mode === 'NONE' ? 'kept private' : `kept at sharing mode ${held.mode}`;
  if (because === 'attachments') {
    const why =
      'more people would see attachments that it no longer lists, and that the service cannot remove';
    return { sharing, code: 'attachments-would-show', message: `${how}: ${why}` };
  }
  if (because === 'link') {
    const message = `${how}: ${printable(held.path)} is another name of the same file, and is shared so`;
    return { sharing, code: linkedFileCode, message };
  }
  const why = held.isAttachment ? `it was an attachment of ${printable(held.path)}` : saidWords(held, ref);
  const now = stated.source === undefined ? '; nothing states a mode for it now' : '';
  return { sharing, code: keptPrivateCode, message: `${how}: ${why}${now}` };
}

/** What said a mode that says it no more, or is not above the document any more. */
function saidWords({ by, mode, folder, under }: HeldMode, ref: DocumentRef): string {
  const stated = { folder: (under ?? { folder }).folder, path: by ?? '' };
  const isHere = stated.folder === ref.folder;
  if (stated.path === '')
    return `the settings of ${isHere ? 'its folder' : printable(stated.folder)} said ${mode}`;
  if (by === importSource) return `${by} said ${mode}`;
  if (!isDefaults(stated.path)) return `its former sidecar said ${mode}`;
  return `${printable(isHere ? stated.path : refKey(stated))} said ${mode} for it, and no longer does`;
}

/**
 * A record as the service has just come to hold it, or as it was found to be, with where its sharing mode was stated, and
 * whether a wider one is stated now. `before`: what the ledger said until then. `sent`: whether a sharing mode went out;
 * null: there was no request.
 */
export function withHeldMode(
  record: LedgerRecord,
  document: FoundDocument,
  { before, sent }: { readonly before: LedgerRecord | undefined; readonly sent: boolean | null },
): LedgerRecord {
  const { kept, ref } = document;
  const stated = statedMode(document);
  const known = before === undefined ? stated : modeOfRecord({ ref, record: before });
  // Where nothing went out, it stays held as it was.
  const found = kept === undefined ? restated(known, stated) : stricter(known, kept.held);
  const held = sent === null ? found : (kept?.held ?? (sent ? stated : found));
  const said = (record.said ?? []).filter((code) => !isSharingMark(code));
  const reason = keptReason(document);
  const marked = reason === null ? said : [...said, narrowerMarkOf(reason)];
  return withOwnMode(
    { ...record, heldModes: formerFiles(before), said: marked.length === 0 ? undefined : marked },
    ref,
    sent === null ? held : acceptedAt(held, ref),
  );
}

/** The record of a document to which a modify is under way that may be taken: the narrower mode counts, as it is stated. */
export function withUnsureMode(
  record: LedgerRecord,
  document: FoundDocument,
  before: LedgerRecord,
): LedgerRecord {
  const { ref } = document;
  const known = modeOfRecord({ ref, record: before });
  const asked = document.kept?.held ?? statedMode(document);
  const own = { ...record, heldModes: formerFiles(before) };
  return withOwnMode(own, ref, isWider(known.mode, asked.mode) ? asked : restated(known, asked));
}

/**
 * A held mode, with the place of a statement that might have widened it and states the same: from then on it is stated
 * there, though that takes no request.
 */
function restated(held: HeldMode, stated: HeldMode): HeldMode {
  if (stated.mode !== held.mode) return held;
  const { under: _, ...known } = held;
  return {
    ...known,
    by: stated.by,
    ...(held.folder === stated.folder ? null : { under: { folder: stated.folder } }),
  };
}

/** The mode that is stated for a document. */
export function statedMode({ ref, sidecar, metadata, sources }: FoundDocument): HeldMode {
  const source = sources?.['shareInfo'] ?? null;
  const by = source === null || source === sidecar || isDefaults(source) ? source : '';
  return { ...ref, mode: modeOf(metadata), by };
}

/**
 * A mode whose document has just been accepted, whatever of it was sent, from a path; that of a former attachment names the
 * document that had it.
 */
function acceptedAt(mode: HeldMode, ref: DocumentRef): HeldMode {
  if (mode.isAttachment === true) return mode;
  const { under: known, above: _, ...held } = mode;
  const { folder } = known ?? held;
  const isElsewhere = folder !== ref.folder && held.by !== null && !isByOwnSidecar(held);
  return { ...held, ...ref, ...(isElsewhere ? { under: { folder } } : null) };
}

/** A directory that was moved, as a whole. */
export interface DirectoryMove {
  readonly from: DocumentRef;
  readonly to: DocumentRef;
}

/** A record that goes to another path: its mode was stated for it where it stood. `moved`: what it went with. */
export function movedRecord(
  record: LedgerRecord,
  from: DocumentRef,
  to: DocumentRef,
  moved?: DirectoryMove,
): LedgerRecord {
  const held = modeOfRecord({ ref: from, record });
  const isAnywhere = isByOwnSidecar(held) || !canNarrow(held);
  const known = moved === undefined || isAnywhere ? held : heldAfterMove(held, moved);
  return withOwnMode({ ...record, heldModes: formerFiles(record) }, to, known);
}

/** What was stated in a directory that was moved is stated there, and what was above the document still is. */
function heldAfterMove(held: HeldMode, { from, to }: DirectoryMove): HeldMode {
  const after = (place: string) => pathAfterMove(place, refKey(from), refKey(to));
  const above = aboveOf(held).map((place) => (place === refKey(from) ? refKey(to) : (after(place) ?? place)));
  const { folder } = held.under ?? held;
  const isMoved = folder === from.folder && held.by !== null;
  const by = isMoved ? pathAfterMove(held.by, from.path, to.path) : null;
  const known = by === null ? held : { ...held, by, under: { folder: to.folder } };
  const path = from.folder === to.folder ? pathAfterMove(held.path, from.path, to.path) : null;
  const isInPlace = path !== null && JSON.stringify(aboveOf({ ...to, path })) === JSON.stringify(above);
  // It was renamed in its place.
  if (isInPlace) return { ...held, by: by ?? held.by, path, above: undefined };
  // What is stated below the place of the statement is deeper, wherever that is by now.
  const isBelow = isMoved && by === null && pathAfterMove(from.path, directoryOf(held.by), '') !== null;
  const stayed = (place: string) => place !== refKey(from) && after(place) === null;
  return { ...known, above: isBelow ? aboveOf(held).filter(stayed) : above };
}

/** The directories that were above a document when it was last accepted, `folder/path`. */
function aboveOf({ folder, path, above }: Pick<HeldMode, 'folder' | 'path' | 'above'>): readonly string[] {
  return above ?? ['', ...directoriesTo(path)].map((directory) => refKey({ folder, path: directory }));
}

/** Says of a record without one which mode is its own, unless what else it says shows that. */
function withOwnMode(record: LedgerRecord, ref: DocumentRef, held: HeldMode): LedgerRecord {
  const shown = modeOfRecord({ ref, record });
  if (shown.mode === 'EVERYONE' || isStatedAlike(shown, held)) return record;
  const { file: _, ...own } = held;
  return { ...record, heldModes: [{ ...own, mode: shown.mode }, ...(record.heldModes ?? [])] };
}

/** Whether the same statements may widen both. */
function isStatedAlike(one: HeldMode, other: HeldMode): boolean {
  if (
    other.isAttachment === true ||
    other.under !== undefined ||
    other.above !== undefined ||
    isByOwnSidecar(one) !== isByOwnSidecar(other)
  )
    return false;
  if (isByOwnSidecar(one)) return true;
  if (one.by !== other.by || one.by === null) return one.by === other.by;
  return one.by === '' ? one.folder === other.folder : refKey(one) === refKey(other);
}

function formerFiles(record: LedgerRecord | undefined): LedgerRecord['heldModes'] {
  const former = (record?.heldModes ?? []).filter(({ file }) => file !== undefined);
  return former.length === 0 ? undefined : former;
}

/**
 * A record that gets another file, or other attachments, remembers those that it had, and how they were shared: they
 * may stand elsewhere as new documents. Those that have records of their own are left out.
 */
export function rememberFiles(
  change: Change,
  ledger: Pick<LedgerPort, 'get' | 'findByDocId' | 'findByFile'>,
): Change {
  if (change.kind !== 'put') return change;
  const { ref, record } = change;
  const isHere = ledger.get(ref)?.docId === record.docId;
  const from = isHere ? ref : (ledger.findByDocId(record.docId) ?? ref);
  const before = ledger.get(from);
  if (before === undefined) return change;
  // What stands in its place, and was not sent, counts as what it was before that.
  const isStill = record.standing && before.standing && isAlike(record.standing, before.standing);
  const entry = { ref: from, record: isStill ? { ...before, standing: undefined } : before };
  const present = [record.stat, ...record.attachments.map(({ stat }) => stat)];
  const isGone = ({ file }: FormerMode) => !present.some((stat) => isAlike(file, stat));
  // A document that came to the place of an attachment was not sent from there: of that its record does not tell.
  const isAttached = ({ folder, path }: DocumentRef) =>
    before.attachments.some((one) => one.path === path && (one.folder ?? from.folder) === folder);
  const tells = (other: LedgerEntry, file: FileStat) =>
    other.record.docId !== record.docId && !isAttached(other.ref) && tellsOf(other.record, file);
  const isUnrecorded = ({ file }: FormerMode) =>
    file.ino === 0 || !ledger.findByFile(file).some((other) => tells(other, file));
  const former = filesOf(entry).filter((one) => isGone(one) && isUnrecorded(one));
  const own = (record.heldModes ?? []).filter(({ file }) => file === undefined);
  const heldModes = [...own, ...former.slice(-mostFormerFiles)];
  if (heldModes.length === 0 && record.heldModes === undefined) return change;
  return { ...change, record: { ...record, heldModes: heldModes.length === 0 ? undefined : heldModes } };
}

/** The mode that the service holds of a record, where that was stated, and for which path. */
export function modeOfRecord({ ref, record }: LedgerEntry): HeldMode {
  const mode = narrowestMode(record);
  const own = record.heldModes?.find(({ file }) => file === undefined);
  return own === undefined ? { ...ref, mode, by: shownSource(ref.path, record) } : { ...own, mode };
}

/** Where the mode of a record was stated that does not say so itself: it has the place that it can show. */
function shownSource(path: string, record: LedgerRecord): string | null {
  const { companions, metadata, unsure } = record;
  const { byName, byStem } = sidecarPlaces(path);
  if (isNobodysGuess(record)) return byName;
  const told = isModeUnknown(record) ? (unsure?.metadata ?? []) : [metadata];
  if (told.every(({ shareInfo }) => shareInfo === undefined)) return null;
  if (companions === undefined && isImported(record)) return importSource;
  if (companions === undefined) return isModeUnknown(record) ? byName : '';
  if (companions.sidecar !== null) return companions.sidecar === 'stem' ? byStem : byName;
  const defaults = companions.defaults.at(-1);
  return defaults === undefined ? '' : joinPath(defaults, defaultsName);
}

/** The mode that a file counts as held with which stands, or stood, at a path; null: no statement is too wide for it. */
export function heldByFile(
  found: Pick<FoundDocument, 'ref' | 'stat'>,
  record: LedgerRecord | undefined,
  holders: Holders,
): HeldMode | null {
  return strictest([...linksOf(found, holders).map(modeOfRecord), ...otherModes(found, record, holders)]);
}

/** Records of other paths with this very file: hard links, or where it stood until now. */
function linksOf(
  { ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
  { records }: Pick<Holders, 'records'>,
): readonly LedgerEntry[] {
  return records.filter((entry) => refKey(entry.ref) !== refKey(ref) && isAlike(entry.record.stat, stat));
}

/** Those of them that are held as it is stated for them: the others speak of the past, of which the own record tells. */
function statedLinksOf(
  found: Pick<FoundDocument, 'ref' | 'stat'>,
  holders: Pick<Holders, 'records'>,
): readonly LedgerEntry[] {
  return linksOf(found, holders).filter(({ record: { said = [] } }) => !said.some(isSharingMark));
}

/** Whether another name of a record's file is held too narrowly for a mode: a person cannot share this one alone. */
function isBoundByLink(
  { ref, record: { stat } }: LedgerEntry,
  sharing: ShareMode,
  { findHolders }: Pick<LedgerPort, 'findHolders'>,
): boolean {
  const links = statedLinksOf({ ref, stat }, { records: findHolders(stat) });
  return links.some((link) => isWider(sharing, modeOfRecord(link).mode));
}

/** What a document's file counts as held with by what records had, or before it was sent. */
function otherModes(
  found: Pick<FoundDocument, 'ref' | 'stat'>,
  record: LedgerRecord | undefined,
  holders: Holders,
): readonly HeldMode[] {
  // What became of the file since it is this document, its record says. Of an imported or adopted one it does not.
  if (record !== undefined && tellsOf(record, found.stat) && !isModeUnknown(record)) return [];
  const former = holders.records.flatMap(otherFiles).filter(({ file }) => isAlike(file, found.stat));
  return [...former, ...holders.unsent];
}

/** Every file of a document with what it counts as held with once it is not that of the document any more. */
export function filesOf(entry: LedgerEntry): readonly FormerMode[] {
  return [...otherFiles(entry), { ...modeOfRecord(entry), file: entry.record.stat }].filter(canNarrow);
}

/** Files that a record had, and those that it attached: these were shown to whoever had the document, and no one else. */
function otherFiles({ ref, record }: LedgerEntry): readonly FormerMode[] {
  const former = (record.heldModes ?? []).flatMap(({ file, ...held }) =>
    file === undefined ? [] : [{ ...held, file }],
  );
  const attached = record.attachments.map(({ stat: file }): FormerMode => {
    const by = sidecarPlaces(ref.path).byName;
    return { ...ref, mode: 'NONE', by, isAttachment: true, file };
  });
  const standing =
    record.standing === undefined ? [] : [{ ...modeOfRecord({ ref, record }), file: record.standing }];
  return [...former, ...attached, ...standing];
}

/** Whether any statement could be wider, and not allowed to be. */
function canNarrow({ mode, by }: HeldMode): boolean {
  return mode === 'NONE' || (mode === 'DEFAULT' && by !== null);
}

/**
 * Whether what is stated for a document now, at `source`, may be wider than what is held: its own sidecar states it, or,
 * where none stated what is held, the same place or a deeper one, or one that was not above the document.
 */
function mayWiden(held: HeldMode, { ref, sidecar }: FoundDocument, source: string | undefined): boolean {
  if (source === undefined) return false;
  if (source === sidecar) return true;
  if (isByOwnSidecar(held)) return false;
  if (held.by === null) return true;
  const directory = isDefaults(source) ? directoryOf(source) : null;
  const wasAbove = aboveOf(held).includes(refKey({ folder: ref.folder, path: directory ?? '' }));
  const isDeeper =
    held.by === '' || (directory !== null && pathAfterMove(source, directoryOf(held.by), '') !== null);
  return (isDeeper && (held.under ?? held).folder === ref.folder) || !wasAbove;
}

/** Whether a document's own sidecar stated a mode. */
function isByOwnSidecar({ by }: HeldMode): boolean {
  return by !== null && by !== '' && !isDefaults(by);
}

const defaultsName = '.meta.json';

function isDefaults(source: string): boolean {
  return nameOf(source) === defaultsName;
}

/** In `said` of a record: a wider mode is stated for it now, this one. */
const narrowerMark = 'narrower ';
/** In `said` of a record: a person allows this mode, whatever states it. */
const allowedMark = 'allowed ';

function isSharingMark(code: string): boolean {
  return code.startsWith(narrowerMark) || code.startsWith(allowedMark);
}

function narrowerMarkOf({ sharing, code }: NonNullable<ReturnType<typeof keptReason>>): string {
  return `${narrowerMark}${sharing} ${code === linkedFileCode ? keptPrivateCode : code}`;
}

/** The mode that is stated for a document that is held more narrowly, and why; null: it is held as it is stated. */
export function widerMode({ said }: Pick<LedgerRecord, 'said'>): {
  readonly sharing: ShareMode;
  readonly code: string;
} | null {
  const mark = said?.find((code) => code.startsWith(narrowerMark))?.slice(narrowerMark.length) ?? '';
  const sharing = shareModes.find((mode) => mark.startsWith(`${mode} `));
  return sharing === undefined ? null : { sharing, code: mark.slice(sharing.length + 1) };
}

/** The same of a record of the ledger, which knows the other names of its file too. */
export function widerNow(
  entry: LedgerEntry,
  ledger: Pick<LedgerPort, 'findHolders'>,
): ReturnType<typeof widerMode> {
  const wider = widerMode(entry.record);
  return wider !== null && isBoundByLink(entry, wider.sharing, ledger)
    ? { ...wider, code: linkedFileCode }
    : wider;
}

/** Whether the record says of a document what is now true of its sharing. */
export function saysHowHeld({ said = [] }: LedgerRecord, document: FoundDocument): boolean {
  const reason = keptReason(document);
  const mark = said.find((code) => code.startsWith(narrowerMark));
  return mark === (reason === null ? undefined : narrowerMarkOf(reason));
}

/** The record of a document that a person wants to be shared with this mode, which is stated for it. */
export function allowWidening(record: LedgerRecord, mode: ShareMode): LedgerRecord {
  const said = (record.said ?? []).filter((code) => !isSharingMark(code));
  // It is found by the next scan.
  return { ...record, fingerprint: '', said: [...said, allowedMark + mode] };
}

function isWideningAllowed({ said }: LedgerRecord, mode: ShareMode): boolean {
  return shareModes.some((allowed) => !isWider(mode, allowed) && said?.includes(allowedMark + allowed));
}
