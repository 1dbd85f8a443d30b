import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { explain, groupByCause } from '../../model/report/explanations.ts';
import type { FleetHost, FleetStatus } from '../../model/report/fleet.ts';
import { fleetHeadline } from '../../model/report/headline.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { get } from './data/ask-daemon.ts';
import { momentWords } from './data/time-words.ts';
import { byId, createList, el, fixed, setAttribute, setText, showTextIf } from './dom.ts';
import type { Part } from './dom.ts';

/** Hosts publish their summaries this often. */
const everyMs = 5_000;

/** Of one host. */
const mostCauses = 3;
/** More would make the page slow; those that need a person come first. */
const mostHosts = 100;
const mostNames = 2;

interface ShownHost extends FleetHost {
  readonly isOwn: boolean;
  /** Requests that all hosts may send in a window. */
  readonly limit: number;
}

/** All hosts of the account. Where this host is alone, nothing is asked and nothing shown. */
export function createFleet(): (status: StatusAnswer) => void {
  const show = createList<ShownHost>(byId('fleet-list'), ({ host }) => host, createHost);
  let newest: StatusAnswer | null = null;
  let isRefreshing = false;

  /** Goes on by itself while this host is part of a fleet. */
  const refresh = async () => {
    isRefreshing = newest?.fleet !== undefined;
    if (!isRefreshing) return;
    if (!document.hidden) showFleet(await get('api/fleet'));
    setTimeout(() => void refresh(), everyMs);
  };

  /** Null: Redis is away, or the daemon. */
  function showFleet(fleet: FleetStatus | null): void {
    const { fleet: own, rate } = newest ?? {};
    const headline = byId('fleet-headline');
    setAttribute(headline, 'data-health', fleet?.health ?? 'attention');
    setText(
      headline,
      fleet === null ? 'Redis cannot be reached: nothing is known of the other hosts' : fleetHeadline(fleet),
    );
    setText(byId('fleet-line'), `Fleet: ${headline.textContent}`);
    setAttribute(byId('fleet-line'), 'data-health', fleet?.health ?? 'attention');
    if (fleet === null || rate === undefined) return;
    setText(
      byId('fleet-budget'),
      `${numberWords(fleet.rate.used)} of ${countWords(rate.limit, 'request')} used by all hosts in the last ${fleet.rate.windowSeconds} s · account ${printable(fleet.account)}`,
    );
    const more = fleet.hosts.length - mostHosts;
    showTextIf(
      more > 0,
      byId('fleet-more'),
      `and ${numberWords(more)} more: ingestd status --fleet lists all of them`,
    );
    show(
      fleet.hosts
        .slice(0, mostHosts)
        .map((host) => ({ ...host, isOwn: host.host === own?.host, limit: rate.limit })),
    );
  }

  return (status) => {
    newest = status;
    byId('fleet').hidden = status.fleet === undefined;
    byId('fleet-line').hidden = status.fleet === undefined;
    if (!isRefreshing) void refresh();
  };
}

function createHost({ host }: ShownHost): Part<ShownHost> {
  const state = el('span', { class: 'pill' });
  const own = el('span', { class: 'count' }, 'this host');
  const version = el('span', { class: 'count version' });
  const phrase = el('p', { class: 'host-phrase' });
  const share = el('progress', { 'aria-label': `Share of the minute: ${printable(host)}` });
  const numbers = el('p', { class: 'notes' });
  const folders = el('p', { class: 'notes' });
  const problems = el('ul', { class: 'host-problems' });
  const showProblems = createList<Problem>(
    problems,
    ({ code, words }) => `${code} ${words}`,
    (problem) => fixed(createProblem(problem)),
  );
  const node = el(
    'li',
    { class: 'host' },
    el('div', { class: 'host-head' }, el('h3', {}, el('bdi', {}, printable(host))), own, version, state),
    phrase,
    numbers,
    share,
    folders,
    problems,
  );
  return {
    node,
    show: (shown) => {
      const { presence, health, used, limit, failures: failed, lastSeen } = shown;
      const isHere = presence === 'here';
      setText(state, isHere ? health : presence);
      setAttribute(node, 'data-health', presence === 'gone' && health === 'ok' ? 'attention' : health);
      setAttribute(node, 'data-presence', presence);
      own.hidden = !shown.isOwn;
      setText(version, printable(shown.version));
      setText(phrase, isHere ? printable(shown.headline) : `Last seen ${momentWords(lastSeen)}`);
      setText(numbers, numbersOf(shown).join(' · '));
      setAttribute(share, 'max', String(limit));
      setAttribute(share, 'value', String(Math.min(used, limit)));
      share.hidden = !isHere;
      setText(folders, shown.folders.map(folderWords).join(' · '));
      folders.hidden = shown.folders.length === 0;
      showProblems([...(isHere ? reasonsOf(shown) : []), ...causesOf(failed)]);
    },
  };
}

function numbersOf({ folders, queue, failuresTotal, used }: ShownHost): string[] {
  const synced = folders.reduce((total, one) => total + one.synced, 0);
  const left = queue.pending + queue.inFlight + queue.waiting;
  return [
    `${numberWords(synced)} delivered`,
    ...(left > 0 ? [`${numberWords(left)} on the way`] : []),
    ...(failuresTotal > 0 ? [`${numberWords(failuresTotal)} failed`] : []),
    `${countWords(used, 'request')} of the minute`,
  ];
}

function folderWords({
  name,
  state,
  synced,
  pending,
  waiting,
  failed,
}: FleetHost['folders'][number]): string {
  const documents = synced + pending + waiting + failed;
  const shownState = state === 'watching' || state === 'polling' ? '' : `, ${state}`;
  return `${printable(name)}: ${numberWords(synced)} of ${numberWords(documents)}${shownState}`;
}

interface Problem {
  readonly code: string;
  readonly words: string;
}

/** Of a host that is gone, what it last said of itself may be over. */
function reasonsOf({ reasons }: FleetHost): readonly Problem[] {
  return reasons
    .filter(({ code }) => code !== 'held')
    .map(({ code, message }) => ({ code, words: sentence(printable(message)) }));
}

/** Failures by cause, some by name, the largest causes first; how many failed in all stands above. */
function causesOf(failures: FleetHost['failures']): readonly Problem[] {
  return groupByCause(failures)
    .slice(0, mostCauses)
    .map(({ code, items }) => {
      const names = items.slice(0, mostNames).map(({ folder, path }) => printable(`${folder}/${path}`));
      const more = items.length - names.length;
      return { code, words: `${names.join(', ')}${more > 0 ? ` and ${numberWords(more)} more` : ''}` };
    });
}

function createProblem({ code, words }: Problem): HTMLElement {
  const { cause, fix } = explain(code);
  const said = el('span', {}, ` ${words} `);
  return el('li', {}, el('strong', {}, cause), said, el('span', { class: 'faint' }, fix));
}
