export interface Group<T> {
  readonly code: string;
  readonly items: readonly T[];
}

/** Gathers what has the same cause; the largest group first, equal ones by their code. */
export function groupByCause<T extends { readonly code: string }>(items: readonly T[]): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.code);
    if (group === undefined) groups.set(item.code, [item]);
    else group.push(item);
  }
  return [...groups]
    .map(([code, members]) => ({ code, items: members }))
    .sort((a, b) => b.items.length - a.items.length || (a.code < b.code ? -1 : 1));
}
