/** A flat list of names and values, as Redis gives its hashes, in pairs. */
export function pairsOf(list: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : []));
}
