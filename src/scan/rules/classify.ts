import type { Stats } from 'node:fs';

import { excerpt, printable, printableTwin } from '../../lib/text/printable.ts';
import {
  emptyFileCode,
  joinPath,
  misspelledSidecarCode,
  nameOf,
  orphanSidecarCode,
  symbolicLinkCode,
} from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import {
  attachmentDirectoryEnd,
  brokenTypeRule,
  isAttachmentDirectory,
  isDocumentType,
} from '../../model/names-and-types.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { ignored, skipped, unknownPlace } from '../inspect/inspection-results.ts';
import type { AttachmentLists } from './attachment-lists.ts';
import type { Entry, EntryKind } from './entry.ts';
import { ignoringPattern } from './ignore-patterns.ts';
import type { IgnorePattern, IncludeRules, PlacedRules } from './ignore-patterns.ts';
import { defaultsName, isNearDefaults, isSidecarName } from './sidecar-names.ts';

/** What is at a path, and if it is not sent, why. The one place that decides. */
export type Classification =
  /** It may be sent. Whether it can be, its content, sidecar and attachments decide. */
  | { readonly kind: 'document' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'attachments-directory'; readonly owner: string }
  | { readonly kind: 'attachment'; readonly owner: string }
  | { readonly kind: 'sidecar' | 'defaults' | 'ignore-file' }
  /** A rule leaves it out: it is not reported unless somebody asks. */
  | { readonly kind: 'ignored'; readonly code: string; readonly message: string }
  /** It is not sent, and is listed with the reason. */
  | { readonly kind: 'skipped'; readonly code: string; readonly message: string }
  /** It breaks a rule and is listed as failed. */
  | { readonly kind: 'unfit'; readonly code: string; readonly message: string }
  /** It is there, and the system does not say what it is. */
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string }
  /** A FIFO, socket or device: left out without a word. */
  | { readonly kind: 'special' };

/** What is known of an entry from its directory. */
export interface EntryFacts {
  /** NFC, from the root; `''` is the root. */
  readonly directory: string;
  /** NFC. */
  readonly name: string;
  readonly kind: EntryKind;
  /** Of `unreadable`: the file system's code. */
  readonly fault?: string | undefined;
  /** Its name on disk, where another entry, whose name has the same NFC form, stands for it; null: none does. */
  readonly twin: string | null;
  /** What `misspelling` says of names in its directory. */
  readonly isMisspelled: (name: string) => boolean;
  /** The rules that hold in its directory. No directory on the way is ignored. */
  readonly rules: readonly PlacedRules[];
}

/** What the settings of a folder have a say in, wherever an entry is. */
export interface FolderRules {
  /** Which files may be documents; null: all. */
  readonly include: IncludeRules | null;
  /** A directory that is not ours to read, from the root: the state directory; null: none is in the folder. */
  readonly excluded: string | null;
}

/** What is known of a regular file that no rule leaves out. */
export interface FileFacts {
  readonly path: string;
  /** Null: nothing is there now. */
  readonly stats: Pick<FileStat, 'size'> | null;
  /** Why `include` leaves it out; null: it does not. */
  readonly exclusion: string | null;
}

/** A regular file that no rule ignores: `classifyFile` says more. One that `include` leaves out may be an attachment. */
type NamedFile = { readonly kind: 'file'; readonly exclusion: string | null };

const excludedCode = 'not-included';
const document: Classification = { kind: 'document' };
const directory: Classification = { kind: 'directory' };
const special: Classification = { kind: 'special' };
const sidecar: Classification = { kind: 'sidecar' };
const twinSidecar = skipped(
  'unicode-twin',
  'another sidecar has the same name with its accents encoded differently (NFC and NFD), so their document is not sent; remove one of the two',
);
const misspelledSidecar = skipped(
  misspelledSidecarCode,
  'it is not read as metadata: that takes a name that ends in .meta.json, in lower case',
);
const misspelledDefaults = skipped(
  misspelledSidecarCode,
  'it is not read as metadata: did you mean .meta.json?',
);
const notFollowed = skipped(symbolicLinkCode, 'a symbolic link, which is not followed');
const followed = ignored(
  symbolicLinkCode,
  'a symbolic link to a place in this folder: what it leads to is sent from there',
);

/** A link among the files of an attachments directory. */
export const linkedAttachment = skipped(
  symbolicLinkCode,
  'a symbolic link; in an attachments directory none is followed',
);

/** Classifies an entry by its name, its kind, the rules of its directory and those of the folder. */
export function classifyEntry(facts: EntryFacts, folder: FolderRules): Classification | NamedFile {
  const { name, kind, rules, fault } = facts;
  const path = joinPath(facts.directory, name);
  // A pipe in its place keeps a document from being sent, as a link does.
  if (kind === 'other') return isSidecarName(name) && name !== defaultsName ? sidecar : special;
  if (kind === 'directory') return classifyDirectory(path, facts, folder);
  if (name === defaultsName) return { kind: 'defaults' };
  if (name === ignoreFileName) return { kind: 'ignore-file' };
  if (name.startsWith('.') && isNearDefaults(name)) return misspelledDefaults;
  if (name.startsWith('.'))
    return ignored('dot-name', 'files whose names start with a dot are not documents');
  if (isTemporaryName(name)) return ignored('temporary-name', 'its name is that of a temporary file');
  // Rules say what is a document or an attachment. Without its sidecar a document would go out, with another mode.
  if (isSidecarName(name)) return facts.twin === null ? sidecar : twinSidecar;
  const pattern = ignoringPattern(rules, path, false);
  if (pattern !== null) return ignoredBy(pattern, 'it');
  if (isNearDefaults(name)) return misspelledDefaults;
  if (isSidecarName(name.toLowerCase()) || facts.isMisspelled(name)) return misspelledSidecar;
  const exclusion = folder.include?.exclusion(path) ?? null;
  if (kind === 'inner-link') return followed;
  if (kind === 'link') return exclusion === null ? notFollowed : ignored(excludedCode, exclusion);
  if (kind === 'unreadable') return unknownPlace('it', fault);
  if (facts.twin !== null && isDocumentType(name) && exclusion === null) {
    const message = `its name, ${printableTwin(facts.twin)}, differs from ${printable(name)} only in how accents are encoded (NFC and NFD); rename one of the two`;
    return { kind: 'unfit', code: 'unicode-twin', message };
  }
  return { kind: 'file', exclusion };
}

