import { dirname } from 'node:path';

import { excerpt, printable } from '../../lib/text/printable.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { directoriesTo, directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { FoundAttachment, NoDocument } from '../../model/document.ts';
import { errorCode, unreadableCode, unreadableNowCode } from '../../model/errors.ts';
import {
  attachmentDirectoryEnd,
  isAttachmentDirectory,
  judgeName,
  judgeSize,
  maxAttachments,
} from '../../model/names-and-types.ts';
import { findAttachments } from '../companions/find-attachments.ts';
import { readIgnoreFile } from '../companions/read-ignore-file.ts';
import type {
  AttachingDocument,
  FoundAttachments,
  PlacedAttachment,
} from '../companions/find-attachments.ts';
import { ignoreFileName, isTrustedCompanion } from '../rules/classify.ts';
import { ignoringPattern } from '../rules/ignore-patterns.ts';
import { statOf } from '../rules/entry.ts';
import { noLook } from '../rules/settle.ts';
import { realRoot } from '../walk/root-identity.ts';
import { entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { lookUp } from '../look-up.ts';
import { lookInside, unlistedTrouble } from './find-entry.ts';
import { absoluteOf, unsettledRulesMs } from './inherited.ts';
import { notRead, settling, unfit, unknown } from './inspection-results.ts';

/** A document's attachments, all fit and settled. */
interface GatheredAttachments extends Pick<FoundAttachments, 'keys'> {
  readonly kind: 'attachments';
  readonly attachments: readonly FoundAttachment[];
}

/**
 * Gathers a document's attachments: those of its directory, by name, then those that its sidecar lists, or that it was
 * last sent with. Of what it was sent with, files that are gone or cannot be attachments by now are left out. `ownerUid`:
 * the document's owner, to whom they belong with `sidecarOwner: same`: nobody publishes a file of somebody else by a sidecar.
 */
export async function gatherAttachments(
  folder: FolderState,
  document: string,
  {
    listed,
    sentWith,
    ownerUid,
  }: Pick<AttachingDocument, 'listed' | 'sentWith'> & { readonly ownerUid: number },
): Promise<GatheredAttachments | NoDocument> {
  const directory = `${document}${attachmentDirectoryEnd}`;
  const rules = folder.tree.get(directoryOf(document))?.rules ?? folder.rules;
  const raw = folder.tree.rawPath(directory);
  const stats = lookUp(folder.absolute(raw));
  const hasOwn = stats?.isDirectory() === true && ignoringPattern(rules, directory, true) === null;
  const delay = hasOwn ? folder.observations.settle(directory, stats) : 0;
  if (delay > 0) return settling(delay);
  const found = await findAttachments(
    folder,
    { path: document, rules, own: hasOwn ? { raw: nameOf(raw), uid: stats.uid } : null, listed, sentWith },
    { realRoot: hasOwn ? realRoot(folder.root) : '', slice: createTimeSlice(32) },
  );
  if (found.own?.kind === 'unreadable') return notRead(printable(directory), found.own.code);
  if (found.own?.kind === 'barred') {
    const message = `${printable(directory)}: ${found.own.message}`;
    return found.own.isPassing
      ? unknown(unreadableNowCode, message)
      : unfit('attachment-invalid', `the attachments cannot be sent: ${message}`);
  }
  // What is ignored while its ignore file is written may not be what is ignored then.
  const rulesFile = found.own?.listing.entries.find(({ name }) => name === ignoreFileName)?.stats;
  const rulesMs = rulesFile ? folder.observations.settle(joinPath(directory, ignoreFileName), rulesFile) : 0;
  if (rulesMs > 0) return settling(rulesMs);
  const [nameless] = found.own?.nameless ?? [];
  if (nameless !== undefined)
    return invalid(
      printable(joinPath(directory, nameless)),
      'its name is not valid UTF-8, or differs from another only in how accents are encoded',
    );
  const attachments: FoundAttachment[] = [];
  for (const file of found.files) {
    // It lies in the directory by now.
    if (file.by === 'record' && attachments.some(({ name }) => name === nameOf(file.text))) continue;
    const placed = placeOf(folder, document, file);
    if (file.by === 'record' && 'kind' in placed && placed.kind === 'unfit') continue;
    if ('kind' in placed) return placed;
    const judged = judge(folder, placed, ownerUid);
    if ('kind' in judged) return judged;
    if (attachments.some(({ name }) => name === judged.name))
      return invalid(placed.shown, 'another attachment has the same name');
    attachments.push(judged);
  }
  if (attachments.length > maxAttachments) {
    const message = `it has ${attachments.length} attachments, but the service accepts at most ${maxAttachments}; remove some`;
    return unfit('too-many-attachments', message);
  }
  return { kind: 'attachments', attachments, keys: found.keys };
}

/** A file in its place. */
interface PlacedFile {
  readonly path: string;
  /** How a person knows it. */
  readonly shown: string;
  readonly entry: NonNullable<PlacedAttachment['entry']>;
}

function placeOf(
  folder: FolderState,
  document: string,
  { by, text, place, refusal, entry }: PlacedAttachment,
): PlacedFile | NoDocument {
  if (by === 'directory' && entry !== null) return { path: text, shown: printable(text), entry };
  const shown = excerpt(text);
  if (place.kind === 'beyond') {
    const message = `the attachment ${shown} is not in the document’s directory or below it; move it there, or set attachments: folder for this folder`;
    return unfit('attachment-outside', message);
  }
  // A directory on the way that is a link may lead anywhere.
  const isLink = (at: string) => entryAt(folder, at)?.kind === 'link';
  if (place.kind === 'outside' || directoriesTo(place.path).some(isLink))
    return unfit('attachment-outside', `the attachment ${shown} is outside the folder`);
  const { path } = place;
  if (path === document) return invalid(shown, 'it is the document itself');
  if (folder.attachmentLists.isOwner(path)) return invalid(shown, 'it has attachments of its own');
  if (refusal !== null) return invalid(shown, refusal);
  // Its directory may be another one than the document's, with an ignore file of its own.
  const unlisted = unlistedTrouble(folder, path);
  if (unlisted !== null) return unlisted;
  // As it is written: another document may miss it for longer.
  const missing = `${document}\0${text}`;
  if (entry !== null) {
    const trouble = rulesTrouble(folder, path, shown);
    if (trouble !== null) return trouble;
    folder.observations.unsee(missing);
    return { path, shown, entry };
  }
  const waitMs = folder.removeGraceMs - folder.observations.standsMs(missing, noLook);
  const message = `the attachment ${shown} does not exist`;
  if (waitMs <= 0) return unfit('attachment-missing', message);
  return { kind: 'waiting', code: 'attachment-missing', message, againMs: Math.ceil(waitMs) };
}

/** Why the rules around a file keep it from being sent; null: they do not. Of directories of attachments no scan reads them. */
function rulesTrouble(folder: FolderState, path: string, shown: string): NoDocument | null {
  const way = directoriesTo(path);
  const unread = way.findIndex((place) => isAttachmentDirectory(nameOf(place)));
  const delay = unsettledRulesMs(folder, (unread === -1 ? way.at(-1) : way[unread - 1]) ?? '');
  if (delay > 0) return settling(delay);
  for (const place of unread === -1 ? [] : way.slice(unread)) {
    const file = joinPath(place, ignoreFileName);
    const absolute = absoluteOf(folder, place, ignoreFileName);
    const stats = lookUp(absolute);
    const ownerUid = lookUp(dirname(absolute))?.uid ?? -1;
    if (stats === undefined || !isTrustedCompanion(folder.settings.sidecarOwner, stats, ownerUid)) continue;
    const settlesIn = folder.observations.settle(file, stats);
    if (settlesIn > 0) return settling(settlesIn);
    const ruled = readIgnoreFile(absolute, folder.tree);
    if (ruled.kind === 'invalid')
      return unknown(
        ruled.code ?? (ruled.isPassing ? unreadableNowCode : unreadableCode),
        `${printable(place)}: ${ruled.message}`,
      );
    const pattern = ignoringPattern([{ directory: place, file, rules: ruled.rules }], path, false);
    if (pattern !== null) return invalid(shown, `${printable(file)} ignores it`);
  }
  return null;
}

function judge(
  folder: FolderState,
  { path, shown, entry: { kind, stats, fault } }: PlacedFile,
  ownerUid: number,
): FoundAttachment | NoDocument {
  if (stats === null) return notRead(`the attachment ${shown}`, fault);
  if (kind !== 'file')
    return invalid(
      shown,
      kind === 'link' ? 'it is a symbolic link, which is not followed' : 'it is not a regular file',
    );
  if (!isTrustedCompanion(folder.settings.sidecarOwner, stats, ownerUid))
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

function invalid(shown: string, why: string): NoDocument {
  return unfit('attachment-invalid', `the attachment ${shown} cannot be sent: ${why}`);
}
