import { lstatSync, readdirSync } from 'node:fs';

import { orNull } from '../lib/or-null.ts';
import { directoryOf, joinPath, nameOf } from '../model/document.ts';
import { errorCode, readFaultOf } from '../model/errors.ts';
import type { RootIdentity } from '../model/ports/ledger-port.ts';
import type { FolderSettings } from '../model/settings.ts';
import { lookUp } from './look-up.ts';
import { createAttachmentLists } from './rules/attachment-lists.ts';
import type { NamesLook, RecentLooks } from './companions/recent-look.ts';
import { binRules } from './rules/bins.ts';
import type { AttachmentLists } from './rules/attachment-lists.ts';
import type { FolderRules } from './rules/classify.ts';
import { kindOf } from './rules/entry.ts';
import type { Entry } from './rules/entry.ts';
import { settingsFingerprint } from './rules/fingerprint.ts';
import { createIgnoreRules, createIncludeRules } from './rules/ignore-patterns.ts';
import type { IgnoreRules, PlacedRules } from './rules/ignore-patterns.ts';
import { createObservations } from './rules/settle.ts';
import type { Observations } from './rules/settle.ts';
import { createTree } from './walk/directory-state.ts';
import type { Tree } from './walk/directory-state.ts';
import { comesBefore } from './walk/list-directory.ts';
import { placeBelow } from './walk/root-identity.ts';
import type { Watcher } from './watch/backend.ts';

/** What a folder's worker is started with. Plain data. */
export interface FolderPlan {
  readonly settings: FolderSettings;
  readonly maxFileBytes: number;
  readonly settleMs: number;
  readonly removeGraceMs: number;
  /** The root, absolute. */
  readonly root: string;
  readonly excluded: FolderRules['excluded'];
  /** Who watches; null: chosen by the size of the tree. */
  readonly backend: Watcher['kind'] | null;
}

/** What is known of a folder in its worker: shared by scans and inspections. */
export interface FolderState extends FolderPlan, FolderRules {
  readonly tree: Tree;
  /** The root as everything was last scanned under it; null: nothing was. */
  readonly scanned: { root: RootIdentity | null };
  readonly attachmentLists: AttachmentLists;
  /** Whether directories have grown since they were scanned: new names, new files that became larger. */
  readonly growths: RecentLooks<boolean>;
  /** Of directories that changed since they were scanned. */
  readonly names: RecentLooks<NamesLook>;
  readonly observations: Observations;
  /** The fingerprint of plain documents where no `.meta.json` applies. */
  readonly fingerprint: string;
  /** Rules of the settings. */
  readonly rules: readonly PlacedRules[];
  /** The absolute path of a path from the root, as it stands on disk. */
  readonly absolute: (raw: string) => string;
  /** Has a directory listed again, in which something is not as it was listed. */
  readonly changed: (directory: string) => void;
}

/** Where a folder's files are looked for. */
export interface FolderOnDisk extends Pick<FolderState, 'root' | 'absolute'> {
  readonly tree: Pick<Tree, 'rawPath'>;
}

/** `passed`: as of `createObservations`. */
export function createFolderState(
  plan: FolderPlan,
  changed: FolderState['changed'],
  passed?: () => number,
): FolderState {
  const { settings, root, settleMs } = plan;
  return {
    ...plan,
    tree: createTree(),
    scanned: { root: null },
    attachmentLists: createAttachmentLists(),
    growths: new Map(),
    names: new Map(),
    observations: createObservations(settleMs, passed),
    fingerprint: settingsFingerprint(settings, plan.maxFileBytes),
    rules: [binRules, ...settingsRules(settings)].map((rules) => ({ directory: '', rules })),
    include: createIncludeRules(settings.include, settingWords(settings, 'include')),
    absolute: (raw) => placeBelow(root, raw),
    changed,
  };
}

/** A folder that no scan has been through. */
export function unscannedFolder(root: string): FolderOnDisk {
  return { root, absolute: (raw) => placeBelow(root, raw), tree: createTree() };
}

function settingsRules(settings: FolderSettings): readonly IgnoreRules[] {
  if (settings.ignore.length === 0) return [];
  const place = settingWords(settings, 'ignore');
  return [createIgnoreRules(settings.ignore.map((pattern) => ({ pattern, place })))];
}

function settingWords({ name }: FolderSettings, key: 'ignore' | 'include'): string {
  return `the setting "${key}" of the folder "${name}"`;
}

/**
 * The absolute path at which a file stands, whatever Unicode form its name has on disk. Where no scan has told the form,
 * the directory is read; throws where that may be possible later. What does not exist stands where its NFC name would.
 */
export function locateOnDisk(folder: FolderOnDisk, path: string): string {
  const absolute = folder.absolute(folder.tree.rawPath(path));
  if (!/[^\0-\x7f]/.test(path)) return absolute;
  try {
    if (lstatSync(absolute, { throwIfNoEntry: false }) !== undefined) return absolute;
    const directory = directoryOf(path) === '' ? folder.root : locateOnDisk(folder, directoryOf(path));
    const raw = readdirSync(directory).find((name) => name.normalize('NFC') === nameOf(path));
    return raw === undefined ? absolute : `${directory}/${raw}`;
  } catch (error) {
    if (readFaultOf(errorCode(error)) === 'passing') throw error;
    return absolute;
  }
}

/**
 * The path by which everything knows what a person means by `path`, from the root: its NFC form, but for a file beside
 * which another one stands for that form; it is failed under the name that it has on disk.
 */
export function knownPath(root: string, path: string): string {
  const normal = path.normalize('NFC');
  if (path === normal) return normal;
  const [directory, raw, name] = [directoryOf(normal), nameOf(path), nameOf(normal)];
  const names = orNull(() => readdirSync(locateOnDisk(unscannedFolder(root), directory))) ?? [];
  const standsBefore = (other: string) =>
    other.normalize('NFC') === name && comesBefore({ raw: other, name }, { raw, name });
  return names.includes(raw) && names.some(standsBefore) ? joinPath(directory, raw) : normal;
}

/** How long a companion that scans have missed is still waited for, ms; 0: no more. */
export function awaitedMs({ tree, observations, removeGraceMs }: FolderState, path: string): number {
  return Math.max(0, Math.ceil(removeGraceMs - (observations.now() - tree.missedAt(path))));
}

/**
 * What stands at a path now; null: nothing. Never throws: what cannot be looked at is `unreadable`. `locate`: where it is
 * looked for; without a word, where the last listing of its directory showed it.
 */
export function entryAt(
  folder: FolderOnDisk,
  path: string,
  locate = ({ absolute, tree }: FolderOnDisk, at: string) => absolute(tree.rawPath(at)),
): Entry | null {
  const name = nameOf(path);
  try {
    const absolute = locate(folder, path);
    const stats = lookUp(absolute);
    return stats === undefined ? null : { name, raw: nameOf(absolute), kind: kindOf(stats), stats };
  } catch (error) {
    const fault = errorCode(error) ?? 'unreadable';
    return readFaultOf(fault) === 'gone' ? null : { name, raw: name, kind: 'unreadable', stats: null, fault };
  }
}
