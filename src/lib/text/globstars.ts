/** Each `**` multiplies the ways in which a path can be laid out (S17): three took 6 s for a path of 400 names. */
export const maxGlobstars = 2;

/** How many `**` of a gitignore pattern cost time; at the end one costs nothing. */
export function countGlobstars(pattern: string): number {
  return pattern.slice(0, pattern.length - globstarEnd(pattern).length).split('**').length - 1;
}

/** `/**` where a pattern ends with it, else nothing. */
export function globstarEnd(pattern: string): '/**' | '' {
  return pattern.endsWith('/**') ? '/**' : '';
}
