import { readSmallFile } from '../../lib/files/read-small-file.ts';
import { printable } from '../../lib/text/printable.ts';
import { joinPath } from '../../model/document.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { ShareMode, Sidecar } from '../../model/metadata/metadata.ts';
import { entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { placesInside } from '../rules/attachment-lists.ts';
import type { ListedByOwner } from '../rules/attachment-lists.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import { relate } from '../rules/relate.ts';
import type { Relations } from '../rules/relate.ts';
import type { SidecarList } from './directory-state.ts';
import { placeBelow } from './root-identity.ts';
import { statKey } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import type { SortedEntries } from '../rules/sort-entries.ts';

/** A directory's documents, paired, with what their sidecars attach. */
export interface PairedEntries extends Relations {
  readonly lists: ReadonlyMap<string, SidecarList>;
  /** What those without a sidecar attach besides, by path. */
  readonly sentWith: ListedByOwner;
  /** Paths, here or elsewhere, that became or ceased to be attachments. */
  readonly changed: readonly string[];
  /** A sidecar that cannot be read at the moment, in words; null: none. */
  readonly unread: string | null;
}

/** Pairs a directory's documents with sidecars and takes note of the attachments that these list. */
export async function pairEntries(
  folder: FolderState,
  directory: string,
  { place, sorted }: { readonly place: string; readonly sorted: SortedEntries },
): Promise<PairedEntries> {
  const { attachmentLists, settings, tree } = folder;
  const before = tree.get(directory)?.lists;
  const lists = new Map<string, SidecarList>();
  let unread: string | null = null;
  for (const sidecar of sorted.sidecars.values()) {
    const { list, fault } = await readList(sidecar, place, before?.get(sidecar.name));
    if (list !== undefined) lists.set(sidecar.name, list);
    if (fault !== undefined && readFaultOf(fault) === 'passing')
      unread ??= cannotBeRead(printable(sidecar.name), fault);
  }
  const relations = relate(sorted, settings.sidecarOwner);
  const listed = new Map<string, readonly string[]>();
  const sentWith = new Map<string, readonly string[]>();
  const attach = (into: typeof listed, document: string, found: readonly string[]) => {
    const owner = joinPath(directory, document);
    const paths = found.filter((path) => path !== owner && !isOfAnother(folder, path, owner));
    if (paths.length > 0) into.set(owner, paths);
  };
  // One that could be of several documents attaches nothing.
  for (const [document, { name, kind }] of [...relations.sidecars, ...relations.ofLeftOut])
    if (kind !== 'ambiguous')
      attach(listed, document, placesInside(directory, lists.get(name) ?? {}, settings.attachments));
  const listedHere = new Set([...listed.values()].flat());
  // What documents without a sidecar were last sent with is their list, which nothing has ended: not that of attachments.
  if (attachmentLists.hasLearned())
    for (const { name } of sorted.documents)
      if (!relations.sidecars.has(name) && !listedHere.has(joinPath(directory, name)))
        attach(sentWith, name, attachmentLists.learned(joinPath(directory, name)));
  const changed = attachmentLists.set(directory, new Map([...listed, ...sentWith]));
  return { ...relations, lists, sentWith, changed, unread };
}

/**
 * What a sidecar lists; absent: it is no file. One that is not valid lists nothing; one that cannot be read, for `fault`,
 * what it did before.
 */
async function readList(
  { raw, kind, stats, fault }: Entry,
  place: string,
  known: SidecarList | undefined,
): Promise<{ readonly list?: SidecarList; readonly fault?: string | undefined }> {
  if (kind === 'unreadable') return { list: { attachments: [], ...known, key: '' }, fault };
  if (kind !== 'file' || stats === null) return {};
  const key = statKey(stats);
  if (known?.key === key) return { list: known };
  try {
    return { list: { key, ...(await readAttachmentList(placeBelow(place, raw))) } };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { list: { key: '', attachments: known?.attachments ?? [] }, fault: code };
  }
}

const listKey: keyof Sidecar = 'attachments';
/** No sidecar spells that key without one of the two. Known here, as the reader of sidecars loads their schemas. */
const spellings = [`"${listKey}"`, '\\u'];

/** The attachment paths that a valid sidecar lists. Cheap for those that list none. Throws what `open` and `read` throw. */
async function readAttachmentList(absolute: string): Promise<Omit<SidecarList, 'key'>> {
  const file = readSmallFile(absolute);
  if (file === null) return { attachments: [] };
  const mode = narrowMode(file.bytes);
  const listsNone = { attachments: [], mode };
  if (!spellings.some((spelling) => file.bytes.includes(spelling))) return listsNone;
  // Its schemas take a while to load, and most folders do without them until their first document is inspected.
  const { sidecarIn } = await import('../companions/read-sidecar.ts');
  const reading = sidecarIn(file.bytes);
  return reading.kind === 'valid' ? { attachments: reading.value.attachments, mode } : listsNone;
}

/** The sharing mode that a sidecar states, as far as that can be told without its schema; undefined: none, or EVERYONE. */
function narrowMode(bytes: Buffer): ShareMode | undefined {
  if (!bytes.includes('"shareInfo"')) return undefined;
  try {
    const { shareInfo } = JSON.parse(bytes.toString()) as Sidecar['metadata'];
    const mode = shareInfo === undefined ? 'EVERYONE' : modeOf({ shareInfo });
    return mode === 'EVERYONE' ? undefined : mode;
  } catch {
    return undefined;
  }
}

/** With `sidecarOwner: same`, nobody makes an attachment of a file of another user, which would hide it. */
function isOfAnother(folder: FolderState, path: string, owner: string): boolean {
  const { sidecarOwner } = folder.settings;
  if (sidecarOwner === 'any') return false;
  const [file = null, document] = [path, owner].map((one) => entryAt(folder, one)?.stats);
  return document ? !isTrustedCompanion(sidecarOwner, file, document.uid) : false;
}
