import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { countWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import { explain, fixBeside } from '../../model/report/explanations.ts';
import { isMuted, withDoubts } from '../../model/report/headline.ts';
import { reasonHealth } from '../../model/report/health.ts';
import type { Health, Reason } from '../../model/report/status.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { setPaused } from './data/ask-daemon.ts';
import { barPartsOf } from './data/proportions.ts';
import type { Counts } from './data/proportions.ts';
import { clockWords, minuteWords, momentWords, shortDuration } from './data/time-words.ts';
import { button, byId, createList, el, fixed, setAttribute, setText, showTextIf } from './dom.ts';

const stateWords: Readonly<Record<StatusAnswer['state'], string>> = {
  starting: 'Starting',
  working: 'Working',
  idle: 'Idle',
  // A person's pause needs attention; this one is asked for by the service, and ends by itself.
  paused: 'Waiting',
  degraded: 'Degraded',
  stopping: 'Stopping',
  standby: 'Standby',
  stopped: 'Stopped',
};

const icons: Readonly<Record<Health, string>> = {
  ok: 'assets/icon.svg',
  attention: 'assets/icon-attention.svg',
  error: 'assets/icon-error.svg',
};

/** Screen readers hear the headline again no sooner than this, however fast its numbers change. */
const spokenEveryMs = 12_000;

/** The head of the page: headline, health, progress in one bar, what is wrong; and its foot. */
export function createOverview(): (status: StatusAnswer) => void {
  const speak = createSpeaker();
  const bar = createProportions(byId('whole'));
  const showReasons = createList<Reason & { readonly isHeadline: boolean }>(
    byId('reasons'),
    (reason) => JSON.stringify(reason),
    ({ code, message, isHeadline, ...times }) =>
      fixed(
        el(
          'li',
          { 'data-level': reasonHealth(code) },
          // The headline says it already.
          ...(isHeadline ? [] : [el('strong', {}, explain(code).cause)]),
          el('p', {}, [sentence(printable(message)), ...timeWords(times)].join(' ')),
          ...(code === 'paused' ? [button('Resume', {}, () => setPaused(null, false))] : fixOf(code)),
        ),
      ),
  );

  return (status) => {
    const phrase = printable(status.headline);
    setText(byId('headline'), phrase);
    showTextIf(status.progress !== '', byId('progress'), status.progress);
    speak(phrase);
    setAttribute(document.body, 'data-health', status.health);
    setAttribute(document.body, 'data-state', status.state);
    setText(byId('state'), pillWords(status));
    bar(withDoubts(status));
    const reasons = status.reasons
      .filter(({ code }) => code !== 'held')
      .map((reason) => ({ ...reason, isHeadline: phrase === explain(reason.code).cause }));
    showReasons(reasons);
    byId('reasons').hidden = reasons.length === 0;
    byId('trial').hidden = !status.trial;
    byId('trial-note').hidden = !status.trial;
    showFoot(status);
    document.title = titleOf(status, phrase);
    setAttribute(byId('favicon'), 'href', icons[status.health]);
  };
}

function timeWords({ since, until }: Pick<Reason, 'since' | 'until'>): string[] {
  return [
    ...(since === undefined ? [] : [`Since ${clockWords(since)}.`]),
    ...(until === undefined ? [] : [`Next attempt at ${clockWords(until)}.`]),
  ];
}

/** Nothing where the message says it already. */
function fixOf(code: string): HTMLElement[] {
  const fix = fixBeside(code);
  return fix === '' ? [] : [el('p', { class: 'fix' }, fix)];
}

function pillWords(status: StatusAnswer): string {
  const { health, state, queue, folders } = status;
  if (health === 'error') return 'Error';
  if (health === 'attention') return 'Attention';
  const waits = folders.some(({ waiting }) => waiting > 0) && queue.pending + queue.inFlight === 0;
  // Nobody works on what only waits.
  if ((state === 'working' || state === 'idle') && (waits || isMuted(status))) return 'Waiting';
  return stateWords[state];
}

function titleOf({ health, folders }: StatusAnswer, phrase: string): string {
  if (health !== 'ok') return `${phrase} · ingestd`;
  const moving = folders.reduce((sum, { pending, waiting }) => sum + pending + waiting, 0);
  return moving > 0 ? `${numberWords(moving)} to deliver · ingestd` : 'ingestd';
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
    }, spokenEveryMs);
  };
  return (text) => {
    newest = text;
    speak();
  };
}

function showFoot(status: StatusAnswer): void {
  const { totals, startedAt, pid } = status;
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000;
  setText(byId('version'), status.version);
  setText(byId('since'), `${momentWords(startedAt)} (${shortDuration(seconds)} ago), process ${pid}`);
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
  setText(byId('service'), printable(status.service));
  setText(
    byId('account'),
    [printable(status.account ?? ''), authWords(status.auth)].filter(Boolean).join(', '),
  );
  setText(byId('configuration'), printable(status.configuration));
}

function authWords({ state, expiresAt }: StatusAnswer['auth']): string {
  if (state === 'refused') return 'credentials refused';
  if (state === 'none') return 'not signed in yet';
  return expiresAt === null ? 'signed in' : `signed in until ${minuteWords(expiresAt)}`;
}

/** Fills `container` with a bar in proportion and the numbers under it. */
export function createProportions(container: Element): (folders: readonly Counts[]) => void {
  const bar = el('div', { class: 'bar', 'aria-hidden': 'true' });
  const legend = el('dl', { class: 'legend' });
  const rows = barPartsOf([]).map(({ key, label, inBar }) => {
    const piece = el('i', { class: `piece ${key}` });
    const number = el('dd', {});
    const row = el('div', { class: key }, el('dt', {}, label), number);
    if (inBar) bar.append(piece);
    legend.append(row);
    return { piece, number, row };
  });
  container.append(bar, legend);

  return (folders) => {
    const shares = barPartsOf(folders);
    for (const [index, { key, count }] of shares.entries()) {
      const row = rows[index];
      if (row === undefined) continue;
      row.piece.style.flexGrow = String(count);
      row.piece.hidden = count === 0;
      setText(row.number, numberWords(count));
      row.row.hidden = count === 0 && key !== 'synced';
    }
    bar.hidden = shares.every(({ inBar, count }) => !inBar || count === 0);
    setAttribute(container, 'data-empty', String(shares.every(({ count }) => count === 0)));
  };
}
