import { parse } from 'dotenv';

const entry = /^\s*(?:export\s+)?(INGESTD_\w*)(?:\s*=|:\s)(.*)$/;

/**
 * Finds what a `.env` says of our variables that dotenv reads otherwise than a person may have meant: the line, the
 * variable and the fix; never a value.
 */
export function findSurprises(source: string): string[] {
  const values = parse(source);
  return source.split(/\r\n?|\n/).flatMap((text, index) => {
    const [, name, value = ''] = entry.exec(text) ?? [];
    if (name === undefined || meantBy(value) === values[name]) return [];
    return [
      `${index + 1}: ${name} is not read as it stands here, because of a #, a quote or a backslash in it, or of another line that sets it; put all of the value in single quotes, and keep one line of it`,
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
