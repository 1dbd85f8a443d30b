import { printable } from '../../../lib/text/printable.ts';
import { countWords } from '../../../lib/text/amounts.ts';
import type { Resolution } from '../../../model/ports/control-port.ts';
import type { HeldStatus } from '../../../model/report/status.ts';
import { byId } from '../dom.ts';

/** How long the page waits for an answer, ms: a daemon that hangs is no reason to hang with it. */
const patienceMs = 30_000;

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly body: unknown;
}

/** Sends one request. Rejects with words for a person where no whole answer comes in time. */
export async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return { status: response.status, ok: response.ok, body: await response.json() };
  } catch {
    const unsure = init.method === 'POST' ? ' It may still do what you asked for.' : '';
    throw new Error(`The daemon does not answer.${unsure}`);
  }
}

/** What the daemon answers; null: it does not, or has nothing to say. */
export async function get<T>(path: string): Promise<T | null> {
  const answer = await ask(path).catch(() => null);
  return answer?.ok === true ? (answer.body as T) : null;
}

/** The body of a request stays well below the daemon's limit of 64 KiB. */
const maxBatchBytes = 48 * 1024;

let token: string | null = null;

/** Puts failed documents back into the queue; reports how it went. */
export async function retry(paths: readonly string[]): Promise<void> {
  await attempt(async () => {
    let retried = 0;
    for (const batch of batches(paths)) {
      const answer = (await post('api/retry', { paths: batch })) as { retried: number };
      retried += answer.retried;
    }
    return retried === 0 ? 'Nothing left to retry.' : `${countWords(retried, 'document')} queued again.`;
  });
}

/** Ends the doubt about an upload, or dismisses possible duplicates; reports how it went. */
export async function resolve(path: string, resolution: Resolution): Promise<void> {
  const { kind: action, ...rest } = resolution;
  const done = { adopt: 'Adopted.', again: 'Queued again.', dismiss: 'Dismissed.' };
  await attempt(async () => {
    await post('api/resolve', { path, action, ...rest });
    return done[action];
  });
}

/** Releases what is held of a folder, unless others are held than were shown; reports how it went. */
export async function approve({ folder, count, paths }: HeldStatus): Promise<void> {
  await attempt(async () => {
    const shown = { most: count, paths: paths.map((path) => `${folder}/${path}`) };
    const { approved } = (await post('api/approve', { folder, ...shown })) as { approved: number };
    return approved === 0 ? 'Nothing is held.' : `${countWords(approved, 'deletion')} approved.`;
  });
}

/** Has a document shared as is stated for it; reports how it went. */
export async function share(path: string, sharing: string): Promise<void> {
  await attempt(async () => {
    const body = { paths: [path], shown: [{ path, sharing }] };
    const { shared } = (await post('api/share', body)) as { shared: number };
    return shared === 0 ? 'Something else is stated by now.' : `Shared with ${sharing}.`;
  });
}

/** Leaves the documents of what is held of a folder at the service; reports how it went. */
export async function keep(folder: string): Promise<void> {
  await attempt(async () => {
    const { kept } = (await post('api/keep', { place: folder })) as { kept: number };
    return kept === 0 ? 'Nothing is held.' : `${countWords(kept, 'document')} kept at the service.`;
  });
}

/** Stops sending of one folder, or of all (null), or goes on; reports how it went. */
export async function setPaused(folder: string | null, isPaused: boolean): Promise<void> {
  await attempt(async () => {
    await post(isPaused ? 'api/pause' : 'api/resume', { folder });
    const whose = folder === null ? 'All folders' : printable(folder);
    return isPaused ? `${whose} paused.` : `${whose} resumed.`;
  });
}

/** Has one folder, or all (null), scanned now; reports how it went. */
export async function rescan(folder: string | null): Promise<void> {
  await attempt(async () => {
    await post('api/rescan', { folder });
    return folder === null ? 'Scanning all folders.' : `Scanning ${printable(folder)}.`;
  });
}

/** Shows a word of feedback; screen readers say it. */
function say(text: string): void {
  const toast = byId('toast');
  toast.textContent = text;
  toast.classList.add('shown');
  setTimeout(() => {
    if (toast.textContent === text) toast.classList.remove('shown');
  }, 6000);
}

async function attempt(act: () => Promise<string>): Promise<void> {
  try {
    say(await act());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** The token is of one start of the daemon: where it does not fit any more, it is asked for once again. */
async function post(path: string, body: object): Promise<unknown> {
  let answer = await send(path, body);
  if (answer.status === 403) {
    token = null;
    answer = await send(path, body);
  }
  if (!answer.ok) throw new Error(messageOf(answer));
  return answer.body;
}

async function send(path: string, body: object): Promise<Answer> {
  token ??= ((await ask('api/token')).body as { token: string }).token;
  return await ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-ingestd-token': token },
    body: JSON.stringify(body),
  });
}

/** Of a refusal: the daemon's words. */
export function messageOf({ status, body }: Answer): string {
  return (body as { message?: string }).message ?? `The daemon answered with status ${status}.`;
}

function batches(paths: readonly string[]): string[][] {
  const result: string[][] = [[]];
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const path of paths) {
    // Six bytes at most for a character that JSON escapes, and the comma.
    const size = encoder.encode(JSON.stringify(path)).length + 1;
    if (bytes + size > maxBatchBytes) {
      result.push([]);
      bytes = 0;
    }
    result.at(-1)?.push(path);
    bytes += size;
  }
  return result;
}
