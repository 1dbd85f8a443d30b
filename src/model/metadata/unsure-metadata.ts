import {
  byIdentity,
  companyKind,
  isDelete,
  replacedFields,
  tagKind,
  unstatedMode,
} from './metadata-delta.ts';
import type { ElementKind } from './metadata-delta.ts';
import type { Metadata } from './metadata.ts';

/**
 * What may be relied on where the outcome of modifies was never learned: the service holds `accepted` or what one of
 * `attempts` led to. The delta from what this gives to `wanted` ends in `wanted` from each of them: a field in which they
 * differ counts as not known, an element that only some have as held if it is to go and as missing if it is to stay.
 */
export function unsureMetadata(
  wanted: Metadata,
  accepted: Metadata,
  attempts: readonly Metadata[],
): Metadata {
  const states = [accepted, ...attempts];
  // Authors can only be added: each attempt kept those that were accepted.
  const known: Record<string, unknown> = { ...accepted };
  for (const field of replacedFields) {
    const [first, ...others] = states.map((state) => JSON.stringify(state[field]));
    if (others.some((other) => other !== first)) delete known[field];
  }
  return {
    ...known,
    companies: agreed(wanted.companies, {
      lists: states.map(({ companies }) => companies),
      kind: companyKind,
    }),
    customTags: agreed(wanted.customTags, {
      lists: states.map(({ customTags }) => customTags),
      kind: tagKind,
    }),
  };
}

/**
 * What is wanted where the outcome of modifies was never learned: what nobody states any more is stated as it was last
 * accepted, so that an attempt does not outlive the sidecar that it came from. A sharing mode is as `unstatedMode` says of
 * all of them: one that was NONE stays so. Of the texts only those that were accepted can be put back.
 */
export function restatedMetadata(
  wanted: Metadata,
  accepted: Metadata,
  attempts: readonly Metadata[],
): Metadata {
  const wasPrivate = [accepted, ...attempts].some((state) => unstatedMode(state) === 'NONE');
  const last: Metadata = { ...accepted, shareInfo: { mode: wasPrivate ? 'NONE' : 'DEFAULT' } };
  const fields = replacedFields.filter(
    (field) =>
      wanted[field] === undefined &&
      last[field] !== undefined &&
      attempts.some((attempt) => JSON.stringify(attempt[field]) !== JSON.stringify(accepted[field])),
  );
  return { ...wanted, ...Object.fromEntries(fields.map((field) => [field, last[field]])) };
}

function agreed<T extends { readonly operation?: 'ADD' | 'DELETE' | undefined }>(
  wanted: readonly T[] | undefined,
  { lists, kind }: { readonly lists: readonly (readonly T[] | undefined)[]; readonly kind: ElementKind<T> },
): readonly T[] {
  const stay = byIdentity(wanted ?? [], kind);
  const maps = lists.map((list) => byIdentity(list ?? [], kind));
  const identities = new Set(maps.flatMap((map) => [...map.keys()]));
  return [...identities].flatMap((identity) => {
    const forms = maps.map((map) => map.get(identity));
    const [first, ...others] = forms.map((form) => JSON.stringify(form));
    const known = forms[0];
    if (known !== undefined && others.every((other) => other === first)) return [known];
    const wantedForm = JSON.stringify(stay.get(identity));
    // In another form than the wanted one it has to go before that can come.
    const odd = forms.find(
      (form) => form !== undefined && !isDelete(form) && JSON.stringify(form) !== wantedForm,
    );
    return odd === undefined ? [] : [odd];
  });
}
