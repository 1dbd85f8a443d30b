/** Shorter secrets are not redacted: parts of ordinary words would disappear everywhere. */
export const shortestRedacted = 4;

/** What stands in a text where a secret stood. */
export const redacted = '[redacted]';

/** Letters alone, and so few of them that ordinary words may contain them. */
const plainWord = /^\p{L}{1,12}$/u;

/** Longer ones are searched for as they are: a regular expression of them all could become too large. */
const longestInPattern = 256;

/** Signed tokens, authorization headers and form fields, whoever wrote them into a text. */
const tokens = [
  /\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g,
  /\b(?<=bearer\s{1,4})[\w.~+/-]{4,}=*/gi,
  /(?<=\b(?:password|client_secret|refresh_token|access_token)=)[^&\s"]+/gi,
];

/** Takes secrets out of text. */
export type Redactor = ReturnType<typeof createRedactor>;

/** A redactor that knows `secrets`. */
export function createRedactor(secrets: readonly string[] = []) {
  const encodings = new Set<string>();
  let long: readonly string[] = [];
  let anywhere: RegExp | null = null;
  let inOwnText: RegExp | null = null;

  function add(more: readonly string[]): void {
    for (const secret of more) {
      if (secret.length >= shortestRedacted) for (const text of encodingsOf(secret)) encodings.add(text);
    }
    // In one go and the longest first: a secret may be part of another, or of what replaces one.
    const longestFirst = [...encodings].sort((a, b) => b.length - a.length);
    long = longestFirst.filter(({ length }) => length > longestInPattern);
    const short = longestFirst.slice(long.length);
    if (short.length === 0) return;
    anywhere = new RegExp(short.map(escapeRegExp).join('|'), 'gu');
    inOwnText = new RegExp(short.map(inOwnWords).join('|'), 'gu');
  }

  function replace(text: string, pattern: RegExp | null): string {
    const known = replaceBetween(text, long, (rest) =>
      pattern === null ? rest : rest.replaceAll(pattern, redacted),
    );
    return tokens.reduce((rest, token) => rest.replaceAll(token, redacted), known);
  }

  add(secrets);
  return {
    /**
     * Redacts these from now on, in every encoding in which they travel. Secrets of fewer than 4 characters are left.
     */
    add,
    redact: (text: string) => replace(text, anywhere),
    /**
     * The same for text that ingestd itself wrote: a secret that is a plain word is redacted where it stands alone, not
     * where it is part of another word.
     */
    redactOwnText: (text: string) => replace(text, inOwnText),
  };
}

/** Redacts `secrets`, one after the other, and has `replace` redact what is left between them. */
function replaceBetween(text: string, secrets: readonly string[], replace: (rest: string) => string): string {
  const [first, ...others] = secrets.filter((secret) => text.includes(secret));
  if (first === undefined) return replace(text);
  return text
    .split(first)
    .map((rest) => replaceBetween(rest, others, replace))
    .join(redacted);
}

/** As it is, as URLs and forms carry it, as JSON quotes it, and in base64. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // From its bytes: half a surrogate pair would make `encodeURIComponent` throw.
  const url = encodeURIComponent(bytes.toString());
  return [
    secret,
    url,
    url.replaceAll('%20', '+'),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ].filter((text) => text.length >= shortestRedacted);
}

function inOwnWords(text: string): string {
  return plainWord.test(text) ? `(?<!\\p{L})${text}(?!\\p{L})` : escapeRegExp(text);
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
