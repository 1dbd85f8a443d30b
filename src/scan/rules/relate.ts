import { sidecarEnd, stemOf } from '../../model/names-and-types.ts';
import type { FolderSettings } from '../../model/settings.ts';
import { isTrustedCompanion } from './classify.ts';
import type { Entry } from './entry.ts';
import { namedAfter } from './sidecar-names.ts';

/**
 * The sidecar of a document. `ambiguous`: it bears the stem of several documents. `twin`: there is another one, whose name
 * differs only in its Unicode form.
 */
export interface PairedSidecar {
  readonly name: string;
  readonly kind: 'own' | 'ambiguous' | 'twin';
}

/** The names of a directory. */
export interface NameGroup {
  /** By name. */
  readonly sidecars: ReadonlyMap<string, Entry>;
  /** Further ones, by the name of the one from which each differs in its Unicode form alone. */
  readonly twinSidecars: ReadonlyMap<string, readonly Entry[]>;
  /** Files that are documents or attachments. */
  readonly documents: readonly Entry[];
  /** Files that would be, but for a rule that leaves them out. */
  readonly leftOut: readonly Entry[];
  /** Whether a sidecar's name fits any file that stands there. */
  readonly fits: (sidecar: string) => boolean;
}

/** Which sidecar is whose. */
export interface Relations {
  /** By document name. */
  readonly sidecars: ReadonlyMap<string, PairedSidecar>;
  /** By the name of a file that a rule leaves out: what its sidecar lists stays reserved. */
  readonly ofLeftOut: ReadonlyMap<string, PairedSidecar>;
  /** Sidecars that belong to no document: they fit no file, or `foreign`, it is another user's. */
  readonly unpaired: ReadonlyMap<string, 'orphan' | 'foreign'>;
}

/**
 * Relates documents and sidecars: `report.pdf.meta.json` is the sidecar of `report.pdf`;
 * `report.meta.json` is too, if it is the only document or attachment of that stem. The full name wins.
 */
export function relate(group: NameGroup, sidecarOwner: FolderSettings['sidecarOwner']): Relations {
  const { sidecars, unpaired } = pair(group, group.documents, sidecarOwner);
  if (group.leftOut.length === 0) return { sidecars, unpaired, ofLeftOut: new Map() };
  // A file that a rule leaves out keeps its attachments: they must not go out as documents in its stead.
  const used = new Set([...sidecars.values()].map(({ name }) => name));
  const isFree = ([name]: readonly [string, Entry]) => !used.has(name) && unpaired.get(name) !== 'foreign';
  const free = new Map([...group.sidecars].filter(isFree));
  const ofLeftOut = pair({ ...group, sidecars: free }, group.leftOut, sidecarOwner).sidecars;
  return { sidecars, unpaired, ofLeftOut };
}

function pair(
  { sidecars, twinSidecars, fits }: NameGroup,
  files: readonly Entry[],
  sidecarOwner: FolderSettings['sidecarOwner'],
): Omit<Relations, 'ofLeftOut'> {
  const paired = new Map<string, PairedSidecar>();
  const unpaired = new Map<string, 'orphan' | 'foreign'>();
  /** By sidecar that is named after no document: the documents of that stem. */
  const stems = new Map<string, string[]>();
  if (sidecars.size === 0) return { sidecars: paired, unpaired };
  const documents = new Map(files.map((entry) => [entry.name, entry]));
  const mayBelong = (sidecar: Entry, document: Entry) =>
    document.stats === null || isTrustedCompanion(sidecarOwner, sidecar.stats, document.stats.uid);
  const twinsOf = (sidecar: string, document: Entry) =>
    (twinSidecars.get(sidecar) ?? []).filter((twin) => mayBelong(twin, document));
  const isOf = (sidecar: Entry, document: Entry) =>
    mayBelong(sidecar, document) || twinsOf(sidecar.name, document).length > 0;
  const kindFor = (sidecar: string, document: Entry) =>
    twinsOf(sidecar, document).length > 0 ? 'twin' : 'own';
  for (const [name, sidecar] of sidecars) {
    const owner = documents.get(namedAfter(name));
    if (owner === undefined) stems.set(name, []);
    else if (isOf(sidecar, owner)) paired.set(owner.name, { name, kind: kindFor(name, owner) });
    else unpaired.set(name, 'foreign');
  }
  if (stems.size > 0)
    for (const document of documents.keys()) stems.get(`${stemOf(document)}${sidecarEnd}`)?.push(document);
  for (const [name, candidates] of stems) {
    const sidecar = sidecars.get(name);
    const owners = candidates.flatMap((candidate) => {
      const document = documents.get(candidate);
      return sidecar !== undefined && document !== undefined && isOf(sidecar, document) ? [document] : [];
    });
    if (owners.length === 0 && candidates.length > 0) unpaired.set(name, 'foreign');
    else if (owners.length === 0 && !fits(name)) unpaired.set(name, 'orphan');
    const isAmbiguous = owners.length > 1;
    for (const document of owners)
      if (!paired.has(document.name))
        paired.set(document.name, { name, kind: isAmbiguous ? 'ambiguous' : kindFor(name, document) });
  }
  return { sidecars: paired, unpaired };
}
