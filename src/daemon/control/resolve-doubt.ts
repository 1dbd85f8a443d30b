import { shellWord } from '../../lib/text/printable.ts';
import { sentences } from '../../lib/text/sentences.ts';
import type { Resolution } from '../../model/ports/control-port.ts';
import { hasGone, isUsableDocId, refKey, sameFile, sameStat } from '../../model/document.ts';
import type { DocumentRef, Inspection } from '../../model/document.ts';
import { ConfigurationError, dismissedCode, isOfPassingFault } from '../../model/errors.ts';
import { endsInFolder, explain } from '../../model/report/explanations.ts';
import type { FolderPort, FoundFile } from '../../model/ports/folder-port.ts';
import type { Change, Doubt, LedgerPort } from '../../model/ports/ledger-port.ts';
import {
  adoptDocument,
  dismissDoubt,
  doubtsAbout,
  inDoubtCode,
  isDoubtful,
  isOpenDoubt,
  resolveWords,
  sendAgain,
} from '../../model/doubts.ts';
import type { DoubtfulPath } from '../../model/doubts.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';
import { formerPath } from './resolve-path.ts';
import type { Folders } from './resolve-path.ts';

interface Sources {
  readonly ref: DocumentRef;
  readonly port: Pick<FolderPort, 'inspect' | 'hash' | 'find'>;
  readonly ledger: Pick<LedgerPort, 'get' | 'failure' | 'doubts' | 'findByDocId'>;
}

/** The changes that a person's word about a doubt comes to. Throws ConfigurationError where it cannot be taken. */
export async function resolveDoubt(sources: Sources, resolution: Resolution): Promise<readonly Change[]> {
  const { ref, ledger } = sources;
  const found = await inspectAt(sources, ref);
  const followed = hasGone(found) ? [] : await doubtsThatFollow(sources, found);
  const path: DoubtfulPath = {
    ref,
    record: ledger.get(ref),
    failure: ledger.failure(ref),
    doubts: [...doubtsAbout(ref, ledger), ...followed.map((doubt) => ({ ...doubt, ref }))],
  };
  if (!isDoubtful(path)) {
    const isDismissed = path.record === undefined && path.doubts.length > 0;
    const way = isDismissed
      ? ` any more; to send it run ingestd retry ${shellWord(refKey(ref))}`
      : '; for a list run ingestd status';
    throw new ConfigurationError(`${refKey(ref)} is not in doubt${way}`);
  }
  if (hasGone(found)) await requireUnmoved(sources, path);
  const ofDoubts: readonly (string | undefined)[] = [inDoubtCode, dismissedCode];
  const left = followed
    .filter((doubt) => ofDoubts.includes(ledger.failure(doubt.ref)?.code))
    .map((doubt): Change => ({ kind: 'clear', ref: doubt.ref }));
  return [...(await changesOf(sources, path, found, resolution)), ...left];
}

/**
 * Throws as `resolveDoubt` does, which sends it again, where a path that a person retries is in doubt and its file is
 * gone or cannot be read: nothing would be sent. And, with what helps, where its file as it stands is not sent.
 */
export async function requireRetriable(sources: Sources): Promise<void> {
  const { ref, ledger } = sources;
  const doubts = doubtsAbout(ref, ledger).filter(isOpenDoubt);
  const found = await inspectAt(sources, ref);
  if (doubts.length === 0) {
    const isNew = ledger.get(ref) === undefined && !hasGone(found);
    const [other] = isNew ? (await doubtsThatFollow(sources, found)).filter(isOpenDoubt) : [];
    if (other !== undefined)
      throw new ConfigurationError(
        `${refKey(ref)} has the file whose upload as ${refKey(other.ref)} is in doubt; ${resolveWords(shellWord(refKey(ref)))}`,
      );
    if (!('code' in found) || !endsInFolder(found.code) || isOfPassingFault(found)) return;
    const then = 'It is sent by itself then, and retrying does not help before';
    const words = [`${refKey(ref)} is not sent: ${found.message}`, explain(found.code).fix, then];
    throw new ConfigurationError(sentences(words));
  }
  if (hasGone(found)) await requireUnmoved(sources, { doubts });
  requireFile(ref, found);
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
  if (resolution.action === 'dismiss') return { ref, changes: dismissDoubt(path, failure ?? 'unsent') };
  throw new ConfigurationError(
    `the folder "${ref.folder}" is not configured, so ${refKey(ref)} can be neither adopted nor sent; put the folder back into the configuration, or resolve it with --dismiss`,
  );
}

