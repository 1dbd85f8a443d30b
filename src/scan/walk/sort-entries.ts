import type { Skip } from '../../model/document.ts';
import { joinPath } from '../../model/document.ts';
import { extensionOf, isDocumentType } from '../../model/name-rules.ts';
import { printable } from '../../lib/printable.ts';
import { attachmentDirectoryEnd, isAttachmentDirectory } from '../rules/attachment-directory.ts';
import type { Entry } from './entry.ts';
import type { Listing } from './list-directory.ts';
import { sidecarEnd } from '../rules/pair-sidecars.ts';
import { printableBytes } from '../../lib/printable-bytes.ts';
import { isTransient } from '../rules/transient-names.ts';
import { isIgnored } from './directory-state.ts';
import type { PlacedRules } from './directory-state.ts';

/** A directory's entries by what they are to us. */
export interface SortedEntries {
  /** Regular files of a document's type that no rule leaves out. */
  readonly documents: readonly Entry[];
  /** By name. Not only regular files: a link that looks like a sidecar keeps its document from being sent. */
  readonly sidecars: ReadonlyMap<string, Entry>;
  /** Directories that may hold documents. */
  readonly children: readonly Entry[];
  /** By the name of the document that they are of. */
  readonly attachmentDirectories: ReadonlyMap<string, Entry>;
  /** Names of all directories, and of links, which may have been one. */
  readonly subdirectories: readonly string[];
  readonly skips: readonly Skip[];
  /** Whether anything at all bears this name. */
  readonly has: (name: string) => boolean;
}

/** Sorts a listing, contract section 4. FIFOs, sockets and devices are left out without a word. */
export function sortEntries(
  directory: string,
  listing: Listing,
  rules: readonly PlacedRules[],
): SortedEntries {
  const documents: Entry[] = [];
  const sidecars = new Map<string, Entry>();
  const children: Entry[] = [];
  const attachmentDirectories = new Map<string, Entry>();
  const subdirectories: string[] = [];
  const skips: Skip[] = [];
  const skip = (entry: Entry, code: string, message: string) =>
    skips.push({ path: printable(joinPath(directory, entry.name)), code, message });
  const ignored = (entry: Entry, isDirectory: boolean) =>
    rules.length > 0 && isIgnored(rules, joinPath(directory, entry.name), isDirectory);

  for (const entry of listing.entries) {
    const { name, kind } = entry;
    if (kind === 'other') continue;
    if (kind === 'directory') {
      subdirectories.push(name);
      if (name.startsWith('.') || ignored(entry, true)) continue;
      if (isAttachmentDirectory(name))
        attachmentDirectories.set(name.slice(0, -attachmentDirectoryEnd.length), entry);
      else children.push(entry);
      continue;
    }
    if (kind === 'link') subdirectories.push(name);
    if (isTransient(name) || ignored(entry, false)) continue;
    if (name.endsWith(sidecarEnd)) sidecars.set(name, entry);
    else if (kind === 'link') skip(entry, 'symbolic-link', linkMessage);
    else if (kind === 'unreadable') skip(entry, 'unreadable', 'what it is cannot be read');
    else if (isDocumentType(name)) documents.push(entry);
    else skip(entry, ...unsupported(name));
  }
  skips.push(...namelessSkips(directory, listing));
  let names: ReadonlySet<string> | null = null;
  const has = (name: string) => {
    names ??= new Set(listing.entries.map((entry) => entry.name));
    return names.has(name);
  };
  return { documents, sidecars, children, attachmentDirectories, subdirectories, skips, has };
}

/** Why a link is not followed. */
export const linkMessage =
  'a symbolic link; links are not followed here, or this one leads out of the folder';

/** Why a file of this name is no document. */
export function unsupported(name: string): [code: string, message: string] {
  const extension = extensionOf(name);
  return extension === ''
    ? ['no-extension', 'the name has no extension, and the service tells types by it']
    : ['unsupported-type', `the service does not take files of type ${printable(extension)}`];
}

function namelessSkips(directory: string, { bytes, twins }: Listing): readonly Skip[] {
  const skips: Skip[] = [];
  for (const { name, kind } of bytes) {
    // A dot file in any encoding is one.
    if (kind === 'other' || name[0] === 0x2e) continue;
    const path = joinPath(printable(directory), printableBytes(name));
    skips.push({ path, code: 'not-utf8', message: 'its name is not UTF-8; rename it' });
  }
  for (const { raw, name, kind } of twins) {
    if (kind !== 'directory' || name.startsWith('.')) continue;
    const path = joinPath(printable(directory), printable(raw));
    const message =
      'a directory whose name differs from another only in how accents are written; rename one of them';
    skips.push({ path, code: 'unicode-twin', message });
  }
  return skips;
}
