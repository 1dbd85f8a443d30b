import { parse } from 'dotenv';

const prefix = 'INGESTD_';
const entry = /^\s*(?:export\s+)?(INGESTD_\w*)(?:\s*=|:\s)(.*)$/;

/**
 * Finds what a `.env` says of our variables that dotenv reads otherwise than a person may have meant: the line, the
 * variable and the fix; never a value.
 */
export function findSurprises(source: string): string[] {
  const values = parse(source);
  const entries = source.split(/\r\n?|\n/).flatMap((text, index) => {
    const [, name, value = ''] = entry.exec(text) ?? [];
    const isOurs = text.includes(prefix) && !text.trimStart().startsWith('#');
    return isOurs ? [{ line: index + 1, name, value }] : [];
  });
  return entries.flatMap(({ line, name, value }, index) => {
    if (name === undefined) return [`${line}: nothing is read from this line; write it as ${prefix}…=value`];
    const before = entries.slice(0, index).findLast((one) => one.name === name);
    const isLast = entries.slice(index + 1).every((one) => one.name !== name);
    return [
      ...(isLast && meantBy(value) !== values[name]
        ? [
            `${line}: ${name} is not read as it stands here, because of a #, a quote or a backslash in it; put all of the value in single quotes`,
          ]
        : []),
      ...(before === undefined
        ? []
        : [`${line}: ${name} is set in line ${before.line} too, and this one counts; keep one of them`]),
    ];
  });
}

/** The value that a person means by the text behind the `=`: quotes around it, or one in front of it, are none of it. */
function meantBy(text: string): string {
  const [, , quoted] = /^\s*(['"`])(.*)\1(?:\s+#.*|\s*)$/.exec(text) ?? [];
  if (quoted !== undefined) return quoted.replaceAll(/\\(?=['"`])/g, '');
  return text
    .replace(/\s#+(?:\s.*)?$/, '')
    .trim()
    .replace(/^['"`\u2018-\u201F\u00AB]/, '');
}
