const longestMessage = 300;
/** Shorter ones would tear holes into ordinary words and are no secrets. */
const shortestSecret = 4;

/**
 * Makes a text of the service fit to be shown and logged: secrets out, in whatever form, control characters
 * escaped, 300 characters at most.
 */
export function censor(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(formsOf));
  if (forms.size === 0) return printable(text);
  // In one pass and the longest first: a secret may lie within another, or within what stands for one.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length).map(escapeRegExp);
  return printable(text.replaceAll(new RegExp(longestFirst.join('|'), 'g'), '[secret]'));
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // By way of its bytes: half a surrogate pair would make `encodeURIComponent` throw.
  const url = encodeURIComponent(bytes.toString());
  return [
    secret,
    url,
    url.replaceAll('%20', '+'),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** Control characters, line separators and marks that turn the direction of writing, as `\u{…}`; cut at 300. */
function printable(text: string): string {
  const cut = text.length > longestMessage ? `${text.slice(0, longestMessage - 1)}…` : text;
  return cut.replaceAll(
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
