import { explain } from '../../model/report/fixes.ts';
import { printable } from '../../lib/printable.ts';
import type { FolderStatus, Reason } from '../../model/report/status.ts';
import { countWords, numberWords, sizeWords } from '../../lib/words.ts';
import { byId, createList, el, setAttribute, setText } from './dom.ts';
import type { PageStatus } from './page-status.ts';
import { createProportions } from './proportions.ts';
import { minuteWords, momentWords, shortDuration } from './time-words.ts';

const stateWords: Readonly<Record<PageStatus['state'], string>> = {
  starting: 'Starting',
  working: 'Working',
  idle: 'Idle',
  paused: 'Paused',
  degraded: 'Degraded',
  stopping: 'Stopping',
  standby: 'Standby',
  stopped: 'Stopped',
};

/** A verdict of more characters than this is set smaller. */
const LONG_VERDICT = 90;

/** Screen readers hear the verdict again no sooner than this, however fast its numbers change. */
const SPOKEN_EVERY_MS = 12_000;

/** The head of the page: verdict, state, the whole in one bar, what is wrong; and its foot. */
export function createOverview(): (status: PageStatus) => void {
  const speak = createSpeaker();
  const bar = createProportions(byId('whole'));
  const showReasons = createList<Reason>(
    byId('reasons'),
    ({ code, message }) => `${code} ${message}`,
    ({ code, message }) => ({
      node: el(
        'li',
        {},
        el('strong', {}, explain(code).cause),
        el('p', {}, printable(message)),
        el('p', { class: 'fix' }, explain(code).fix),
      ),
      show: () => undefined,
    }),
  );

  return (status) => {
    const sentence = printable(status.verdict);
    setText(byId('verdict'), sentence);
    setAttribute(byId('verdict'), 'data-long', String(sentence.length > LONG_VERDICT));
    speak(sentence);
    setAttribute(document.body, 'data-state', status.state);
    setText(byId('state'), stateWords[status.state]);
    bar(status.folders);
    showReasons(status.reasons);
    byId('reasons').hidden = status.reasons.length === 0;
    showFoot(status);
    document.title = titleOf(status);
  };
}

function createSpeaker(): (text: string) => void {
  const region = byId('spoken');
  let newest = '';
  let resting = false;
  const speak = () => {
    if (resting || region.textContent === newest) return;
    region.textContent = newest;
    resting = true;
    setTimeout(() => {
      resting = false;
      speak();
    }, SPOKEN_EVERY_MS);
  };
  return (text) => {
    newest = text;
    speak();
  };
}

function showFoot({ totals, startedAt, version, auth, pid, possibleDuplicates }: PageStatus): void {
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000;
  setText(byId('version'), version);
  setText(byId('since'), `${momentWords(startedAt)}, ${shortDuration(seconds)} ago, process ${pid}`);
  setText(
    byId('totals'),
    [
      `${numberWords(totals.uploaded)} uploaded`,
      `${numberWords(totals.modified)} modified`,
      `${numberWords(totals.moved)} moved`,
      `${numberWords(totals.deleted)} deleted`,
      countWords(totals.requests, 'request'),
      `${sizeWords(totals.bytesSent)} sent`,
    ].join(' · '),
  );
  setText(byId('auth'), authWords(auth));
  byId('duplicates-row').hidden = possibleDuplicates === 0;
  setText(byId('duplicates'), `${countWords(possibleDuplicates, 'document')} the service may hold twice`);
}

function authWords({ state, expiresAt }: PageStatus['auth']): string {
  if (state === 'refused') return 'Credentials refused';
  if (state === 'none') return 'No token needed yet';
  return expiresAt === null ? 'Signed in' : `Signed in, token valid until ${minuteWords(expiresAt)}`;
}

function titleOf({ folders }: PageStatus): string {
  const sum = (of: (folder: FolderStatus) => number) =>
    folders.reduce((total, folder) => total + of(folder), 0);
  const failed = sum((folder) => folder.failed);
  if (failed > 0) return `${numberWords(failed)} failed · ingestd`;
  const held = sum((folder) => folder.held);
  if (held > 0) return `${numberWords(held)} held · ingestd`;
  const moving = sum(({ pending, waiting }) => pending + waiting);
  return moving > 0 ? `${numberWords(moving)} on their way · ingestd` : 'ingestd';
}
