import type { Reason, Status } from './status.ts';
import { toldAsDoubt } from './told-as-doubt.ts';
import { countWords, durationWords, numberWords } from '../../lib/words.ts';

/**
 * The state of things in one sentence: how many documents are in the service, what is on its way, and what
 * waits for a person. The page, `status` and systemd show the same.
 */
export function verdict(status: Status): string {
  const sums = sumsOf(status);
  const trouble = troubleOf(status);
  const sentences = [...(trouble === null ? [] : [trouble]), holdings(status, sums), ...asks(status, sums)];
  return sentences
    .map((sentence) => `${sentence}.`)
    .join(' ')
    .replace(/\.$/, '');
}

/**
 * The same where no daemon runs and the ledger alone speaks: what was delivered, not what is in the folders; and nothing
 * is said of deliveries where a trouble stands in the way of the next start.
 */
export function ledgerVerdict(status: Status): string {
  const sums = sumsOf(status);
  const { synced, failed, held } = sums;
  const trouble = status.reasons.find(({ code }) => code !== 'not-running');
  const delivered = `${countWords(synced, 'document')} ${synced === 1 ? 'was' : 'were'} delivered`;
  const known = synced + failed + held + status.inDoubtTotal > 0;
  const lead =
    trouble === undefined
      ? [known ? `${delivered}; the folders are not watched now` : 'Nothing is delivered or looked at yet']
      : [troubleWords('Needs attention', trouble)];
  return [...lead, ...asks(status, sums)].join('. ');
}

interface Sums {
  readonly documents: number;
  readonly synced: number;
  readonly moving: number;
  readonly failed: number;
  readonly held: number;
}

function sumsOf(status: Status): Sums {
  const sum = (of: (folder: Status['folders'][number]) => number): number =>
    status.folders.reduce((total, folder) => total + of(folder), 0);
  const synced = sum(({ synced }) => synced);
  const moving = sum(({ pending, waiting }) => pending + waiting);
  const failed = sum(({ failed }) => failed);
  const held = status.held.reduce((total, { count }) => total + count, 0);
  return { documents: synced + moving + failed, synced, moving, failed, held };
}

/** What stands in the way of everything, first. */
function troubleOf({ state, reasons }: Status): string | null {
  if (state === 'stopping') return 'Stopping';
  if (state !== 'degraded' && state !== 'paused') {
    // What runs is well, and is not what the person wrote.
    const refused = reasons.find(({ code }) => code === 'configuration-refused');
    return refused === undefined ? null : troubleWords('Needs attention', refused);
  }
  return troubleWords(state === 'paused' ? 'Paused' : 'Needs attention', reasons[0]);
}

function troubleWords(lead: string, reason: Reason | undefined): string {
  return reason === undefined ? lead : `${lead}: ${reason.message.replace(/\.+$/, '')}`;
}

function holdings(status: Status, { documents, synced, moving }: Sums): string {
  if (documents === 0) return emptiness(status);
  const have = documents === 1 ? 'is' : 'are';
  if (synced === documents) {
    const scanning = status.state === 'starting' ? ', still looking' : '';
    return documents === 1
      ? `The one document is in the service${scanning}`
      : `All ${numberWords(documents)} documents are in the service${scanning}`;
  }
  const parts = [`${numberWords(synced)} of ${countWords(documents, 'document')} ${have} in the service`];
  if (moving > 0) parts.push(`${numberWords(moving)} on ${moving === 1 ? 'its' : 'their'} way`);
  const { etaSeconds } = status.queue;
  if (moving > 0 && etaSeconds > 0 && Number.isFinite(etaSeconds)) parts.push(durationWords(etaSeconds));
  return parts.join(', ');
}

function emptiness({ state, folders }: Status): string {
  if (state === 'starting' || folders.some((folder) => folder.state === 'scanning')) {
    return `Looking through ${countWords(folders.length, 'folder')}`;
  }
  const present = folders.find((folder) => folder.state !== 'unavailable');
  return present === undefined
    ? 'No folder can be read'
    : `No documents yet: put a file into ${present.path}`;
}

/** What waits for a person, each a sentence of its own. */
function asks(status: Status, { failed: all, held }: Sums): string[] {
  const sentences: string[] = [];
  const heldInDoubt = [...toldAsDoubt(status)].filter(({ retryAt }) => retryAt === null).length;
  const failed = Math.max(0, all - heldInDoubt);
  if (failed > 0) sentences.push(`${countWords(failed, 'document')} failed`);
  if (held > 0)
    sentences.push(`${countWords(held, 'deletion')} ${held === 1 ? 'waits' : 'wait'} for approval`);
  const doubts = status.inDoubtTotal;
  if (doubts > 0) sentences.push(`${countWords(doubts, 'upload')} in doubt`);
  return sentences;
}
