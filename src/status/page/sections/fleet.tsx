import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import { explain, groupByCause } from '../../../model/report/explanations.ts';
import { fleetHeadline } from '../../../model/report/fleet-headline.ts';
import type { FleetHost, FleetStatus } from '../../../model/report/fleet.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { momentWords } from '../data/time-words.ts';
import { useAnswer } from '../data/use-answer.ts';
import { More, Part, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** Hosts publish their summaries this often. */
const everyMs = 5_000;

/** More would make the page slow; those that need a person come first. */
const mostHosts = 100;
/** Of one host. */
const mostCauses = 3;
const mostNames = 2;

/** What is known of the other hosts; `known` null: Redis is away, or the daemon. */
export interface KnownFleet {
  readonly known: FleetStatus | null;
  readonly words: string;
  readonly health: string;
}

/** Asks for the hosts of the account now and then; null: not answered yet, or this host is alone and nothing is asked. */
export function useFleet(status: StatusAnswer | null): KnownFleet | null {
  const isPart = status?.fleet !== undefined;
  const { answer, problem } = useAnswer<FleetStatus>(isPart ? 'api/fleet' : null, { everyMs });
  if (!isPart || (answer === null && problem === null)) return null;
  if (answer !== null && problem === null)
    return { known: answer, words: fleetHeadline(answer), health: answer.health };
  const words = 'Redis cannot be reached: nothing is known of the other hosts';
  return { known: null, words, health: 'attention' };
}

/** All hosts of the account. */
export function Fleet({ fleet: { known, words, health }, status }: Shown & { readonly fleet: KnownFleet }) {
  return (
    <Part title="Fleet">
      <p class="tone" data-health={health}>
        {words}
      </p>
      {known !== null && (
        <>
          <p class="faint">
            {numberWords(known.rate.used)} of {countWords(status.rate.limit, 'request')} used by all hosts in
            the last {known.rate.windowSeconds} s · account {printable(known.account)}
          </p>
          <ul class="hosts">
            {known.hosts.slice(0, mostHosts).map((host) => (
              <Host key={host.host} host={host} status={status} />
            ))}
          </ul>
          <More count={known.hosts.length - mostHosts} where=": ingestd status --fleet lists all of them" />
        </>
      )}
    </Part>
  );
}

function Host({ host: shown, status }: Shown & { readonly host: FleetHost }) {
  const { host, presence, health, headline, lastSeen, used, folders, queue, failuresTotal } = shown;
  const isHere = presence === 'here';
  const synced = folders.reduce((total, one) => total + one.synced, 0);
  const remaining = queue.pending + queue.inFlight + queue.waiting;
  const numbers = [
    `${numberWords(synced)} delivered`,
    remaining > 0 && `${numberWords(remaining)} on the way`,
    failuresTotal > 0 && `${numberWords(failuresTotal)} failed`,
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
      <p class="faint">{printable(numbers.filter(Boolean).join(' · '))}</p>
      {isHere && (
        <progress
          aria-label={`Share of the minute: ${printable(host)}`}
          max={status.rate.limit}
          value={used}
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

function folderWords({ name, state, synced, pending, waiting, failed }: FleetHost['folders'][number]) {
  const shownState = state === 'watching' || state === 'polling' ? '' : `, ${state}`;
  return `${name}: ${numberWords(synced)} of ${numberWords(synced + pending + waiting + failed)}${shownState}`;
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
