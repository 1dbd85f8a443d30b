import ignore from 'ignore';
import type { Ignore } from 'ignore';

import { countGlobstars, globstarEnd, maxGlobstars } from '../../lib/text/globstars.ts';
import { excerpt, printable } from '../../lib/text/printable.ts';

/** One gitignore pattern, and where a person finds it. */
export interface IgnorePattern {
  readonly pattern: string;
  /** `a/.ingestignore:3`, or the key of the configuration; in the rules of an ignore file, wherever that stands: `:3`. */
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

/** What stands in an ignore file, in one or many directories. */
export interface FileRules extends IgnoreRules {
  /** Equal for equal contents. */
  readonly content: string;
  readonly patterns: number;
}

/** Rules and the directory that they stand in. */
export interface PlacedRules {
  readonly directory: string;
  /** Of an ignore file: where it stands, from the root. */
  readonly file?: string;
  readonly rules: IgnoreRules;
}

/** The package remembers every path that it was asked about. */
const forgetAfter = 4_000;

/**
 * Reads gitignore patterns, whose number and length are bounded by who read them. Never throws: what is no pattern
 * matches nothing.
 */
export function createIgnoreRules(patterns: readonly IgnorePattern[]): IgnoreRules {
  const test = createTest(
    patterns.flatMap(({ pattern }, index) =>
      boundedPattern(pattern).map((text) => ({ pattern: text, mark: String(index) })),
    ),
  );
  return {
    judge: (path, isDirectory) => {
      const { ignored, unignored, rule } = test(isDirectory ? `${path}/` : path);
      if (unignored) return 'kept';
      if (!ignored) return null;
      // A parent that these rules ignore was kept by deeper ones, or nobody would ask: then they say nothing here.
      const slash = path.lastIndexOf('/');
      if (slash !== -1 && test(path.slice(0, slash + 1)).ignored) return null;
      return patterns[Number(rule?.mark)] ?? null;
    },
  };
}

/** Which files may be documents: the patterns of a folder's `include`. */
export interface IncludeRules {
  /** Null: it may be one; else why not, in words. */
  readonly exclusion: (path: string) => string | null;
}

/**
 * Reads the gitignore patterns of `include`, which the configuration has bounded; null: there are none, and every file
 * may be a document. What a pattern matches, and all below a directory that it matches, is included.
 */
export function createIncludeRules(patterns: readonly string[], place: string): IncludeRules | null {
  if (patterns.length === 0) return null;
  const test = createTest(patterns.map((pattern) => ({ pattern, mark: pattern })));
  // The package does not say which one takes a path out.
  const negations = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => ({ pattern, test: createTest([{ pattern: pattern.slice(1), mark: pattern }]) }));
  const unmatched = `no pattern in ${printable(place)} matches it`;
  return {
    exclusion: (path) => {
      const { ignored, unignored } = test(path);
      if (ignored) return null;
      const negation = unignored ? negations.findLast((one) => one.test(path).ignored) : undefined;
      return negation === undefined
        ? unmatched
        : `the pattern "${excerpt(negation.pattern)}" in ${printable(place)} excludes it`;
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
    if (verdict === 'kept') return null;
    if (verdict !== null) return { ...verdict, place: `${placed.file ?? ''}${verdict.place}` };
  }
  return null;
}

type MarkedPattern = { readonly pattern: string; readonly mark: string };

function createTest(patterns: readonly MarkedPattern[]): (path: string) => ReturnType<Ignore['test']> {
  let asked = 0;
  let rules = compile(patterns);
  return (path) => {
    asked += 1;
    if (asked % forgetAfter === 0) rules = compile(patterns);
    return rules.test(path);
  };
}

function compile(patterns: readonly MarkedPattern[]): Ignore {
  // Names are compared in NFC, and paths come in it.
  return ignore({ ignorecase: false }).add(
    patterns.map(({ pattern, mark }) => ({ pattern: pattern.normalize('NFC'), mark })),
  );
}

/**
 * Keeps a pattern from taking for ever: of one with too many `**` the first and last parts stay, which ignores more
 * and so sends less; a negation is left out instead.
 */
function boundedPattern(pattern: string): readonly string[] {
  if (countGlobstars(pattern) <= maxGlobstars) return [pattern];
  if (pattern.startsWith('!')) return [];
  const end = globstarEnd(pattern);
  const parts = pattern.slice(0, pattern.length - end.length).split('**');
  return [`${parts.slice(0, maxGlobstars).join('**')}**${parts.at(-1) ?? ''}${end}`];
}
