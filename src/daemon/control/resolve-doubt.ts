import type { Resolution } from '../../model/ports/control-port.ts';
import { hasGone, isUsableDocId, refKey, sameFile, sameStat } from '../../model/document.ts';
import type { DocumentRef, FileStat, Inspection } from '../../model/document.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { Change, Doubt, LedgerPort } from '../../model/ports/ledger-port.ts';
import {
  adoptDocument,
  dismissDoubt,
  doubtsAbout,
  inDoubtCode,
  isDoubtful,
  sendAgain,
} from '../../model/doubts.ts';
import type { DoubtfulPath } from '../../model/doubts.ts';
import { formerPath } from './resolve-path.ts';
import type { Folders } from './resolve-path.ts';

interface Sources {
  readonly ref: DocumentRef;
  readonly port: Pick<FolderPort, 'inspect' | 'hash' | 'find'>;
  readonly ledger: Pick<LedgerPort, 'get' | 'failure' | 'doubts' | 'findByDocId'>;
}

/** The changes that a person's word about a doubt comes to. Throws ConfigurationError where it cannot be taken. */
export async function resolveDoubt(sources: Sources, resolution: Resolution): Promise<readonly Change[]> {
  const { ref, port, ledger } = sources;
  const found = await port.inspect(ref.path);
  const followed = found.kind === 'document' ? await doubtsThatFollow(sources, found.document.stat) : [];
  const path: DoubtfulPath = {
    ref,
    record: ledger.get(ref),
    failure: ledger.failure(ref),
    doubts: [...doubtsAbout(ref, ledger), ...followed.map((doubt) => ({ ...doubt, ref }))],
  };
  if (!isDoubtful(path)) {
    throw new ConfigurationError(`${refKey(ref)} is not in doubt; for a list run ingestd status`);
  }
  if (found.kind === 'absent') await requireUnmoved(sources, path);
  const left = followed.map((doubt): Change => ({ kind: 'clear', ref: doubt.ref }));
  return [...(await changesOf(sources, { path, found, resolution })), ...left];
}

/**
 * The same for `FOLDER/PATH` in a folder that was taken out of the configuration, whose files nobody looks at: the doubt
 * can only be dismissed. Null: there is none. Throws ConfigurationError for anything but a dismissal.
 */
export function dismissFormer(
  text: string,
  { folders, ledger }: { readonly folders: Folders; readonly ledger: Omit<Sources['ledger'], 'findByDocId'> },
  resolution: Resolution,
): { readonly ref: DocumentRef; readonly changes: readonly Change[] } | null {
  const ref = formerPath(folders, text);
  if (ref === null) return null;
  const failure = ledger.failure(ref);
  const path: DoubtfulPath = { ref, record: ledger.get(ref), failure, doubts: doubtsAbout(ref, ledger) };
  if (!isDoubtful(path)) return null;
  if (resolution.kind === 'dismiss') return { ref, changes: dismissDoubt(path, failure ?? null) };
  throw new ConfigurationError(
    `the folder "${ref.folder}" is not configured, so ${refKey(ref)} can be neither adopted nor sent; put the folder back into the configuration, or clear the doubt with --dismiss`,
  );
}

function changesOf(
  sources: Sources,
  {
    path,
    found,
    resolution,
  }: { readonly path: DoubtfulPath; readonly found: Inspection; readonly resolution: Resolution },
): readonly Change[] | Promise<readonly Change[]> {
  const { ref } = path;
  switch (resolution.kind) {
    case 'dismiss':
      return dismissDoubt(path, found.kind === 'document' ? found.document : null);
    case 'again':
      requireUndelivered(path, 'there is nothing to send again');
      requireFile(ref, found);
      return sendAgain(path);
    case 'adopt':
      return adopt(sources, { path, found, docId: resolution.docId });
  }
}

/** Doubts about a file that was renamed while nothing ran: a running daemon has them follow it. */
async function doubtsThatFollow({ ref, port, ledger }: Sources, stat: FileStat): Promise<readonly Doubt[]> {
  const followed: Doubt[] = [];
  for (const doubt of ledger.doubts()) {
    const isElsewhere = doubt.ref.folder === ref.folder && doubt.ref.path !== ref.path;
    if (!isElsewhere || doubt.stat === undefined || !sameFile(doubt.stat, stat)) continue;
    if (hasGone(await port.inspect(doubt.ref.path))) followed.push(doubt);
  }
  return followed;
}

/** Whoever names the path that a file has left decides nothing about the file. */
async function requireUnmoved({ ref, port }: Sources, { doubts }: DoubtfulPath): Promise<void> {
  const held = doubts.flatMap(({ holds, stat }) => (holds && stat !== undefined ? [stat] : []));
  const found = held.length === 0 ? null : await port.find(held);
  for (const { path } of found?.files ?? []) {
    if ((await port.inspect(path)).kind !== 'document') continue;
    const now = refKey({ folder: ref.folder, path });
    throw new ConfigurationError(`${refKey(ref)} is ${now} now; run ingestd resolve with that path`);
  }
}

async function adopt(
  { ref, port, ledger }: Sources,
  { path, found, docId }: { path: DoubtfulPath; found: Inspection; docId: string },
): Promise<readonly Change[]> {
  if (!isUsableDocId(docId))
    throw new ConfigurationError(`--doc-id: ${JSON.stringify(docId)} is not a docId`);
  const owner = ledger.findByDocId(docId);
  if (owner !== undefined) {
    throw new ConfigurationError(
      `--doc-id: ${docId} is already the document of ${refKey(owner)}; look up the docId again at the service`,
    );
  }
  requireUndelivered(path, 'its docId cannot be replaced');
  requireFile(ref, found);
  if (found.kind !== 'document') return adoptDocument(path, docId, null);
  const { stat } = found.document;
  const sha256 = isAsSent(path, stat) ? await port.hash(ref.path, stat) : null;
  return adoptDocument(path, docId, sha256 === null ? null : { stat, sha256 });
}

/** The ledger notes what the file was like when its only upload went out; after a crash it does not. */
function isAsSent({ failure, doubts }: DoubtfulPath, stat: FileStat): boolean {
  return doubts.length === 1 && failure?.code === inDoubtCode && sameStat(failure.stat, stat);
}

function requireUndelivered({ ref, record }: DoubtfulPath, why: string): void {
  if (record === undefined) return;
  throw new ConfigurationError(
    `${refKey(ref)} is delivered as ${record.docId}, so ${why}; after checking the service for extra copies, use --dismiss`,
  );
}

function requireFile(ref: DocumentRef, found: Inspection): void {
  if (found.kind === 'absent') {
    throw new ConfigurationError(
      `${refKey(ref)} is gone from the folder; put the file back, or clear the doubt with --dismiss`,
    );
  }
  if (found.kind === 'settling') {
    throw new ConfigurationError(`${refKey(ref)} is still changing; try again when it has stopped`);
  }
  if (found.kind === 'unknown') {
    throw new ConfigurationError(`${refKey(ref)} cannot be read: ${found.message}`);
  }
}
