import { groupBy } from '../../lib/group-by.ts';
import { stemOf } from '../../model/names-and-types.ts';
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
  if (sidecars.size === 0) return { sidecars: paired, unpaired };
  const byName = new Map(files.map((entry) => [entry.name, entry]));
  const stems = new Set(Array.from(sidecars.keys(), namedAfter).filter((name) => !byName.has(name)));
  // Nearly always there are none, and the stems of all files need not be worked out.
  const ofStems = stems.size === 0 ? [] : files.filter(({ name }) => stems.has(stemOf(name)));
  const byStem = groupBy(ofStems, ({ name }) => stemOf(name));
  const mayBelong = (sidecar: Entry, document: Entry) =>
    document.stats === null || isTrustedCompanion(sidecarOwner, sidecar.stats, document.stats.uid);
  const hasTwin = (sidecar: string, document: Entry) =>
    twinSidecars.get(sidecar)?.some((twin) => mayBelong(twin, document)) === true;
  for (const [name, sidecar] of sidecars) {
    const named = byName.get(namedAfter(name));
    const candidates = named === undefined ? (byStem.get(namedAfter(name)) ?? []) : [named];
    const owners = candidates.filter((document) => mayBelong(sidecar, document) || hasTwin(name, document));
    if (owners.length === 0 && candidates.length > 0) unpaired.set(name, 'foreign');
    else if (owners.length === 0 && !fits(name)) unpaired.set(name, 'orphan');
    for (const document of owners) {
      const kind = owners.length > 1 ? 'ambiguous' : hasTwin(name, document) ? 'twin' : 'own';
      if (named !== undefined || !paired.has(document.name)) paired.set(document.name, { name, kind });
    }
  }
  return { sidecars: paired, unpaired };
}
