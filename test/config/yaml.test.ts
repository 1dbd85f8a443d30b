import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { readYaml, writeYaml } from '../../src/config/yaml/read-yaml.ts';
import { errorMessage } from '../../src/model/errors.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

/** A configuration whose folder has these lines, the first of them in line 5. */
const withLines = (lines: string): string =>
  `service: {mode: embedded}\nfolders:\n  - name: inbox\n    path: ./inbox\n${lines}\n`;

/** The words of a configuration that is refused, without the name of the file. */
async function refused(text: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const file = await folder.write('ingestd.yaml', text);
  const error: unknown = await loadConfiguration({ file, env, cwd: folder.path }).catch(
    (why: unknown) => why,
  );
  expect(error).toMatchObject({ name: 'ConfigurationError', exitCode: 2 });
  return errorMessage(error).replaceAll(`${file}:`, '').split('\n');
}

describe('A6: YAML that says something else than it seems to', () => {
  it.each([
    [
      'a tag',
      "    ignore: ['*.txt', !keep.txt]",
      'folders[0].ignore[1]: !keep.txt is a YAML tag',
      "'!keep.txt'",
    ],
    [
      'a tag with text',
      '    ignore:\n      - !a b.txt',
      'folders[0].ignore[0]: !a is a YAML tag',
      "'!a b.txt'",
    ],
    [
      'a tag of a mapping',
      '    metadata: {shareInfo: !NONE {}}',
      'metadata.shareInfo: !NONE is',
      'remove it',
    ],
    ['a tag of YAML itself', '    onRemove: !!str keep', 'onRemove: !!str is a YAML tag', "'!!str keep'"],
    ['an empty tag', '    onRemove: !<> keep', 'onRemove: !<> is a YAML tag', "'!<> keep'"],
    ['a tag of a key', '    !x onRemove: keep', 'onRemove: !x is a YAML tag', 'remove it'],
    ['an alias of nothing', '    ignore:\n      - *.bak', 'ignore[0]: *.bak is a YAML alias', "'*.bak'"],
    ['an alias inside itself', '    ignore: &i [*i]', 'ignore[0]: *i is a YAML alias', "'*i'"],
    [
      'an anchor of nothing',
      '    metadata: {title: &Co Report}',
      'title: &Co is a YAML anchor',
      "'&Co Report'",
    ],
    [
      'a merge key',
      '    metadata: &m {title: a}\n    <<: *m',
      'folders[0].<< is not a known key',
      'remove it',
    ],
    [
      'a comment for a text',
      '    metadata: {title: Report #5\n      }',
      'title: #5 is a comment',
      "'Report #5'",
    ],
    [
      'a comment for a pattern',
      '    ignore:\n      - #recycle',
      'ignore[0]: #recycle is a comment',
      "'#recycle'",
    ],
    ['a comment for a value', '    onRemove: #keep', 'onRemove: #keep is a comment', 'space after the #'],
    [
      'an entry inside another',
      '    ignore:\n      - a\n        - b',
      '"a - b" goes over several',
      'indentation',
    ],
    ['yes', '    followSymlinks: yes', 'followSymlinks: yes is true or the text "yes"', 'write true'],
    [
      'no for a text',
      '    metadata: {title: no}',
      'title: no is false or the text "no"',
      "'no' for the text",
    ],
    ['on', '    sidecar: on', 'sidecar: on is true or', "'on' for the text"],
    ['an octal number', '    metadata: {title: 010}', 'title: 010 is 8 or 10', "'010' for the text"],
    ['a newer octal number', '    metadata: {title: 0o10}', 'title: 0o10 is', "'0o10' for the text"],
    ['a date', '    metadata: {title: 2026-01-31}', 'title: 2026-01-31 is a date or', "'2026-01-31' for"],
    ['minutes', '    metadata: {title: 1:30}', 'title: 1:30 is 90 or', "'1:30' for the text"],
    ['a grouped number', '    metadata: {title: 1_000}', 'title: 1_000 is 1000 or', "'1_000' for the text"],
    [
      'a number for a text',
      '    metadata: {title: 1.10}',
      'title: 1.10 is not a string',
      'in quotes: "1.10"',
    ],
    ['true for a text', '    metadata: {title: True}', 'title: True is not a string', 'in quotes: "True"'],
    [
      'nothing for a mode',
      '    metadata: {shareInfo: {mode: null}}',
      'shareInfo.mode: null is not',
      'remove it',
    ],
    [
      'a colon without a space',
      '    metadata: {title:x}',
      'title:x is not a known key',
      'mean folders[0].metadata.title?',
    ],
    [
      'a placeholder',
      '    title: {{ title }}',
      'title: an object is not one of',
      'the default is "fileStem"',
    ],
    ['a key twice', '    path: ./other', 'path is there twice', 'keep one'],
    ['a tab', '    metadata:\n\ttitle: a', 'Tabs are not allowed', 'indent with spaces'],
    ['a second document', '---\nlog: {}', 'a second document begins here', 'keep one'],
    ['an unknown directive', '    title: none', 'Unknown directive %INCLUDE', 'remove the line'],
    ['a pattern that begins with @', '    ignore: [@a]', 'reserved character @', 'in quotes'],
    ['a backslash in double quotes', '    ignore: ["\\#a"]', 'Invalid escape sequence', 'single quotes'],
  ])('refuses %s with line, words and fix', async (name, lines, words, fix) => {
    const directive = name === 'an unknown directive' ? '%INCLUDE x\n---\n' : '';
    const [first = '', ...more] = await refused(directive + withLines(lines));
    expect(first).toMatch(/^\d+:\d+: /);
    expect(first).toContain(words);
    expect(first).toContain(fix);
    const line = Number(first.split(':', 1)[0]);
    expect(line).toBe(directive === '' ? line : 1);
    if (directive === '') expect(line).toBeGreaterThanOrEqual(5);
    // What the parser gives up on it may say twice.
    if (!first.includes('not valid YAML')) expect(more).toEqual([]);
  });

  it('is said with everything else that is wrong, in the order of the lines', async () => {
    const text = `service: {mode: embedded, concurrency: 0x}
folders:
  - name: 2026-05-01
    path: ./inbox
    ignore: ['*.txt', !keep.txt, *.bak]
    wach: polling
timing: {settleMs: 010, removeGraceMs: soon}
timing: {stopSeconds: yes}
`;
    expect((await refused(text)).map((line) => line.replace(/: .*/, ''))).toEqual([
      '1:27',
      '3:11',
      '5:32',
      '5:34',
      '6:5',
      '7:20',
      '8:1',
      '8:23',
    ]);
  });

  it('is said of a variable of the environment', async () => {
    const lines = await refused(withLines(''), { INGESTD_FOLDERS__0__IGNORE: '[*.txt, !keep.txt]' });
    expect(lines).toEqual([
      expect.stringMatching(/^INGESTD_FOLDERS__0__IGNORE: \[0\]: \*\.txt is a YAML alias/),
      expect.stringMatching(/^INGESTD_FOLDERS__0__IGNORE: \[1\]: !keep\.txt is a YAML tag/),
    ]);
  });

  it('leaves alone what can be meant one way only', async () => {
    const file = await folder.write(
      'ingestd.yaml',
      withLines(`    metadata: &usual {title: 'no', customTags: [{name: Y2K}], shareInfo: {}, createdTimestamp: 2026-01-31T10:00:00Z} # a comment
    ignore: ["!keep.txt", a#b, ~$x, -a, 'it''s']
  - {name: "2026", path: other, metadata: *usual}
timing: {settleMs: 2000, pollSeconds: 1.5, removeGraceMs: 0x10} #ms
state:
  #dir: elsewhere
`),
    );
    const { settings } = await loadConfiguration({ file, env: {}, cwd: folder.path });
    expect(settings.folders[1]?.metadata).toEqual(settings.folders[0]?.metadata);
    expect(settings.folders[0]?.ignore).toEqual(['!keep.txt', 'a#b', '~$x', '-a', "it's"]);
    expect(settings.timing).toMatchObject({ settleMs: 2000, removeGraceMs: 16 });
  });

  it('is never written', () => {
    const odd = fc.constantFrom(
      'no',
      '2026-01-31',
      '1:30',
      '“a”',
      '#5',
      '!x',
      '*x',
      '&x',
      'a #b',
      `${'long '.repeat(40)}\n`,
    );
    fc.assert(
      fc.property(fc.oneof(odd, fc.string({ unit: 'binary' })), (name) => {
        const { value, problems } = readYaml(writeYaml({ folders: [{ name }] }));
        expect({ value, problems }).toEqual({ value: { folders: [{ name }] }, problems: [] });
      }),
    );
  });

  it('reads any text in a list as it stands, or finds something wrong with it', () => {
    const character = fc.constantFrom(...Array.from('!*&#%@`|>-?:,[]{}~<=.$\\/ab01 _yno\t'));
    const text = fc
      .string({ unit: character, minLength: 1, maxLength: 8 })
      // A comment is one by its space; | and > begin a text of several lines.
      .filter((pattern) => !/(^|\s)#(\s|#|$)|^\s*[|>]/.test(pattern));
    fc.assert(
      fc.property(text, (pattern) => {
        const { value, problems } = readYaml(`ignore:\n  - a\n  - ${pattern}\n`);
        if (problems.length > 0) return;
        const [, read] = (value as { readonly ignore: readonly unknown[] }).ignore;
        // Anything but a text is refused by the schema.
        if (typeof read === 'string') expect(read).toBe(pattern.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
      }),
      { numRuns: 2_000 },
    );
  });
});
