import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { explain, fixAt } from '../../../model/report/explanations.ts';
import { partsOf, sortFailures } from '../../../model/report/failures.ts';
import { fleetHeadline, hostWords } from '../../../model/report/fleet-headline.ts';
import type { FleetStatus } from '../../../model/report/fleet.ts';
import { isWhole, placedMessage, progressLine } from '../../../model/report/headline.ts';
import { reasonHealth } from '../../../model/report/health.ts';
import { page } from '../data/page.ts';
import { Part, PathWords, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** The head of the page: headline, progress in one bar, what is wrong. `fleet` null: this host is alone, or no other is known. */
export function Overview({ status, fleet }: Shown & { readonly fleet: FleetStatus | null }) {
  const { isOffline } = page;
  const headline = isOffline ? 'ingestd does not answer' : printable(status.headline);
  // What is held has a list of its own.
  const reasons = status.reasons.filter(({ code }) => code !== 'held');
  return (
    <section class="overview" aria-label="Overview">
      <h1>{headline}</h1>
      <p class="faint">{isOffline ? '' : progressLine(status, Date.now())}</p>
      {fleet !== null && (
        <a class="tone" href="#fleet" data-health={fleet.health}>
          Fleet: {fleetHeadline(fleet)}
        </a>
      )}
      {status.trial && (
        <p class="faint">
          This is a trial: documents go to the embedded service on this machine, and nowhere else.
        </p>
      )}
      {/* What is no part of the bar has a heading of its own. */}
      <Proportions of={partsOf(sortFailures(status).folders).filter(({ inBar }) => inBar)} />
      <ul class="reasons" aria-label="What is wrong">
        {reasons.map((reason) => {
          const { code, folder, path, message, since, until } = reason;
          const { cause } = explain(code);
          return (
            <li
              key={`${code} ${folder} ${path} ${message}`}
              data-level={code === 'paused' ? 'ok' : reasonHealth(code)}
            >
              {cause !== headline && !isWhole(reason) && <strong>{cause}</strong>}
              <p>
                {said(placedMessage(reason), since && `since ${since}`, until && `next attempt at ${until}`)}
              </p>
              <p class="faint">{said(fixAt(code, status))}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A bar in proportion, and the numbers that no headline has said: all but those of what is delivered. */
export function Proportions({ of: all }: { readonly of: ReturnType<typeof partsOf> }) {
  const parts = all.filter(({ count }) => count > 0);
  const others = parts.filter(({ key }) => key !== 'synced');
  if (others.length === 0) return null;
  return (
    <>
      <div class="bar" aria-hidden="true">
        {parts.map(
          ({ key, count, inBar }) => inBar && <i key={key} class={key} style={{ flexGrow: count }} />,
        )}
      </div>
      <ul class="legend">
        {others.map(({ key, words, count }) => (
          <li key={words} class={key}>
            <strong>{numberWords(count)}</strong> {words}
          </li>
        ))}
      </ul>
    </>
  );
}

/** All hosts of the account. */
export function Fleet({ fleet, status }: Shown & { readonly fleet: FleetStatus }) {
  const { account, hosts, rate } = fleet;
  return (
    <Part title="Fleet" id="fleet">
      <p class="faint">
        {numberWords(rate.used)} of {countWords(status.rate.limit, 'request')} used by all hosts in the last{' '}
        {rate.windowSeconds} s · account {printable(account)}
      </p>
      <ul class="hosts">
        {hosts.map((one) => {
          const isHere = one.presence === 'here';
          return (
            <li key={one.host} data-health={one.health}>
              <div class="head">
                <h3>
                  <PathWords path={one.host} />
                </h3>
                {one.host === status.fleet?.host && <span class="faint">this host</span>}
                <span class="pill">{isHere ? one.health : one.presence}</span>
              </div>
              <p>{isHere ? printable(one.headline) : said(`last seen ${one.lastSeen}`)}</p>
              <p class="faint">{printable(hostWords(one).join(' · '))}</p>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
