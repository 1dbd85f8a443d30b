import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { joinPath, refKey } from '../../model/document.ts';
import type { DirectoryScan, FoundDocument, Inspection } from '../../model/document.ts';
import { doubtsAbout } from '../../model/doubts.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import { isStillRefused } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { planDocument, unread } from '../../model/plan.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import { isAttachmentDirectory } from '../../scan/rules/classify.ts';
import type { LedgerReader } from '../../ledger/records/ledger-data.ts';
import { readRoot } from '../../scan/walk/root-identity.ts';
import { eventlessFileSystemAt } from '../../scan/watch/network-file-systems.ts';
import { carrierOf, isAbsent, orphanAttachments } from '../../daemon/control/orphan-attachments.ts';
import { knownClaims } from '../../sync/decide/attachments.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';
import { asItStands, glanceAt, withFolder } from '../unwatched-folder.ts';
import { doubtFinding } from './check-ledger.ts';

const inspectionsAtOnce = 16;

interface Surroundings {
  readonly settings: Settings;
  readonly log: LogPort;
  /** Null: nothing is known of it. */
  readonly ledger: Pick<
    LedgerReader,
    'carriers' | 'claims' | 'directory' | 'doubts' | 'failure' | 'findHolders' | 'get'
  > | null;
}

/**
 * Scans one folder and inspects every document in it; gives what would be refused, with the reason, and how many
 * directories `run` will watch one by one.
 */
export async function checkFolder(
  folder: FolderSettings,
  { settings, log, ledger }: Surroundings,
): Promise<{ readonly findings: readonly CheckFinding[]; readonly watchedDirectories: number }> {
  const unusable = rootFinding(folder);
  if (unusable !== null) return { findings: [unusable], watchedDirectories: 0 };
  const findings: CheckFinding[] = [];
  const paths: string[] = [];
  const attachments: string[] = [];
  let directories = 0;
  const onDirectory = (scan: DirectoryScan): void => {
    directories += 1;
    for (const { name } of scan.entries) paths.push(joinPath(scan.directory, name));
    for (const { path, pathBytes, ...skip } of scan.skips)
      findings.push({ ...fileFinding(folder, path, skip), ...(pathBytes !== undefined && { pathBytes }) });
    for (const name of scan.subdirectories.filter(isAttachmentDirectory))
      attachments.push(joinPath(scan.directory, name));
  };
  const places = glanceAt(settings.folders, ledger);
  const judge = async (port: FolderPort) => {
    const inspect = (path: string) => {
      const ref = { folder: folder.name, path };
      return inspectDocument(port, ref, ledger?.get(ref), places);
    };
    for (const path of attachments) {
      const carrier = await carrierOf(port, path);
      if (carrier !== null && (await isAbsent(port, carrier)))
        findings.push(fileFinding(folder, path, orphanAttachments, 'waiting'));
    }
    let documents = 0;
    for (let from = 0; from < paths.length; from += inspectionsAtOnce) {
      const some = paths.slice(from, from + inspectionsAtOnce);
      const inspections = await Promise.all(some.map(inspect));
      for (const [index, found] of inspections.entries()) {
        const refused = refusal(found);
        const objection =
          ledger === null || found.kind !== 'document' ? null : recorded(found.document, ledger);
        if (objection !== null) findings.push(objection);
        else if (refused !== null) findings.push(fileFinding(folder, some[index] ?? '', refused, found.kind));
        else documents += 1;
      }
    }
    const reasons = port.health().reasons.map((reason) => finding('error', folder.name, reason));
    const summary = finding('info', folder.name, {
      code: 'documents',
      message: `${countWords(documents, 'document')} in ${folder.path} can be sent`,
      fix: '',
    });
    const polling = checkPolling(folder, settings.timing);
    return {
      findings: [...reasons, ...findings, summary, ...(polling === null ? [] : [polling])],
      watchedDirectories: polling?.level === 'info' ? 0 : directories,
    };
  };
  const claims = ledger === null ? undefined : knownClaims(folder.name, ledger);
  return withFolder(folder, { settings: asItStands(settings), log, claims }, judge, onDirectory);
}

/** What keeps a file from being sent as it stands; null: nothing does, or it is no document. */
function refusal(found: Inspection): { readonly code: string; readonly message: string } | null {
  const refused =
    found.kind === 'unknown' ||
    found.kind === 'skipped' ||
    found.kind === 'waiting' ||
    found.kind === 'unfit';
  return refused ? found : null;
}

/** What the ledger says against a document as it stands; null: nothing. */
function recorded(document: FoundDocument, ledger: NonNullable<Surroundings['ledger']>): CheckFinding | null {
  const { ref } = document;
  const doubt = doubtsAbout(ref, ledger).find(({ holds }) => holds);
  if (doubt !== undefined) return doubtFinding('error', ref, doubt.message);
  const record = ledger.get(ref) ?? null;
  const operation = planDocument(unread(document), record);
  if (operation.kind !== 'upload' && operation.withheld !== null)
    return finding('error', refKey(ref), operation.withheld);
  const failure = ledger.failure(ref);
  if (failure === undefined || !isStillRefused(failure, document)) return null;
  return finding('error', refKey(ref), failure);
}

function fileFinding(
  folder: FolderSettings,
  path: string,
  { code, message }: { readonly code: string; readonly message: string },
  kind: Inspection['kind'] = 'skipped',
): CheckFinding {
  // What is skipped is information, as it is for `status --check`.
  const level = kind === 'waiting' || kind === 'skipped' ? 'warning' : 'error';
  return finding(level, `${folder.name}/${path}`, { code, message });
}

/** Why a folder cannot be scanned at all; null: it can. */
function rootFinding({ name, path }: FolderSettings): CheckFinding | null {
  const root = readRoot(path);
  return root.kind === 'there' ? null : finding('error', name, { ...root, fix: rootFixes[root.code] });
}

/** Before a start; a daemon that runs says that it continues by itself. */
const rootFixes: Readonly<Record<string, string>> = {
  'folder-missing': 'Create it, mount it, or correct folders[].path.',
  'folder-unreadable': 'Give the user that runs ingestd permission to read and enter it.',
  'folder-unavailable': 'Put a directory there, or correct folders[].path.',
};

/** Says which folder will be scanned on a timer instead of watched, and why; null: it is watched. */
export function checkPolling(
  { name, path, watch }: FolderSettings,
  { pollSeconds, fileSystemAt = eventlessFileSystemAt }: PollingOptions,
): CheckFinding | null {
  const how =
    pollSeconds === 1
      ? 'it is scanned every second'
      : `it is scanned every ${numberWords(pollSeconds)} seconds`;
  const code = 'polling';
  if (watch === 'polling')
    return finding('info', name, { code, message: `${how}, because watch is set to polling`, fix: '' });
  const silent = fileSystemAt(path);
  if (silent === null) return null;
  if (watch === 'native') {
    return finding('warning', name, {
      code,
      message: `it is on ${silent}, which does not report changes made on other machines, and watch is set to native`,
      fix: 'Set watch: auto for the folder. Otherwise such changes are found only every timing.rescanMinutes.',
    });
  }
  return finding('info', name, {
    code,
    message: `it is on ${silent}, which does not report changes made on other machines, so ${how}`,
    fix: 'Nothing to do. To change the interval, set timing.pollSeconds.',
  });
}

interface PollingOptions {
  readonly pollSeconds: number;
  /** The file system without events on which a directory lies. */
  readonly fileSystemAt?: (path: string) => string | null;
}
