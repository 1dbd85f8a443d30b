import { countWords } from '../../lib/text/amounts.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { isUnfitSidecar, joinPath, refKey } from '../../model/document.ts';
import type { DirectoryScan } from '../../model/document.ts';
import { inDoubtCode, openDoubts } from '../../model/doubts.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { reasonHealth } from '../../model/report/health.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import { listDuplicates } from '../../daemon/make-status.ts';
import { ownerOfAttachments, isAbsent, orphanAttachments } from '../../daemon/control/orphan-attachments.ts';
import { isAttachmentDirectory } from '../../scan/rules/classify.ts';
import { eventlessFileSystemAt } from '../../scan/watch/network-file-systems.ts';
import { reasonOf } from '../../sync/tasks/task.ts';
import type { Task } from '../../sync/tasks/task.ts';
import { asItStands, withRestingEngine } from '../offline/resting-engine.ts';
import type { RestingEngine } from '../offline/resting-engine.ts';

/** What one folder's directories are, as they were listed. */
interface Listed {
  directories: number;
  readonly documents: string[];
  readonly attachments: string[];
}

/**
 * What the daemon's own engine finds in the folders: what would be refused, held or wait, with the reason, and how many
 * directories `run` will watch one by one.
 */
export async function checkFolders(
  settings: Settings,
  ledger: LedgerPort,
): Promise<{ readonly findings: readonly CheckFinding[]; readonly watchedDirectories: number }> {
  const listed = new Map(settings.folders.map(({ name }) => [name, emptyListing()]));
  const heldBefore = new Set(settings.folders.map(({ name }) => name).filter((name) => ledger.hold(name)));
  const onDirectory = ({ folder, directory, entries, subdirectories }: DirectoryScan): void => {
    const found = listed.get(folder) ?? emptyListing();
    found.directories += 1;
    for (const { name } of entries) found.documents.push(joinPath(directory, name));
    for (const name of subdirectories.filter(isAttachmentDirectory))
      found.attachments.push(joinPath(directory, name));
  };
  return withRestingEngine(
    { settings: asItStands(settings), ledger, owners: null, onDirectory },
    async (resting) => {
      const findings: CheckFinding[] = [];
      let watchedDirectories = 0;
      for (const folder of settings.folders) {
        const port = resting.folders.find(({ name }) => name === folder.name);
        const { directories, documents, attachments } = listed.get(folder.name) ?? emptyListing();
        if (port === undefined) continue;
        const { state, reasons } = port.health();
        for (const reason of reasons) {
          const level = reasonHealth(reason.code) === 'ok' ? 'warning' : 'error';
          findings.push(finding(level, folder.name, { ...reason, fix: rootFixes[reason.code] }));
        }
        if (state === 'unavailable') continue;
        const polling = checkPolling(folder, settings.timing);
        findings.push(
          ...skipFindings(folder, resting),
          ...(await orphanFindings(folder, port, attachments)),
          ...taskFindings(folder, resting),
          ...(await addressFindings(port, documents)),
          ...heldFindings(folder, resting, heldBefore.has(folder.name)),
          summaryOf(folder, resting),
          ...(polling === null ? [] : [polling]),
        );
        if (polling?.level !== 'info') watchedDirectories += directories;
      }
      findings.push(...otherDoubts(resting), ...duplicateFindings(resting));
      return { findings, watchedDirectories };
    },
  );
}

function emptyListing(): Listed {
  return { directories: 0, documents: [], attachments: [] };
}

/** What is skipped is information, as it is for `status --check`, but for sidecars that fit no file. */
function skipFindings({ name }: FolderSettings, { engine }: RestingEngine): readonly CheckFinding[] {
  return Array.from(engine.folders.viewOf(name).skips(), ({ path, pathBytes, code, message }) => ({
    ...finding(isUnfitSidecar({ code }) ? 'error' : 'warning', `${name}/${path}`, { code, message }),
    ...(pathBytes !== undefined && { pathBytes }),
  }));
}

async function orphanFindings(
  { name }: FolderSettings,
  port: FolderPort,
  directories: readonly string[],
): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const path of directories) {
    const owner = await ownerOfAttachments(port, path);
    if (owner !== null && (await isAbsent(port, owner)))
      findings.push(finding('warning', `${name}/${path}`, orphanAttachments));
  }
  return findings;
}

