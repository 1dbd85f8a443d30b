import type { Stats } from 'node:fs';

import { printable } from '../../lib/text/printable.ts';
import type { TimeSlice } from '../../lib/time/time-slice.ts';
import { directoriesTo, joinPath, nameOf, orphanAttachments, unknownStat } from '../../model/document.ts';
import type { AttachedFile, DocumentEntry, FileStat, ScanCause, Skip } from '../../model/document.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
import { isAttachmentDirectory } from '../../model/names-and-types.ts';
import { entryAt } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyFile, classifyUnpaired, ignoreFileName, linkedAttachment } from '../rules/classify.ts';
import { documentFingerprint } from '../rules/fingerprint.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import { findAttachments } from '../companions/find-attachments.ts';
import type { FoundAttachments } from '../companions/find-attachments.ts';
import { entryKey, statOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import type { PairedSidecar } from '../rules/relate.ts';
import type { WatchState } from '../watch/backend.ts';
import { mayBeMeantFor } from '../rules/sidecar-names.ts';
import type { PairedEntries } from './pair-directory.ts';
import type { SortedEntries } from '../rules/sort-entries.ts';
import { allOf, hiddenIn, listDirectory } from './list-directory.ts';
import type { Listing } from './list-directory.ts';
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
  /** Absolute, without links. */
  readonly place: string;
  readonly rules: readonly PlacedRules[];
  /** The fingerprint of plain documents in it. */
  readonly fingerprint: string;
  readonly sorted: SortedEntries;
  readonly paired: PairedEntries;
}

/** The documents of a directory, as a scan reports them. */
export type FoundDocuments = ReturnType<typeof nothingFound>;

function nothingFound() {
  return {
    entries: [] as DocumentEntry[],
    skips: [] as Skip[],
    /** Sidecars that fit no file, and the document that each may be meant for; null: the one that it had has left. */
    unfit: new Map<string, string | null | undefined>(),
    /** Fingerprints other than the directory's, and the looks of what sidecars list in its directories of attachments. */
    fingerprints: [] as string[],
    /** Those of its documents, with or without them, and the ones below in which sidecars list files. */
    attachmentDirectories: [] as string[],
    /** Files that its documents attach. */
    attachments: [] as AttachedFile[],
    /** How many files are attachments and were left out. */
    attached: 0,
    /** Directories of attachments that cannot be listed, and what cannot be looked at in others. */
    hidden: [] as (string | Buffer)[],
    /** One that cannot be listed at the moment, in words; null: none. */
    unread: null as string | null,
  };
}

/** Whether nothing in a directory of attachments could be one. */
function isEmpty(own: FoundAttachments['own']): boolean {
  return own?.kind === 'listed' && [own.files, own.links, own.nameless].every(({ length }) => length === 0);
}

/** For so many sidecars that fit no file the document is looked for that each may be meant for. */
const mostGuesses = 20;

