import { shortened } from '../lib/text/printable.ts';
import { redacted } from '../lib/text/redactor.ts';
import type { Redactor } from '../lib/text/redactor.ts';

const MAX_ITEMS = 100;
const MAX_TEXT = 4096;
/** Deeper than any line, and the report of `doctor`, has to be; what is in itself ends here too. */
const MAX_DEPTH = 8;

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
interface Writing {
  readonly redactor: Redactor;
  /** Makes text safe to show. */
  readonly show: (text: string) => string;
}

/** JSON as it may be written: secrets redacted, text as `show` gives it, nothing endless. Outermost names are ours. */
export function cleanData(value: unknown, writing: Writing, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value, writing);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  const below = (child: unknown) => cleanData(child, writing, depth + 1);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(below);
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([key, child]) => [
        depth === 0 ? writing.show(key) : cleanText(key, writing),
        secretKeys.has(key.toLowerCase().replaceAll(/[^a-z]/g, '')) ? redacted : below(child),
      ]),
  );
}

/** Text as it may be written, from wherever it comes. */
export function cleanText(text: string, { redactor, show }: Writing): string {
  return show(shortened(redactor.redact(text), MAX_TEXT));
}
