import ignore from 'ignore';
import type { Ignore } from 'ignore';

/** One gitignore pattern, and where a person finds it. */
export interface IgnorePattern {
  readonly pattern: string;
  /** `a/.ingestignore:3`, or the key of the configuration. */
  readonly place: string;
}

/** The rules of one place: the folder's settings, or one `.ingestignore`. */
export interface IgnoreRules {
  /**
   * What the rules say of a path below their directory: the pattern that ignores it, `kept`, or null: nothing. The
   * path's parents are not ignored.
   */
  readonly judge: (path: string, isDirectory: boolean) => IgnorePattern | 'kept' | null;
}

/** Rules and the directory that they stand in. */
export interface PlacedRules {
  readonly directory: string;
  readonly rules: IgnoreRules;
}

/** The package remembers every path that it was asked about. */
const forgetAfter = 4_000;

/** Each `**` multiplies the ways in which a path can be laid out (S17): three took 6 s for a path of 400 names. */
const maxGlobstars = 2;
const maxPatternLength = 1_000;

/** Reads gitignore patterns. Never throws: what is no pattern matches nothing. */
export function createIgnoreRules(patterns: readonly IgnorePattern[]): IgnoreRules {
  const bounded = patterns.flatMap(({ pattern }, index) =>
    boundedPattern(pattern).map((text) => ({ pattern: text, mark: String(index) })),
  );
  let asked = 0;
  let rules = compile(bounded);

  return {
    judge: (path, isDirectory) => {
      asked += 1;
      if (asked % forgetAfter === 0) rules = compile(bounded);
      const { ignored, unignored, rule } = rules.test(isDirectory ? `${path}/` : path);
      if (unignored) return 'kept';
      if (!ignored) return null;
      // A parent that these rules ignore was kept by deeper ones, or nobody would ask: then they say nothing here.
      const slash = path.lastIndexOf('/');
      if (slash !== -1 && rules.test(path.slice(0, slash + 1)).ignored) return null;
      return patterns[Number(rule?.mark)] ?? null;
    },
  };
}

/** The pattern that ignores a path whose parents are not ignored; null: none. The innermost that names it decides. */
export function ignoringPattern(
  rules: readonly PlacedRules[],
  path: string,
  isDirectory: boolean,
): IgnorePattern | null {
  for (let at = rules.length - 1; at >= 0; at -= 1) {
    const placed = rules[at];
    if (placed === undefined) continue;
    const relative = placed.directory === '' ? path : path.slice(placed.directory.length + 1);
    const verdict = placed.rules.judge(relative, isDirectory);
    if (verdict !== null) return verdict === 'kept' ? null : verdict;
  }
  return null;
}

function compile(patterns: readonly { readonly pattern: string; readonly mark: string }[]): Ignore {
  return ignore({ ignorecase: false }).add(patterns);
}

/**
 * Keeps a pattern from taking for ever: of one with too many `**` the first and last parts stay, which ignores more
 * and so sends less; a negation is left out instead.
 */
function boundedPattern(pattern: string): readonly string[] {
  if (pattern.length > maxPatternLength) return [];
  // At the end it costs nothing.
  const end = pattern.endsWith('/**') ? '/**' : '';
  const parts = pattern.slice(0, pattern.length - end.length).split('**');
  if (parts.length - 1 <= maxGlobstars) return [pattern];
  if (pattern.startsWith('!')) return [];
  return [`${parts.slice(0, maxGlobstars).join('**')}**${parts.at(-1) ?? ''}${end}`];
}
