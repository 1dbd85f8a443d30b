/** One entry of a `.env`, as dotenv finds it: name, value with its quotes, and a comment that ends it. */
const entry =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?(\s*)(#.*)?$/gm;

const prefix = 'INGESTD_';

/**
 * Finds what a `.env` says of our variables that dotenv reads otherwise than a person may have meant: the line, the
 * variable and the fix; never a value.
 */
export function findSurprises(source: string): string[] {
  const text = source.replaceAll(/\r\n?/g, '\n');
  const found: string[] = [];
  const lines = new Map<string, number>();
  let line = 1;
  let end = 0;
  for (const match of text.matchAll(entry)) {
    const [whole, name = '', raw = '', gap = '', comment = ''] = match;
    const start = match.index + whole.length - whole.trimStart().length;
    found.push(...unread(text.slice(end, start), line));
    line += lineBreaks(text.slice(end, start));
    const surprise = surpriseIn(raw, comment === '' || gap.includes('\n') ? '' : gap + comment);
    if (surprise !== null && (name + raw).includes(prefix)) found.push(`${line}: ${name} ${surprise}`);
    const before = name.startsWith(prefix) ? lines.get(name) : undefined;
    if (before !== undefined)
      found.push(`${line}: ${name} is set in line ${before} too, and this one counts; keep one of them`);
    lines.set(name, line);
    end = match.index + whole.length;
    line += lineBreaks(text.slice(start, end));
  }
  return [...found, ...unread(text.slice(end), line)];
}

/** Lines that name one of our variables and are no entry; `first` is the number of the first line. */
function unread(text: string, first: number): string[] {
  return text.split('\n').flatMap((line, index) => {
    if (!line.includes(prefix) || line.trimStart().startsWith('#')) return [];
    return [`${first + index}: nothing is read from this line; write it as ${prefix}…=value`];
  });
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}

/** `comment`: what follows the value in its line, with the space before it. */
function surpriseIn(raw: string, comment: string): string | null {
  const value = raw.trim();
  const [, quote] = /^(['"`])[^]*\1$/.exec(value) ?? [];
  // After quotes nobody takes a # behind a space for a part of the value.
  const isComment = quote === undefined ? /\s#+(?:\s|$)/ : /^\s/;
  if (comment !== '' && !isComment.test(`${/\s?$/.exec(raw)?.[0] ?? ''}${comment}`))
    return 'ends at the #, where a comment begins; put all of the value in quotes, or spaces around the # of a comment';
  return quote === undefined ? unquotedSurprise(value) : quotedSurprise(value, quote);
}

function quotedSurprise(value: string, quote: string): string | null {
  if (/\n\s*(?:export\s+)?[\w.-]+\s*=/.test(value))
    return 'has a quote that ends in a later line, with the variables between in its value; close it in its own line';
  if (quote === '"' && /\\[nr]/.test(value))
    return 'has \\n or \\r in double quotes, which is a line break; use single quotes for a backslash';
  if (value.includes(`\\${quote}`))
    return 'has a backslash before a quote, and both are part of the value; enclose it in quotes of another kind';
  return null;
}

function unquotedSurprise(value: string): string | null {
  if (/^['"`]/.test(value))
    return 'begins with a quote that does not enclose it, and is part of the value; put other quotes around it all';
  if (/^[\u2018-\u201F\u00AB]/.test(value))
    return `has typographic quotes, which are part of the value; use ' or "`;
  if (/\$\{\w+\}/.test(value))
    return 'has ${…} in it, which is not replaced; write the value itself, in single quotes';
  return null;
}
