import { readSmallFile } from '../../lib/files/read-small-file.ts';
import { printable } from '../../lib/text/printable.ts';
import { joinPath } from '../../model/document.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { ShareMode, Sidecar } from '../../model/metadata/metadata.ts';
import { entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { nothingListed, resolveAttachment } from '../rules/attachment-lists.ts';
import type { ListedByOwner } from '../rules/attachment-lists.ts';
import { isTrustedCompanion } from '../rules/classify.ts';
import { relate } from '../rules/relate.ts';
import type { PairedSidecar, Relations } from '../rules/relate.ts';
import type { SidecarList } from './directory-state.ts';
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
  { absolute, sorted }: { readonly absolute: string; readonly sorted: SortedEntries },
): Promise<PairedEntries> {
  const { attachmentLists, settings, tree } = folder;
  const { lists, unread } = await readLists(sorted.sidecars, absolute, tree.get(directory)?.lists);
  const relations = relate(sorted, settings.sidecarOwner);
  const sidecars = [...relations.sidecars, ...relations.ofLeftOut];
  const listed = listedByOwner(folder, directory, sidecars, lists);
  const sentWith = listsWithoutSidecars(folder, directory, { sorted, relations });
  const changed = attachmentLists.set(directory, new Map([...listed, ...sentWith]));
  return { ...relations, lists, sentWith, changed, unread };
}

/** What documents without a sidecar were last sent with is their list, which nothing has ended. */
function listsWithoutSidecars(
  folder: FolderState,
  directory: string,
  { sorted, relations }: { readonly sorted: SortedEntries; readonly relations: Relations },
): ListedByOwner {
  const { attachmentLists } = folder;
  if (!attachmentLists.hasLearned()) return nothingListed;
  return new Map(
    sorted.documents.flatMap(({ name }) => {
      const owner = joinPath(directory, name);
      const paths = relations.sidecars.has(name)
        ? []
        : attachmentLists.learned(owner).filter((path) => !isOfAnother(folder, path, owner));
      return paths.length === 0 ? [] : [[owner, paths] as const];
    }),
  );
}

/** What sidecars list. One that is not valid lists nothing; one that cannot be read, what it did before. */
async function readLists(
  sidecars: ReadonlyMap<string, Entry>,
  absolute: string,
  before: ReadonlyMap<string, SidecarList> | undefined,
): Promise<{ readonly lists: ReadonlyMap<string, SidecarList>; readonly unread: string | null }> {
  const lists = new Map<string, SidecarList>();
  let unread: string | null = null;
  const noteUnread = (name: string, fault: string | undefined) => {
    if (readFaultOf(fault) === 'passing') unread ??= cannotBeRead(printable(name), fault);
  };
  for (const { name, raw, kind, stats, fault } of sidecars.values()) {
    const known = before?.get(name);
    if (kind === 'unreadable') {
      lists.set(name, known ?? { key: '', attachments: [], isUnread: true });
      noteUnread(name, fault);
    }
    if (kind !== 'file' || stats === null) continue;
    const key = statKey(stats);
    if (known?.key === key && known.isUnread !== true) {
      lists.set(name, known);
      continue;
    }
    try {
      lists.set(name, { key, ...(await readAttachmentList(`${absolute}/${raw}`)) });
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      lists.set(name, { key, attachments: known?.attachments ?? [], isUnread: true });
      noteUnread(name, code);
    }
  }
  return { lists, unread };
}

const listKey: keyof Sidecar = 'attachments';
/**
 * No sidecar can spell that key without one of the two. Known here, because the reader of sidecars loads their schemas.
 */
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

/** What the valid sidecars of a directory attach; one that could be of several documents attaches nothing. */
function listedByOwner(
  folder: FolderState,
  directory: string,
  sidecars: Iterable<readonly [document: string, sidecar: PairedSidecar]>,
  lists: ReadonlyMap<string, SidecarList>,
): ListedByOwner {
  const listed = new Map<string, readonly string[]>();
  for (const [document, { name, kind }] of sidecars) {
    const owner = joinPath(directory, document);
    const paths = (kind === 'ambiguous' ? [] : (lists.get(name)?.attachments ?? [])).flatMap((text) => {
      const place = resolveAttachment(directory, text, folder.settings.attachments);
      const isOther = place.kind === 'inside' && place.path !== owner;
      return isOther && !isOfAnother(folder, place.path, owner) ? [place.path] : [];
    });
    if (paths.length > 0) listed.set(owner, paths);
  }
  return listed;
}

/** With `sidecarOwner: same`, nobody makes an attachment of a file of another user, which would hide it. */
function isOfAnother(folder: FolderState, path: string, owner: string): boolean {
  const { sidecarOwner } = folder.settings;
  if (sidecarOwner === 'any') return false;
  const [file = null, document] = [path, owner].map((one) => entryAt(folder, one)?.stats);
  return document ? !isTrustedCompanion(sidecarOwner, file, document.uid) : false;
}
