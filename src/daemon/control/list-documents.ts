import { inNaturalOrder } from '../../lib/text/natural-order.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { joinPath, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { keptReason, widerMode } from '../../model/metadata/held-mode.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { DocumentListing, DocumentQuery } from '../../model/ports/control-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { isModeUnknown } from '../../model/report/sharing-change.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';
import type { DecisionSources } from './decide.ts';

type Sources = Pick<DecisionSources, 'ledger' | 'folders' | 'engine' | 'settings'>;

/** So many are named, and where a reason is asked for, so many files are looked at. */
const longest = 100;

/** The documents at the service that a person looks for, as the ledger has them. */
export async function listDocuments(query: DocumentQuery, sources: Sources): Promise<DocumentListing> {
  const refs = await findRefs(query, sources.ledger);
  const listed = refs.slice(0, longest).sort((one, other) => inNaturalOrder(refKey(one), refKey(other)));
  const documents = await Promise.all(listed.map((ref) => describe(ref, sources)));
  return { documents: documents.flatMap((one) => one ?? []), total: refs.length };
}

async function findRefs({ search, narrower }: DocumentQuery, ledger: LedgerPort): Promise<DocumentRef[]> {
  const rest = createTimeSlice(32);
  const matches = wordsMatcher(search);
  const found: DocumentRef[] = [];
  for (const ref of narrower ? narrowerRefs(ledger) : allRefs(ledger)) {
    await rest();
    if (matches(refKey(ref))) found.push(ref);
  }
  return found;
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

function narrowerRefs(ledger: LedgerPort): readonly DocumentRef[] {
  return ledger.folders().flatMap((folder) => Array.from(ledger.narrowerIn(folder), ({ ref }) => ref));
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
  ref: DocumentRef,
  { ledger, folders, engine, settings }: Sources,
): Promise<DocumentListing['documents'][number] | null> {
  const record = ledger.get(ref);
  if (record === undefined) return null;
  const port = folders.find(({ name }) => name === ref.folder);
  const found =
    widerMode(record) === null || port === undefined
      ? null
      : await inspectDocument(port, ref, record, engine.known);
  return {
    ...ref,
    sharing: isModeUnknown(record) ? null : modeOf(record.metadata),
    url: settings.service.documentUrl?.replaceAll('{docId}', encodeURIComponent(record.docId)) ?? null,
    narrower: found?.kind === 'document' ? keptReason(found.document) : null,
  };
}
