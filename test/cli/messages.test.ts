import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { collectMessages, messagesOf, messagesPage } from '../../scripts/messages-page.mjs';

const root = process.cwd();

/** Words of this project's youth, and phrases that have to be read twice. */
const privateWords =
  /\b(?:sweep\w*|anew|mends?|mended|sighting|censor\w*|lost count|well again|takes? nothing|went wrong|is told|goes on|go on|stands? (?:twice|behind|there)|exactly one|look(?:ed|s)? (?:at|through)|for want of|is no (?:document|file|directory|regular|path|docId)|are no documents|nobody|of its own accord|all is well|everything is (?:right|there))\b/i;

/** Counted nouns behind a value: `countWords` gives them their plural. */
const staticPlural =
  /\{[a-z…][A-Za-z]*\} (?:documents|files|folders|requests|deletions|uploads|attachments|directories|seconds|minutes|hours|days|copies|attempts|problems|lines|dots)\b/;

/** Never one: a limit, or guarded where it is written. */
const neverOne = new Set([
  'a document has at most {maxAttachments} attachments',
  '{length} problems: {numbered}{ and {more} more|}',
  'it is scanned every {pollSeconds} seconds',
  'refresh every {watchSeconds} seconds until interrupted',
  'about {seconds} seconds',
  '{seconds} days',
  '{length} folders paused',
  '{length} folders unavailable',
  'All {synced} documents delivered',
  '{attempts} attempts',
  'the file name has {dots} dots, but the service accepts only one; rename the file, or set names: rewrite for this folder',
  'it has {length} attachments, but the service accepts at most {maxAttachments}; remove some',
  '{n} document{s} in the last {hours} hours, most ({total}) around {start}',
  'Nothing in the last {hours} hours',
  'this machine’s clock is {seconds} seconds {way} the service’s',
]);

describe('what ingestd says to people', () => {
  const all: { readonly file: string; readonly text: string; readonly kind: string }[] = [];
  beforeAll(async () => {
    for (const { file, messages } of await collectMessages(root)) {
      for (const { text, kind } of messages) all.push({ file, text, kind });
    }
  });
  const breaking = (rule: RegExp) =>
    all.filter(({ text }) => rule.test(text)).map(({ file, text }) => `${file}: ${text}`);

  it('is listed in docs/messages.md, all of it (npm run docs)', async () => {
    expect(all.length).toBeGreaterThan(1000);
    const page = await messagesPage(root);
    expect(await readFile('docs/messages.md', 'utf8')).toBe(page);
    expect(
      [...new Set(all.map(({ file }) => file))].filter((file) => !page.includes(`### ${file}\n`)),
    ).toEqual([]);
  });

  it('uses no private or outdated words', () => {
    expect(breaking(privateWords)).toEqual([]);
  });

  it('doubles no punctuation and no space', () => {
    expect(breaking(/[.?!,;:](?:[.?!,;:](?!\/)| [?!,;:])|[^\s}]  +\S|\.{2,}/)).toEqual([]);
  });

  it('gives counted nouns their singular and plural', () => {
    expect(breaking(staticPlural).filter((line) => !neverOne.has(line.replace(/^\S+: /, '')))).toEqual([]);
  });

  it('gives sizes in KiB and MiB, by one function', () => {
    const limits = /\{max(?:PatternBytes|SocketPathBytes)\} bytes|longer than 4096 bytes/;
    const bytes = breaking(/\{\w*[bB]ytes\w*\} (?:bytes|B\b)|\{size\} bytes|\d (?:bytes|kB|MB)\b/);
    expect(bytes.filter((line) => !limits.test(line) && !line.startsWith('src/log/'))).toEqual([]);
  });

  it('begins no line of the log with a capital or ends it with a stop', () => {
    const lines = all.filter(({ kind }) => kind !== '');
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.map(({ text }) => text).filter((text) => /^(?!Redis)[A-Z]|\.$/.test(text))).toEqual([]);
  });
});

describe('the list of messages', () => {
  it('shows values by name, both texts of a choice, counted nouns, sums and what stands inside', () => {
    const source = `
      log.warn({ at: 'some where' }, 'disk is full');
      const text = \`\${ref.path} is \${yes ? 'gone' : 'there'}; \${countWords(n, 'file')} left\` + ' in ' + \`the \${place(folder)}\`;
      throw new Error(\`\${why ?? 'no reason given'}\`);
      type Kind = 'not a message';
      el('li', { class: 'card bad' }, 'Retry');
    `;
    expect(messagesOf(source)).toEqual([
      { kind: '', text: 'some where' },
      { kind: 'log warn', text: 'disk is full' },
      { kind: '', text: '{path} is {gone|there}; {n} file{s} left in the {folder}' },
      { kind: '', text: 'no reason given' },
      { kind: '', text: 'Retry' },
    ]);
  });
});
