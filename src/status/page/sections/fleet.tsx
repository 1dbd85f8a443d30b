import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import { explain, groupByCause } from '../../../model/report/explanations.ts';
import type { FleetHost, FleetStatus } from '../../../model/report/fleet.ts';
import { fleetHeadline } from '../../../model/report/headline.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { momentWords } from '../data/time-words.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Part, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

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

/** All hosts of the account. */
export function Fleet({ fleet, status }: Shown & { readonly fleet: KnownFleet }) {
  const { hosts: known, words, health } = fleet;
  const { hosts = [] } = known ?? {};
  const more = hosts.length - mostHosts;
  return (
    <Part title="Fleet">
      <p class="tone" data-health={health}>
        {words}
      </p>
      {known !== null && (
        <p class="faint">
          {numberWords(known.rate.used)} of {countWords(status.rate.limit, 'request')} used by all hosts in
          the last {known.rate.windowSeconds} s · account {printable(known.account)}
        </p>
      )}
      <ul class="folders">
        {hosts.slice(0, mostHosts).map((host) => (
          <Host key={host.host} host={host} status={status} />
        ))}
      </ul>
      {more > 0 && (
        <p class="faint">and {numberWords(more)} more: ingestd status --fleet lists all of them</p>
      )}
    </Part>
  );
}

function Host({ host: shown, status }: Shown & { readonly host: FleetHost }) {
  const { host, presence, health, headline, lastSeen, used, folders, queue, failuresTotal } = shown;
  const isHere = presence === 'here';
  const synced = folders.reduce((total, one) => total + one.synced, 0);
  const left = queue.pending + queue.inFlight + queue.waiting;
  const numbers = [
    `${numberWords(synced)} delivered`,
    ...(left > 0 ? [`${numberWords(left)} on the way`] : []),
    ...(failuresTotal > 0 ? [`${numberWords(failuresTotal)} failed`] : []),
    `${countWords(used, 'request')} of the minute`,
    shown.version,
    ...folders.map(folderWords),
  ];
  return (
    <li data-health={presence === 'gone' && health === 'ok' ? 'attention' : health}>
      <div class="head">
        <h3>
          <bdi>{printable(host)}</bdi>
        </h3>
        {host === status.fleet?.host && <span class="faint">this host</span>}
        <span class="pill">{isHere ? health : presence}</span>
      </div>
      <p>{isHere ? printable(headline) : `Last seen ${momentWords(lastSeen)}`}</p>
      <p class="faint">{printable(numbers.join(' · '))}</p>
      {isHere && (
        <progress
          aria-label={`Share of the minute: ${printable(host)}`}
          max={status.rate.limit}
          value={Math.min(used, status.rate.limit)}
        />
      )}
      {problemsOf(shown).map(({ code, words }) => (
        <p key={`${code} ${words}`}>
          <strong>{explain(code).cause}</strong> {words} <span class="faint">{explain(code).fix}</span>
        </p>
      ))}
    </li>
  );
}

function folderWords(folder: FleetHost['folders'][number]): string {
  const { name, state, synced } = folder;
  const documents = synced + folder.pending + folder.waiting + folder.failed;
  const shownState = state === 'watching' || state === 'polling' ? '' : `, ${state}`;
  return `${name}: ${numberWords(synced)} of ${numberWords(documents)}${shownState}`;
}

/** Reasons, and failures by cause with some of their names. Of a host that is gone, its reasons may be over. */
function problemsOf({ presence, reasons, failures }: FleetHost) {
  const current = reasons.filter(({ code }) => presence === 'here' && code !== 'held');
  const causes = groupByCause(failures).slice(0, mostCauses);
  return [
    ...current.map(({ code, message }) => ({ code, words: said(message) })),
    ...causes.map(({ code, items }) => {
      const names = items.slice(0, mostNames).map((one) => printable(refKey(one)));
      const more = items.length - names.length;
      return { code, words: names.join(', ') + (more > 0 ? ` and ${numberWords(more)} more` : '') };
    }),
  ];
}
