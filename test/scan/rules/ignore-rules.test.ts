import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createIgnoreRules } from '../../../src/scan/rules/ignore-rules.ts';
import { isIgnored } from '../../../src/scan/rules/ignore-rules.ts';

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
  ['a*'.repeat(5_000), 'a'.repeat(250)],
];

describe('ignore rules', () => {
  it.each(table)('%s says of %s (directory: %s): %s', (pattern, path, isDirectory, verdict) => {
    expect(createIgnoreRules([pattern]).judge(path, isDirectory)).toBe(verdict);
  });

  it('lets a later pattern keep what an earlier one ignores', () => {
    const rules = createIgnoreRules(['*.pdf', '!keep.pdf']);
    expect([rules.judge('a.pdf', false), rules.judge('keep.pdf', false)]).toEqual(['ignored', 'kept']);
  });

  it('lets the rules of a directory overrule those above', () => {
    const chain = [
      { directory: '', rules: createIgnoreRules(['*.pdf', 'build/']) },
      { directory: 'a', rules: createIgnoreRules(['!keep.pdf', '!build/']) },
    ];
    expect(isIgnored(chain, 'a/keep.pdf', false)).toBe(false);
    expect(isIgnored(chain, 'a/other.pdf', false)).toBe(true);
    expect(isIgnored(chain, 'a/build', true)).toBe(false);
    expect(isIgnored(chain, 'a/build/x.txt', false)).toBe(false);
    expect(isIgnored(chain, 'build', true)).toBe(true);
  });

  it('answers the same after it has been asked ten thousand times', () => {
    const rules = createIgnoreRules(['*.bak']);
    for (let at = 0; at < 10_000; at += 1) rules.judge(`x${at}.pdf`, false);
    expect([rules.judge('a.bak', false), rules.judge('a.pdf', false)]).toEqual(['ignored', null]);
  });

  it('S17: is not held up by hostile patterns', () => {
    // In a process of its own: what never ends could not be stopped here.
    const script = `
      import { createIgnoreRules } from ${JSON.stringify(new URL('../../../build/scan/rules/ignore-rules.js', import.meta.url))};
      for (const [pattern, path] of ${JSON.stringify(hostile)}) {
        const rules = createIgnoreRules([pattern, '!' + pattern]);
        for (let at = 0; at < 3; at += 1) rules.judge(path, false);
      }`;
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 10_000,
    });
    expect({ status, signal }).toEqual({ status: 0, signal: null });
  });

  it('widens a pattern with too many globstars, and drops such a negation', () => {
    expect(createIgnoreRules(['a/**/b/**/c/**/d/**/e.pdf']).judge('a/x/b/e.pdf', false)).toBe('ignored');
    expect(createIgnoreRules(['**/a/**/b/**/c/**']).judge('other.pdf', false)).toBeNull();
    const rules = createIgnoreRules(['*.pdf', '!a/**/b/**/c/**/d/**/e.pdf']);
    expect(rules.judge('a/b/c/d/e.pdf', false)).toBe('ignored');
  });
});
