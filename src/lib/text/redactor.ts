/** Shorter secrets are not redacted: parts of ordinary words would disappear everywhere. */
const shortestRedacted = 4;

/** What stands in a text where a secret stood. */
export const redacted = '[redacted]';

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
  /** A secret may be part of another. */
  let longestFirst: readonly string[] = [];

  function add(more: readonly string[]): void {
    for (const secret of more) {
      if (secret.length >= shortestRedacted) for (const text of encodingsOf(secret)) encodings.add(text);
    }
    longestFirst = [...encodings].sort((a, b) => b.length - a.length);
  }

  function redact(text: string): string {
    // Each is looked for in what the ones before it left, and in none of what replaces one.
    let rest: readonly string[] = [text];
    for (const secret of longestFirst) rest = rest.flatMap((part) => part.split(secret));
    return tokens.reduce((known, token) => known.replaceAll(token, redacted), rest.join(redacted));
  }

  add(secrets);
  return {
    /** Redacts these from now on, in every encoding in which they travel. Secrets of fewer than 4 characters are left. */
    add,
    redact,
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
