import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { FoundAttachment } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import { judgeName, judgeSize, maxAttachments } from '../../model/name-rules.ts';
import { printable } from '../../lib/printable.ts';
import { attachmentDirectoryEnd, attachmentKeys, listAttachments } from './attachment-directory.ts';
import { kindOf, stampOf } from '../walk/entry.ts';
import type { Ground } from '../ground.ts';
import { locateOnDisk } from '../walk/locate-on-disk.ts';
import { settling, unfit, unknown } from '../inspect-results.ts';
import type { NoDocument } from '../inspect-results.ts';
import { createTimeSlice } from '../../lib/time-slice.ts';
import { resolveAttachment } from './resolve-attachment.ts';
import { listedKeys } from '../walk/list-documents.ts';
import { isIgnored } from '../walk/directory-state.ts';

/** A document's attachments, all fit and settled. */
export interface GatheredAttachments {
  readonly kind: 'attachments';
  readonly attachments: readonly FoundAttachment[];
  /** What of them goes into the context. */
  readonly keys: readonly (readonly [string, string])[];
}

/** Gathers a document's attachments: those of its directory, by name, then those that its sidecar lists. */
export async function gatherAttachments(
  ground: Ground,
  document: string,
  listed: readonly string[],
): Promise<GatheredAttachments | NoDocument> {
  const own = await ownDirectory(ground, document);
  if (own.kind !== 'own') return own;
  const found: FoundAttachment[] = [];
  const take = (path: string, entry: string): NoDocument | null => {
    const judged = judge(ground, path, entry);
    if ('kind' in judged) return judged;
    if (found.some(({ name }) => name === judged.name))
      return invalid(entry, 'another attachment bears the same name');
    found.push(judged);
    return null;
  };
  for (const path of own.paths) {
    const refused = take(path, path);
    if (refused !== null) return refused;
  }
  for (const text of listed) {
    const place = placeListed(ground, document, text);
    if (place.kind !== 'inside') return place;
    const refused = take(place.path, text);
    if (refused !== null) return refused;
  }
  if (found.length > maxAttachments) {
    const message = `it has ${found.length} attachments and the service takes at most ${maxAttachments}; remove some`;
    return unfit('too-many-attachments', message);
  }
  return {
    kind: 'attachments',
    attachments: found,
    keys: [...own.keys, ...listedKeys(ground, directoryOf(document), listed)],
  };
}

type OwnDirectory =
  | {
      readonly kind: 'own';
      readonly paths: readonly string[];
      readonly keys: readonly (readonly [string, string])[];
    }
  | NoDocument;

async function ownDirectory(ground: Ground, document: string): Promise<OwnDirectory> {
  const path = `${document}${attachmentDirectoryEnd}`;
  const rules = ground.tree.get(directoryOf(document))?.rules ?? ground.rules;
  const absolute = ground.absolute(ground.tree.rawPath(path));
  if (!isDirectory(absolute) || isIgnored(rules, path, true)) return { kind: 'own', paths: [], keys: [] };
  const listing = await listAttachments({ path, absolute, rules }, createTimeSlice(32));
  if (listing.kind === 'unreadable') {
    if (listing.code === 'ENOENT' || listing.code === 'ENOTDIR') return settling(1);
    return listing.code === 'EACCES'
      ? unfit('unreadable', `${printable(path)} cannot be read (${listing.code})`)
      : unknown('unreadable', `${printable(path)} cannot be read (${listing.code})`);
  }
  const [nameless] = listing.nameless;
  if (nameless !== undefined)
    return invalid(joinPath(path, nameless), 'its name is not UTF-8, or has a twin in another Unicode form');
  const paths = listing.files.map(({ name }) => joinPath(path, name));
  return { kind: 'own', paths, keys: attachmentKeys(path, listing) };
}

function isDirectory(absolute: string): boolean {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

function placeListed(
  ground: Ground,
  document: string,
  text: string,
): { readonly kind: 'inside'; readonly path: string } | NoDocument {
  const place = resolveAttachment(directoryOf(document), text);
  if (place.kind === 'outside' || leavesByLink(ground, place.path)) {
    return unfit('attachment-outside', `the attachment ${printable(text)} leads out of the folder`);
  }
  if (place.path === document) return invalid(text, 'it is the document itself');
  if (ground.claims.isOwner(place.path)) return invalid(text, 'it has attachments of its own');
  const topic = `attachment ${document}\0${text}`;
  if (exists(ground, place.path)) {
    ground.observations.end(topic);
    return place;
  }
  const waitMs = ground.removeGraceMs - ground.observations.since(topic);
  const message = `the attachment ${printable(text)} is not there`;
  if (waitMs <= 0) return unfit('attachment-missing', message);
  return { kind: 'waiting', code: 'attachment-missing', message, againMs: Math.ceil(waitMs) };
}

/** A directory on the way that is a link may lead anywhere. */
function leavesByLink(ground: Ground, path: string): boolean {
  for (let at = directoryOf(path); at !== ''; at = directoryOf(at)) {
    try {
      if (
        lstatSync(ground.absolute(ground.tree.rawPath(at)), { throwIfNoEntry: false })?.isSymbolicLink() ===
        true
      )
        return true;
    } catch {
      // What cannot be looked at is told of as the attachment's own trouble.
    }
  }
  return false;
}

function exists(ground: Ground, path: string): boolean {
  try {
    return lstatSync(locateOnDisk(ground, path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return errorCode(error) !== 'ENOTDIR';
  }
}

function judge(ground: Ground, path: string, entry: string): FoundAttachment | NoDocument {
  const stats = statsOf(ground, path);
  if (typeof stats === 'string') return invalid(entry, stats);
  const delay = ground.observations.settle(path, stats);
  if (delay > 0) return settling(delay);
  if (stats.size === 0) {
    const message = `the attachment ${printable(entry)} is empty`;
    return { kind: 'waiting', code: 'attachment-empty', message, againMs: null };
  }
  const name = judgeName(nameOf(path), ground.settings.names);
  if (name.kind === 'unfit') return invalid(entry, name.message);
  const size = judgeSize(stats.size, ground.maxFileBytes);
  if (size !== null) return invalid(entry, size.message);
  return { name: name.name, path, stamp: stampOf(stats) };
}

function statsOf(ground: Ground, path: string): Stats | string {
  try {
    const stats = lstatSync(locateOnDisk(ground, path));
    const kind = kindOf(stats);
    if (kind === 'file') return stats;
    return kind === 'link' ? 'it is a symbolic link, and links are not followed' : 'it is no regular file';
  } catch (error) {
    return `it cannot be read (${errorCode(error) ?? 'unknown error'})`;
  }
}

function invalid(entry: string, why: string): NoDocument {
  return unfit('attachment-invalid', `the attachment ${printable(entry)} cannot be sent: ${why}`);
}
