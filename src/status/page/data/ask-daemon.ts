import { printable } from '../../../lib/text/printable.ts';
import { countWords } from '../../../lib/text/amounts.ts';
import type {
  Answer,
  DecisionName,
  Given,
  NarrowerDocument,
  Resolution,
} from '../../../model/ports/control-port.ts';
import type { HeldStatus } from '../../../model/report/status.ts';

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

/** Puts failed documents back into the queue; reports how it went. */
export function retry(paths: readonly string[]): Promise<void> {
  return change('retry', { paths }, ({ retried }) =>
    retried === 0 ? 'Nothing left to retry.' : `${countWords(retried, 'document')} queued again.`,
  );
}

/** Ends the doubt about an upload, or dismisses possible duplicates; reports how it went. */
export function resolve(path: string, how: Resolution): Promise<void> {
  const done = { adopt: 'Adopted.', again: 'Queued again.', dismiss: 'Dismissed.' };
  return change('resolve', { path, ...how }, () => done[how.action]);
}

/** Releases what is held of a folder, unless others are held than were shown; reports how it went. */
export function approve({ folder, count, paths }: HeldStatus): Promise<void> {
  const shown = { most: count, paths: paths.map((path) => `${folder}/${path}`) };
  return change('approve', { folder, ...shown }, ({ approved }) =>
    approved === 0 ? 'Nothing is held.' : `${countWords(approved, 'deletion')} approved.`,
  );
}

/** Leaves documents whose deletion is held, of a folder or below a path, at the service; reports how it went. */
export function keep(place: string): Promise<void> {
  return change('keep', { place }, ({ kept }) =>
    kept === 0 ? 'Nothing is held.' : `${countWords(kept, 'document')} kept at the service.`,
  );
}

/** Has documents shared as was shown to be stated for them; reports how it went. */
export function share(shown: readonly NarrowerDocument[]): Promise<void> {
  const paths = shown.map(({ path }) => path);
  return change('share', { paths, shown }, ({ shared }) => {
    const others = shown.length - shared;
    const rest = others === 0 ? '' : ` Something else is stated for ${countWords(others, 'other')} by now.`;
    return `${countWords(shared, 'document')} shared as stated.${rest}`;
  });
}

/** Stops sending of one folder, or of all (null), or goes on; reports how it went. */
export function setPaused(folder: string | null, isPaused: boolean): Promise<void> {
  const whose = folder === null ? 'All folders' : printable(folder);
  const [name, done] = isPaused ? (['pause', 'paused'] as const) : (['resume', 'resumed'] as const);
  return change(name, { folder }, () => `${whose} ${done}.`);
}

/** Has one folder, or all (null), scanned now; reports how it went. */
export function rescan(folder: string | null): Promise<void> {
  const whose = folder === null ? 'all folders' : printable(folder);
  return change('rescan', { folder }, () => `Scanning ${whose}.`);
}

let say = (_words: string): void => {};

/** Who shows how an action went. */
export function onFeedback(show: (words: string) => void): void {
  say = show;
}

/** The token is of one start of the daemon: it is asked for each time. */
async function change<Name extends DecisionName>(
  name: Name,
  given: Given<Name>,
  words: (answer: Answer<Name>) => string,
): Promise<void> {
  const ask = async () => {
    const { token } = await tell<{ token: string }>('api/token');
    const headers = { 'content-type': 'application/json', 'x-ingestd-token': token };
    const body = JSON.stringify(given);
    return words(await tell<Answer<Name>>(`api/${name}`, { method: 'POST', headers, body }));
  };
  say(await ask().catch((error: Error) => error.message));
}
