import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
} from 'node:fs';

import { directoryOf, joinPath, nameOf } from '../core/document.ts';
import type { Look } from '../core/document.ts';
import { effectiveMetadata } from '../core/effective-metadata.ts';
import { errorCode } from '../core/errors.ts';
import type { RootIdentity } from '../core/ledger-port.ts';
import { isDocumentType, judgeName, judgeSize } from '../core/name-rules.ts';
import { printable } from '../core/printable.ts';
import { documentContext } from './context.ts';
import { createDefaultsReader } from './directory-defaults.ts';
import type { DefaultsReader } from './directory-defaults.ts';
import { kindOf, stampOf } from './entry.ts';
import type { Entry } from './entry.ts';
import { followLink } from './follow-link.ts';
import { gatherAttachments } from './gather-attachments.ts';
import type { Ground } from './ground.ts';
import { afterSweepMs, ignored, settling, unfit, unknown } from './look-verdicts.ts';
import type { NoDocument } from './look-verdicts.ts';
import { findSidecar } from './own-sidecar.ts';
import { readRoot, sameRoot } from './root-identity.ts';
import { directoriesTo, ruledOut } from './ruled-out.ts';
import { emptyMessage } from './sight-documents.ts';
import { linkMessage, unsupported } from './sort-entries.ts';

/** Looks at one path as it is now. Never throws for what is on disk. */
export type Looker = (path: string) => Promise<Look>;

export function createLooker(ground: Ground, sweptRoot: () => RootIdentity | null): Looker {
  const defaults = createDefaultsReader(ground);
  const asSwept = () => rootTrouble(ground, sweptRoot());

  return async (path) => {
    const trouble = asSwept();
    if (trouble !== null) return trouble;
    const twin = ground.tree.get(directoryOf(path))?.twins?.get(nameOf(path));
    const out = ruledOut(ground, path);
    if (out !== null) return out;
    const way = onTheWay(ground, path);
    if (way.kind !== 'directory') return way.kind === 'nothing' ? absence(ground, way.path, sweptRoot) : way;
    if (twin !== undefined) return twinVerdict(ground, path, twin, sweptRoot);
    const entry = entryAt(ground, path);
    if (entry.kind === 'nothing') return absence(ground, path, sweptRoot);
    return entry.kind === 'file' ? judgeFile(ground, path, { entry: entry.entry, defaults }) : entry;
  };
}

function rootTrouble(ground: Ground, swept: RootIdentity | null): NoDocument | null {
  const root = readRoot(ground.root);
  if (root.kind === 'unavailable') return unknown(root.code, root.message);
  if (swept === null || sameRoot(swept, root.identity)) return null;
  return unknown('folder-changed', `${ground.root} is another directory than the one that was swept`);
}

/** Nothing stands at `path`, or nothing that could be a document. Certain only if everything around it is sure. */
function absence(ground: Ground, path: string, sweptRoot: () => RootIdentity | null): NoDocument {
  if (sweptRoot() === null) return unknown('not-swept', 'the folder has not been swept yet');
  const directory = directoryOf(path);
  const state = ground.tree.get(ground.tree.nearest(directory));
  if (state !== undefined && state.unreadable !== null)
    return unknown('unreadable', `${printable(directory)}: ${state.unreadable}`);
  let device: number;
  try {
    const absolute = ground.absolute(ground.tree.rawPath(directory));
    // A name in another Unicode form than the last sweep saw is the same name.
    const foreign = /[^\0-\x7f]/.test(nameOf(path));
    if (
      foreign &&
      readdirSync(absolute).some(
        (raw) => raw.normalize('NFC') === nameOf(path) && raw !== nameOf(ground.tree.rawPath(path)),
      )
    ) {
      return settling(afterSweepMs);
    }
    device = deviceOf(absolute);
  } catch (error) {
    return unknown(
      'unreadable',
      `${printable(directory) || 'the root'} cannot be read (${errorCode(error) ?? 'unknown error'})`,
    );
  }
  // The root may have gone while we looked, and taken everything with it.
  return rootTrouble(ground, sweptRoot()) ?? { kind: 'absent', device };
}

/** The device of a directory that can be opened. Throws what `open` throws. */
function deviceOf(absolute: string): number {
  const handle = openSync(absolute, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return fstatSync(handle).dev;
  } finally {
    closeSync(handle);
  }
}

type Way = { readonly kind: 'directory' } | { readonly kind: 'nothing'; readonly path: string } | NoDocument;

