import { printable, printableBytes } from '../../lib/text/printable.ts';
import { joinPath, misspelledSidecarCode, nameOf } from '../../model/document.ts';
import type { Skip } from '../../model/document.ts';
import { cannotBeRead, readFaultOf } from '../../model/errors.ts';
import { isDocumentType, stemOf } from '../../model/names-and-types.ts';
import { classifyEntry, classifyUndecodable } from './classify.ts';
import type { FolderState } from '../folder-state.ts';
import type { PlacedRules } from './ignore-patterns.ts';
import { fitting, isSidecarName, misspelling, namedAfter } from './sidecar-names.ts';
import type { Entry } from './entry.ts';
import type { Listing } from '../walk/list-directory.ts';

/** A regular file that no ignore rule leaves out. `exclusion`: why `include` does. */
type FileEntry = Entry & { readonly exclusion?: string | null };

/** A directory's entries by what they are to us. */
export type SortedEntries = ReturnType<typeof sortEntries>;

/** Sorts a listing by what `classifyEntry` says of each entry. */
export function sortEntries(
  folder: FolderState,
  directory: string,
  { listing, rules }: { readonly listing: Listing; readonly rules: readonly PlacedRules[] },
) {
  const before = folder.tree.get(directory);
  const files = () => listing.entries.flatMap(({ name, kind }) => (kind === 'directory' ? [] : [name]));
  const isMisspelled = misspelling(files);
  const sorted = {
    /** Regular files of a document's type that no rule leaves out; what cannot be looked at may be one. */
    documents: [] as FileEntry[],
    /** Regular files of other types, and those that `include` leaves out: they may be attachments. */
    otherFiles: [] as FileEntry[],
    /** Regular files of a document's type that an ignore rule or `include` leaves out. */
    leftOut: [] as Entry[],
    /** Files that would be documents, and directories that might hold some, but for their names' Unicode form. */
    twins: [] as Entry[],
    /** Not only regular files: a link or a directory in its place keeps its document from being sent. */
    sidecars: new Map<string, Entry>(),
    twinSidecars: new Map<string, readonly Entry[]>(),
    /** Names of those that would be sidecars, but for the spelling of their end. */
    misspelled: [] as string[],
    fits: fitting(files),
    /** Directories that may hold documents. */
    children: [] as Entry[],
    /** By the name of the document that they are of. */
    attachmentDirectories: new Map<string, Entry>(),
    /** Those of these documents that are not there, and that no rule leaves out. */
    orphans: new Set<string>(),
    skips: [] as Skip[],
    /** What cannot be looked at at the moment, in words; null: nothing. */
    unread: null as string | null,
  };
  const { documents, otherFiles, sidecars, twinSidecars, children, skips } = sorted;

  const wasDirectory = (name: string) =>
    before?.children.has(name) === true ||
    before?.attachmentDirectories.includes(joinPath(directory, name)) === true;

  function sort(entry: Entry, twin: string | null): void {
    const { name, fault } = entry;
    if (entry.kind === 'unreadable' && twin === null && readFaultOf(fault) === 'passing')
      sorted.unread ??= cannotBeRead(printable(name), fault);
    // A directory that cannot be looked at stays one.
    const kind = entry.kind === 'unreadable' && wasDirectory(name) ? 'directory' : entry.kind;
    const found = classifyEntry({ directory, name, kind, fault, twin, rules, isMisspelled }, folder);
    const isLeftOut = found.kind === 'ignored' || (found.kind === 'file' && found.exclusion !== null);
    if (isLeftOut && kind === 'file' && isDocumentType(name)) sorted.leftOut.push(entry);
    // It is a document to its sidecar all the same: what that lists must not go out on its own.
    if (found.kind === 'unknown' && isDocumentType(name)) documents.push(entry);
    if (found.kind === 'skipped' || found.kind === 'unknown') {
      const real = joinPath(directory, twin ?? name);
      skips.push({ path: real, code: found.code, message: found.message });
      if (found.code === misspelledSidecarCode) sorted.misspelled.push(name);
    } else if (found.kind === 'unfit') sorted.twins.push(entry);
    else if (twin !== null) return;
    else if (found.kind === 'file' && found.exclusion !== null)
      otherFiles.push({ ...entry, exclusion: found.exclusion });
    else if (found.kind === 'file') (isDocumentType(name) ? documents : otherFiles).push(entry);
    else if (found.kind === 'sidecar') sidecars.set(name, entry);
    else if (found.kind === 'directory') children.push(entry);
    else if (found.kind === 'attachments-directory')
      sorted.attachmentDirectories.set(nameOf(found.owner), entry);
  }

  for (const entry of listing.entries) sort(entry, null);
  // A directory may stand in the place of a document's sidecar.
  const isOfDocument = (sidecar: string) =>
    documents.some(({ name }) => [name, stemOf(name)].includes(namedAfter(sidecar)));
  for (const child of children)
    if (isSidecarName(child.name) && isOfDocument(child.name)) sidecars.set(child.name, child);
  for (const entry of listing.twins) {
    sort(entry, entry.raw);
    if (sidecars.has(entry.name))
      twinSidecars.set(entry.name, [...(twinSidecars.get(entry.name) ?? []), entry]);
  }
  const named = sorted.attachmentDirectories.size === 0 ? [] : listing.entries;
  const standing = new Set(named.map(({ name }) => name));
  for (const name of sorted.attachmentDirectories.keys()) {
    if (standing.has(name)) continue;
    const expected = classifyEntry(
      { directory, name, kind: 'file', twin: null, rules, isMisspelled },
      folder,
    );
    if (expected.kind === 'file' && expected.exclusion === null) sorted.orphans.add(name);
  }
  for (const { name, bytes, kind } of listing.undecoded) {
    const found = classifyUndecodable(bytes, kind);
    if (found.kind !== 'skipped') continue;
    const raw = Buffer.from(joinPath(folder.tree.rawPath(directory), ''));
    const pathBytes = Buffer.concat([raw, bytes]).toString('base64');
    const message = `${found.message} (${printableBytes(bytes)})`;
    skips.push({ path: joinPath(directory, name), pathBytes, code: found.code, message });
  }
  return sorted;
}
