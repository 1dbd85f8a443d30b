import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { explain, groupByCause } from '../../../model/report/explanations.ts';
import type { FleetHost, FleetStatus } from '../../../model/report/fleet.ts';
import { fleetHeadline } from '../../../model/report/headline.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { momentWords } from '../data/time-words.ts';
import { useAnswer } from '../data/use-answer.ts';
import { said } from '../parts.tsx';

/** Hosts publish their summaries this often. */
const everyMs = 5_000;

/** More would make the page slow; those that need a person come first. */
const mostHosts = 100;
/** Of one host. */
const mostCauses = 3;
const mostNames = 2;

/** What is known of the other hosts; `hosts` null: Redis is away, or the daemon. */
export interface KnownFleet {
  readonly hosts: FleetStatus | null;
  readonly words: string;
  readonly health: string;
}

/** Asks for the hosts of the account now and then. Where this host is alone, nothing is asked; null. */
export function useFleet(status: StatusAnswer | null): KnownFleet | null {
  const isPart = status?.fleet !== undefined;
  const { answer: hosts } = useAnswer<FleetStatus>(isPart ? 'api/fleet' : null, { everyMs });
  if (!isPart) return null;
  const words =
    hosts === null ? 'Redis cannot be reached: nothing is known of the other hosts' : fleetHeadline(hosts);
  return { hosts, words, health: hosts?.health ?? 'attention' };
}

interface FleetProps {
  readonly fleet: KnownFleet;
  readonly status: StatusAnswer;
}

/** All hosts of the account. */
export function Fleet({ fleet: { hosts: known, words, health }, status: { fleet, rate } }: FleetProps) {
  const more = (known?.hosts.length ?? 0) - mostHosts;
  return (
    <section id="fleet" class="panel" aria-label="Fleet">
      <h2>Fleet</h2>
      <p class="tone" data-health={health}>
        {words}
      </p>
      {known !== null && (
        <p class="faint">
          {numberWords(known.rate.used)} of {countWords(rate.limit, 'request')} used by all hosts in the last{' '}
          {known.rate.windowSeconds} s · account {printable(known.account)}
        </p>
      )}
      <ul class="folders">
        {known?.hosts.slice(0, mostHosts).map((host) => (
          <Host key={host.host} host={host} isOwn={host.host === fleet?.host} limit={rate.limit} />
        ))}
      </ul>
      {more > 0 && (
        <p class="faint">and {numberWords(more)} more: ingestd status --fleet lists all of them</p>
      )}
    </section>
  );
}

interface HostProps {
  readonly host: FleetHost;
  readonly isOwn: boolean;
  /** Requests that all hosts may send in a window. */
  readonly limit: number;
}

function Host({ host: shown, isOwn, limit }: HostProps) {
  const { host, presence, health, version, headline, lastSeen, used, folders } = shown;
  const isHere = presence === 'here';
  // Of a host that is gone, what it last said of itself may be over.
  const reasons = isHere ? shown.reasons.filter(({ code }) => code !== 'held') : [];
  return (
    <li class="host" data-health={presence === 'gone' && health === 'ok' ? 'attention' : health}>
      <div class="head">
        <h3>
          <bdi>{printable(host)}</bdi>
        </h3>
        {isOwn && <span class="faint">this host</span>}
        <span class="pill">{isHere ? health : presence}</span>
      </div>
      <p>{isHere ? printable(headline) : `Last seen ${momentWords(lastSeen)}`}</p>
      <p class="faint">
        {numbersOf(shown).join(' · ')} · {printable(version)}
      </p>
      {isHere && (
        <progress
          aria-label={`Share of the minute: ${printable(host)}`}
          max={limit}
          value={Math.min(used, limit)}
        />
      )}
      <p class="faint">{folders.map(folderWords).join(' · ')}</p>
      {reasons.map(({ code, message }) => (
        <Problem key={`${code} ${message}`} code={code} words={said(message)} />
      ))}
      {groupByCause(shown.failures)
        .slice(0, mostCauses)
        .map(({ code, items }) => (
          <Problem key={code} code={code} words={namesOf(items)} />
        ))}
    </li>
  );
}

function numbersOf({ folders, queue, failuresTotal, used }: FleetHost): string[] {
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

/** Of one cause some by name; how many failed in all stands above. */
function namesOf(items: FleetHost['failures']): string {
  const names = items.slice(0, mostNames).map(({ folder, path }) => printable(`${folder}/${path}`));
  const more = items.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${numberWords(more)} more` : ''}`;
}

function Problem({ code, words }: { readonly code: string; readonly words: string }) {
  const { cause, fix } = explain(code);
  return (
    <p>
      <strong>{cause}</strong> {words} <span class="faint">{fix}</span>
    </p>
  );
}