function classifyDirectory(
  path: string,
  { name, rules, twin }: EntryFacts,
  { excluded }: FolderRules,
): Classification {
  if (path === excluded) return ignored('state-directory', 'it is in the state directory');
  if (name.startsWith('.'))
    return ignored('dot-name', 'files in directories whose names start with a dot are not documents');
  const pattern = ignoringPattern(rules, path, true);
  if (pattern !== null) return ignoredBy(pattern, `the directory ${printable(path)}`);
  if (twin !== null) {
    const message = `nothing in this directory is sent: its name, ${printableTwin(twin)}, differs from ${printable(name)} only in how accents are encoded (NFC and NFD); rename one of the two`;
    return { kind: 'unfit', code: 'unicode-twin', message };
  }
  if (!isAttachmentDirectory(name)) return directory;
  return { kind: 'attachments-directory', owner: path.slice(0, -attachmentDirectoryEnd.length) };
}

function ignoredBy({ pattern, place }: IgnorePattern, what: string): Classification {
  return ignored('ignore-rule', `the pattern "${excerpt(pattern)}" in ${printable(place)} ignores ${what}`);
}

/** Classifies a regular file that no rule ignores by its place, its type and what `lstat` says. */
export function classifyFile(
  { path, stats, exclusion }: FileFacts,
  { attachmentLists }: { readonly attachmentLists: Pick<AttachmentLists, 'isAttachment' | 'ownersOf'> },
): Classification {
  if (attachmentLists.isAttachment(path)) {
    const [owner = ''] = attachmentLists.ownersOf(path);
    return { kind: 'attachment', owner };
  }
  if (exclusion !== null) return ignored(excludedCode, exclusion);
  const type = brokenTypeRule(nameOf(path));
  if (type !== null) return { kind: 'skipped', ...type };
  if (stats?.size === 0) return skipped(emptyFileCode, 'the file is empty');
  return document;
}

/** A name whose bytes are not UTF-8. */
export function classifyUndecodable(name: Uint8Array, kind: EntryKind): Classification {
  if (kind === 'other') return special;
  // A dot file in any encoding is one.
  if (name[0] === dot) return ignored('dot-name', 'its name starts with a dot');
  return skipped('not-utf8', 'its name is not UTF-8; rename it');
}

/** A sidecar that belongs to no document. `meant`: the document that it may be meant for, by its name. */
export function classifyUnpaired(
  orphan: 'orphan' | 'foreign',
  meant: string | null | undefined,
): ReturnType<typeof skipped> {
  // Of one that was left behind nobody here knows what became of its document.
  const guess = typeof meant === 'string' ? `did you mean ${printable(meant)}?` : 'it has another name';
  const message = `a sidecar that fits no file beside it: its document is gone, or ${guess}`;
  if (orphan === 'orphan') return skipped(orphanSidecarCode, message);
  const why = 'a sidecar whose owner is not the owner of its document (sidecarOwner: same)';
  return skipped('foreign-sidecar', why);
}

/** Name of the files with ignore rules in the tree. */
export const ignoreFileName = '.ingestignore';

/**
 * Names that programs use while they save (faults F2 to F10): dot files, owner and lock
 * files, temporary and partial files, backups. Case does not matter.
 */
export function isTemporaryName(name: string): boolean {
  const first = name.charCodeAt(0);
  if (first === dot) return true;
  if (first === tilde && name.startsWith('~$')) return true;
  if (first === hash && name.endsWith('#')) return true;
  if (name.endsWith('~')) return true;
  return temporaryEnds.test(name) || name === vimProbe;
}

const dot = 0x2e;
const tilde = 0x7e;
const hash = 0x23;
const temporaryEnds = /\.(?:tmp|part|crdownload|swp|swx|osl-tmp)$/i;
/** The file by which vim tries whether it may write in a directory. */
const vimProbe = '4913';

/** A user namespace shows every user it does not know as this one. */
const overflowUid = 65_534;

/**
 * Says whether a sidecar, `.meta.json` or `.ingestignore` counts for a document or directory of user `ownerUid`. Root's
 * always does, and so does one that cannot be looked at (null), of which nobody knows whose it is.
 */
export function isTrustedCompanion(
  sidecarOwner: 'any' | 'same',
  stats: Pick<Stats, 'uid'> | null,
  ownerUid: number,
): boolean {
  if (sidecarOwner === 'any' || stats === null) return true;
  return stats.uid === 0 || (stats.uid === ownerUid && stats.uid !== overflowUid);
}

/** The `.meta.json` or `.ingestignore` of a listed directory of user `ownerUid`; null: it has none that counts. */
export function companionIn(
  { settings }: { readonly settings: Pick<FolderSettings, 'sidecarOwner'> },
  entries: readonly Entry[],
  name: typeof defaultsName | typeof ignoreFileName,
  ownerUid: number,
): Entry | null {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) return null;
  return isTrustedCompanion(settings.sidecarOwner, entry.stats, ownerUid) ? entry : null;
}
