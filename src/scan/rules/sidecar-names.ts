import { isNear } from '../../lib/text/closest.ts';
import { isDocumentType, sidecarEnd, stemOf } from '../../model/names-and-types.ts';

/** The directory's own defaults. */
export const defaultsName = '.meta.json';

/** Says whether a file of this name is a sidecar, unless it is `defaultsName`. */
export function isSidecarName(name: string): boolean {
  return name.endsWith(sidecarEnd);
}

/** What a sidecar's name or path begins with: a document's, or its stem. */
export function namedAfter(sidecar: string): string {
  return sidecar.slice(0, -sidecarEnd.length);
}

/**
 * Says of the names of sidecars whether each fits a file: one of these bears the name that it is named after, or has it
 * for its stem. `files`: of a directory, of whatever type.
 */
export function fitting(files: () => Iterable<string>): (sidecar: string) => boolean {
  let names: ReadonlySet<string> | null = null;
  return (sidecar) => {
    names ??= new Set(Array.from(files(), (name) => [name, stemOf(name)]).flat());
    return isSidecarName(sidecar) && names.has(namedAfter(sidecar));
  };
}

/**
 * Whether a sidecar that fits no file may be meant for a document: two letters apart at most from the name, or the stem,
 * that it is named after, or with the same stem; case aside.
 */
export function mayBeMeantFor(sidecar: string, document: string): boolean {
  const named = namedAfter(sidecar).toLowerCase();
  const name = document.toLowerCase();
  const stem = stemOf(name);
  const isStem = !isDocumentType(named) && isNear(named, stem);
  return isStem || stemOf(named) === stem || isNear(named, name);
}
