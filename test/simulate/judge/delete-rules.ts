import { keyOf } from './held-documents.ts';
import type { HeldDocument } from './held-documents.ts';
import { isListed } from './content-rules.ts';
import type { Add, Moment } from './moment.ts';
import type { RoledFile } from './reading.ts';

/** What is wrong with the deletion of one document (contract 4 and 7.25). */
export function judgeDeletion(
  docId: string,
  { reading, held, approved, kept, taintOf }: Moment,
  add: Add,
): void {
  const one = held.all.get(docId);
  if (one === undefined || one.isDeleted) return;
  if (kept.has(docId)) add('deleted-kept', `${docId} is deleted, and a person has kept it`);
  // Of another document's own file only the name in its place may be its own (7.25), unless that one has moved.
  const isOwnOf = (other: HeldDocument, { path, identity }: RoledFile) =>
    other !== one &&
    other.accepted === identity &&
    (!one.places.has(path) || !reading.files.has(other.holding.path));
  const standing = held
    .filesOf(one, reading)
    .filter((file) => isListed(file) && held.isKnownFile(one, file))
    // What moves into a directory that is ignored as a whole is gone; a pattern that is new takes nothing away (4).
    .filter(({ path }) => path === one.holding.path || !reading.isOutOfList(path) || held.hasStood(one, path))
    .filter(({ identity }) => identity !== one.accepted || !held.mayHaveGoneWithCopy(one, reading))
    .filter((file) => one.accepted === file.identity || !held.alive().some((other) => isOwnOf(other, file)));
  // What is out of sight may go where a person has said so.
  const counted = approved.has(docId) ? standing.filter((file) => !reading.isUnseen(file)) : standing;
  // What came to its owner's own place is that document's content by now (contract 4).
  const owners = held
    .alive()
    .filter(({ docId: other, holding }) =>
      counted.some(
        ({ path, identity }) => path === holding.path && taintOf(identity).sentWith.includes(other),
      ),
    )
    .filter((other) => other !== one);
  // Of copies with one name nobody can tell whose file each is (7.1): what stands may be that of the other one.
  const alike = held
    .alive()
    .filter(
      ({ alike, accepted }) =>
        accepted !== null &&
        reading.pathsOf(accepted).length === 0 &&
        counted.some(({ identity }) => alike.has(identity)),
    );
  const others = new Set([
    ...held.othersOf(counted, reading, one),
    ...held.saversOf(counted, one),
    ...owners,
    ...alike,
  ]);
  const [file] = counted;
  // Another document's own file does not count: as many as there are others.
  // Edited and moved: where numbers are used again, or are none, nobody can tell. Nor does a record have a content whose
  // answer has not come.
  const isUnanswered = one.text !== one.recordedText;
  const isToldByNumber = counted.every(
    ({ path, text, role }) =>
      text !== one.recordedText && (isUnanswered || role.kind !== 'document' || !held.wasTold(one, path)),
  );
  if (file !== undefined && others.size < new Set(counted.map(keyOf)).size)
    add(
      // Its own file was replaced, and what came to its place stands.
      counted.every(({ identity }) => identity !== one.accepted)
        ? `deleted-standing/replaced${isToldByNumber ? '/by-identity' : ''}`
        : // It was moved to the place of another document, and one of the two has to go.
          !isToldByNumber &&
            (one.taken.size > 0 || held.alive().some((other) => other !== one && other.places.has(file.path)))
          ? 'deleted-standing/moved-over'
          : counted.some(({ path }) => path === one.holding.path)
            ? 'deleted-standing'
            : counted.every(({ isUnlisted }) => isUnlisted)
              ? 'deleted-standing/unlisted'
              : isToldByNumber
                ? 'deleted-standing/by-identity'
                : 'deleted-standing/elsewhere',
      `${docId} is deleted, and its file stands at ${file.path}${file.isUnlisted ? ', out of sight' : ''}`,
    );
  else if (reading.hidesSomethingOf(one.device, one.covered) && !approved.has(docId))
    add('deleted-unseen', `${docId} (${one.holding.path}) is deleted while a directory is out of sight`);
}
