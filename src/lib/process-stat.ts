/** States of a process that has ended and that nobody has waited for. */
const ended: ReadonlySet<string | undefined> = new Set(['Z', 'X']);
/** Where the start time stands, behind the name. */
const startField = 19;

/**
 * When a process began, in ticks since boot, out of its `/proc/PID/stat`: a later process of the same number began
 * later. Null: the text does not say, or the process has ended and holds nothing any more.
 */
export function startIn(stat: string): string | null {
  // The name in parentheses may hold spaces and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ended.has(fields[0]) ? null : (fields[startField] ?? null);
}
