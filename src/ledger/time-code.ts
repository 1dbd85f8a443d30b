const LENGTH_WITH_MILLISECONDS = 24;
const LENGTH_OF_SECONDS = 20;
const DATE_LENGTH = 11;
const DAY_MS = 86_400_000;
/** The last moment whose year has four digits. */
const LAST_CODE = 2 * Date.UTC(9999, 11, 31, 23, 59, 59, 999) + 1;

/** Days that have been told lately: eleven years' worth at most. */
const dates = new Map<number, string>();
const MAX_DATES = 4_000;

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
  const ms = Math.floor(code / 2);
  const day = Math.floor(ms / DAY_MS);
  const second = Math.floor((ms - day * DAY_MS) / 1000);
  const time = `${dates.get(day) ?? dateOf(day)}${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
  return code % 2 === 1 ? `${time}Z` : `${time}.${String(ms % 1000).padStart(3, '0')}Z`;
}

/** Says whether a number can be a code, or the 0 that stands for none. */
export function isTimeCode(code: number): boolean {
  return Number.isInteger(code) && code >= 0 && code <= LAST_CODE;
}

/** `2026-01-01T`. It is what takes Date its time, and a sweep asks for two of them a file. */
function dateOf(day: number): string {
  if (dates.size >= MAX_DATES) dates.clear();
  const date = new Date(day * DAY_MS).toISOString().slice(0, DATE_LENGTH);
  dates.set(day, date);
  return date;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
