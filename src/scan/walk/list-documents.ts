import { printable } from '../../lib/text/printable.ts';
import { joinPath, nameOf } from '../../model/document.ts';
import type { AttachedFile, DocumentEntry, Skip } from '../../model/document.ts';
import { cannotBeRead, readFaultOf } from '../../model/errors.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyFile, classifyUnpaired, linkedAttachment } from '../rules/classify.ts';
import { documentFingerprint } from '../rules/fingerprint.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import { findAttachments } from '../companions/find-attachments.ts';
import { entryKey, statOf } from '../rules/entry.ts';
import { mayBeMeantFor } from '../rules/sidecar-names.ts';
import type { PairedEntries } from './pair-directory.ts';
import type { SortedEntries } from './sort-entries.ts';
import type { VisitContext } from './visit-context.ts';

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
export interface FoundDocuments {
  readonly entries: readonly DocumentEntry[];
  readonly skips: readonly Skip[];
  /** Sidecars that fit no file, and the document that each may be meant for. */
  readonly unfit: ReadonlyMap<string, string | undefined>;
  /** Fingerprints other than the directory's. */
  readonly fingerprints: readonly string[];
  readonly attachmentDirectories: readonly string[];
  /** Files that its documents attach. */
  readonly attachments: readonly AttachedFile[];
  /** Files that are attachments and were left out. */
  readonly attached: number;
  /** Names of twins, as they are on disk. */
  readonly twins: ReadonlySet<string> | null;
  /** There is a directory of attachments that cannot be listed. */
  readonly hidesFiles: boolean;
  /** One that cannot be listed at the moment, in words; null: none. */
  readonly unread: string | null;
}

/** Turns a directory's files into entries, each with its fingerprint. Attachments are left out. */
export async function listDocuments(folder: FolderState, listed: ListedDirectory): Promise<FoundDocuments> {
  const { path: directory, fingerprint, sorted, paired } = listed;
  const entries: DocumentEntry[] = [];
  const fingerprints: string[] = [];
  const attachments: Attachments = {
    directories: [],
    found: [],
    files: 0,
    links: [],
    hidesFiles: false,
    unread: null,
  };
  const skips: Skip[] = [];
  const skip = (name: string, { code, message }: Omit<Skip, 'path'>) =>
    skips.push({ path: joinPath(directory, name), code, message });
  const plain = sorted.sidecars.size === 0 && sorted.attachmentDirectories.size === 0;
  for (const files of [sorted.documents, sorted.otherFiles]) {
    for (const { name, stats } of files) {
      if (stats === null) continue;
      const path = joinPath(directory, name);
      const found = classifyFile({ path, name, stats, exclusion: null }, folder);
      if (found.kind === 'skipped') skip(name, found);
      if (found.kind === 'attachment') attachments.files += 1;
      if (found.kind !== 'document') continue;
      const own = plain ? fingerprint : await fingerprintOf(folder, listed, { name, attachments });
      if (own !== fingerprint) fingerprints.push(own);
      const ownMode = paired.lists?.get(paired.sidecars.get(name)?.name ?? '')?.mode;
      entries.push({ name, stat: stats, fingerprint: own, ...(ownMode === undefined ? null : { ownMode }) });
    }
  }
  for (const name of attachments.links) skip(name, linkedAttachment);
  const unfit = await findMeant(listed, entries);
  for (const [name, why] of paired.unpaired) skip(name, classifyUnpaired(why, unfit.get(name)));
  for (const [{ name, stats }, exclusion] of sorted.excludedFiles) {
    if (stats === null) continue;
    const found = classifyFile({ path: joinPath(directory, name), name, stats, exclusion }, folder);
    if (found.kind === 'attachment') attachments.files += 1;
  }
  // They are reported under the names that they have on disk, which are nobody else's, to be shown as failed.
  for (const { stats, raw } of sorted.twins) {
    if (stats !== null) entries.push({ name: raw, stat: stats, fingerprint });
  }
  const twins = new Set(sorted.twins.map(({ raw }) => raw));
  return {
    entries,
    skips,
    unfit,
    fingerprints,
    attachmentDirectories: attachments.directories,
    attachments: attachments.found,
    attached: attachments.files,
    twins: twins.size === 0 ? null : twins,
    hidesFiles: attachments.hidesFiles,
    unread: attachments.unread,
  };
}

/** For so many sidecars that fit no file the document is looked for that each may be meant for. */
const mostGuesses = 20;

async function findMeant(
  { sorted: { inCapitals }, paired, context }: ListedDirectory,
  documents: readonly DocumentEntry[],
): Promise<FoundDocuments['unfit']> {
  const unfit = new Map<string, string | undefined>();
  for (const name of inCapitals) unfit.set(name, undefined);
  for (const [name, why] of paired.unpaired) {
    if (why !== 'orphan') continue;
    const isGuessed = unfit.size < mostGuesses;
    const isMeant = (document: string) => !paired.sidecars.has(document) && mayBeMeantFor(name, document);
    unfit.set(name, isGuessed ? documents.find((document) => isMeant(document.name))?.name : undefined);
    await context.slice();
  }
  return unfit;
}

/** What was found in the attachments directories of one directory's documents. Paths of links: from that directory. */
interface Attachments {
  readonly directories: string[];
  readonly found: AttachedFile[];
  files: number;
  readonly links: string[];
  hidesFiles: boolean;
  unread: string | null;
}

async function fingerprintOf(
  folder: FolderState,
  { path, absolute, rules, fingerprint, sorted, paired, context }: ListedDirectory,
  { name, attachments }: { readonly name: string; readonly attachments: Attachments },
): Promise<string> {
  const own = sorted.attachmentDirectories.get(name);
  const ownPath = joinPath(path, own?.name ?? '');
  if (own !== undefined && own.stats !== null) {
    context.watch(ownPath, `${absolute}/${own.raw}`, own.stats);
    attachments.directories.push(ownPath);
  }
  const sidecar = paired.sidecars.get(name);
  const found = await findAttachments(
    folder,
    {
      path: joinPath(path, name),
      rules,
      own: own?.raw ?? null,
      listed: paired.lists?.get(sidecar?.name ?? '')?.attachments ?? [],
    },
    context,
  );
  if (found.own?.kind === 'unreadable') {
    attachments.hidesFiles = true;
    if (readFaultOf(found.own.code) === 'passing')
      attachments.unread ??= cannotBeRead(printable(nameOf(ownPath)), found.own.code);
  }
  if (found.own?.kind === 'listed') {
    if (own !== undefined && own.stats !== null)
      folder.observations.list(ownPath, own.stats, found.own.entries);
    attachments.files += found.own.files.length;
    for (const { name: file, stats } of found.own.files)
      if (stats !== null)
        attachments.found.push({
          owner: name,
          path: joinPath(ownPath, file),
          stat: statOf(stats),
          isListed: false,
        });
    attachments.links.push(...found.own.links.map((link) => joinPath(nameOf(ownPath), link)));
  }
  if (sidecar?.kind === 'own')
    for (const { place, entry } of found.listed)
      if (place.kind === 'inside' && entry?.kind === 'file' && entry.stats !== null)
        attachments.found.push({ owner: name, path: place.path, stat: statOf(entry.stats), isListed: true });
  const entry = sorted.sidecars.get(sidecar?.name ?? '');
  return documentFingerprint(fingerprint, {
    sidecar:
      sidecar === undefined || entry === undefined ? null : { kind: sidecar.kind, key: entryKey(entry) },
    attachments: found.keys,
  });
}
