import type { Stats } from 'node:fs';

import { printable } from '../../lib/text/printable.ts';
import type { TimeSlice } from '../../lib/time/time-slice.ts';
import { joinPath, nameOf } from '../../model/document.ts';
import type { AttachedFile, DocumentEntry, ScanCause, Skip } from '../../model/document.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyFile, classifyUnpaired, linkedAttachment } from '../rules/classify.ts';
import { documentFingerprint } from '../rules/fingerprint.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import { findAttachments } from '../companions/find-attachments.ts';
import type { FoundAttachments } from '../companions/find-attachments.ts';
import { entryKey, statOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import type { WatchState } from '../watch/backend.ts';
import { mayBeMeantFor } from '../rules/sidecar-names.ts';
import type { PairedEntries } from './pair-directory.ts';
import type { SortedEntries } from '../rules/sort-entries.ts';
import { listDirectory } from './list-directory.ts';
import { placeBelow } from './root-identity.ts';

/** What a visit to a directory needs besides the folder. */
export interface VisitContext {
  readonly cause: ScanCause;
  /** Where the root really is, for links that are followed. */
  readonly realRoot: string;
  readonly slice: TimeSlice;
  /** Watches a directory, and says whether it is. Called before the directory is read. */
  readonly watch: (directory: string, absolute: string, stats: Stats) => WatchState;
}

/** A directory that was listed, sorted and paired. */
export interface ListedDirectory {
  readonly path: string;
  readonly absolute: string;
  readonly rules: readonly PlacedRules[];
  /** The fingerprint of plain documents in it. */
  readonly fingerprint: string;
  readonly sorted: SortedEntries;
  readonly paired: PairedEntries;
  readonly context: VisitContext;
}

/** The documents of a directory, as a scan reports them. */
export type FoundDocuments = ReturnType<typeof nothingFound>;

function nothingFound() {
  return {
    entries: [] as DocumentEntry[],
    skips: [] as Skip[],
    /** Sidecars that fit no file, and the document that each may be meant for. */
    unfit: new Map<string, string | undefined>(),
    /** Fingerprints other than the directory's, and the looks of what sidecars list in its directories of attachments. */
    fingerprints: [] as string[],
    /** Those of its documents, with or without them, and the ones below in which sidecars list files. */
    attachmentDirectories: [] as string[],
    /** Files that its documents attach. */
    attachments: [] as AttachedFile[],
    /** How many files are attachments and were left out. */
    attached: 0,
    /** There is a directory of attachments that cannot be listed. */
    hidesFiles: false,
    /** One that cannot be listed at the moment, in words; null: none. */
    unread: null as string | null,
  };
}

/** Turns a directory's files into entries, each with its fingerprint. Attachments are left out. */
export async function listDocuments(folder: FolderState, listed: ListedDirectory): Promise<FoundDocuments> {
  const { path: directory, fingerprint, sorted, paired } = listed;
  const found = nothingFound();
  const skip = (name: string, { code, message }: Omit<Skip, 'path'>) =>
    found.skips.push({ path: joinPath(directory, name), code, message });
  const attachNothing = [sorted.sidecars, sorted.attachmentDirectories, paired.sentWith];
  const plain = attachNothing.every(({ size }) => size === 0);
  for (const files of [sorted.documents, sorted.otherFiles]) {
    for (const { name, stats, exclusion = null } of files) {
      if (stats === null) continue;
      const path = joinPath(directory, name);
      const classified = classifyFile({ path, stats, exclusion }, folder);
      if (classified.kind === 'skipped') skip(name, classified);
      if (classified.kind === 'attachment') found.attached += 1;
      if (classified.kind !== 'document') continue;
      const own = plain ? fingerprint : await fingerprintOf(folder, listed, { name, stats, found });
      if (own !== fingerprint) found.fingerprints.push(own);
      const ownMode = paired.lists.get(paired.sidecars.get(name)?.name ?? '')?.mode;
      found.entries.push({
        name,
        stat: stats,
        fingerprint: own,
        ...(ownMode === undefined ? null : { ownMode }),
      });
    }
  }
  // Of a document that is ignored, or not there: what lies in it is not sent, and stands all the same.
  const owned = new Set(found.attachmentDirectories);
  for (const [name, own] of sorted.attachmentDirectories) {
    if (!owned.has(joinPath(directory, own.name)))
      await lookAtAttached(folder, listed, { owner: name, ownerStat: null }, found);
  }
  await findAttachedToLeftOut(folder, listed, found);
  await findMeant(listed, found);
  for (const [name, why] of paired.unpaired) skip(name, classifyUnpaired(why, found.unfit.get(name)));
  // They are reported under the names that they have on disk, which are nobody else's, to be shown as failed.
  for (const { stats, raw } of sorted.twins) {
    if (stats !== null) found.entries.push({ name: raw, stat: stats, fingerprint });
  }
  return found;
}

/** For so many sidecars that fit no file the document is looked for that each may be meant for. */
const mostGuesses = 20;

async function findMeant(
  { sorted: { inCapitals }, paired, context }: ListedDirectory,
  { entries, unfit }: Pick<FoundDocuments, 'entries' | 'unfit'>,
): Promise<void> {
  for (const name of inCapitals) unfit.set(name, undefined);
  for (const [name, why] of paired.unpaired) {
    if (why !== 'orphan') continue;
    const isGuessed = unfit.size < mostGuesses;
    const isMeant = (document: string) => !paired.sidecars.has(document) && mayBeMeantFor(name, document);
    unfit.set(name, isGuessed ? entries.find((document) => isMeant(document.name))?.name : undefined);
    await context.slice();
  }
}

/** What the sidecars of files list that a rule leaves out: they may be sent some day, or go. */
async function findAttachedToLeftOut(
  folder: FolderState,
  { path, rules, sorted, paired, context }: ListedDirectory,
  { attachments }: Pick<FoundDocuments, 'attachments'>,
): Promise<void> {
  for (const { name, stats } of sorted.leftOut) {
    const sidecar = paired.ofLeftOut.get(name);
    if (sidecar?.kind !== 'own' || stats === null) continue;
    const { attachments: listed = [] } = paired.lists.get(sidecar.name) ?? {};
    const document = { path: joinPath(path, name), rules, own: null, listed, sentWith: [] };
    const attached = await findAttachments(folder, document, context);
    attachments.push(...listedFiles({ owner: name, ownerStat: statOf(stats) }, attached));
  }
}

/** A document that attaches files. */
type Owner = Pick<AttachedFile, 'owner' | 'ownerStat'>;

function listedFiles(owner: Owner, { listed }: FoundAttachments): readonly AttachedFile[] {
  return listed.flatMap(({ place, entry }) => {
    if (place.kind !== 'inside' || entry?.kind !== 'file' || entry.stats === null) return [];
    return [{ ...owner, path: place.path, stat: statOf(entry.stats), isListed: true }];
  });
}

/** Looks at what a document attaches; takes note of its directory of attachments, which is watched from then on. */
async function lookAtAttached(
  folder: FolderState,
  { path, absolute, rules, sorted, paired, context }: ListedDirectory,
  owner: Owner,
  found: FoundDocuments,
  listed: readonly string[] = [],
): Promise<FoundAttachments> {
  const { owner: name } = owner;
  const own = sorted.attachmentDirectories.get(name);
  const ownPath = joinPath(path, own?.name ?? '');
  if (own !== undefined && own.stats !== null) {
    context.watch(ownPath, `${absolute}/${own.raw}`, own.stats);
    found.attachmentDirectories.push(ownPath);
  }
  const ownDirectory = own === undefined ? null : { raw: own.raw, uid: own.stats?.uid ?? -1 };
  const sentWith = paired.sentWith.get(joinPath(path, name)) ?? [];
  const document = { path: joinPath(path, name), rules, own: ownDirectory, listed, sentWith };
  const attached = await findAttachments(folder, document, context);
  if (attached.own?.kind === 'unreadable') {
    found.hidesFiles = true;
    if (readFaultOf(attached.own.code) === 'passing')
      found.unread ??= cannotBeRead(printable(nameOf(ownPath)), attached.own.code);
  } else if (attached.own?.kind === 'barred') {
    found.hidesFiles = true;
    if (attached.own.isPassing) found.unread ??= `${printable(nameOf(ownPath))}: ${attached.own.message}`;
  } else if (attached.own !== null && own !== undefined) {
    for (const { name: file, stats } of attached.own.files)
      if (stats !== null)
        found.attachments.push({
          ...owner,
          path: joinPath(ownPath, file),
          stat: statOf(stats),
          isListed: false,
        });
    const raw = joinPath(folder.tree.rawPath(path), own.raw);
    const { entries } = attached.own;
    if (own.stats !== null)
      await noteAttached(folder, context, found, { path: ownPath, raw, stats: own.stats, entries });
  }
  return attached;
}

/** A directory of attachments, or one below, and what is in it. */
interface AttachedDirectory {
  readonly path: string;
  /** As on disk, from the root. */
  readonly raw: string;
  readonly stats: Stats;
  readonly entries: readonly Entry[];
}

/** Takes note of what sidecars list of a directory of attachments and of those below it, which are watched from then on. */
async function noteAttached(
  folder: FolderState,
  context: VisitContext,
  found: FoundDocuments,
  { path: directory, raw: above, stats, entries }: AttachedDirectory,
): Promise<void> {
  const { attachmentLists, observations } = folder;
  observations.list(directory, stats, entries);
  for (const entry of entries) {
    const path = joinPath(directory, entry.name);
    if (entry.kind === 'file' && attachmentLists.isAttachment(path)) {
      found.attached += 1;
      found.fingerprints.push(`${path} ${entryKey(entry)}`);
    }
    if (entry.kind !== 'directory' || entry.stats === null || !attachmentLists.reaches(path)) continue;
    const raw = joinPath(above, entry.raw);
    const place = placeBelow(context.realRoot, raw);
    context.watch(path, place, entry.stats);
    found.attachmentDirectories.push(path);
    try {
      const listing = await listDirectory(place, context.slice);
      const below = { path, raw, stats: entry.stats, entries: listing.entries };
      await noteAttached(folder, context, found, below);
    } catch (error) {
      found.hidesFiles = true;
      if (readFaultOf(errorCode(error)) === 'passing')
        found.unread ??= cannotBeRead(printable(entry.name), errorCode(error));
    }
  }
}

/** The fingerprint of a document; takes note of what it attaches. */
async function fingerprintOf(
  folder: FolderState,
  listed: ListedDirectory,
  { name, stats, found }: { readonly name: string; readonly stats: Stats; readonly found: FoundDocuments },
): Promise<string> {
  const { path, fingerprint, sorted, paired } = listed;
  const sidecar = paired.sidecars.get(name);
  const lists = paired.lists.get(sidecar?.name ?? '')?.attachments;
  const owner = { owner: name, ownerStat: statOf(stats) };
  const attached = await lookAtAttached(folder, listed, owner, found, lists);
  if (attached.own?.kind === 'listed') {
    const ownPath = joinPath(path, sorted.attachmentDirectories.get(name)?.name ?? '');
    for (const { name: file } of attached.own.files)
      if (!folder.attachmentLists.isAttachment(joinPath(ownPath, file))) found.attached += 1;
    const { code, message } = linkedAttachment;
    for (const link of attached.own.links) found.skips.push({ path: joinPath(ownPath, link), code, message });
  }
  if (sidecar?.kind === 'own') found.attachments.push(...listedFiles(owner, attached));
  const entry = sorted.sidecars.get(sidecar?.name ?? '');
  return documentFingerprint(fingerprint, {
    sidecar:
      sidecar === undefined || entry === undefined ? null : { kind: sidecar.kind, key: entryKey(entry) },
    attachments: attached.keys,
  });
}
