import { inNaturalOrder } from '../../lib/text/natural-order.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { joinPath, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { keptReason, widerMode } from '../../model/metadata/held-mode.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { DocumentListing, DocumentQuery } from '../../model/ports/control-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { isModeUnknown } from '../../model/report/sharing-change.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';
import { isAttached, isDismissed, reasonOf } from '../../sync/tasks/task.ts';
import type { StateKind, Task } from '../../sync/tasks/task.ts';
import type { DecisionSources } from './decide.ts';

type Sources = Pick<DecisionSources, 'ledger' | 'folders' | 'engine' | 'settings'>;

/** So many are named, and where a reason is asked for, so many files are looked at. */
const longest = 100;

/** A document that may be wanted. */
interface Candidate extends DocumentRef {
  readonly pathBytes?: string;
  /** What is under way with it, or keeps it from being sent; null: nothing. */
  readonly state: string | null;
}

/** The documents that a person looks for, at the service or not, those that are not as they should be first. */
export async function listDocuments(
  { search, narrower }: DocumentQuery,
  sources: Sources,
): Promise<DocumentListing> {
  const rest = createTimeSlice(32);
  const matches = wordsMatcher(search);
  const found: Candidate[] = [];
  let total = 0;
  for (const one of narrower ? narrowerOnes(sources.ledger) : allDocuments(sources)) {
    const pause = rest();
    if (pause !== undefined) await pause;
    if (!matches(`${refKey(one)} ${one.state ?? ''}`)) continue;
    total += 1;
    if (found.length < longest) found.push(one);
  }
  found.sort((one, other) => inNaturalOrder(refKey(one), refKey(other)));
  const documents = await Promise.all(found.map((one) => describe(one, sources)));
  return { documents: documents.flatMap((one) => one ?? []), total };
}

/** Makes the test whether all words of a search occur in a text, in any case. */
function wordsMatcher(search: string): (text: string) => boolean {
  const words = fold(search).split(/\s+/).filter(Boolean);
  return (text) => {
    const folded = fold(text);
    return words.every((word) => folded.includes(word));
  };
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function narrowerOnes(ledger: LedgerPort): readonly Candidate[] {
  return ledger
    .folders()
    .flatMap((folder) => Array.from(ledger.narrowerIn(folder), ({ ref }) => ({ ...ref, state: null })));
}

/** Each once: what differs from its record may be in order by the time that the records are gone through. */
function* allDocuments({ engine, ledger }: Sources): Iterable<Candidate> {
  const differing = new Set<string>();
  for (const one of differingOnes(engine)) {
    const key = refKey(one) + (one.pathBytes ?? '');
    if (differing.has(key)) continue;
    differing.add(key);
    yield one;
  }
  for (const ref of allRefs(ledger)) if (!differing.has(refKey(ref))) yield { ...ref, state: null };
}

/** What differs from its record, what has none, and what is no document. */
function* differingOnes(engine: Sources['engine']): Iterable<Candidate> {
  for (const task of Array.from(engine.tasks.all())) {
    // What was never sent, and is gone, is nothing any more.
    const isNothing = !task.present && !task.hasRecord && task.state.kind !== 'sending';
    if (!isNothing && !isAttached(task) && !isDismissed(task)) yield { ...task.ref, state: stateOf(task) };
  }
  for (const ref of engine.tasks.backlog.refs()) yield { ...ref, state: stateWords.ready };
  for (const { code: _, message, ...place } of engine.skips())
    yield { ...place, state: `skipped: ${message}` };
}

const stateWords: Readonly<Record<StateKind, string>> = {
  inspect: 'being checked',
  inspecting: 'being checked',
  settling: 'still changing',
  waiting: 'waiting',
  grace: 'its file is gone',
  ready: 'queued',
  sending: 'being sent',
  retry: 'retrying',
  failed: 'failed',
  held: 'deletion held',
  dormant: 'kept at the service',
};

function stateOf(task: Task): string {
  const { code, message } = reasonOf(task) ?? { code: '', message: '' };
  const isRefused = task.state.kind === 'failed' && !task.present;
  const what =
    code === inDoubtCode ? 'in doubt' : isRefused ? 'deletion refused' : stateWords[task.state.kind];
  // Some reasons begin with it.
  return message === '' || /^(?:waiting|still) /.test(message) ? message || what : `${what}: ${message}`;
}

/** By their names alone: to put each record together takes three times as long. */
function* allRefs(ledger: LedgerPort): Iterable<DocumentRef> {
  for (const folder of ledger.folders())
    for (const directory of Array.from(ledger.directories(folder)))
      for (const name of Array.from(ledger.recordsIn(folder, directory).keys()))
        yield { folder, path: joinPath(directory, name) };
}

/** Null: it is gone meanwhile. */
async function describe(
  { state, ...place }: Candidate,
  { ledger, folders, engine, settings }: Sources,
): Promise<DocumentListing['documents'][number] | null> {
  const { folder, path } = place;
  const record = ledger.get({ folder, path });
  if (record === undefined && state === null) return null;
  if (record === undefined)
    return { ...place, state, isDelivered: false, sharing: null, url: null, narrower: null };
  const port = folders.find(({ name }) => name === folder);
  const found =
    widerMode(record) === null || port === undefined
      ? null
      : await inspectDocument(port, { folder, path }, record, engine.known);
  return {
    ...place,
    state,
    isDelivered: true,
    sharing: isModeUnknown(record) ? null : modeOf(record.metadata),
    url: settings.service.documentUrl?.replaceAll('{docId}', encodeURIComponent(record.docId)) ?? null,
    narrower: found?.kind === 'document' ? keptReason(found.document) : null,
  };
}
