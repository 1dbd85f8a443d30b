import { sumOf } from '../../lib/sum-of.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { isUnfitSidecar, joinPath, refKey } from '../../model/document.ts';
import type { DirectoryScan } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { isOfUnreadPlace } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import {
  asidesOf,
  copiesWords,
  doubtWords,
  duplicatesApart,
  isAway,
  needsPerson,
  partsOf,
  sortFailures,
} from '../../model/report/failures.ts';
import { placeOf } from '../../model/report/headline.ts';
import { reasonHealth } from '../../model/report/health.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FailureStatus, Status } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import { counterOf } from '../../sync/tasks/task-store.ts';
import { isOfNoFolder } from '../../daemon/preconditions/folders-on-disk.ts';
import { asItStands, restingStatus, withRestingEngine } from '../offline/resting-engine.ts';
import type { RestingEngine } from '../offline/resting-engine.ts';

/** What the status of the daemon's own engine says of the folders: what would be refused, held or wait, with the reason. */
export async function checkFolders(
  settings: Settings,
  ledger: LedgerPort,
  tried: readonly FailureStatus[],
): Promise<readonly CheckFinding[]> {
  // By their places: what may have changed meanwhile is listed again.
  const directories = new Map<string, DirectoryScan>();
  const onDirectory = (scan: DirectoryScan): void =>
    void directories.set(refKey({ folder: scan.folder, path: scan.directory }), scan);
  return withRestingEngine(
    { settings: asItStands(settings), ledger, owners: null, onDirectory },
    async (resting) => {
      return [
        ...statusFindings(withAttempts(restingStatus(resting, { most: Infinity }), resting, tried), ledger),
        ...resting.folders.flatMap(({ name: folder }) =>
          resting.engine.folders
            .viewOf(folder)
            .orphanAttachments.map((one) => finding('warning', refKey({ folder, path: one.path }), one)),
        ),
        ...(await addressFindings(directories.values(), resting.folders)),
      ];
    },
  );
}

/** What the running daemon has tried waits for its next attempt: of what keeps all of them back it tells itself. */
function withAttempts(status: Status, { engine }: RestingEngine, tried: readonly FailureStatus[]): Status {
  const doubts = new Set(status.inDoubt.map(refKey));
  const pending = tried.filter((ref) => {
    if (doubts.has(refKey(ref))) return false;
    const task = engine.tasks.get(ref);
    return task === undefined ? engine.tasks.backlog.has(ref) : counterOf(task) === 'pending';
  });
  const failed = pending.filter(needsPerson);
  const folders = status.folders.map((folder) => {
    const isOwn = (one: FailureStatus) => one.folder === folder.name;
    const all = pending.filter(isOwn).length;
    const bad = failed.filter(isOwn).length;
    return {
      ...folder,
      pending: folder.pending - all,
      waiting: folder.waiting + all - bad,
      failed: folder.failed + bad,
    };
  });
  return { ...status, folders, failures: [...status.failures, ...failed] };
}

function statusFindings(status: Status, ledger: LedgerPort): readonly CheckFinding[] {
  const { startedAt, reasons, skipped, waiting, held, inDoubt } = status;
  const { failed, retried, folders } = sortFailures(status);
  return [
    ...reasons.flatMap((one) => {
      // What is skipped is named below.
      if (one.folder === undefined || (one.path !== undefined && !isOfUnreadPlace(one))) return [];
      // A start would not wait for it.
      const fix = isOfNoFolder(one, ledger) ? neverThereFix : undefined;
      return finding(reasonHealth(one.code) === 'ok' ? 'warning' : 'error', placeOf(one), { ...one, fix });
    }),
    // What is skipped is information, as it is for `status --check`, but for sidecars that fit no file.
    ...skipped.map((one) => ({
      ...finding(isUnfitSidecar(one) ? 'error' : 'warning', refKey(one), one),
      ...(one.pathBytes !== undefined && { pathBytes: one.pathBytes }),
    })),
    ...failed.map((one) => finding('error', refKey(one), one)),
    ...[...retried, ...waiting].map((one) => finding('warning', refKey(one), one)),
    ...inDoubt.map((one) => {
      const message = `its upload is in doubt: ${doubtWords(one)}`;
      return finding('error', refKey(one), { code: inDoubtCode, message });
    }),
    ...duplicatesApart(status).map(({ copies, ...ref }) => {
      const message = `the service may have ${copiesWords(copies)} of it, because answers were lost`;
      return finding('error', refKey(ref), { code: 'possible-duplicates', message });
    }),
    ...held.map((one) => {
      const when = one.since < startedAt ? `held since ${one.since}` : 'will be held';
      const message = `${countWords(one.count, 'deletion')} ${when}: ${one.reason}`;
      const fix = isAway(one, status) ? 'Decide about them when the folder is available again.' : undefined;
      return finding('error', one.folder, { code: 'held', message, fix });
    }),
    ...folders.flatMap((folder) => {
      const parts = partsOf([folder]).filter(({ count }) => count > 0);
      const documents = sumOf(parts, ({ count, inBar }) => (inBar ? count : 0));
      const all = `${countWords(documents, 'document')} in ${folder.path}`;
      const counts = parts.map(({ count, words }) => `${numberWords(count)} ${words}`);
      const isGone = folder.state === 'unavailable';
      // Of a folder that is away the ledger alone tells, which does not say what is kept.
      if (isGone && documents === 0) return [];
      const others = isGone
        ? 'at the service, the folder is unavailable'
        : [...counts, ...asidesOf(folder)].join(', ');
      const message = [all, others].filter(Boolean).join(': ');
      return finding('info', folder.name, { code: 'documents', message });
    }),
  ];
}

const neverThereFix =
  'It was never there: create it, mount it, or correct folders[].path. In the trial, ingestd run creates it.';

/** What no command but this one says: a documentUrl is text, which is sent as it stands, and nobody can follow all. */
async function addressFindings(
  directories: Iterable<DirectoryScan>,
  ports: readonly FolderPort[],
): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const { folder, directory, entries } of directories) {
    const port = ports.find(({ name }) => name === folder);
    for (const { name } of entries) {
      const path = joinPath(directory, name);
      const found = await port?.inspect(path);
      const documentUrl = found?.kind === 'document' ? found.document.metadata.documentUrl : undefined;
      if (documentUrl === undefined || (/^https?:/i.test(documentUrl) && URL.canParse(documentUrl))) continue;
      const message = `its documentUrl ${excerpt(documentUrl)} is not an http or https address; it is sent as it stands`;
      findings.push(finding('warning', refKey({ folder, path }), { code: 'document-url', message }));
    }
  }
  return findings;
}
