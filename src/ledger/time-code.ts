const LENGTH_WITH_MILLISECONDS = 24;
const LENGTH_OF_SECONDS = 20;

/**
 * A UTC time text as one number: twice its milliseconds, plus one where the text stops at the seconds. 0 where
 * the text is in any other form, so that no text ever comes back altered.
 */
export function timeToCode(text: string): number {
  if (text.length !== LENGTH_WITH_MILLISECONDS && text.length !== LENGTH_OF_SECONDS) return 0;
  const ms = Date.parse(text);
  if (!Number.isFinite(ms) || ms <= 0) return 0;
  const code = ms * 2 + (text.length === LENGTH_OF_SECONDS ? 1 : 0);
  return codeToTime(code) === text ? code : 0;
}

/** The text of a code that is not 0: `2026-01-01T00:00:00.000Z` or `2026-01-01T00:00:00Z`. */
export function codeToTime(code: number): string {
  const text = new Date(Math.floor(code / 2)).toISOString();
  return code % 2 === 0 ? text : `${text.slice(0, LENGTH_OF_SECONDS - 1)}Z`;
}
