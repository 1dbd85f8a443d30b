import type { TimeSlice } from '../../lib/time/time-slice.ts';
import { printableBytes } from '../../lib/text/printable.ts';
import { directoriesTo, directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import { attachmentDirectoryEnd } from '../../model/names-and-types.ts';
import { entryAt, locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { companionIn, ignoreFileName, isTemporaryName } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { ignoringPattern } from '../rules/ignore-patterns.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import { resolveAttachment } from '../rules/attachment-lists.ts';
import type { AttachmentPlace } from '../rules/attachment-lists.ts';
import { entryKey } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { listDirectory } from '../walk/list-directory.ts';
import type { Listing } from '../walk/list-directory.ts';
import { placeBelow } from '../walk/root-identity.ts';
import { readIgnoreFile, rulesBelow } from './read-ignore-file.ts';

/** What a document attaches, as it is on disk. */
export interface FoundAttachments {
  /** What is in its directory of attachments; null: it has none. */
  readonly own: AttachmentListing | null;
  /** In the order in which they are sent. */
  readonly files: readonly PlacedAttachment[];
  /** What of it goes into the document's fingerprint. */
  readonly keys: readonly (readonly [string, string])[];
}

type AttachmentListing =
  | {
      readonly kind: 'listed';
      /** Everything in it, attachment or not. */
      readonly listing: Listing;
      readonly files: readonly PlacedAttachment[];
      /** Names of symbolic links, which are no attachments, wherever they lead. */
      readonly links: readonly string[];
      /** Names that cannot be sent at all: printable. */
      readonly nameless: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly code: string }
  /** Its ignore file is not valid, or could not be read: `message` says why. */
  | { readonly kind: 'barred'; readonly message: string; readonly isPassing: boolean };

/** A file that counts as an attachment: it lies in the directory of attachments, or a sidecar, or the record, lists it. */
export interface PlacedAttachment {
  readonly by: 'directory' | 'sidecar' | 'record';
  /** Its path from the root; of a sidecar as written. */
  readonly text: string;
  readonly place: AttachmentPlace;
  /** Why a path inside the folder is none of an attachment, whatever stands there; null: it may be. */
  readonly refusal: string | null;
  /** What stands there; null: nothing that was looked at. */
  readonly entry: Pick<Entry, 'kind' | 'stats' | 'fault'> | null;
}

/** A document, and what says what it attaches. */
export interface AttachingDocument {
  readonly path: string;
  /** Those of its directory, which a scan that lists it has not written down yet. */
  readonly rules: readonly PlacedRules[];
  /** Its directory of attachments, named as it stands on disk; null: it has none. */
  readonly own: { readonly raw: string; readonly uid: number } | null;
  /** What its sidecar lists, as written. */
  readonly listed: readonly string[];
  /** Without one: what it was last sent with besides its directory, from the root. */
  readonly sentWith: readonly string[];
}

/**
 * Looks at what a document attaches. `realRoot`: without links, for a directory of attachments. Never throws for what is on
 * disk.
 */
export async function findAttachments(
  folder: FolderState,
  document: AttachingDocument,
  { realRoot, slice }: { readonly realRoot: string; readonly slice: TimeSlice },
): Promise<FoundAttachments> {
  const path = `${document.path}${attachmentDirectoryEnd}`;
  const raw = joinPath(folder.tree.rawPath(directoryOf(path)), document.own?.raw ?? '');
  const place = placeBelow(realRoot, raw);
  const own = document.own === null ? null : await listAttachments(folder, document, { place, slice });
  const files = [
    ...(own?.kind === 'listed' ? own.files : []),
    ...document.listed.map((text) => {
      const place = resolveAttachment(directoryOf(document.path), text, folder.settings.attachments);
      return lookAt(folder, document, { by: 'sidecar', text, place });
    }),
    ...document.sentWith.map((text) =>
      lookAt(folder, document, { by: 'record', text, place: { kind: 'inside', path: text } }),
    ),
  ];
  const keys = files.map((file) => [file.text, keyOf(folder, file)] as const);
  return { own, files, keys: own === null ? keys : [...keysOf(path, own), ...keys] };
}

/** Lists the directory of a document's attachments: its files, not its subdirectories. It may have an ignore file. */
async function listAttachments(
  folder: FolderState,
  { path: document, rules: rulesAbove, own }: AttachingDocument,
  { place, slice }: { readonly place: string; readonly slice: TimeSlice },
): Promise<AttachmentListing> {
  const path = `${document}${attachmentDirectoryEnd}`;
  try {
    const listing = await listDirectory(place, slice);
    const { entries, twins, undecoded } = listing;
    const isRuled = companionIn(folder, entries, ignoreFileName, own?.uid ?? -1) !== null;
    const ruled = isRuled ? readIgnoreFile(`${place}/${ignoreFileName}`, folder.tree) : null;
    if (ruled?.kind === 'invalid') return { ...ruled, kind: 'barred' };
    const rules = rulesBelow(rulesAbove, path, ruled?.rules);
    const counted = entries
      .filter(
        ({ name, kind }) => kind !== 'directory' && kind !== 'other' && mayCount(joinPath(path, name), rules),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = counted.flatMap((entry): readonly PlacedAttachment[] => {
      const text = joinPath(path, entry.name);
      const place = { kind: 'inside', path: text } as const;
      return entry.kind === 'link' ? [] : [{ by: 'directory', text, place, refusal: null, entry }];
    });
    const links = counted.filter(({ kind }) => kind === 'link').map(({ name }) => name);
    const nameless = [
      ...undecoded.filter(({ kind }) => kind === 'file').map(({ bytes }) => printableBytes(bytes)),
      ...twins.filter(({ kind }) => kind === 'file').map(({ name }) => name),
    ];
    return { kind: 'listed', listing, files, links, nameless };
  } catch (error) {
    return { kind: 'unreadable', code: errorCode(error) ?? 'unknown error' };
  }
}

/** Whether a path is neither hidden nor temporary nor ignored, by its last name. `rules`: those of the document's directory. */
function mayCount(path: string, rules: readonly PlacedRules[]): boolean {
  return !isTemporaryName(nameOf(path)) && ignoringPattern(rules, path, false) === null;
}

/** Whether a path is a link that `findAttachments` gave for a document, when its directory was scanned. */
export function isLinkedAttachment(folder: FolderState, path: string): boolean {
  const place = directoryOf(path);
  const state = folder.tree.get(directoryOf(place));
  if (state?.attachmentDirectories.includes(place) !== true || !mayCount(path, state.rules)) return false;
  return entryAt(folder, path, locateOnDisk)?.kind === 'link';
}

function lookAt(
  folder: FolderState,
  { path: document, rules }: AttachingDocument,
  listed: Pick<PlacedAttachment, 'by' | 'text' | 'place'>,
): PlacedAttachment {
  const { place } = listed;
  const directory = directoryOf(document);
  if (place.kind !== 'inside') return { ...listed, refusal: null, entry: null };
  const named = classifyByName(folder, place.path, { read: { directory, rules } });
  if (named.kind !== 'file' && named.kind !== 'attachment') {
    const refusal = 'message' in named ? named.message : 'it is not a document';
    return { ...listed, refusal, entry: null };
  }
  // Where case does not count, a directory on the way may be found by a name that it does not have.
  const way = [...directoriesTo(place.path), place.path].map((at) => entryAt(folder, at, locateOnDisk));
  return { ...listed, refusal: null, entry: way.includes(null) ? null : (way.at(-1) ?? null) };
}

/** What of a directory of attachments that cannot be sent goes into the fingerprint. */
function keysOf(path: string, listing: AttachmentListing): readonly (readonly [string, string])[] {
  if (listing.kind === 'unreadable') return [[path, listing.code]];
  if (listing.kind === 'barred') return [[path, listing.message]];
  return listing.nameless.map((name) => [joinPath(path, name), 'nameless'] as const);
}

function keyOf({ attachmentLists }: FolderState, { place, refusal, entry }: PlacedAttachment): string {
  if (place.kind !== 'inside') return place.kind;
  if (refusal !== null || attachmentLists.isOwner(place.path)) return 'refused';
  if (entry === null) return 'missing';
  return entry.fault ?? entryKey(entry);
}
