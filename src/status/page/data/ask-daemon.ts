import { printable } from '../../../lib/text/printable.ts';
import { countWords } from '../../../lib/text/amounts.ts';
import type { Answer, DecisionName, Given } from '../../../model/ports/control-port.ts';

/** How long the page waits for an answer, ms: a daemon that hangs is no reason to hang with it. */
const patienceMs = 30_000;

/** What the daemon answers. Rejects with its words, or why there are none. */
export async function tell<T>(path: string, init: RequestInit = {}): Promise<T> {
  const { ok, status, body } = await answerOf(path, init).catch(() => {
    const unsure = init.method === 'POST' ? ' It may still do what you asked for.' : '';
    throw new Error(`The daemon does not answer.${unsure}`);
  });
  if (ok) return body as T;
  throw new Error((body as { message?: string }).message ?? `The daemon answered with status ${status}.`);
}

async function answerOf(path: string, init: RequestInit) {
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(patienceMs) });
  return { ok: response.ok, status: response.status, body: (await response.json()) as unknown };
}

/** How it went, by what was asked for. */
const words: {
  readonly [Name in DecisionName]: (answer: Answer<Name>, given: Given<Name>) => string;
} = {
  retry: ({ retried }) =>
    retried === 0
      ? 'Nothing to send again. What waited is tried now.'
      : `${countWords(retried, 'document')} queued again.`,
  resolve: (_, { action }) =>
    ({ adopt: 'Adopted.', again: 'To be sent again.', dismiss: 'Dismissed.' })[action],
  approve: ({ approved }) =>
    approved === 0 ? 'Nothing is held.' : `${countWords(approved, 'deletion')} approved.`,
  keep: ({ kept }) =>
    kept === 0 ? 'Nothing is held.' : `${countWords(kept, 'document')} kept at the service.`,
  share: ({ shared }, { shown = [] }) => {
    const others = shown.length - shared;
    const rest = others === 0 ? '' : ` Something else is stated for ${countWords(others, 'other')} by now.`;
    return `${countWords(shared, 'document')} to be shared as stated.${rest}`;
  },
  pause: (_, { folder }) => (folder === null ? 'Paused.' : `${printable(folder)} paused.`),
  resume: (_, { folder }) => (folder === null ? 'Resumed.' : `${printable(folder)} resumed.`),
  rescan: (_, { folder }) => `Scanning ${printable(folder ?? 'all folders')}.`,
};

let say = (_words: string): void => {};

/** Who shows how an action went. */
export function onFeedback(show: (words: string) => void): void {
  say = show;
}

/** Has the daemon do what a person decided; reports how it went. */
export async function decide<Name extends DecisionName>(name: Name, given: Given<Name>): Promise<void> {
  const ask = async () => {
    // The token is of one start of the daemon: it is asked for each time.
    const { token } = await tell<{ token: string }>('api/token');
    const headers = { 'content-type': 'application/json', 'x-ingestd-token': token };
    const body = JSON.stringify(given);
    const answer = await tell<Answer<Name>>(`api/${name}`, { method: 'POST', headers, body });
    return words[name](answer, given);
  };
  say(await ask().catch((error: Error) => error.message));
}
