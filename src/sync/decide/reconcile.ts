import { joinPath, nameOf, sameStat } from '../../model/document.ts';
import type { DirectoryScan, DocumentEntry } from '../../model/document.ts';
import { ignoreFileCode } from '../../model/errors.ts';
import { isStillRefused } from '../../model/ports/ledger-port.ts';
import type { DirectoryRecords, Failure, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { BacklogEntry } from '../tasks/backlog.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { keptCode } from '../tasks/task.ts';
import type { Task } from '../tasks/task.ts';
import { likelySidecarCode } from '../../model/report/wait-kinds.ts';
import { provesRoot } from '../folders/root-trust.ts';

/** How one directory as it was listed differs from what is known of it. */
export interface Differences {
  /** Files that have no record, or another one, and no task. */
  readonly found: readonly DocumentEntry[];
  /** Of the first scan: files that differ and that no other path's record could be moved to. They may wait unread. */
  readonly backlog: readonly BacklogEntry[];
  /** What was refused and is just as it was then. */
  readonly refused: readonly { readonly path: string; readonly failure: Failure }[];
  /** Tasks whose file is another one now. */
  readonly changed: readonly { readonly task: Task; readonly entry: DocumentEntry }[];
  /** Tasks whose file is just as the record says, or not listed as a document any more. */
  readonly touched: readonly { readonly task: Task; readonly present: boolean }[];
  /** Paths with a record, no file and no task. */
  readonly gone: readonly string[];
  /** Name of a file that is just as recorded before the root changed, if it did: the root is the one that it was. */
  readonly proof: string | null;
}

interface Known {
  readonly ledger: Pick<LedgerPort, 'recordsIn' | 'failure' | 'findByFile' | 'root'>;
  readonly tasks: Pick<TaskStore, 'inDirectory' | 'isMissingOfSize' | 'backlog'>;
}

/** Compares a listed directory with ledger and tasks. Only reads. */
export function reconcile(scan: DirectoryScan, { ledger, tasks: store }: Known): Differences {
  const records = ledger.recordsIn(scan.folder, scan.directory);
  const tasks = store.inDirectory(scan.folder, scan.directory);
  const root = ledger.root(scan.folder);
  if (tasks.size === 0 && isAsRecorded(scan, records)) {
    const proof = scan.entries.find(({ name }) => provesRoot(root, records.rootChange(name)));
    return { ...noDifferences, proof: proof?.name ?? null };
  }
  const waiting = store.backlog.inDirectory(scan.folder, scan.directory);
  const names = new Set<string>();
  const found: DocumentEntry[] = [];
  const backlog: BacklogEntry[] = [];
  const refused: { path: string; failure: Failure }[] = [];
  const changed: { task: Task; entry: DocumentEntry }[] = [];
  const touched: { task: Task; present: boolean }[] = [];
  let proof: string | null = null;
  let recorded = 0;
  for (const entry of scan.entries) {
    const { name } = entry;
    const path = joinPath(scan.directory, name);
    names.add(name);
    const match = records.match(name, entry);
    if (match !== 'none') recorded += 1;
    const task = tasks.get(name);
    const isUnchanged = match === 'same' || match === 'stat';
    if (isUnchanged && proof === null && provesRoot(root, records.rootChange(name))) proof = name;
    if (task !== undefined) {
      if (match === 'same' || waitsForListing(task)) touched.push({ task, present: true });
      else if (!isAsSeen(task, entry)) changed.push({ task, entry });
      continue;
    }
    if (match === 'same') continue;
    const failure = ledger.failure({ folder: scan.folder, path });
    if (failure !== undefined && isStillRefused(failure, entry)) {
      if (provesRoot(root, failure.rootChange)) proof = name;
      refused.push({ path, failure });
      continue;
    }
    const known = waiting.get(name);
    const hasRecord = match !== 'none';
    const isPlain =
      failure === undefined &&
      (known === undefined ? scan.cause === 'start' : sameStat(known.stat, entry.stat)) &&
      ledger.findByFile(entry.stat).every(({ ref }) => ref.path === path && ref.folder === scan.folder) &&
      (hasRecord || !store.isMissingOfSize(entry.stat.size));
    if (isPlain) backlog.push({ ...entry, hasRecord });
    else found.push(entry);
  }
  const gone: string[] = [];
  if (recorded < records.size) {
    for (const name of records.keys()) {
      if (!names.has(name) && !tasks.has(name)) gone.push(joinPath(scan.directory, name));
    }
  }
  // A task whose file is gone, and at whose path something stands that is not sent, is inspected: its grace ends.
  const absent = [...tasks].filter(([name]) => !names.has(name));
  const notSent = () => [...scan.skips.map(({ path }) => nameOf(path)), ...scan.leftOut.split('/')];
  const unsent = new Set(absent.length === 0 ? [] : notSent());
  for (const [name, task] of absent)
    if (mayHaveGone(task) || waitsForListing(task) || unsent.has(name))
      touched.push({ task, present: false });
  return { found, backlog, refused, changed, touched, gone, proof };
}

const noDifferences = { found: [], backlog: [], refused: [], changed: [], touched: [], gone: [] };

/** Nearly always so when a daemon starts: apart, so that what decides it is short and nothing has to be made for it. */
function isAsRecorded({ entries }: DirectoryScan, records: DirectoryRecords): boolean {
  return (
    entries.length === records.size && entries.every((entry) => records.match(entry.name, entry) === 'same')
  );
}

/** A sidecar that is renamed after its document, or removed, and rules that can be read, change nothing about the document. */
function waitsForListing({ state }: Task): boolean {
  return state.kind === 'waiting' && endedByListing.has(state.reason.code);
}

const endedByListing: ReadonlySet<string> = new Set([likelySidecarCode, ignoreFileCode]);

/** Not listed as a document: gone, or what is not sent any more, which may be gone too. What is kept stays kept. */
export function mayHaveGone({ state, present, hasRecord }: Task): boolean {
  if (state.kind === 'dormant') return state.reason.code !== keptCode;
  return present || !hasRecord;
}

/** A task that is being sent records every new inspection and is planned again afterwards. */
function isAsSeen({ present, seen, state }: Task, entry: DocumentEntry): boolean {
  if (state.kind === 'dormant' || state.kind === 'sending') return false;
  return (
    present && seen !== null && sameStat(seen.stat, entry.stat) && seen.fingerprint === entry.fingerprint
  );
}
