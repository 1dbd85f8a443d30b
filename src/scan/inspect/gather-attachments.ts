import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { excerpt, printable } from '../../lib/text/printable.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { FoundAttachment } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import { judgeName, judgeSize, maxAttachments } from '../../model/names-and-types.ts';
import { attachmentDirectoryEnd, isTemporaryName, isTrustedCompanion } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import { ignoringPattern } from '../rules/ignore-patterns.ts';
import { resolveAttachment } from '../rules/attachment-lists.ts';
import { attachmentKeys, listAttachments, listedFiles } from '../walk/attachment-files.ts';
import { kindOf, statOf } from '../rules/entry.ts';
import { placeBelow, realRoot } from '../walk/root-identity.ts';
import { locateOnDisk, presenceOf } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { lookUp } from '../look-up.ts';
import { lookInside } from './find-entry.ts';
import { notRead, settling, unfit } from './inspection-results.ts';
import type { NoDocument } from './inspection-results.ts';

/** A document's attachments, all fit and settled. */
export interface GatheredAttachments {
  readonly kind: 'attachments';
  readonly attachments: readonly FoundAttachment[];
  /** What of them goes into the fingerprint. */
  readonly keys: readonly (readonly [string, string])[];
}

/**
 * Gathers a document's attachments: those of its directory, by name, then those that its sidecar lists. `ownerUid`: the
 * document's owner, to whom they belong with `sidecarOwner: same`: nobody publishes a file of somebody else by a sidecar.
 */
export async function gatherAttachments(
  folder: FolderState,
  document: string,
  { listed, ownerUid }: { readonly listed: readonly string[]; readonly ownerUid: number },
): Promise<GatheredAttachments | NoDocument> {
  const own = await ownDirectory(folder, document);
  if (own.kind !== 'own') return own;
  const found: FoundAttachment[] = [];
  const take = (path: string, shown: string): NoDocument | null => {
    const judged = judge(folder, path, { shown, ownerUid });
    if ('kind' in judged) return judged;
    if (found.some(({ name }) => name === judged.name))
      return invalid(shown, 'another attachment has the same name');
    found.push(judged);
    return null;
  };
  for (const path of own.paths) {
    const refused = take(path, printable(path));
    if (refused !== null) return refused;
  }
  for (const text of listed) {
    const place = placeListed(folder, document, text);
    if (place.kind !== 'inside') return place;
    const refused = take(place.path, excerpt(text));
    if (refused !== null) return refused;
  }
  if (found.length > maxAttachments) {
    const message = `it has ${found.length} attachments, but the service accepts at most ${maxAttachments}; remove some`;
    return unfit('too-many-attachments', message);
  }
  const directory = directoryOf(document);
  const rules = folder.tree.get(directory)?.rules ?? folder.rules;
  return {
    kind: 'attachments',
    attachments: found,
    keys: [
      ...own.keys,
      ...listedFiles(folder, { directory, rules }, listed).map(({ text, key }) => [text, key] as const),
    ],
  };
}

type OwnDirectory =
  | {
      readonly kind: 'own';
      readonly paths: readonly string[];
      readonly keys: readonly (readonly [string, string])[];
    }
  | NoDocument;

async function ownDirectory(folder: FolderState, document: string): Promise<OwnDirectory> {
  const path = `${document}${attachmentDirectoryEnd}`;
  const rules = folder.tree.get(directoryOf(document))?.rules ?? folder.rules;
  const absolute = folder.absolute(folder.tree.rawPath(path));
  const stats = lookUp(absolute);
  if (stats?.isDirectory() !== true || ignoringPattern(rules, path, true) !== null)
    return { kind: 'own', paths: [], keys: [] };
  const delay = folder.observations.settle(path, stats);
  if (delay > 0) return settling(delay);
  const place = placeBelow(realRoot(folder.root), folder.tree.rawPath(path));
  const listing = await listAttachments({ path, place, rules }, createTimeSlice(32));
  if (listing.kind === 'unreadable') {
    return notRead(printable(path), listing.code);
  }
  const [nameless] = listing.nameless;
  if (nameless !== undefined)
    return invalid(
      printable(joinPath(path, nameless)),
      'its name is not valid UTF-8, or differs from another only in how accents are encoded',
    );
  const paths = listing.files.map(({ name }) => joinPath(path, name));
  return { kind: 'own', paths, keys: attachmentKeys(path, listing) };
}