/** Follows the directories down to a path. */
function onTheWay(ground: Ground, path: string): Way {
  for (const directory of directoriesTo(path)) {
    const absolute = ground.absolute(ground.tree.rawPath(directory));
    try {
      const stats = lstatSync(absolute, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink() === true) {
        if (!ground.settings.followSymlinks || !ground.tree.has(directory)) {
          return ignored('symbolic-link', `${printable(directory)} is a symbolic link`);
        }
      } else if (stats?.isDirectory() !== true) return { kind: 'nothing', path: directory };
    } catch (error) {
      return unknown(
        'unreadable',
        `${printable(directory)} cannot be read (${errorCode(error) ?? 'unknown error'})`,
      );
    }
  }
  return { kind: 'directory' };
}

type Found = { readonly kind: 'file'; readonly entry: Entry } | { readonly kind: 'nothing' } | NoDocument;

function entryAt(ground: Ground, path: string): Found {
  const absolute = ground.absolute(ground.tree.rawPath(path));
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: 'nothing' };
    const entry: Entry = {
      name: nameOf(path),
      raw: nameOf(absolute),
      kind: kindOf(stats),
      stats,
      linkedFrom: null,
    };
    const followed =
      entry.kind === 'link' && ground.settings.followSymlinks
        ? followLink(entry, absolute, realpathSync(ground.root))
        : entry;
    if (followed.kind === 'link') return { kind: 'skipped', code: 'symbolic-link', message: linkMessage };
    return followed.kind === 'file' ? { kind: 'file', entry: followed } : { kind: 'nothing' };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENAMETOOLONG' || code === 'ENOTDIR') return { kind: 'nothing' };
    return unknown('unreadable', `it cannot be looked at (${code ?? 'unknown error'})`);
  }
}

/** A name that differs from another only in its Unicode form never stands, contract section 7, 3. */
function twinVerdict(ground: Ground, path: string, raw: string, sweptRoot: () => RootIdentity | null): Look {
  const absolute = ground.absolute(joinPath(ground.tree.rawPath(directoryOf(path)), raw));
  if (lstatSync(absolute, { throwIfNoEntry: false }) === undefined) return absence(ground, path, sweptRoot);
  return unfit(
    'unicode-twin',
    `its name differs from that of ${printable(raw.normalize('NFC'))} only in how accents are written (NFC and NFD); rename one of the two`,
  );
}

async function judgeFile(
  ground: Ground,
  path: string,
  { entry, defaults }: { readonly entry: Entry; readonly defaults: DefaultsReader },
): Promise<Look> {
  const { name, stats } = entry;
  const state = ground.tree.get(directoryOf(path));
  // Its directory may have rules of its own, which only a sweep reads.
  if (state === undefined || stats === null) return settling(afterSweepMs);
  if (state.unreadable !== null)
    return unknown('unreadable', `${printable(directoryOf(path))}: ${state.unreadable}`);
  if (!isDocumentType(name)) {
    const [code, message] = unsupported(name);
    return { kind: 'skipped', code, message };
  }
  const delay = ground.observations.settle(path, stats);
  if (delay > 0) return settling(delay);
  if (stats.size === 0) return { kind: 'skipped', code: 'empty-file', message: emptyMessage };
  const fitName = judgeName(name, ground.settings.names);
  if (fitName.kind === 'unfit') return unfit(fitName.code, fitName.message);
  const large = judgeSize(stats.size, ground.maxFileBytes);
  if (large !== null) return unfit(large.code, large.message);
  const unreadable = readTrouble(ground.absolute(ground.tree.rawPath(path)));
  if (unreadable !== null) return unreadable;

  const inherited = defaults(directoryOf(path));
  if (inherited.kind !== 'inherited') return inherited;
  const own = findSidecar(ground, path);
  if (own.kind !== 'sidecar') return own;
  const gathered = await gatherAttachments(ground, path, own.sidecar?.attachments ?? []);
  if (gathered.kind !== 'attachments') return gathered;
  const { metadata, title, createdTimestamp } = ground.settings;
  const layers = [...(own.sidecar === null ? [] : [own.sidecar.metadata]), ...inherited.layers, metadata];
  return {
    kind: 'document',
    document: {
      ref: { folder: ground.settings.name, path },
      stamp: stampOf(stats),
      context: documentContext(inherited.context, {
        sidecar: own.sidecar === null ? null : { kind: 'own', key: own.key },
        attachments: gathered.keys,
      }),
      fileName: fitName.name,
      sidecar: own.path,
      metadata: effectiveMetadata({
        layers,
        fileName: name,
        mtimeMs: stats.mtimeMs,
        title,
        createdTimestamp,
      }),
      attachments: gathered.attachments,
    },
  };
}

function readTrouble(absolute: string): NoDocument | null {
  try {
    accessSync(absolute, constants.R_OK);
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EACCES' || code === 'EPERM')
      return unfit('unreadable', 'it may not be read; give the right to read it');
    if (code === 'ENOENT') return settling(1);
    return unknown('unreadable', `it cannot be read (${code ?? 'unknown error'})`);
  }
}
