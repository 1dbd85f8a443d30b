import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { hostWords } from '../../../model/report/fleet-headline.ts';
import type { FleetStatus } from '../../../model/report/fleet.ts';
import { momentWords } from '../data/time-words.ts';
import { Part } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

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
        {hosts.map((one) => (
          <li key={one.host} data-health={one.health}>
            <div class="head">
              <h3>
                <bdi>{printable(one.host)}</bdi>
              </h3>
              {one.host === status.fleet?.host && <span class="faint">this host</span>}
              <span class="pill">{one.presence === 'here' ? one.health : one.presence}</span>
            </div>
            <p>
              {one.presence === 'here' ? printable(one.headline) : `Last seen ${momentWords(one.lastSeen)}`}
            </p>
            <p class="faint">{printable(hostWords(one).join(' · '))}</p>
          </li>
        ))}
      </ul>
    </Part>
  );
}
