import { readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { pathInside } from '../../lib/files/path-inside.ts';
import { orNull } from '../../lib/or-null.ts';
import { printable } from '../../lib/text/printable.ts';
import {
  awaitsContent,
  directoriesTo,
  directoryOf,
  isReplacedPath,
  isValidPath,
  nameOf,
  symbolicLinkCode,
} from '../../model/document.ts';
import type { Inspection, NoDocument } from '../../model/document.ts';
import { errorCode, isUnreadable } from '../../model/errors.ts';
import { effectiveMetadata } from '../../model/metadata/effective-metadata.ts';
import { isAttachmentDirectory, judgeName, judgeSize } from '../../model/names-and-types.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import { folderSource } from '../../model/report/activity-words.ts';
import { entryAt, knownPath, locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyFile, classifyUndecodable, linkedAttachment } from '../rules/classify.ts';
import { classifyByName } from '../rules/classify-by-name.ts';
import type { Classification } from '../rules/classify.ts';
import { documentFingerprint } from '../rules/fingerprint.ts';
import { statOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { readDefaults, unsettledRulesMs } from './inherited.ts';
import { absence, findEntry, lookInside, rootTrouble, spellingsOf, unlistedTrouble } from './find-entry.ts';
import { isListed } from './find-files.ts';
import { gatherAttachments } from './gather-attachments.ts';
import { expectsSidecar, isListedAnew, likelySidecar } from './likely-sidecar.ts';
import { describeSidecar, findSidecar } from './own-sidecar.ts';
import { isLinkedAttachment } from '../companions/find-attachments.ts';
import { afterScanMs } from '../rules/settle.ts';
import { arrivalOf } from '../companions/arrival.ts';
import { ignored, notRead, settling, unfit, unknown } from './inspection-results.ts';

/** Inspects one path as it is now, as `FolderPort.inspect`. Never throws for what is on disk. */
export type Inspector = (path: string, sentWith?: readonly string[]) => Promise<Inspection>;

export function createInspector(folder: FolderState): Inspector {
  return async (path, sentWith) => {
    const isNews = sentWith !== undefined && folder.attachmentLists.learn(path, sentWith);
    const found = await inspect(path).catch((error: unknown) => unread(folder, path, error));
    // Files of it are listed as documents until then.
    if (isNews && (found.kind !== 'document' || found.document.sidecar === null))
      folder.changed(directoryOf(path));
    return withPresence(folder, path, found);
  };

  async function inspect(path: string): Promise<Inspection> {
    const trouble = rootTrouble(folder);
    if (trouble !== null) return trouble;
    if (!isValidPath(path)) return ignored('outside-folder', 'not a path inside the folder');
    const normal = path.normalize('NFC');
    // Only a twin has a path of its own beside that of the NFC form. What was one is nothing, whatever stands there.
    const isTwin = path !== normal && knownPath(folder.root, path) === path;
    if (path !== normal && !isTwin)
      return ignored('unicode-twin', `its path is written ${printable(normal)} here, in NFC`);
    const named = isReplacedPath(path)
      ? ({ kind: 'file', exclusion: null } as const)
      : classifyByName(folder, path);
    if (named.kind === 'attachment' && isLinkedAttachment(folder, path)) return linkedAttachment;
    if (named.kind !== 'file') return withoutContent(folder, path, named);
    const { exclusion } = named;
    const name = nameOf(path);
    // By its name alone, before anything is read: such a rule holds whether the file is there or not.
    const byName = classifyFile({ path, stats: null, exclusion }, folder);
    // A link to a directory is never entered under such a name, which `include` has no say in.
    if (byName.kind === 'ignored' && !isAttachmentDirectory(name))
      return withoutContent(folder, path, byName);
    const found = findEntry(folder, path);
    if (found.kind !== 'looked') return found;
    const { entry } = found;
    // A name that differs from another only in its Unicode form never stands.
    if (entry !== null && isTwin)
      return withoutContent(folder, path, classifyByName(folder, normal, { kind: entry.kind, twin: name }));
    if (entry?.kind === 'link' || entry?.kind === 'inner-link')
      return withoutContent(folder, path, classifyByName(folder, path, { kind: entry.kind }));
    const stats = entry?.kind === 'file' ? entry.stats : null;
    const classified = classifyFile({ path, stats, exclusion }, folder);
    if (classified.kind === 'attachment') return withoutContent(folder, path, classified);
    if (stats !== null) return inspectFile(folder, path, { stats, classified });
    // What its directory lists, and no lookup finds, has a name whose bytes are not UTF-8.
    const isUndecoded = entry === null && found.path === path && name.includes('\uFFFD');
    if (isUndecoded && spellingsOf(folder, path).length > 0)
      return withoutContent(folder, path, classifyUndecodable(new Uint8Array(), 'file'));
    return absence(folder, found.path);
  }
}

/** What an inspection found, with whether something is seen to stand there that is not sent. */
function withPresence(folder: FolderState, path: string, found: Inspection): Inspection {
  if (found.kind !== 'unknown' && found.kind !== 'ignored' && found.kind !== 'skipped') return found;
  if (found.kind === 'unknown' && !isUnreadable(found)) return found;
  const entry = entryAt(folder, path, locateOnDisk);
  const stats = entry?.kind === 'file' ? entry.stats : null;
  const known = stats === null ? found : { ...found, stat: statOf(stats) };
  if (known.kind !== 'unknown' && known.code === symbolicLinkCode) return { ...known, presence: 'unseen' };
  if (known.kind === 'skipped' || known.presence !== undefined) return known;
  if (entry !== null) return isSeen(folder, path, entry) ? known : { ...known, presence: 'unseen' };
  if (known.kind === 'unknown') return { ...known, presence: 'gone' };
  // What a rule says of a path it says whether anything is there or not.
  const missing = firstMissing(folder, path);
  const sure = missing === null ? null : absence(folder, missing);
  return { ...known, presence: 'gone', ...(sure?.kind === 'absent' ? { device: sure.device } : null) };
}

/** Where the way to a path ends; null: no listing shows it, as none does that a directory ignored as a whole is gone. */
function firstMissing(folder: FolderState, path: string): string | null {
  for (const place of [...directoriesTo(path), path]) {
    if (!isListed(folder, directoryOf(place))) return null;
    const entry = entryAt(folder, place, locateOnDisk);
    if (entry?.kind === 'directory') continue;
    const found = place === path ? null : classifyByName(folder, place, { kind: 'directory' });
    return entry === null && found?.kind === 'ignored' ? null : place;
  }
  return null;
}

/** Whether a path is seen to be taken: of what cannot be looked at its directory may still show the name. */
function isSeen({ absolute, tree }: FolderState, path: string, entry: Entry): boolean {
  if (entry.kind !== 'unreadable') return true;
  const names = orNull(() => readdirSync(absolute(tree.rawPath(directoryOf(path))))) ?? [];
  return names.some((raw) => raw.normalize('NFC') === entry.name);
}

/** The answer for what is no document, whatever is in it. */
function withoutContent(
  folder: FolderState,
  path: string,
  found: ReturnType<typeof classifyByName>,
): NoDocument {
  switch (found.kind) {
    case 'ignored':
    case 'skipped':
    case 'unfit':
    case 'unknown':
      return found;
    case 'attachment':
      return { ...ignored('attachment', `an attachment of ${printable(found.owner)}`), owner: found.owner };
    case 'sidecar':
      return describeSidecar(folder, path);
    case 'defaults':
    case 'ignore-file':
      return describeCompanion(folder, path, found.kind);
    case 'directory':
    case 'attachments-directory':
    case 'special':
    case 'document':
    case 'file':
      return ignored('outside-folder', 'no file');
    default:
      return found satisfies never;
  }
}

async function inspectFile(
  folder: FolderState,
  path: string,
  { stats, classified }: { readonly stats: Stats; readonly classified: Classification },
): Promise<Inspection> {
  const name = nameOf(path);
  const unlisted = unlistedTrouble(folder, path);
  if (unlisted !== null) return unlisted;
  // Its directory may have rules of its own, which only a scan reads.
  if (!folder.tree.has(directoryOf(path))) {
    // Of a root that cannot be listed nothing is known at all.
    return folder.tree.has('')
      ? settling(afterScanMs)
      : unknown('folder-unreadable', 'the folder cannot be listed');
  }
  // Whether its content is on its way is said when it has settled.
  if (classified.kind !== 'document' && !awaitsContent(classified))
    return withoutContent(folder, path, classified);
  if (isListedAnew(folder, path)) return settling(afterScanMs);
  const rulesDelay = unsettledRulesMs(folder, directoryOf(path));
  if (rulesDelay > 0) return settling(Math.max(rulesDelay, folder.observations.settle(path, stats)));
  const trouble = contentTrouble(folder, path, { stats, classified });
  const inherited = readDefaults(folder, directoryOf(path));
  if (inherited.kind !== 'inherited') return unstated(inherited, trouble);
  const own = findSidecar(folder, path, { name, raw: name, kind: 'file', stats });
  if (own.kind !== 'sidecar') return unstated(own, trouble);
  const listed = own.sidecar?.attachments ?? [];
  const sentWith = own.sidecar === null ? folder.attachmentLists.learned(path) : [];
  const gathered =
    trouble ??
    (await gatherAttachments(folder, path, { listed, sentWith, ownerUid: stats.uid }).catch(
      (error: unknown) => unread(folder, path, error),
    ));
  const inheritedFrom = inherited.layers.toReversed().map((layer) => directoryOf(layer.path));
  const { metadata, title, createdTimestamp } = folder.settings;
  const layers = [
    ...(own.sidecar === null ? [] : [{ path: own.path, metadata: own.sidecar.metadata }]),
    ...inherited.layers,
    { path: null, metadata },
  ];
  const effective = effectiveMetadata({
    layers: layers.map((layer) => layer.metadata),
    fileName: name,
    mtimeMs: stats.mtimeMs,
    title,
    createdTimestamp,
  });
  const fitName = judgeName(name, folder.settings.names);
  const companions = {
    sidecar: own.sidecar === null ? null : { kind: 'own' as const, key: own.key },
    attachments: gathered.kind === 'attachments' ? gathered.keys : [],
  };
  const document = {
    ref: { folder: folder.settings.name, path },
    stat: statOf(stats),
    fingerprint: documentFingerprint(inherited.fingerprint, companions),
    ownFingerprint: documentFingerprint('', companions),
    fileName: fitName.kind === 'unfit' ? name : fitName.name,
    sidecar: own.path,
    ...(own.named === null && inheritedFrom.length === 0
      ? null
      : { companions: { sidecar: own.named, defaults: inheritedFrom } }),
    sources: sourcesOf(effective, layers),
  };
  if (gathered.kind !== 'attachments') {
    const { shareInfo } = effective;
    const metadata = shareInfo === undefined ? {} : { shareInfo };
    return { ...gathered, stated: { ...document, metadata, attachments: [] } };
  }
  const likely = own.sidecar === null ? likelySidecar(folder, path, stats.uid) : null;
  const isExpected = own.sidecar === null && expectsSidecar(folder, path, modeOf(effective));
  const arrival = own.sidecar === null ? arrivalOf(folder, path, { stats, isExpected }) : null;
  return {
    kind: 'document',
    document: {
      ...document,
      ...(arrival === null ? null : { arrival }),
      ...(likely === null ? null : { likelySidecar: likely }),
      metadata: effective,
      attachments: gathered.attachments,
    },
  };
}

/** Nobody can say what is stated for it, `metadata`. What is settled soon is waited for: it may be narrower. */
function unstated(metadata: NoDocument, trouble: NoDocument | null): NoDocument {
  return trouble === null || metadata.kind === 'settling' ? metadata : trouble;
}

/** What keeps the file itself from being sent just now, whatever is stated for it; null: nothing does. */
function contentTrouble(
  folder: FolderState,
  path: string,
  { stats, classified }: { readonly stats: Stats; readonly classified: Classification },
): NoDocument | null {
  const delay = folder.observations.settle(path, stats);
  if (delay > 0) return settling(delay);
  if (classified.kind !== 'document') return withoutContent(folder, path, classified);
  const name = judgeName(nameOf(path), folder.settings.names);
  if (name.kind === 'unfit') return unfit(name.code, name.message);
  const large = judgeSize(stats.size, folder.maxFileBytes);
  if (large !== null) return unfit(large.code, large.message);
  try {
    return lookInside(folder, path, stats);
  } catch (error) {
    return unread(folder, path, error);
  }
}

/** Where each field comes from, in words or as a path from the root. */
function sourcesOf(
  effective: Metadata,
  layers: readonly { readonly path: string | null; readonly metadata: Metadata }[],
): Readonly<Record<string, string>> {
  const sources: Record<string, string> = {};
  for (const field of Object.keys(effective) as (keyof Metadata)[]) {
    const layer = layers.find(({ metadata }) => metadata[field] !== undefined);
    if (layer !== undefined) sources[field] = layer.path ?? folderSource;
    else sources[field] = field === 'title' ? 'file name' : 'modification time';
  }
  return sources;
}

/** What an error of the file system means that was met at a path, or at something that has a say in it. */
function unread({ root }: FolderState, path: string, error: unknown): NoDocument {
  const code = errorCode(error);
  if (code === undefined) throw error;
  const met = typeof error === 'object' && error !== null && 'path' in error ? String(error.path) : '';
  const place = pathInside(root, met)?.normalize('NFC');
  return notRead(place === undefined || place === '' || place === path ? 'it' : printable(place), code);
}

/** What a `.meta.json` or `.ingestignore` does, and what is wrong with it, or with a `.meta.json` above it. */
function describeCompanion(folder: FolderState, path: string, kind: 'defaults' | 'ignore-file'): NoDocument {
  const directory = directoryOf(path);
  const place = directory === '' ? 'the folder' : printable(directory);
  if (kind === 'ignore-file') {
    const { message, code = 'dot-name' } = folder.tree.get(directory)?.unreadable ?? {};
    const trouble = message === undefined ? '' : `, where nothing is sent or deleted: ${message}`;
    return ignored(code, `ignore rules for ${place} and below${trouble}`);
  }
  const inherited = readDefaults(folder, directory);
  const what = `metadata for the documents in ${place} and below`;
  if (inherited.kind !== 'unfit') return ignored('dot-name', what);
  return ignored(inherited.code, `${what}, none of which is sent: ${inherited.message}`);
}
