/** Shorter secrets are not redacted: parts of ordinary words would disappear everywhere. */
const shortestRedacted = 4;

/** What stands in a text where a secret stood. */
export const redacted = '[redacted]';

/** Letters alone, and so few of them that ordinary words may contain them. */
const plainWord = /^\p{L}{1,12}$/u;

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
  /** The longest first: a secret may be part of another. */
  let anywhere: readonly string[] = [];
  let inOwnText: readonly (string | RegExp)[] = [];

  function add(more: readonly string[]): void {
    for (const secret of more) {
      if (secret.length >= shortestRedacted) for (const text of encodingsOf(secret)) encodings.add(text);
    }
    anywhere = [...encodings].sort((a, b) => b.length - a.length);
    inOwnText = anywhere.map((text) =>
      plainWord.test(text) ? new RegExp(`(?<!\\p{L})${text}(?!\\p{L})`, 'u') : text,
    );
  }

  function replace(text: string, patterns: readonly (string | RegExp)[]): string {
    // Each is looked for in what the ones before it left, and in none of what replaces one.
    let rest: readonly string[] = [text];
    for (const pattern of patterns) rest = rest.flatMap((part) => part.split(pattern));
    return tokens.reduce((known, token) => known.replaceAll(token, redacted), rest.join(redacted));
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
