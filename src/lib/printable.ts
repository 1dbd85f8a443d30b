/**
 * Text that is safe on a terminal and in a log line: control characters, line and paragraph separators,
 * direction overrides and lone surrogates are written as `\x1b` or `\u202e`. Everything else stays.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu,
    escape,
  );
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
