import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import {
  createIgnoreRules,
  createIncludeRules,
  ignoringPattern,
} from '../../../src/scan/rules/ignore-patterns.ts';
import type { IgnoreRules } from '../../../src/scan/rules/ignore-patterns.ts';

const rulesOf = (...patterns: readonly string[]): IgnoreRules =>
  createIgnoreRules(patterns.map((pattern, index) => ({ pattern, place: `.ingestignore:${index + 1}` })));

const verdictOf = (rules: IgnoreRules, path: string, isDirectory: boolean): 'ignored' | 'kept' | null => {
  const judged = rules.judge(path, isDirectory);
  return judged === null || judged === 'kept' ? judged : 'ignored';
};

const table: readonly (readonly [string, string, boolean, 'ignored' | 'kept' | null])[] = [
  ['*.bak', 'a.bak', false, 'ignored'],
  ['*.bak', 'x/y/a.bak', false, 'ignored'],
  ['/a.pdf', 'a.pdf', false, 'ignored'],
  ['/a.pdf', 'x/a.pdf', false, null],
  ['drafts/', 'drafts', true, 'ignored'],
  ['drafts/', 'drafts', false, null],
  ['x/**/y.pdf', 'x/a/b/y.pdf', false, 'ignored'],
  ['a?.pdf', 'ab.pdf', false, 'ignored'],
  ['[ab].pdf', 'c.pdf', false, null],
  ['# a comment', '# a comment', false, null],
  ['\\#a.pdf', '#a.pdf', false, 'ignored'],
  ['A.pdf', 'a.pdf', false, null],
];

const hostile: readonly (readonly [string, string])[] = [
  ['*a*a*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(250)],
  [`${'**/a/'.repeat(30)}b`, `${'a/'.repeat(500)}c`],
  [`x/${'**/a/'.repeat(3)}b`, `x/${'a/'.repeat(400)}c`],
  ['[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[0-9]', 'a'.repeat(250)],
  [`${'a*'.repeat(499)}b`, 'a'.repeat(250)],
  [`${'a*'.repeat(20)}b`, 'a'.repeat(250)],
];

describe('include rules', () => {
  it.each([
    [['*.pdf'], 'x/a.pdf', true],
    [['*.pdf'], 'x/a.txt', false],
    [['/a.pdf'], 'x/a.pdf', false],
    [['reports/'], 'reports/2026/a.txt', true],
    [['reports/'], 'reports', false],
    [['reports/**'], 'x/reports/a.txt', false],
    [['reports/', '*.pdf'], 'x/a.pdf', true],
    [['*.pdf', '!draft*'], 'x/draft.pdf', false],
    [['A.pdf'], 'a.pdf', false],
    [['*.pdf', '# a comment'], '# a comment', false],
    [['Men\u0308u.pdf'], 'Me\u0144u.pdf', false],
    [['Menu\u0308.pdf'], 'Men\u00fc.pdf', true],
  ])('%j of %s: %s', (patterns, path, included) => {
    expect(createIncludeRules(patterns, 'the setting "include"')?.exclusion(path) === null).toBe(included);
  });

  it('say why a file is left out', () => {
    const rules = createIncludeRules(['*.pdf', '!draft*'], 'the setting "include"');
    expect(rules?.exclusion('a.txt')).toBe('no pattern in the setting "include" matches it');
    expect(rules?.exclusion('draft.pdf')).toBe('the pattern "!draft*" in the setting "include" excludes it');
  });

  it('are none where no pattern is given: every file may be a document', () => {
    expect(createIncludeRules([], 'the setting "include"')).toBeNull();
  });
});

describe('ignore rules', () => {
  it.each(table)('%s says of %s (directory: %s): %s', (pattern, path, isDirectory, verdict) => {
    expect(verdictOf(rulesOf(pattern), path, isDirectory)).toBe(verdict);
  });

  it('lets the rules of a directory overrule those above', () => {
    const chain = [
      { directory: '', rules: rulesOf('*.pdf', 'build/') },
      { directory: 'a', rules: rulesOf('!keep.pdf', '!build/') },
    ];
    expect(ignoringPattern(chain, 'a/keep.pdf', false)).toBeNull();
    expect(ignoringPattern(chain, 'a/other.pdf', false)).toEqual({
      pattern: '*.pdf',
      place: '.ingestignore:1',
    });
    expect(ignoringPattern(chain, 'a/build', true)).toBeNull();
    expect(ignoringPattern(chain, 'a/build/x.txt', false)).toBeNull();
    expect(ignoringPattern(chain, 'build', true)).toEqual({ pattern: 'build/', place: '.ingestignore:2' });
  });

  it('S17: is not held up by hostile patterns', () => {
    // In a process of its own: what never ends could not be stopped here.
    const script = `
      import { createIgnoreRules } from ${JSON.stringify(new URL('../../../build/scan/rules/ignore-patterns.js', import.meta.url))};
      for (const [pattern, path] of ${JSON.stringify(hostile)}) {
        const rules = createIgnoreRules([pattern, '!' + pattern].map((text) => ({ pattern: text, place: '' })));
        for (let at = 0; at < 3; at += 1) rules.judge(path, false);
      }`;
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 10_000,
    });
    expect({ status, signal }).toEqual({ status: 0, signal: null });
  });

  it('widens a pattern with too many globstars, and drops such a negation', () => {
    expect(verdictOf(rulesOf('a/**/b/**/c/**/d/**/e.pdf'), 'a/x/b/e.pdf', false)).toBe('ignored');
    expect(verdictOf(rulesOf('**/a/**/b/**/c/**'), 'other.pdf', false)).toBeNull();
    const rules = rulesOf('*.pdf', '!a/**/b/**/c/**/d/**/e.pdf');
    expect(verdictOf(rules, 'a/b/c/d/e.pdf', false)).toBe('ignored');
  });
});