function placeListed(
  folder: FolderState,
  document: string,
  text: string,
): { readonly kind: 'inside'; readonly path: string } | NoDocument {
  const place = resolveAttachment(directoryOf(document), text, folder.settings.attachments);
  if (place.kind === 'beyond') {
    const message = `the attachment ${excerpt(text)} is not in the document’s directory or below it; move it there, or set attachments: folder for this folder`;
    return unfit('attachment-outside', message);
  }
  if (place.kind === 'outside' || leavesByLink(folder, place.path)) {
    return unfit('attachment-outside', `the attachment ${excerpt(text)} is outside the folder`);
  }
  if (place.path === document) return invalid(excerpt(text), 'it is the document itself');
  if (folder.attachmentLists.isOwner(place.path))
    return invalid(excerpt(text), 'it has attachments of its own');
  const found = classifyByName(folder, place.path);
  const hidden =
    isTemporaryName(nameOf(place.path)) || (found.kind !== 'file' && found.kind !== 'attachment');
  if (hidden) return invalid(excerpt(text), 'message' in found ? found.message : 'it is not a document');
  if (presenceOf(folder, place.path) !== 'gone') {
    folder.observations.endMissing(document, text);
    return place;
  }
  const waitMs = folder.removeGraceMs - folder.observations.noteMissing(document, text);
  const message = `the attachment ${excerpt(text)} does not exist`;
  if (waitMs <= 0) return unfit('attachment-missing', message);
  return { kind: 'waiting', code: 'attachment-missing', message, againMs: Math.ceil(waitMs) };
}

/** A directory on the way that is a link may lead anywhere. */
function leavesByLink(folder: FolderState, path: string): boolean {
  for (let at = directoryOf(path); at !== ''; at = directoryOf(at)) {
    const stats = lookUp(folder.absolute(folder.tree.rawPath(at)));
    if (stats?.isSymbolicLink() === true) return true;
  }
  return false;
}

function judge(
  folder: FolderState,
  path: string,
  { shown, ownerUid }: { readonly shown: string; readonly ownerUid: number },
): FoundAttachment | NoDocument {
  const stats = statsOf(folder, path, shown);
  if ('kind' in stats) return stats;
  if (!isTrustedCompanion(folder.settings.sidecarOwner, stats.uid, ownerUid))
    return invalid(shown, 'it does not belong to the owner of the document (sidecarOwner: same)');
  const delay = folder.observations.settle(path, stats);
  if (delay > 0) return settling(delay);
  try {
    const changed = lookInside(folder, path, stats);
    if (changed !== null) return changed;
  } catch (error) {
    return notRead(`the attachment ${shown}`, errorCode(error));
  }
  if (stats.size === 0) {
    const message = `the attachment ${shown} is empty`;
    return { kind: 'waiting', code: 'attachment-empty', message, againMs: null };
  }
  const name = judgeName(nameOf(path), folder.settings.names);
  if (name.kind === 'unfit') return invalid(shown, name.message);
  const size = judgeSize(stats.size, folder.maxFileBytes);
  if (size !== null) return invalid(shown, size.message);
  return { name: name.name, path, stat: statOf(stats) };
}

function statsOf(folder: FolderState, path: string, shown: string): Stats | NoDocument {
  try {
    const stats = lstatSync(locateOnDisk(folder, path));
    const kind = kindOf(stats);
    if (kind === 'file') return stats;
    return invalid(
      shown,
      kind === 'link' ? 'it is a symbolic link, which is not followed' : 'it is not a regular file',
    );
  } catch (error) {
    return notRead(`the attachment ${shown}`, errorCode(error));
  }
}

function invalid(shown: string, why: string): NoDocument {
  return unfit('attachment-invalid', `the attachment ${shown} cannot be sent: ${why}`);
}
