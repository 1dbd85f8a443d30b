import { errorCode } from '../../model/errors.ts';
import { joinPath } from '../../model/document.ts';
import type { Entry } from '../walk/entry.ts';
import { stampKey } from '../walk/entry.ts';
import { listDirectory } from '../walk/list-directory.ts';
import type { TimeSlice } from '../../lib/time-slice.ts';
import { printableBytes } from '../../lib/printable-bytes.ts';
import { isTransient } from './transient-names.ts';
import { isIgnored } from '../walk/directory-state.ts';
import type { PlacedRules } from '../walk/directory-state.ts';

/** The end of the name of a directory that holds a document's attachments. */
export const attachmentDirectoryEnd = '.attachments';

/** Says whether a directory of this name holds attachments and no documents. */
export function isAttachmentDirectory(name: string): boolean {
  return name.endsWith(attachmentDirectoryEnd) && name.length > attachmentDirectoryEnd.length;
}

/** Files of an attachments directory that count, in the order in which they are sent. */
export type AttachmentListing =
  | {
      readonly kind: 'listed';
      readonly files: readonly Entry[];
      /** Names that cannot be sent at all: printable. */
      readonly nameless: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly code: string };

/** Lists the directory of a document's attachments: its files, not its subdirectories. Never throws. */
export async function listAttachments(
  {
    path,
    absolute,
    rules,
  }: { readonly path: string; readonly absolute: string; readonly rules: readonly PlacedRules[] },
  slice: TimeSlice,
): Promise<AttachmentListing> {
  try {
    const { entries, twins, bytes } = await listDirectory(absolute, slice);
    const files = entries
      .filter(({ name, kind }) => kind !== 'directory' && kind !== 'other' && !isTransient(name))
      .filter(({ name }) => !isIgnored(rules, joinPath(path, name), false))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const nameless = [
      ...bytes.filter(({ kind }) => kind === 'file').map(({ name }) => printableBytes(name)),
      ...twins.filter(({ kind }) => kind === 'file').map(({ name }) => name),
    ];
    return { kind: 'listed', files, nameless };
  } catch (error) {
    return { kind: 'unreadable', code: errorCode(error) ?? 'unknown error' };
  }
}

/** What of a listing goes into the document's context. */
export function attachmentKeys(path: string, listing: AttachmentListing): (readonly [string, string])[] {
  if (listing.kind === 'unreadable') return [[path, listing.code]];
  return [
    ...listing.files.map(
      ({ name, kind, stats }) =>
        [joinPath(path, name), kind === 'file' && stats !== null ? stampKey(stats) : kind] as const,
    ),
    ...listing.nameless.map((name) => [joinPath(path, name), 'nameless'] as const),
  ];
}
