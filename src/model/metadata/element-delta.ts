import type { Company, CustomTag, ElementOperation } from './metadata.ts';

/** How the elements of one list are identified and written. */
export interface ElementKind<T extends Stated> {
  /** Equal texts, the same company or tag. */
  readonly identity: (element: T) => string;
  /** What names it: enough to take it back. */
  readonly bare: (element: T) => T;
  /** All it states, in a fixed order of keys; a stated ADD is what a plain element means anyway. */
  readonly plain: (element: T) => T;
}

interface Stated {
  readonly operation?: ElementOperation | undefined;
}

/** Operations that lead from one list to another, and the list that is accepted once they are. */
export interface ElementDelta<T> {
  /** DELETEs first, so that a service that applies them in order ends right. */
  readonly operations: readonly T[];
  /** Plain elements are held; those with DELETE are what a sidecar stated and was sent. */
  readonly accepted: readonly T[];
}

/** Interface 2.4: identifier and value are the company, salience is said of it. */
export const companyKind: ElementKind<Company> = {
  identity: ({ identifier, value }) => JSON.stringify([identifier ?? null, value]),
  bare: ({ identifier, value }) => ({ value, ...(identifier !== undefined && { identifier }) }),
  plain: (company) => ({
    ...companyKind.bare(company),
    ...(company.salience !== undefined && { salience: company.salience }),
    ...(company.operation === 'DELETE' && { operation: 'DELETE' }),
  }),
};

/** Interface 2.5: one name with two visibilities is two tags. */
export const tagKind: ElementKind<CustomTag> = {
  identity: ({ name, visibility }) => JSON.stringify([name, visibility ?? null]),
  bare: ({ name, visibility }) => ({ name, ...(visibility !== undefined && { visibility }) }),
  plain: (tag) => ({ ...tagKind.bare(tag), ...(tag.operation === 'DELETE' && { operation: 'DELETE' }) }),
};

/**
 * Works out ADD and DELETE between what the service last accepted and the list that shall be. What the service holds of an
 * element can only be replaced, so a change of it is a DELETE and an ADD. A stated DELETE goes out once.
 */
export function elementDelta<T extends Stated>(
  wanted: readonly T[],
  accepted: readonly T[],
  kind: ElementKind<T>,
): ElementDelta<T> {
  // Most documents have none.
  if (wanted.length + accepted.length === 0) return { operations: [], accepted: [] };
  const after = byIdentity(wanted, kind);
  const before = byIdentity(accepted, kind);
  const takenBack: T[] = [];
  const added: T[] = [];
  for (const [identity, known] of before) {
    if (!isDelete(known) && !after.has(identity))
      takenBack.push({ ...kind.bare(known), operation: 'DELETE' });
  }
  for (const [identity, element] of after) {
    const known = before.get(identity);
    if (known !== undefined && sameForm(known, element)) continue;
    if (isDelete(element)) {
      takenBack.push(element);
      continue;
    }
    if (known !== undefined && !isDelete(known)) takenBack.push({ ...kind.bare(known), operation: 'DELETE' });
    added.push({ ...element, operation: 'ADD' });
  }
  return { operations: [...takenBack, ...added], accepted: [...after.values()] };
}

/** Each element once, in plain form; of several that name the same the last counts, as it would when applied in order. */
export function byIdentity<T extends Stated>(
  elements: readonly T[],
  kind: Pick<ElementKind<T>, 'identity' | 'plain'>,
): ReadonlyMap<string, T> {
  return new Map(elements.map((element) => [kind.identity(element), kind.plain(element)]));
}

/** Says whether an element is one to be taken back. */
export function isDelete(element: Stated): boolean {
  return element.operation === 'DELETE';
}

function sameForm(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
