import type { Stats } from 'node:fs';

import { orNull } from '../../lib/or-null.ts';
import type { TimeSlice } from '../../lib/time/time-slice.ts';
import { printableBytes } from '../../lib/text/printable.ts';
import { errorCode } from '../../model/errors.ts';
import { directoriesTo, directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { lookUp } from '../look-up.ts';
import { isTemporaryName } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { ignoringPattern } from '../rules/ignore-patterns.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import { resolveAttachment } from '../rules/attachment-lists.ts';
import { entryKey, kindOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { listDirectory } from './list-directory.ts';

/** Files of an attachments directory that count, in the order in which they are sent. */
export type AttachmentListing =
  | {
      readonly kind: 'listed';
      readonly files: readonly Entry[];
      /** Everything in it, attachment or not. */
      readonly entries: readonly Entry[];
      /** Names of symbolic links, which are no attachments, wherever they lead. */
      readonly links: readonly string[];
      /** Names that cannot be sent at all: printable. */
      readonly nameless: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly code: string };

/** Lists the directory of a document's attachments: its files, not its subdirectories. Never throws. */
export async function listAttachments(
  {
    path,
    place,
    rules,
  }: {
    readonly path: string;
    /** Absolute, without links. */
    readonly place: string;
    readonly rules: readonly PlacedRules[];
  },
  slice: TimeSlice,
): Promise<AttachmentListing> {
  try {
    const { entries, twins, bytes } = await listDirectory(place, slice);
    const counted = entries
      .filter(
        ({ name, kind }) => kind !== 'directory' && kind !== 'other' && mayCount(joinPath(path, name), rules),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = counted.filter(({ kind }) => kind !== 'link');
    const links = counted.filter(({ kind }) => kind === 'link').map(({ name }) => name);
    const nameless = [
      ...bytes.filter(({ kind }) => kind === 'file').map(({ name }) => printableBytes(name)),
      ...twins.filter(({ kind }) => kind === 'file').map(({ name }) => name),
    ];
    return { kind: 'listed', files, entries, links, nameless };
  } catch (error) {
    return { kind: 'unreadable', code: errorCode(error) ?? 'unknown error' };
  }
}

/** Whether a path is neither hidden nor temporary nor ignored, by its last name. `rules`: those of the document's directory. */
function mayCount(path: string, rules: readonly PlacedRules[]): boolean {
  return !isTemporaryName(nameOf(path)) && ignoringPattern(rules, path, false) === null;
}

/** Whether a path is a link that `listAttachments` gave for a document, when its directory was scanned. */
export function isLinkedAttachment(folder: FolderState, path: string): boolean {
  const place = directoryOf(path);
  const state = folder.tree.get(directoryOf(place));
  if (state?.attachmentDirectories.includes(place) !== true || !mayCount(path, state.rules)) return false;
  const stats = orNull(() => lookUp(locateOnDisk(folder, path)));
  return stats?.isSymbolicLink() === true;
}

/** What of a listing goes into the document's fingerprint. */
export function attachmentKeys(path: string, listing: AttachmentListing): (readonly [string, string])[] {
  if (listing.kind === 'unreadable') return [[path, listing.code]];
  return [
    ...listing.files.map((entry) => [joinPath(path, entry.name), entryKey(entry)] as const),
    ...listing.nameless.map((name) => [joinPath(path, name), 'nameless'] as const),
  ];
}

/** A file that a sidecar lists. */
interface ListedFile {
  /** Its path as written. */
  readonly text: string;
  /** What of it goes into the document's fingerprint: a word where it does not count as it stands. */
  readonly key: string;
  /** Null: there is no regular file, or one that is ignored: it counts again when the rules let it. */
  readonly file: { readonly path: string; readonly stats: Stats } | null;
}

interface DocumentDirectory {
  readonly directory: string;
  readonly rules: readonly PlacedRules[];
}

/**
 * The files that a sidecar lists. `rules`: those of the document's directory, which a scan that lists it has not written
 * down yet.
 */
export function listedFiles(
  folder: FolderState,
  document: DocumentDirectory,
  listed: readonly string[],
): readonly ListedFile[] {
  return listed.map((text) => {
    const place = resolveAttachment(document.directory, text, folder.settings.attachments);
    if (place.kind !== 'inside') return { text, key: place.kind, file: null };
    const { path } = place;
    if (isIgnored(folder, path, document)) return { text, key: 'ignored', file: null };
    try {
      const stats = lookUp(locateOnDisk(folder, path));
      if (stats === undefined) return { text, key: 'missing', file: null };
      const kind = kindOf(stats);
      return { text, key: entryKey({ kind, stats }), file: kind === 'file' ? { path, stats } : null };
    } catch (error) {
      return { text, key: errorCode(error) ?? 'unreadable', file: null };
    }
  });
}

function isIgnored(folder: FolderState, path: string, { directory, rules }: DocumentDirectory): boolean {
  if (directory !== '' && !path.startsWith(`${directory}/`))
    return classifyByName(folder, path).kind === 'ignored';
  let here = rules;
  for (const at of directoriesTo(path)) {
    if (at.length <= directory.length) continue;
    if (ignoringPattern(here, at, true) !== null) return true;
    const own = folder.tree.get(at)?.rules ?? [];
    here = [...rules, ...own.filter((placed) => placed.directory.length > directory.length)];
  }
  return ignoringPattern(here, path, false) !== null;
}
