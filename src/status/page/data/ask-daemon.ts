import { printable } from '../../../lib/text/printable.ts';
import { countWords } from '../../../lib/text/amounts.ts';
import type { NarrowerDocument, Resolution } from '../../../model/ports/control-port.ts';
import type { HeldStatus } from '../../../model/report/status.ts';

/** How many documents a call was about, each under its own name. */
interface Outcome {
  readonly retried?: number;
  readonly approved?: number;
  readonly kept?: number;
  readonly shared?: number;
}

/** How long the page waits for an answer, ms: a daemon that hangs is no reason to hang with it. */
const patienceMs = 30_000;

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly body: unknown;
}

/** Sends one request. Rejects with words for a person where no whole answer comes in time. */
async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return { status: response.status, ok: response.ok, body: await response.json() };
  } catch {
    const unsure = init.method === 'POST' ? ' It may still do what you asked for.' : '';
    throw new Error(`The daemon does not answer.${unsure}`);
  }
}

/** What the daemon answers. Rejects with its words, or why there are none. */
export async function tell<T>(path: string): Promise<T> {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(messageOf(answer));
  return answer.body as T;
}

/** What the daemon answers; null: it does not, or has nothing to say. */
export function get<T>(path: string): Promise<T | null> {
  return tell<T>(path).catch(() => null);
}

/** So many paths of 4 KiB at most go into one request, whose body may be 64 KiB long. */
const batchPaths = 10;

let token: string | null = null;

/** Puts failed documents back into the queue; reports how it went. */
export function retry(paths: readonly string[]): Promise<void> {
  return attempt(async () => {
    let retried = 0;
    for (let from = 0; from === 0 || from < paths.length; from += batchPaths) {
      const batch = paths.slice(from, from + batchPaths);
      const outcome = await post('api/retry', { paths: batch });
      retried += outcome.retried ?? 0;
    }
    return retried === 0 ? 'Nothing left to retry.' : `${countWords(retried, 'document')} queued again.`;
  });
}

/** Ends the doubt about an upload, or dismisses possible duplicates; reports how it went. */
export function resolve(path: string, { kind: action, ...rest }: Resolution): Promise<void> {
  const done = { adopt: 'Adopted.', again: 'Queued again.', dismiss: 'Dismissed.' };
  return change('api/resolve', { path, action, ...rest }, () => done[action]);
}

/** Releases what is held of a folder, unless others are held than were shown; reports how it went. */
export function approve({ folder, count, paths }: HeldStatus): Promise<void> {
  const shown = { most: count, paths: paths.map((path) => `${folder}/${path}`) };
  return change('api/approve', { folder, ...shown }, ({ approved = 0 }) =>
    approved === 0 ? 'Nothing is held.' : `${countWords(approved, 'deletion')} approved.`,
  );
}

/** Leaves documents whose deletion is held, of a folder or below a path, at the service; reports how it went. */
export function keep(place: string): Promise<void> {
  return change('api/keep', { place }, ({ kept = 0 }) =>
    kept === 0 ? 'Nothing is held.' : `${countWords(kept, 'document')} kept at the service.`,
  );
}

/** Has documents shared as was shown to be stated for them; reports how it went. */
export function share(shown: readonly NarrowerDocument[]): Promise<void> {
  const paths = shown.map(({ path }) => path);
  return change('api/share', { paths, shown }, ({ shared = 0 }) => {
    const others = shown.length - shared;
    const rest = others === 0 ? '' : ` Something else is stated for ${countWords(others, 'other')} by now.`;
    return `${countWords(shared, 'document')} shared as stated.${rest}`;
  });
}

/** Stops sending of one folder, or of all (null), or goes on; reports how it went. */
export function setPaused(folder: string | null, isPaused: boolean): Promise<void> {
  const whose = folder === null ? 'All folders' : printable(folder);
  const [path, done] = isPaused ? ['api/pause', 'paused'] : ['api/resume', 'resumed'];
  return change(path, { folder }, () => `${whose} ${done}.`);
}

/** Has one folder, or all (null), scanned now; reports how it went. */
export function rescan(folder: string | null): Promise<void> {
  const whose = folder === null ? 'all folders' : printable(folder);
  return change('api/rescan', { folder }, () => `Scanning ${whose}.`);
}

let say = (_words: string): void => {};

/** Who shows how an action went. */
export function onFeedback(show: (words: string) => void): void {
  say = show;
}

function change(path: string, body: object, done: (outcome: Outcome) => string): Promise<void> {
  return attempt(async () => done(await post(path, body)));
}

async function attempt(act: () => Promise<string>): Promise<void> {
  say(await act().catch((error: unknown) => (error instanceof Error ? error.message : String(error))));
}

/** The token is of one start of the daemon: where it does not fit any more, it is asked for once again. */
async function post(path: string, body: object): Promise<Outcome> {
  let answer = await send(path, body);
  if (answer.status === 403) {
    token = null;
    answer = await send(path, body);
  }
  if (!answer.ok) throw new Error(messageOf(answer));
  return answer.body as Outcome;
}

async function send(path: string, body: object): Promise<Answer> {
  token ??= (await tell<{ token: string }>('api/token')).token;
  return await ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-ingestd-token': token },
    body: JSON.stringify(body),
  });
}

/** Of a refusal: the daemon's words. */
function messageOf({ status, body }: Answer): string {
  return (body as { message?: string }).message ?? `The daemon answered with status ${status}.`;
}
