import { countWords, numberWords } from '../../lib/text/amounts.ts';
import type { FleetHost, FleetStatus } from './fleet.ts';

/** The fleet in one line. */
export function fleetHeadline({ hosts, paused, health }: FleetStatus): string {
  const here = hosts.filter(({ presence }) => presence === 'here');
  const gone = hosts.filter(({ presence }) => presence === 'gone').length;
  const troubled = here.filter((host) => host.health !== 'ok').length;
  if (hosts.length === 0) return 'No host has reported in the last day';
  return [
    ...(paused ? ['The whole fleet is paused'] : []),
    ...(troubled > 0 ? [`${countWords(troubled, 'host needs', 'hosts need')} attention`] : []),
    ...(gone > 0 ? [`${countWords(gone, 'host is', 'hosts are')} gone`] : []),
    `${here.length === 0 ? 'No host' : countWords(here.length, 'host')} connected${health === 'ok' ? ', no problems' : ''}`,
  ].join('. ');
}

/** What one of its hosts has still to do, a few words each. */
export function hostWords({ queue, failuresTotal, used, version }: FleetHost): string[] {
  const remaining = queue.pending + queue.inFlight + queue.waiting;
  return [
    ...(remaining > 0 ? [`${numberWords(remaining)} to deliver`] : []),
    ...(failuresTotal > 0 ? [`${numberWords(failuresTotal)} failed`] : []),
    `${countWords(used, 'request')} this minute`,
    `version ${version}`,
  ];
}
