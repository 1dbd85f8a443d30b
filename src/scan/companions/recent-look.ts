/** What was seen of directories, and when, monotonic ms, by their paths. */
export type RecentLooks<T> = Map<string, { readonly seen: T; readonly at: number }>;

/**
 * Looks at a directory, unless that was done less than `forMs` before: many documents that wait for it ask at once, and
 * it is not read for each of them.
 */
export function recentLook<T>(
  looks: RecentLooks<T>,
  path: string,
  { at, forMs }: { readonly at: number; readonly forMs: number },
  look: () => T,
): T {
  const last = looks.get(path);
  if (last !== undefined && at - last.at < forMs) return last.seen;
  const seen = look();
  looks.set(path, { seen, at });
  return seen;
}
