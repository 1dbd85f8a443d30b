import { accessSync, constants, lstatSync } from 'node:fs';

import { directoryOf, joinPath, nameOf } from '../model/document.ts';
import type { Inspection } from '../model/document.ts';
import { effectiveMetadata } from '../model/metadata/effective-metadata.ts';
import { errorCode } from '../model/errors.ts';
import type { RootIdentity } from '../model/ports/ledger-port.ts';
import { isDocumentType, judgeName, judgeSize } from '../model/name-rules.ts';
import { printable } from '../lib/printable.ts';
import { absence, rootTrouble } from './absence.ts';
import { documentContext } from './rules/fingerprint.ts';
import { createDefaultsReader } from './rules/directory-defaults.ts';
import type { DefaultsReader } from './rules/directory-defaults.ts';
import { entryAt, wayTo } from './entry-at.ts';
import { stampOf } from './walk/entry.ts';
import type { Entry } from './walk/entry.ts';
import { gatherAttachments } from './rules/gather-attachments.ts';
import type { Ground } from './ground.ts';
import { afterSweepMs, settling, unfit, unknown } from './inspect-results.ts';
import type { NoDocument } from './inspect-results.ts';
import { findSidecar } from './rules/own-sidecar.ts';
import { ruledOut } from './rules/ruled-out.ts';
import { emptyMessage } from './walk/list-documents.ts';
import { unsupported } from './walk/sort-entries.ts';
import { unsettledRules } from './rules/unsettled-rules.ts';

/** Looks at one path as it is now. Never throws for what is on disk. */
export type Looker = (path: string) => Promise<Inspection>;

export function createLooker(ground: Ground, sweptRoot: () => RootIdentity | null): Looker {
  const defaults = createDefaultsReader(ground);
  const asSwept = () => rootTrouble(ground, sweptRoot());

  return async (path) => {
    const trouble = asSwept();
    if (trouble !== null) return trouble;
    const twin = ground.tree.get(directoryOf(path))?.twins?.get(nameOf(path));
    const out = ruledOut(ground, path);
    if (out !== null) return out;
    const way = wayTo(ground, path);
    if (way.kind !== 'directory') return way.kind === 'nothing' ? absence(ground, way.path, sweptRoot) : way;
    if (twin !== undefined) return twinVerdict(ground, path, twin, sweptRoot);
    const entry = entryAt(ground, path);
    if (entry.kind === 'nothing') return absence(ground, path, sweptRoot);
    return entry.kind === 'file' ? judgeFile(ground, path, { entry: entry.entry, defaults }) : entry;
  };
}

/** A name that differs from another only in its Unicode form never stands, contract section 7, 3. */
function twinVerdict(
  ground: Ground,
  path: string,
  raw: string,
  sweptRoot: () => RootIdentity | null,
): Inspection {
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
): Promise<Inspection> {
  const { name, stats } = entry;
  const known = ground.tree.nearest(directoryOf(path));
  const unlisted = ground.tree.get(known)?.unreadable ?? null;
  // No sweep comes further than that, and none can say what rules there are below it.
  if (unlisted !== null) return unknown('unreadable', `${printable(known)}: ${unlisted}`);
  const state = ground.tree.get(directoryOf(path));
  // Its directory may have rules of its own, which only a sweep reads.
  if (state === undefined || stats === null) return settling(afterSweepMs);
  if (!isDocumentType(name)) {
    const [code, message] = unsupported(name);
    return { kind: 'skipped', code, message };
  }
  const delay = Math.max(ground.observations.settle(path, stats), unsettledRules(ground, path));
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
