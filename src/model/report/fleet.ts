import { countWords } from '../../lib/text/amounts.ts';
import type { DaemonState, Health, Reason } from './status.ts';

/** One folder of a host, in numbers. */
interface FleetFolder {
  readonly name: string;
  readonly state: string;
  readonly onDisk: number;
  readonly synced: number;
  readonly pending: number;
  readonly waiting: number;
  readonly failed: number;
  readonly held: number;
}

/** A problem of one document on one host. */
interface FleetFailure {
  readonly folder: string;
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** What a host tells the others about itself, a few kilobytes. */
export interface HostSummary {
  readonly version: string;
  readonly state: DaemonState;
  readonly health: Health;
  /** The state in one phrase. */
  readonly headline: string;
  readonly reasons: readonly Reason[];
  readonly folders: readonly FleetFolder[];
  readonly queue: { readonly pending: number; readonly inFlight: number; readonly waiting: number };
  /** The first of them. */
  readonly failures: readonly FleetFailure[];
  readonly failuresTotal: number;
}

/** `gone`: nothing was heard of it for a while. `stopped`: it said that it stops. */
export type Presence = 'here' | 'gone' | 'stopped';

export interface FleetHost extends HostSummary {
  readonly host: string;
  readonly presence: Presence;
  /** ISO 8601, UTC. */
  readonly lastSeen: string;
  /** Its part of the minute: permits that count now. */
  readonly used: number;
}

/** All hosts of an account, those that need a person first. */
export interface FleetStatus {
  /** Of the host that needs a person most; a host that is gone counts as attention. */
  readonly health: Health;
  readonly account: string;
  /** Nothing is sent by any host until `resume --fleet`. */
  readonly paused: boolean;
  readonly rate: { readonly used: number; readonly windowSeconds: number };
  readonly hosts: readonly FleetHost[];
}

/** The fleet in one line. */
export function fleetHeadline({ hosts, paused, health }: FleetStatus): string {
  const here = hosts.filter(({ presence }) => presence === 'here');
  const gone = hosts.filter(({ presence }) => presence === 'gone').length;
  const troubled = here.filter((host) => host.health !== 'ok').length;
  if (hosts.length === 0) return 'No host has reported in the last day';
  return [
    ...(paused ? ['The whole fleet is paused'] : []),
    ...(troubled > 0
      ? [`${countWords(troubled, 'host')} ${troubled === 1 ? 'needs' : 'need'} attention`]
      : []),
    ...(gone > 0 ? [`${countWords(gone, 'host')} ${gone === 1 ? 'is' : 'are'} gone`] : []),
    `${here.length === 0 ? 'No host' : countWords(here.length, 'host')} connected${health === 'ok' ? ', no problems' : ''}`,
  ].join('. ');
}
