import { printable } from '../../lib/text/printable.ts';
import { directoryOf, isSameFile, nameOf, pathAfterMove, refKey } from '../document.ts';
import type { FileStat, FoundDocument, HeldMode } from '../document.ts';
import { sidecarPlaces } from '../names-and-types.ts';
import type { Change, LedgerEntry, LedgerPort, LedgerRecord } from '../ports/ledger-port.ts';
import type { Reason } from '../report/status.ts';
import { isModeUnknown } from '../report/sharing-change.ts';
import { modeOf, shareModes } from './metadata.ts';
import type { ShareMode } from './metadata.ts';

/** A record remembers so many files that it had, the latest ones: about 200 bytes each. */
const mostFormerFiles = 8;

/** `code` of a sharing mode that is wider than what goes with the file. */
const keptPrivateCode = 'kept-private';

/** The mode of a file that a record has, or had. */
interface FileMode extends HeldMode {
  readonly file: FileStat;
}

/** Says whether one mode shows a document to more people than another. */
export function isWider(mode: ShareMode, than: ShareMode): boolean {
  return shareModes.indexOf(mode) > shareModes.indexOf(than);
}

/** The mode that the service has, as far as answers tell: the narrowest that it may have. */
export function narrowestMode({ metadata, unsure }: LedgerRecord): ShareMode {
  const possible = new Set([metadata, ...(unsure?.metadata ?? [])].map(modeOf));
  return shareModes.find((mode) => possible.has(mode)) ?? 'DEFAULT';
}

/**
 * A document with the sharing mode that goes with its file, contract 7.27, where a wider one is stated for it that may
 * not go out. `holders`: records that have, had, or attached this very file.
 */
export function keepHeldMode(
  document: FoundDocument,
  record: LedgerRecord | undefined,
  holders: readonly LedgerEntry[],
): FoundDocument {
  // What became of the file since it is this document, its record says. Of an imported or adopted one it does not.
  const isRecorded = record !== undefined && isSameFile(record.stat, document.stat) && !isModeUnknown(record);
  const ofFile = holders.flatMap((entry) => [
    ...(refKey(entry.ref) === refKey(document.ref) ? [] : [modeOfFile(entry)]),
    ...(isRecorded ? [] : otherFiles(entry)),
  ]);
  const held: readonly HeldMode[] = [
    ...(record?.heldModes ?? []).filter(({ file }) => file === undefined),
    ...ofFile.filter(({ file }) => isSameFile(file, document.stat)),
  ];
  return held.reduce(withHeldMode, document);
}

/** A document with a mode that is held for it, where that is narrower than what it would get. */
export function withHeldMode(document: FoundDocument, mode: HeldMode): FoundDocument {
  const { metadata, sources, kept, ref } = document;
  const held = { ...mode, file: undefined };
  const stated = kept?.stated ?? { mode: modeOf(metadata), source: sources?.['shareInfo'] };
  const isNarrowest = kept === undefined || isWider(kept.held.mode, held.mode);
  if (!isNarrowest || !canNarrow(held) || mayWiden(held, document, stated.source)) return document;
  const narrowed = { ...document, kept: { held, stated } };
  if (!isWider(modeOf(metadata), held.mode)) return narrowed;
  const source = held.by === null ? 'folder settings' : held.by;
  const shareInfo = held.folder === ref.folder ? source : `${held.folder}: ${source}`;
  return {
    ...narrowed,
    metadata: { ...metadata, shareInfo: { mode: held.mode } },
    sources: { ...sources, shareInfo },
  };
}

/** Why a document is not shared as it is stated for it now; null: it is. */
export function keptReason({ kept }: FoundDocument): (Reason & { readonly sharing: ShareMode }) | null {
  if (kept === undefined || !isWider(kept.stated.mode, kept.held.mode)) return null;
  const { held, stated } = kept;
  const how = held.mode === 'NONE' ? 'kept private' : `kept at sharing mode ${held.mode}`;
  const name = printable(held.path);
  const was = held.isAttachment ? `an attachment of ${name}` : `${name}, which was held as ${held.mode} by`;
  const by = held.isAttachment ? '' : ` ${sourceWords(held)}`;
  const message = `${how}: this file was ${was}${by}`;
  return { sharing: stated.mode, code: keptPrivateCode, message };
}