/** A documentUrl is text, which is sent as it stands: nobody can follow it where it is no web address. */
async function addressFindings(port: FolderPort, paths: readonly string[]): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const path of paths) {
    const found = await port.inspect(path);
    const documentUrl = found.kind === 'document' ? found.document.metadata.documentUrl : undefined;
    if (documentUrl === undefined || (/^https?:/i.test(documentUrl) && URL.canParse(documentUrl))) continue;
    const message = `its documentUrl ${excerpt(documentUrl)} is not an http or https address; it is sent as it stands`;
    findings.push(finding('warning', `${port.name}/${path}`, { code: 'document-url', message }));
  }
  return findings;
}

/** What keeps documents from being sent as they stand. What waits comes by itself. */
function taskFindings({ name }: FolderSettings, { engine }: RestingEngine): readonly CheckFinding[] {
  const levels = { failed: 'error', retry: 'warning', settling: 'warning', waiting: 'warning' } as const;
  return (['failed', 'retry', 'settling', 'waiting'] as const).flatMap((kind) =>
    [...engine.tasks.in(kind)]
      .filter(({ ref, present }) => ref.folder === name && present)
      .map((task) => finding(levels[kind], task.key, reasonFor(task))),
  );
}

function reasonFor(task: Task): Pick<CheckFinding, 'code' | 'message'> {
  const { code, message } = reasonOf(task) ?? { code: 'settling', message: 'it is still changing' };
  return { code, message: code === inDoubtCode ? doubtWords(message) : message };
}

function doubtWords(message: string): string {
  return `its upload is in doubt: ${message}`;
}

function heldFindings(
  { name }: FolderSettings,
  { engine, ledger }: RestingEngine,
  isHeldBefore: boolean,
): readonly CheckFinding[] {
  const held = engine.holds.tasks(name);
  const hold = ledger.hold(name);
  if (held.length === 0 || hold === undefined) return [];
  const when = isHeldBefore ? `held since ${new Date(hold.since).toISOString()}` : 'will be held';
  const message = `${countWords(held.length, 'deletion')} ${when}: ${hold.reason}`;
  return [finding('error', name, { code: 'held', message })];
}

function summaryOf({ name, path }: FolderSettings, { engine, ledger }: RestingEngine): CheckFinding {
  const { withRecord, pending } = engine.tasks.counts(name);
  const documents = ledger.count(name) - withRecord + pending;
  return finding('info', name, {
    code: 'documents',
    message: `${countWords(documents, 'document')} in ${path} can be sent`,
    fix: '',
  });
}

/** Uploads in doubt that keep no file from being sent: it is gone, or is sent again. */
function otherDoubts({ engine, ledger }: RestingEngine): readonly CheckFinding[] {
  return openDoubts(ledger)
    .filter(({ ref }) => engine.tasks.get(ref)?.state.kind !== 'failed')
    .map(({ ref, message }) =>
      finding('error', refKey(ref), { code: inDoubtCode, message: doubtWords(message) }),
    );
}

/** Documents that the service may hold more than once; those in doubt are told of by themselves. */
function duplicateFindings({ ledger }: RestingEngine): readonly CheckFinding[] {
  const doubts = new Set(openDoubts(ledger).map(({ ref }) => refKey(ref)));
  return listDuplicates(ledger)
    .filter((one) => !doubts.has(refKey(one)))
    .map(({ copies, ...ref }) => {
      const message = `the service may have ${countWords(copies, 'further copy', 'further copies')} of it, because answers were lost`;
      return finding('error', refKey(ref), { code: 'possible-duplicates', message });
    });
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
  const silent = fileSystemAt(path);
  if (watch !== 'polling' && silent === null) return null;
  const code = 'polling';
  const reports = `${silent}, which does not report changes made on other machines`;
  if (watch === 'native') {
    return finding('warning', name, {
      code,
      message: `it is on ${reports}, and watch is set to native`,
      fix: 'Set watch: auto for the folder. Otherwise such changes are found only every timing.rescanMinutes.',
    });
  }
  const why = watch === 'polling' ? 'watch is set to polling' : `it is on ${reports}`;
  return finding('info', name, {
    code,
    message: `it is scanned every ${countWords(pollSeconds, 'second')}, because ${why}`,
    fix: '',
  });
}

interface PollingOptions {
  readonly pollSeconds: number;
  /** The file system without events on which a directory lies. */
  readonly fileSystemAt?: (path: string) => string | null;
}
