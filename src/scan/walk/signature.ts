import type { Sightings } from './list-documents.ts';
import type { SortedEntries } from './sort-entries.ts';

/**
 * Adds up what counts in a directory, in whatever order it comes. Files that are no documents do not: one that is
 * written all the time would keep its directory in motion for ever.
 */
export function signatureOf(context: string, sorted: SortedEntries, { skips, contexts }: Sightings): number {
  let sum = mix(textSum(context), sorted.skips.length + skips.length);
  for (const entries of [sorted.documents, sorted.sidecars.values(), sorted.children]) {
    for (const { name, stats, kind } of entries) {
      if (stats === null) continue;
      const times = kind === 'directory' ? 0 : mix(stats.mtimeMs, stats.ctimeMs);
      sum = (sum + mix(mix(stats.ino, kind === 'directory' ? 0 : stats.size), mix(textSum(name), times))) | 0;
    }
  }
  for (const text of contexts) sum = (sum + textSum(text)) | 0;
  return sum;
}

function textSum(text: string): number {
  let sum = text.length;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return sum;
}

function mix(one: number, other: number): number {
  // Microseconds: an mtime has a fraction.
  const folded = Math.imul((one * 1_000) | 0, 0x9e3779b1) ^ ((other * 1_000) | 0);
  return Math.imul(folded ^ (folded >>> 15), 0x85ebca6b);
}
