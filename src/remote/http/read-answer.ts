import { STATUS_CODES } from 'node:http';

import * as z from 'zod';

import { integerAt } from '../../lib/text/read-json.ts';
import { longestRetryAfterMs } from '../../model/back-off.ts';
import type { Answer } from './send-http-request.ts';

/**
 * Interface 2.1. `expires_in` is left open: services were seen to send it as text, as zero and not at all, and
 * a token without it is still a token.
 */
export const tokenResponse = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  token_type: z.string().nullish(),
  expires_in: z.unknown().optional(),
});

/** A member of the envelope, in whatever form it came. */
interface EnvelopeMember {
  /** An integer by its digits; null: none, or another value. */
  readonly docId: string | null;
  readonly message: string | null;
  /** All of it, as JSON. */
  readonly whole: string;
}

/** Interface 2.10, which does not say what a member is that does not apply: absent, null or an empty object here. */
export interface Envelope {
  readonly error: EnvelopeMember | null;
  readonly success: EnvelopeMember | null;
  readonly warning: EnvelopeMember | null;
}

const byteOrderMark = /^\uFEFF/;

/** What the body of an answer says. */
export type Body =
  | { readonly kind: 'envelope'; readonly envelope: Envelope }
  /** `code` says what is wrong with it: `answer-empty`, `answer-cut`, `answer-too-long`, `answer-not-json` … */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string };

/** Reads the envelope of interface 2.10 by what is there, whatever its Content-Type says. */
export function readEnvelope({ state, text }: Answer): Body {
  if (state === 'cut') return unreadable('answer-cut', 'the answer was cut off');
  if (state === 'too-long') return unreadable('answer-too-long', 'the answer is longer than 1 MiB');
  if (text.trim() === '') return unreadable('answer-empty', 'the answer is empty');
  const value = parseJson(text);
  if (value === undefined) {
    const what = isHtml({ text })
      ? 'an HTML page; a network login page or a proxy may be in between'
      : 'not JSON';
    return unreadable('answer-not-json', `the answer is ${what}`);
  }
  const member = (name: string) =>
    typeof value === 'object' && value !== null ? memberOf(name, Reflect.get(value, name), text) : null;
  const envelope = { error: member('error'), success: member('success'), warning: member('warning') };
  return Object.values(envelope).some(Boolean)
    ? { kind: 'envelope', envelope }
    : unreadable('answer-not-envelope', 'the answer does not have the form of the service');
}

function memberOf(name: string, value: unknown, text: string): EnvelopeMember | null {
  if (value === null || value === undefined || value === false || value === '') return null;
  const whole = JSON.stringify(value);
  if (typeof value !== 'object')
    return { docId: null, message: typeof value === 'string' ? value : null, whole };
  const [docId, message]: unknown[] = [Reflect.get(value, 'docId'), Reflect.get(value, 'message')];
  return {
    docId:
      typeof docId === 'number'
        ? integerAt(text.replace(byteOrderMark, ''), [name, 'docId'])
        : typeof docId === 'string'
          ? docId
          : null,
    message: typeof message === 'string' ? message : null,
    whole,
  };
}

/** JSON or undefined; never throws. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(byteOrderMark, ''));
    return value;
  } catch {
    return undefined;
  }
}

/** Not in the service's own form they say nothing of a document: there is no such operation at this address. */
export const noOperationStatuses: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** Where services put their words: interface 2.10, OAuth, RFC 9457, lists of errors. */
const wordKeys = ['error', 'error_description', 'message', 'detail', 'title', 'errors'] as const;
const longestWords = 500;

/**
 * `403 Forbidden`, and what the answer says, in whatever form: JSON, text, the title of a page with the server that names
 * itself. Raw: redact it before it is shown.
 */
export function answerWords({ status, state, text, headers }: Answer): string {
  const name = STATUS_CODES[status];
  const line = `${status}${name === undefined ? '' : ` ${name}`}`;
  if (state !== 'whole') return line;
  if (isHtml({ text })) {
    const server =
      typeof headers['server'] === 'string' ? ` of ${headers['server'].slice(0, longestWords)}` : '';
    const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim() ?? '';
    return `${line} with a web page${server}${title === '' ? '' : ` titled “${title.slice(0, longestWords)}”`}`;
  }
  const value = parseJson(text);
  const isPlain = value === undefined && headers['content-type']?.startsWith('text/plain') === true;
  const said = isPlain ? text : wordsOf(value);
  return said.trim() === '' ? line : `${line}: ${said.trim().slice(0, longestWords)}`;
}

/** The most telling words of a value, '' where it has none. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join('; ');
  if (typeof value !== 'object' || value === null) return '';
  const found = wordKeys.map((key) => wordsOf(Reflect.get(value, key)));
  const [error = '', description = '', ...others] = found;
  const isObject = typeof Reflect.get(value, 'error') === 'object';
  const first = isObject ? [error] : [description, error];
  return [...first, ...others].find((one) => one.trim() !== '') ?? '';
}

/** Whether an answer is a page for people: a login page of a network, a gateway's or a proxy's own. */
export function isHtml({ text }: Pick<Answer, 'text'>): boolean {
  return /^\s*<(?:!doctype html|html)\b/i.test(text);
}

function unreadable(code: string, message: string): Body {
  return { kind: 'unreadable', code, message };
}

/**
 * Reads a Retry-After header, in seconds or as an HTTP date; ms from now, 15 minutes at most. Null for what
 * is not usable: missing, not a number or date, zero, negative, past. A date is compared with the answer's own Date
 * header where there is one, so that a wrong clock of the service does not matter.
 */
export function readRetryAfter(
  header: string | undefined,
  { now, date }: { readonly now: number; readonly date?: string | undefined },
): number | null {
  const text = header?.trim() ?? '';
  const from = readDate(date ?? '');
  const untilDate = readDate(text) - (Number.isNaN(from) ? now : from);
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : untilDate;
  if (!Number.isFinite(ms) || ms <= 0) return null;
  return Math.min(Math.ceil(ms), longestRetryAfterMs);
}

/** Only the shapes of RFC 9110, all of which begin with the day's name: `Date.parse` alone takes `-5` for a year. */
function readDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
}
