import { refKey } from '../document.ts';
import type { FailureStatus, Status } from './status.ts';

/**
 * The failures that are an upload in doubt and nothing else: they wait for its answer, or for a person's word about it.
 * A list that names the doubt need not name them again.
 */
export function toldAsDoubt({
  failures,
  inDoubt,
}: Pick<Status, 'failures' | 'inDoubt'>): ReadonlySet<FailureStatus> {
  if (inDoubt.length === 0) return new Set();
  const doubts = new Map(inDoubt.map((doubt) => [refKey(doubt), doubt]));
  return new Set(
    failures.filter((failure) => {
      const doubt = doubts.get(refKey(failure));
      return doubt !== undefined && (failure.code === 'in-doubt' || failure.message === doubt.message);
    }),
  );
}