/** Turns a directory's files into entries, each with its fingerprint. Attachments are left out. */
export async function listDocuments(
  folder: FolderState,
  { path: directory, place: here, rules, fingerprint, sorted, paired }: ListedDirectory,
  context: VisitContext,
): Promise<FoundDocuments> {
  const { attachmentLists, observations, tree } = folder;
  const found = nothingFound();
  const { entries, unfit } = found;
  const attachNothing = [sorted.sidecars, sorted.attachmentDirectories, paired.sentWith];
  const plain = attachNothing.every(({ size }) => size === 0);
  for (const files of [sorted.documents, sorted.otherFiles]) {
    for (const { name, stats, exclusion = null } of files) {
      if (stats === null) {
        // It may be a document: what it attaches must not go out on its own, wherever that moves.
        if (!plain) await lookAtOwn(name, unknownStat);
        continue;
      }
      const path = joinPath(directory, name);
      const classified = classifyFile({ path, stats, exclusion }, folder);
      if (classified.kind === 'skipped') skip(path, classified);
      if (classified.kind === 'attachment') found.attached += 1;
      if (classified.kind !== 'document') continue;
      const own = plain ? fingerprint : await fingerprintOf(name, stats);
      if (own !== fingerprint) found.fingerprints.push(own);
      const ownMode = paired.lists.get(paired.sidecars.get(name)?.name ?? '')?.mode;
      entries.push({
        name,
        stat: stats,
        fingerprint: own,
        ...(ownMode === undefined ? null : { ownMode }),
      });
    }
  }
  // Of a document that is ignored, or not there: what lies in it is not sent, and stands all the same.
  const owned = new Set(found.attachmentDirectories);
  for (const [owner, own] of sorted.attachmentDirectories) {
    const path = joinPath(directory, own.name);
    if (owned.has(path)) continue;
    const attached = await lookAtAttached({ owner, ownerStat: null, own });
    if (sorted.orphans.has(owner) && !isEmpty(attached.own)) skip(path, orphanAttachments);
  }
  // What the sidecars of files list that a rule leaves out: they may be sent some day, or go.
  for (const { name: owner, stats } of sorted.leftOut) {
    const sidecar = paired.ofLeftOut.get(owner);
    if (sidecar?.kind === 'own' && stats !== null)
      await lookAtAttached({ owner, ownerStat: statOf(stats), sidecar });
  }
  await findMeant();
  for (const [name, why] of paired.unpaired)
    skip(joinPath(directory, name), classifyUnpaired(why, unfit.get(name)));
  // They are reported under the names that they have on disk, which are nobody else's, to be shown as failed.
  for (const { stats, raw } of sorted.twins) {
    if (stats !== null) entries.push({ name: raw, stat: stats, fingerprint });
  }
  return found;

  function skip(path: string, { code, message }: Omit<Skip, 'path'>): void {
    found.skips.push({ path, code, message });
  }

  async function findMeant(): Promise<void> {
    for (const name of sorted.misspelled) unfit.set(name, undefined);
    const before = tree.get(directory);
    const used = new Set(Array.from(before?.pairs?.values() ?? [], ({ name }) => name));
    for (const [name, why] of paired.unpaired) {
      if (why !== 'orphan') continue;
      const isMeant = (document: string) => !paired.sidecars.has(document) && mayBeMeantFor(name, document);
      const meant = unfit.size < mostGuesses ? entries.filter((document) => isMeant(document.name)) : [];
      if (used.has(name) || before?.unfit?.get(name) === null) unfit.set(name, null);
      else unfit.set(name, meant.length === 1 ? meant[0]?.name : undefined);
      await context.slice();
    }
  }

  /** The fingerprint of a document; takes note of what it attaches. */
  async function fingerprintOf(owner: string, stats: Stats): Promise<string> {
    const { own, sidecar, attached } = await lookAtOwn(owner, statOf(stats));
    if (attached.own?.kind === 'listed') {
      found.attached += attached.own.files.filter(({ text }) => !attachmentLists.isAttachment(text)).length;
      for (const link of attached.own.links)
        skip(joinPath(joinPath(directory, own?.name ?? ''), link), linkedAttachment);
    }
    const entry = sorted.sidecars.get(sidecar?.name ?? '');
    return documentFingerprint(fingerprint, {
      sidecar:
        sidecar === undefined || entry === undefined ? null : { kind: sidecar.kind, key: entryKey(entry) },
      attachments: attached.keys,
    });
  }

  async function lookAtOwn(owner: string, ownerStat: FileStat) {
    const sidecar = paired.sidecars.get(owner);
    const own = sorted.attachmentDirectories.get(owner);
    return { own, sidecar, attached: await lookAtAttached({ owner, ownerStat, own, sidecar }) };
  }

  /** Looks at what a document attaches; takes note of its directory of attachments, which is watched from then on. */
  async function lookAtAttached({
    own,
    sidecar,
    ...owner
  }: Pick<AttachedFile, 'owner' | 'ownerStat'> & {
    readonly own?: Entry | undefined;
    readonly sidecar?: PairedSidecar | undefined;
  }): Promise<FoundAttachments> {
    const document = joinPath(directory, owner.owner);
    const attached = await findAttachments(
      folder,
      {
        path: document,
        rules,
        own: own === undefined ? null : { raw: own.raw, uid: watchAttached(own)?.uid ?? -1 },
        listed: paired.lists.get(sidecar?.name ?? '')?.attachments ?? [],
        sentWith: paired.sentWith.get(document) ?? [],
      },
      context,
    );
    for (const { by, place, entry } of attached.files) {
      if (place.kind !== 'inside' || entry?.kind !== 'file' || entry.stats === null) continue;
      const isListed = by !== 'directory';
      // What may be ignored there is only known once that directory was listed.
      if (isListed && !isRuled(place.path)) continue;
      if (by !== 'sidecar' || sidecar?.kind === 'own')
        found.attachments.push({ ...owner, path: place.path, stat: statOf(entry.stats), isListed });
    }
    if (own === undefined || attached.own === null) return attached;
    const shown = printable(own.name);
    const place = placeBelow(here, own.raw);
    if (attached.own.kind === 'unreadable') noteHidden(place, shown, attached.own.code);
    else if (attached.own.kind === 'barred') {
      found.hidden.push(place);
      if (attached.own.isPassing) found.unread ??= `${shown}: ${attached.own.message}`;
    } else if (own.stats !== null) {
      await noteBelow(joinPath(directory, own.name), place, own.stats, attached.own.listing);
    }
    return attached;
  }

  /** Whether all rules are known that hold for what a sidecar lists: what is to be listed still, or never is, may have some. */
  function isRuled(listed: string): boolean {
    const way = directoriesTo(listed);
    const hasRules = (place: string) => entryAt(folder, joinPath(place, ignoreFileName)) !== null;
    const isKnown = (place: string) => place === directory || tree.has(place) || !hasRules(place);
    return way.every(isKnown) || way.some((place) => isAttachmentDirectory(nameOf(place)));
  }

  function watchAttached({ name, raw, stats }: Entry): Stats | null {
    if (stats === null) return null;
    const path = joinPath(directory, name);
    context.watch(path, placeBelow(here, raw), stats);
    found.attachmentDirectories.push(path);
    return stats;
  }

  function noteHidden(place: string, shown: string, code: string | undefined): void {
    found.hidden.push(place);
    if (readFaultOf(code) === 'passing') found.unread ??= cannotBeRead(shown, code);
  }

  /** Takes note of what sidecars list of a directory of attachments and of those below it, which are watched from then on. */
  async function noteBelow(path: string, place: string, stats: Stats, inside: Listing): Promise<void> {
    observations.list(path, stats, allOf(inside));
    found.hidden.push(...hiddenIn(place, inside));
    for (const entry of inside.entries) {
      const at = joinPath(path, entry.name);
      if (entry.kind === 'file' && attachmentLists.isAttachment(at)) {
        found.attached += 1;
        found.fingerprints.push(`${at} ${entryKey(entry)}`);
      }
      if (entry.kind !== 'directory' || entry.stats === null || !attachmentLists.reaches(at)) continue;
      const placeAt = placeBelow(place, entry.raw);
      context.watch(at, placeAt, entry.stats);
      found.attachmentDirectories.push(at);
      try {
        await noteBelow(at, placeAt, entry.stats, await listDirectory(placeAt, context.slice));
      } catch (error) {
        noteHidden(placeAt, printable(entry.name), errorCode(error));
      }
    }
  }
}
