import { printable } from '../../lib/text/printable.ts';
import { heldSidecarCode, nameOf, orphanSidecarCode, refKey } from '../../model/document.ts';
import type { DocumentRef, Skip } from '../../model/document.ts';
import { sidecarEnd, sidecarPlaces, stemOf } from '../../model/names-and-types.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { StateKind } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';

/** Of a document whose file is gone: nothing more happens by itself. */
const endedStates: ReadonlySet<StateKind> = new Set(['dormant', 'failed']);

/**
 * What is said of a file that is not sent. Of a sidecar that fits no file the ledger may know the document that it is named
 * after: then no other one is suggested; and nothing is wrong with it while the deletion of that is held or under way.
 */
export function withDocument<Said extends Omit<Skip, 'path'>>(
  { folder, path }: DocumentRef,
  said: Said,
  { findByStem }: Pick<LedgerPort, 'findByStem'>,
  tasks: Pick<TaskStore, 'get'>,
): Said {
  if (said.code !== orphanSidecarCode) return said;
  const fits = (sidecar: string, file: string) => Object.values(sidecarPlaces(file)).includes(sidecar);
  const known = findByStem(stemOf(nameOf(path).slice(0, -sidecarEnd.length))).filter(({ ref, record }) =>
    [nameOf(ref.path), record.fileName].some((name) => fits(nameOf(path), name)),
  );
  const [first, ...others] = known.filter(({ record }) => (record.companions?.sidecar ?? null) === null);
  const former = known.filter(({ ref }) => ref.folder === folder && fits(path, ref.path));
  const [going] = former.flatMap(({ ref }) => {
    const task = tasks.get(ref);
    return task === undefined || task.present || endedStates.has(task.state.kind) ? [] : [task];
  });
  if (going !== undefined) {
    const how = going.state.kind === 'held' ? 'held' : 'under way';
    const message = `the sidecar of ${printable(going.key)}, whose deletion is ${how}`;
    return { ...said, code: heldSidecarCode, message };
  }
  const isGone = former.length > 0;
  if (first === undefined && !isGone) return said;
  const isClear = first !== undefined && others.length === 0 && !isGone;
  const guess = isClear
    ? `did you mean ${printable(refKey(first.ref))}, its document now?`
    : 'its document is gone, or it has another name';
  return { ...said, message: `a sidecar that fits no file beside it: ${guess}` };
}
