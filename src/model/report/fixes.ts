import { asService, checkService, explanationGroups, itRepeats } from './explanations.ts';
import type { Explanation } from './explanations.ts';

const explanations = new Map(explanationGroups.flatMap(({ codes }) => Object.entries(codes)));

/** Statuses below 500 by which the service asks for the same once more. */
const waits: ReadonlySet<string> = new Set(['408', '425', '429']);

/** Statuses that are listed as such only where it is not the service itself that does not know the document. */
const unknownThere: ReadonlySet<string> = new Set(['404', '410']);

/** Connections that failed, by ingestd's own words or by the system's. */
const noAnswer =
  /-timeout$|^no-answer$|^answer-|^e(?:conn[a-z]+|pipe|notfound|ai-again|hostunreach|netunreach|timedout)$/;

/** A heading and a fix for a code of a failure, a skip or a reason, whether it is known or not. */
export function explain(code: string): Explanation {
  const known = explanations.get(code);
  if (known !== undefined) return known;
  const status = /^http-(\d{3})$/.exec(code)?.[1];
  if (status !== undefined && waits.has(status)) {
    return { cause: `The service asks us to wait (${status})`, fix: itRepeats };
  }
  if (status !== undefined && unknownThere.has(status)) {
    return { cause: `Another program answers at the service’s address (${status})`, fix: checkService };
  }
  if (status !== undefined && status >= '500') {
    return { cause: `Error of the service (${status})`, fix: itRepeats };
  }
  if (status !== undefined) return { cause: `Refused by the service (${status})`, fix: asService };
  if (noAnswer.test(code)) return { cause: 'No valid answer from the service', fix: itRepeats };
  return { cause: inWords(code), fix: 'The message says what is wrong. Fix it, then retry.' };
}

/** What to do about a code, in one or two sentences. */
export function fixFor(code: string): string {
  return explain(code).fix;
}

/** What to show beside a problem's message: its fix, or nothing where the message already says it. */
export function fixBeside(code: string): string {
  const { fix, inMessage } = explain(code);
  return inMessage === true ? '' : fix;
}

function inWords(code: string): string {
  const words = code.replaceAll('-', ' ').trim();
  return words === '' ? 'Failed' : words.charAt(0).toUpperCase() + words.slice(1);
}
