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

/**
 * The sidecar of a document. `ambiguous`: it bears the stem of several documents. `twin`: there is another one, whose name
 * differs only in its Unicode form.
 */
export interface PairedSidecar {
  readonly name: string;
  readonly kind: 'own' | 'ambiguous' | 'twin';
}

/** Which sidecar is whose, in one directory. */
export interface Pairing {
  /** By document name. */
  readonly sidecars: ReadonlyMap<string, PairedSidecar>;
  /** Sidecars that belong to no document: they fit no file, or `foreign`, it is another user's. */
  readonly unpaired: ReadonlyMap<string, 'orphan' | 'foreign'>;
}

/** What pairing needs to know of a directory. */
export interface PairingInput {
  /** Names of sidecars. */
  readonly sidecars: ReadonlySet<string>;
  /** Names of files that are documents or attachments. */
  readonly documents: ReadonlySet<string>;
  /** Whether a sidecar's name fits any file that stands there. */
  readonly fits: (sidecar: string) => boolean;
  /** Whether a sidecar of this name may be this document's, by the users that they belong to. */
  readonly mayBelong: (sidecar: string, document: string) => boolean;
  /** Whether another sidecar may be this document's whose name differs from this one only in its Unicode form. */
  readonly hasTwin: (sidecar: string, document: string) => boolean;
}

/**
 * Pairs documents with sidecars: `report.pdf.meta.json` is the sidecar of `report.pdf`;
 * `report.meta.json` is too, if it is the only document or attachment of that stem. The full name wins.
 */
export function pairSidecars(input: PairingInput): Pairing {
  const { sidecars, documents, fits } = input;
  const paired = new Map<string, PairedSidecar>();
  const unpaired = new Map<string, 'orphan' | 'foreign'>();
  const byStem: string[] = [];
  for (const name of sidecars) {
    const owner = namedAfter(name);
    if (!documents.has(owner)) byStem.push(name);
    else if (input.mayBelong(name, owner)) paired.set(owner, { name, kind: only(name, owner) });
    else unpaired.set(name, 'foreign');
  }
  const stems = byStem.length === 0 ? new Map<string, string[]>() : groupByStem(documents);
  for (const name of byStem) {
    const stem = namedAfter(name);
    const candidates = stems.get(stem) ?? [];
    const owners = candidates.filter((document) => input.mayBelong(name, document));
    if (owners.length === 0 && candidates.length > 0) unpaired.set(name, 'foreign');
    else if (owners.length === 0 && !fits(name)) unpaired.set(name, 'orphan');
    const isAmbiguous = owners.length > 1;
    for (const document of owners)
      if (!paired.has(document))
        paired.set(document, { name, kind: isAmbiguous ? 'ambiguous' : only(name, document) });
  }
  return { sidecars: paired, unpaired };

  function only(name: string, document: string): 'own' | 'twin' {
    return input.hasTwin(name, document) ? 'twin' : 'own';
  }
}

function groupByStem(documents: ReadonlySet<string>): Map<string, string[]> {
  const stems = new Map<string, string[]>();
  for (const name of documents) {
    const group = stems.get(stemOf(name));
    if (group === undefined) stems.set(stemOf(name), [name]);
    else group.push(name);
  }
  return stems;
}
