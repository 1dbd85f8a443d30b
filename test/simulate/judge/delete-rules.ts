import { isListed } from './content-rules.ts';
import type { HeldDocument } from './held-documents.ts';
import type { Add, Moment } from './moment.ts';
import type { Kind } from './promises.ts';
import type { RoledFile } from './reading.ts';

/** What is wrong with the deletion of one document (contract 4 and 7.25). */
export function judgeDeletion(docId: string, { reading, held, approved, kept }: Moment, add: Add): void {
  const one = held.all.get(docId);
  if (one === undefined || one.isDeleted) return;
  if (kept.has(docId)) add('deleted-kept', `${docId} is deleted, and a person has kept it`);
  // What is out of sight may go where a person has said so.
  const isCounted = (file: RoledFile) => isListed(file) && !(approved.has(docId) && reading.isUnseen(file));
  const standings = held.standingsOf(one, reading).map((files) => files.filter(isCounted));
  const standing = standings.flat();
  const [file] = standing;
  if (file !== undefined && standings.every(({ length }) => length > 0))
    add(
      kindOf(one, standing),
      `${docId} is deleted, and its file stands at ${file.path}${file.isUnlisted ? ', out of sight' : ''}`,
    );
  else if (reading.hidesSomethingOf(one.device, one.covered) && !approved.has(docId))
    add('deleted-unseen', `${docId} (${one.holding.path}) is deleted while a directory is out of sight`);
}

function kindOf(
  { accepted, holding, may, recordedText }: HeldDocument,
  standing: readonly RoledFile[],
): Kind {
  // Edited and moved: where numbers are used again, or are none, nobody can tell.
  const isToldByNumber = standing.every(
    ({ path, text }) => text !== recordedText && may.some((at) => at.path !== path),
  );
  const how = isToldByNumber ? '/by-identity' : '';
  // Its own file was replaced, and what came to its place stands.
  if (standing.every(({ identity }) => identity !== accepted)) return `deleted-standing/replaced${how}`;
  if (standing.some(({ path }) => path === holding.path)) return 'deleted-standing';
  if (standing.every(({ isUnlisted }) => isUnlisted)) return 'deleted-standing/unlisted';
  return `deleted-standing${how === '' ? '/elsewhere' : how}`;
}