function sourceWords({ by }: HeldMode): string {
  if (by === null) return 'the settings of its folder';
  return isDefaults(by) ? printable(by) : 'its sidecar';
}

/** What the record of a document says of held modes once it stands as it was found. */
export function heldModesOf(
  { kept }: FoundDocument,
  record: LedgerRecord | undefined,
): LedgerRecord['heldModes'] {
  const former = (record?.heldModes ?? []).filter(({ file }) => file !== undefined);
  if (kept !== undefined) return [kept.held, ...former];
  return former.length === 0 ? undefined : former;
}

/**
 * A record that gets another file, or other attachments, remembers those that it had, and how they were shared: they
 * may stand elsewhere as new documents. Those that have records of their own are left out.
 */
export function rememberFiles(
  change: Change,
  ledger: Pick<LedgerPort, 'get' | 'findByDocId' | 'findByInode'>,
): Change {
  if (change.kind !== 'put') return change;
  const { ref, record } = change;
  const isHere = ledger.get(ref)?.docId === record.docId;
  const from = isHere ? ref : (ledger.findByDocId(record.docId) ?? ref);
  const before = ledger.get(from);
  if (before === undefined) return change;
  const entry = { ref: from, record: before };
  const present = [record, ...record.attachments].map(({ stat }) => stat);
  const isGone = ({ file }: FileMode) => !present.some((stat) => isSameFile(file, stat));
  const isUnrecorded = ({ file }: FileMode) =>
    ledger
      .findByInode(file.ino)
      .every((other) => other.record.docId === record.docId || !isSameFile(other.record.stat, file));
  const former = [...otherFiles(entry), modeOfFile(entry)].filter(
    (one) => canNarrow(one) && isGone(one) && isUnrecorded(one),
  );
  const own = (record.heldModes ?? []).filter(({ file }) => file === undefined);
  const heldModes = [...own, ...former.slice(-mostFormerFiles)];
  if (heldModes.length === 0 && record.heldModes === undefined) return change;
  return { ...change, record: { ...record, heldModes: heldModes.length === 0 ? undefined : heldModes } };
}

/** How the file of a record is shared: as the record is. */
function modeOfFile({ ref, record }: LedgerEntry): FileMode {
  const { companions, leftSidecars, stat: file } = record;
  const { byName, byStem } = sidecarPlaces(ref.path);
  const sidecar = companions?.sidecar === 'stem' ? byStem : byName;
  // Nobody knows how it is shared.
  if (isModeUnknown(record)) return { ...ref, mode: 'NONE', by: sidecar, file };
  const mode = narrowestMode(record);
  const kept = record.heldModes?.find((held) => held.file === undefined);
  if (kept !== undefined) return { ...kept, mode, file };
  const hadSidecar = (companions?.sidecar ?? null) !== null || leftSidecars !== undefined;
  const defaults = companions?.defaults.at(-1);
  const inherited = defaults === undefined ? null : `${defaults === '' ? '' : `${defaults}/`}.meta.json`;
  return { ...ref, mode, by: hadSidecar ? sidecar : inherited, file };
}

/** Files that a record had, and those that it attached: these were shown to whoever had the document, and no one else. */
function otherFiles({ ref, record }: LedgerEntry): readonly FileMode[] {
  const former = (record.heldModes ?? []).flatMap(({ file, ...held }) =>
    file === undefined ? [] : [{ ...held, file }],
  );
  const attached = record.attachments
    .filter(({ stat }) => stat.ino !== 0)
    .map(({ stat: file }): FileMode => {
      const by = sidecarPlaces(ref.path).byName;
      return { ...ref, mode: 'NONE', by, isAttachment: true, file };
    });
  return [...former, ...attached];
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
  if (held.by !== null && !isDefaults(held.by)) return false;
  const directory = isDefaults(source) ? directoryOf(source) : null;
  const wasAbove =
    ref.folder === held.folder && (directory === null || pathAfterMove(held.path, directory, '') !== null);
  return !wasAbove || depthOf(directory) >= depthOf(held.by === null ? null : directoryOf(held.by));
}

function isDefaults(source: string): boolean {
  return nameOf(source) === '.meta.json';
}

/** Of places above one document: the folder's settings, its root, and so on. */
function depthOf(directory: string | null): number {
  return directory === null ? -1 : directory === '' ? 0 : directory.split('/').length;
}
