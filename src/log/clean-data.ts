import { type Redactor, redacted } from '../lib/text/redactor.ts';

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_TEXT = 4096;

/** Keys whose values are never written, without case and punctuation. */
const secretKeys = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'xapikey',
  'apikey',
  'clientsecret',
  'password',
  'passwd',
  'secret',
  'token',
  'accesstoken',
  'refreshtoken',
  'bearer',
  'xingestdtoken',
  'httptoken',
]);

/** How text is written. */
export interface Writing {
  readonly redactor: Redactor;
  /** Makes text safe to show. */
  readonly show: (text: string) => string;
}

/** Data as it may be written: secrets redacted, text as `show` gives it, errors reduced to name, code and message, nothing endless. */
export function cleanData(data: object, writing: Writing): Record<string, unknown> {
  const cleaned = clean(data, { ...writing, depth: 0, above: [] });
  return typeof cleaned === 'object' && cleaned !== null
    ? Object.fromEntries(Object.entries(cleaned))
    : { data: cleaned };
}

/** Text as it may be written, from wherever it comes. */
function cleanText(text: string, { redactor, show }: Writing): string {
  return show(short(redactor.redact(text)));
}

/** The same for the fixed words of a line and the names of its data. */
export function cleanFixedText(text: string, { redactor, show }: Writing): string {
  return show(short(redactor.redactOwnText(text)));
}

function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

interface Place extends Writing {
  readonly depth: number;
  readonly above: readonly object[];
}

function clean(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return cleanText(value, place);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return undefined;
  return typeof value === 'object' && value !== null ? cleanObject(value, place) : value;
}

function cleanObject(value: object, place: Place): unknown {
  const { depth, above } = place;
  if (depth >= MAX_DEPTH || above.includes(value)) return '…';
  const inside = { ...place, depth: depth + 1, above: [...above, value] };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => clean(item, inside));
  if (value instanceof Map || value instanceof Set) return clean([...value], inside);
  if (looksLikeError(value)) return cleanError(value, inside);
  const cleanKey = depth === 0 ? cleanFixedText : cleanText;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([key, child]) => [cleanKey(key, place), isSecretKey(key) ? redacted : clean(child, inside)]),
  );
}

/** An error's own properties may hold a whole request, headers and body: only what is asked for is written. */
function cleanError(
  error: object & { readonly message: unknown; readonly stack: unknown },
  place: Place,
): unknown {
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: unknown };
  return Object.fromEntries(
    Object.entries({ name, code, message: error.message, cause })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, clean(value, place)]),
  );
}

function looksLikeError(value: object): value is object & { message: unknown; stack: unknown } {
  return 'message' in value && 'stack' in value && typeof value.message === 'string';
}

function isSecretKey(key: string): boolean {
  return secretKeys.has(key.toLowerCase().replaceAll(/[^a-z]/g, ''));
}
