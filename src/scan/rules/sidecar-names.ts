import { isNear, isOneLetterOff } from '../../lib/text/closest.ts';
import { isDocumentType, sidecarEnd, stemOf } from '../../model/names-and-types.ts';

/** The directory's own defaults. */
export const defaultsName = '.meta.json';

/**
 * Whether a name is that of a directory's defaults but for capitals, its dot, a `.txt` behind it or one letter; an editor's
 * copy of them is not. Without the dot, no letter more is forgiven: it would be the name of many files.
 */
export function isNearDefaults(name: string): boolean {
  if (name.length > defaultsName.length + 4) return false;
  const lower = name.toLowerCase();
  if (!name.startsWith('.')) return `.${lower}` === defaultsName;
  const isMisspelled = !name.endsWith('~') && isOneLetterOff(lower, defaultsName);
  return isMisspelled || lower === defaultsName || lower === `${defaultsName}.txt`;
}

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
 * Says of the names of files whether each is that of the sidecar of a document, one of `files`, but for one letter at its
 * end, two that are swapped there, a `.txt` behind it, or `metadata` in full.
 */
export function misspelling(files: () => Iterable<string>): (name: string) => boolean {
  let names: ReadonlySet<string> | null = null;
  return (name) => {
    const named = nearlyNamedAfter(name.toLowerCase());
    if (named.length === 0) return false;
    const documents = () => Array.from(files(), (file) => file.toLowerCase()).filter(isDocumentType);
    names ??= new Set(documents().flatMap((file) => [file, stemOf(file)]));
    return named.some((one) => names?.has(one));
  };
}

/** What people write for `sidecarEnd` beside slips of the keyboard. */
const otherEnds = [`${sidecarEnd}.txt`, '.metadata.json'];

function nearlyNamedAfter(name: string): readonly string[] {
  const other = otherEnds.find((end) => name.endsWith(end));
  if (other !== undefined) return [name.slice(0, -other.length)];
  if (!/meta|json/.test(name.slice(-sidecarEnd.length - 1))) return [];
  const lengths = [-1, 0, 1].map((more) => sidecarEnd.length + more);
  const ends = lengths.filter((length) => isOneLetterOff(name.slice(-length), sidecarEnd));
  return ends.map((length) => name.slice(0, -length));
}

/**
 * Whether a sidecar that fits no file may be meant for a document: two letters apart at most from the name, or the stem,
 * that it is named after, or with the same stem; case aside.
 */
export function mayBeMeantFor(sidecar: string, document: string): boolean {
  const name = document.toLowerCase();
  const stem = stemOf(name);
  const lower = sidecar.toLowerCase();
  if (!isSidecarName(lower)) return [name, stem].some((one) => nearlyNamedAfter(lower).includes(one));
  const named = namedAfter(lower);
  const isStem = !isDocumentType(named) && isNear(named, stem);
  return isStem || stemOf(named) === stem || isNear(named, name);
}
