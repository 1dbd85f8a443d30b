/**
 * Text that is safe on a terminal and in a log line: control characters, line and paragraph separators,
 * direction overrides and lone surrogates are written as `\x1b` or `\u202e`. Everything else stays.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escapeCharacter);
}

/** What `printable` escapes. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** How `printable` writes one of them. */
function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** What of it JSON may hold as it is. */
const unprintableInJson = /[\x7F-\x9F\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** JSON that is safe on a terminal: the same value, with what `printable` escapes written as `\u009b`. */
export function printableJson(json: string): string {
  return json.replaceAll(
    unprintableInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Text of unknown origin is quoted up to this length, so that no message grows with what it quotes. */
const longestExcerpt = 200;

/** Text from a file, a setting or the service as a message may quote it: printable, 200 characters at most. */
export function excerpt(text: string, longest = longestExcerpt): string {
  return printable(shortened(text, longest));
}

/** Text of at most so many characters; an ellipsis at its end says that there was more. */
export function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** A name whose bytes are not UTF-8: the bytes that are not ASCII are escaped. */
export function printableBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    text +=
      byte >= 0x20 && byte < 0x7f
        ? String.fromCodePoint(byte)
        : `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  return text;
}

/** A name that tells NFC from NFD: everything that is not ASCII is escaped. */
export function printableTwin(raw: string): string {
  return raw.replaceAll(
    /[^\x20-\x7e]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

/** A name or a path as it is typed in a shell. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}\w./~@%+-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