function changesOf(
  sources: Sources,
  path: DoubtfulPath,
  found: Inspection,
  resolution: Resolution,
): readonly Change[] | Promise<readonly Change[]> {
  const { ref } = path;
  switch (resolution.action) {
    case 'dismiss':
      if (path.record === undefined) requireReadable(ref, found);
      if (hasGone(found)) return dismissDoubt(path, 'gone');
      return dismissDoubt(path, found.kind === 'document' ? found.document : (found.stated ?? 'unsent'));
    case 'again':
      requireUndelivered(path, 'there is nothing to send again');
      requireFile(ref, found);
      if (found.kind === 'ignored')
        throw new ConfigurationError(
          `${refKey(ref)} is not sent, as ${found.message}; adopt it with --doc-id, or resolve it with --dismiss`,
        );
      return sendAgain(path);
    case 'adopt':
      return adopt(sources, path, found, resolution.docId);
  }
}

function inspectAt({ port, ledger }: Sources, ref: DocumentRef): Promise<Inspection> {
  return inspectDocument(port, ref, ledger.get(ref));
}

/**
 * Doubts about the file of a path that stand at another one: of a file that was renamed (a running daemon has them follow it
 * as soon as it can be sent), and open ones, which hold it under each of its names that is not delivered.
 */
async function doubtsThatFollow(sources: Sources, found: Inspection): Promise<readonly Doubt[]> {
  const { ref, port, ledger } = sources;
  const others = ledger.doubts().filter((doubt) => refKey(doubt.ref) !== refKey(ref));
  const stat =
    found.kind === 'document'
      ? found.document.stat
      : (await filesOf(port, others)).find(({ path }) => path === ref.path)?.stat;
  const isNew = ledger.get(ref) === undefined;
  const followed: Doubt[] = [];
  for (const doubt of others) {
    if (stat === undefined || doubt.stat === undefined || !sameFile(doubt.stat, stat)) continue;
    const isHere = doubt.ref.folder === ref.folder;
    const isHeld = isNew && isOpenDoubt(doubt);
    if (isHeld || (isHere && hasGone(await inspectAt(sources, doubt.ref)))) followed.push(doubt);
  }
  return followed;
}

/** Where the files that were sent stand now, whether they can be sent there or not. */
async function filesOf(port: Sources['port'], doubts: readonly Doubt[]): Promise<readonly FoundFile[]> {
  const sent = doubts.flatMap(({ stat }) => (stat === undefined ? [] : [stat]));
  const found = sent.length === 0 ? null : await port.find(sent);
  return found?.files.filter(({ isNamed }) => isNamed) ?? [];
}

/** Whoever names the path that a file has left decides nothing about the file. */
async function requireUnmoved(
  { ref, port }: Sources,
  { doubts }: Pick<DoubtfulPath, 'doubts'>,
): Promise<void> {
  const [moved] = await filesOf(
    port,
    doubts.filter(({ holds }) => holds),
  );
  if (moved === undefined) return;
  const now = refKey({ folder: ref.folder, path: moved.path });
  throw new ConfigurationError(`${refKey(ref)} is ${now} now; run ingestd resolve with that path`);
}

async function adopt(
  { ref, port, ledger }: Sources,
  path: DoubtfulPath,
  found: Inspection,
  docId: string,
): Promise<readonly Change[]> {
  if (!isUsableDocId(docId))
    throw new ConfigurationError(
      `--doc-id: ${JSON.stringify(docId)} is not a docId; look it up at the service`,
    );
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
  // The ledger notes what the file was like when its only upload went out; after a crash it does not.
  const { failure, doubts } = path;
  const isAsSent = doubts.length === 1 && failure?.code === inDoubtCode && sameStat(failure.stat, stat);
  const sha256 = isAsSent ? await port.hash(ref.path, stat) : null;
  return adoptDocument(path, docId, sha256 === null ? null : { stat, sha256 });
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
      `${refKey(ref)} is gone from the folder; put the file back, or resolve it with --dismiss`,
    );
  }
  // One that still changes is sent, or compared with what was adopted, when it has stopped.
  if (found.kind !== 'settling') requireReadable(ref, found);
}

/** What it is cannot be told at this moment. */
function requireReadable(ref: DocumentRef, found: Inspection): void {
  if (found.kind === 'settling') {
    throw new ConfigurationError(`${refKey(ref)} is still changing; try again when it has stopped`);
  }
  if (found.kind === 'unknown') {
    throw new ConfigurationError(`${refKey(ref)} cannot be read: ${found.message}`);
  }
}
