import { toTheSecond } from '../../lib/time/clock.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { isAtOrBelow, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { widerNow } from '../../model/metadata/held-mode.ts';
import type { LedgerEntry, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Given, Resolution } from '../../model/ports/control-port.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Activity } from '../../model/report/status.ts';
import { pauseEnd } from './pauses.ts';
import type { PausedFolder, Pauses } from './pauses.ts';

/** What a person decided about a document or, with an empty path, about a folder. */
export type Decision = Omit<Activity, 'at' | 'by'>;

/** All documents of a folder at once: a line for each of them would say no more. */
export function resentOf(refs: readonly DocumentRef[]): readonly Decision[] {
  const folders = groupBy(refs, ({ folder }) => folder);
  return Array.from(folders, ([folder, { length }]) =>
    ofFolder(folder, 'retried', 'all its documents', length),
  );
}

/** Documents at these places, or below them, that are held more narrowly than is stated for them. */
export function narrowerAt(
  places: readonly DocumentRef[],
  ledger: Pick<LedgerPort, 'narrowerIn' | 'findHolders'>,
): readonly (LedgerEntry & NonNullable<ReturnType<typeof widerNow>>)[] {
  const folders = [...new Set(places.map(({ folder }) => folder))];
  const isMeant = ({ folder, path }: DocumentRef) =>
    places.some((place) => place.folder === folder && isAtOrBelow(path, place.path));
  return folders
    .flatMap((folder) => Array.from(ledger.narrowerIn(folder)))
    .flatMap(({ ref, record }) => {
      const wider = isMeant(ref) ? widerNow({ ref, record }, ledger) : null;
      return wider === null ? [] : [{ ref, record, ...wider }];
    });
}

export function resolvedOf(ref: DocumentRef, resolution: Resolution): Decision {
  const docId = resolution.action === 'adopt' ? resolution.docId : null;
  return { ...ofDocument(ref, 'resolved', resolutionWords[resolution.action]), docId };
}

const resolutionWords: Readonly<Record<Resolution['action'], string>> = {
  adopt: 'its document adopted',
  again: 'to be uploaded again',
  dismiss: 'the doubt dismissed',
};

/** The folders that a decision has paused, for another time perhaps, or resumed; with an empty name all at once. */
export function pausedOf(
  { before, after }: { readonly before: Pauses; readonly after: Pauses },
  configured: readonly PausedFolder[],
): readonly Decision[] {
  const made = configured.flatMap((folder) => {
    const end = pauseEnd(after, folder);
    if (end === pauseEnd(before, folder)) return [];
    if (end === null) return [ofFolder(folder.name, 'resumed')];
    const until = end === Infinity ? 'somebody resumes' : toTheSecond(end);
    return [ofFolder(folder.name, 'paused', `until ${until}`)];
  });
  const [first, ...others] = made;
  const isOfAll =
    others.length > 0 &&
    made.length === configured.length &&
    others.every(({ what, message }) => what === first?.what && message === first.message);
  if (first === undefined || !isOfAll) return made;
  const message = first.message === null ? 'all folders' : `all folders, ${first.message}`;
  return [{ ...first, folder: '', message }];
}

/** About one document. */
export function ofDocument(ref: DocumentRef, what: string, message: string | null = null): Decision {
  return { ...ref, what, docId: null, message, documents: 1 };
}

/** About a folder, or so many documents in it. */
function ofFolder(folder: string, what: string, message: string | null = null, documents = 0): Decision {
  return { folder, path: '', what, docId: null, message, documents };
}

/**
 * A person approves the deletions that were shown, and no others; those that were counted and not named may be any.
 * `most` left out: whatever is held is meant. Throws ConfigurationError where others are held by now.
 */
export function requireShown(
  held: readonly DocumentRef[],
  { most = Infinity, paths }: Omit<Given<'approve'>, 'folder'>,
): void {
  const named = new Set(paths);
  const unnamed = held.filter((ref) => !named.has(refKey(ref))).length;
  const unseen = unnamed - Math.max(0, most - named.size);
  if (unseen <= 0) return;
  throw new ConfigurationError(
    `${countWords(held.length, 'deletion')} ${held.length === 1 ? 'is' : 'are'} held by now, and you were not shown ${numberWords(unseen)} of them, so none was approved; see what is held, and approve again`,
  );
}
