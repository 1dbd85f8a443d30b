import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { explain } from '../../model/report/explanations.ts';
import type { FleetHost, FleetStatus } from '../../model/report/fleet.ts';
import { fleetHeadline } from '../../model/report/fleet.ts';
import type { Output } from '../output.ts';

const healthColors = { ok: 'green', attention: 'yellow', error: 'red' } as const;
const mostFailures = 3;

/** All hosts, the headline first and those that need a person before the others. */
export function renderFleet(fleet: FleetStatus, colors: Output['colors']): string[] {
  const { rate, hosts } = fleet;
  const width = Math.max(0, ...hosts.map(({ host }) => host.length));
  return [
    colors.bold(colors[healthColors[fleet.health]](fleetHeadline(fleet))),
    '',
    ...hosts.flatMap((host) => hostRows(host, width, colors)),
    ...(hosts.length === 0 ? [] : ['']),
    colors.dim(`Account ${fleet.account}`),
    colors.dim(`${countWords(rate.used, 'request')} used by all hosts in the last ${rate.windowSeconds} s`),
  ];
}

function hostRows(host: FleetHost, width: number, colors: Output['colors']): string[] {
  const { presence, health, folders, queue, failures, failuresTotal } = host;
  const paint = colors[healthColors[presence === 'gone' && health === 'ok' ? 'attention' : health]];
  const synced = folders.reduce((total, one) => total + one.synced, 0);
  const left = queue.pending + queue.inFlight + queue.waiting;
  const parts = [
    presence === 'here' ? host.headline : `${presence} since ${host.lastSeen}`,
    `${numberWords(synced)} delivered`,
    ...(left > 0 ? [`${numberWords(left)} to deliver`] : []),
    ...(failuresTotal > 0 ? [colors.red(`${numberWords(failuresTotal)} failed`)] : []),
    colors.dim(`${countWords(host.used, 'request')} this minute, version ${host.version}`),
  ];
  const more = failuresTotal - Math.min(mostFailures, failures.length);
  return [
    `${paint(host.host.padEnd(width))}  ${parts.join(', ')}`,
    ...(presence === 'here' ? host.reasons : []).map(({ message }) => `  ${message}`),
    ...failures
      .slice(0, mostFailures)
      .map(
        ({ folder, path, code, message }) =>
          `  ${folder}/${path}: ${message} ${colors.dim(explain(code).fix)}`,
      ),
    ...(failures.length > 0 && more > 0 ? [colors.dim(`  and ${numberWords(more)} more`)] : []),
  ];
}
