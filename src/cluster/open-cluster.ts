import { randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { readIfThere } from '../lib/files/durable-file.ts';
import type { Clock } from '../lib/time/clock.ts';
import { errorCode } from '../model/errors.ts';
import type { SentRequest } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { PermitSource } from '../model/ports/service-port.ts';
import type { Reason } from '../model/report/status.ts';
import type { ClusterSettings, ServiceSettings } from '../model/settings.ts';
import { createPublisher } from './fleet/publisher.ts';
import { pauseOf, readFleet } from './fleet/whole-fleet.ts';
import { claimFolders } from './folders/folder-owners.ts';
import type { FolderOwners } from './folders/folder-owners.ts';
import { createLease } from './lease/lease.ts';
import type { LeaseOptions } from './lease/lease.ts';
import { fleetTimes } from './fleet-times.ts';
import type { FleetTimes } from './fleet-times.ts';
import { createTokenStore } from './token-store.ts';
import { createSharedMinute } from './permits/shared-minute.ts';
import { openLink } from './redis/connection.ts';
import type { FleetAddress } from './redis/connection.ts';

export interface ClusterOptions extends FleetAddress, Pick<LeaseOptions, 'traces'> {
  readonly cluster: ClusterSettings;
  readonly service: Pick<ServiceSettings, 'ingestUrl' | 'requestsPerMinute'>;
  readonly state: { readonly dir: string };
  readonly clock: Clock;
  readonly log: LogPort;
  /** Shorter only in tests. */
  readonly times?: FleetTimes;
}

/** Joins the hosts of an account. Redis need not be there yet. */
export async function openCluster(options: ClusterOptions) {
  const { cluster, clock, log, state, times = fleetTimes } = options;
  const { id, isNew } = await stateId(state.dir);
  // Where the configuration gives no name: `archive-3f9a01c2`.
  const machine = hostname().replaceAll(/[^\w.-]/g, '-');
  const host = cluster.host ?? `${machine}-${id.slice(0, 8)}`;
  let owners: FolderOwners | null = null;
  let notify = () => {};
  const redis = openLink({
    ...options,
    channels: ['wake', `wake:${host}`],
    onMessage: (text) => minute.hear(text),
    onChange: () => {
      lease?.ask();
      owners?.ask();
      onChange();
    },
  });
  const onChange = () => {
    minute.call();
    notify();
  };
  const common = { redis, host, clock, log, times, onChange: () => notify() };
  const tokens = createTokenStore(redis);
  const publisher = createPublisher(common);
  const minute = createSharedMinute({
    ...common,
    limit: options.service.requestsPerMinute,
    // A window without permits begins when it has to, not when a stand-by has taken over. Of a new state directory
    // nothing was sent: it may found the fleet.
    waitsToJoin: !cluster.standBy || isNew,
    mayAsk: () => owners?.isPending() !== true && redis.trouble() === null,
    onReset: () => owners?.ask(),
  });
  const lease = cluster.standBy
    ? createLease({ ...options, ...common, times: times.lease, name: id, isFirst: isNew })
    : null;
  if (lease !== null) await redis.tried;
  log.info({ host, keys: redis.prefix, redis: cluster.redis.words }, 'this host is part of a fleet');

  return {
    host,
    /** What is this host's own in the state directory. */
    directory: cluster.standBy ? join(state.dir, 'hosts', encodeURIComponent(host)) : state.dir,
    /** One token for all hosts. */
    tokens,
    /** The lease of the state directory, as this host has it or asks for it; null: no host stands by. */
    lease,
    /** Claims these folders from now on. To be called when this host may write its ledger, before `permits`. */
    claim: (folders: readonly { readonly name: string; readonly path: string }[]) => {
      owners ??= claimFolders({ ...common, ledger: id, folders, onChange });
      return owners;
    },
    /** Where this host's permits come from; to be called once. `recent`: what it has sent before. */
    permits: (recent: readonly SentRequest[]): PermitSource => {
      minute.join(recent, lease);
      return minute;
    },
    /** Publishes a summary of this host for the others from now on. */
    publish: publisher.begin,
    /** Hosts that speak with Redis, this one included; 0: not known. */
    hosts: () => (redis.connection() === null ? 0 : publisher.hosts()),
    /** All hosts of the account; null: Redis is away or does not answer. */
    fleet: () => readFleet(redis).catch(() => null),
    /** Calls when what a person sees of the fleet has changed. */
    listen: (listener: () => void) => {
      notify = listener;
    },
    /** What keeps Redis from answering this host, or from taking what it says; null: nothing. */
    trouble: redis.trouble,
    /** What the others and Redis keep this host from. */
    reasons: (): readonly Reason[] => {
      const trouble = redis.trouble();
      const pause = pauseOf(minute.halted());
      const opening = pause === null && trouble === null ? minute.opening() : null;
      const isTaken = publisher.isNameTaken() && trouble?.code !== 'redis-unavailable';
      const nameTaken = {
        code: 'host-name-taken',
        message: `another running ingestd of this account is named ${host} too (cluster.host)`,
      };
      const reasons = [pause, trouble, opening, isTaken ? nameTaken : null];
      return reasons.filter((reason) => reason !== null);
    },
    /** Publishes that this host stops. */
    close: async () => {
      await publisher.end();
      await minute.leave();
      await lease?.release();
      owners?.close();
      redis.close();
    },
  };
}

/** What a state directory is known by, wherever it is mounted: the random id in its file `id`. `isNew`: just made. */
async function stateId(dir: string): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const path = join(dir, 'id');
  let isNew = false;
  if ((await readStateId(dir)) === null) {
    const fresh = randomBytes(16).toString('hex');
    const temporary = `${path}.${fresh}`;
    try {
      // Whole from the beginning: another host may begin in this directory at the same moment.
      await writeFile(temporary, `${fresh}\n`, { mode: 0o600, flush: true });
      await link(temporary, path);
      isNew = true;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }
  const id = await readStateId(dir);
  if (id !== null) return { id, isNew };
  throw new Error(
    `${path} does not contain a valid id; stop every ingestd that uses the directory and remove the file: a new one is created`,
  );
}

/** What a state directory is known by; null: it has nothing yet, or nothing that is valid. */
export async function readStateId(dir: string): Promise<string | null> {
  const id = (await readIfThere(join(dir, 'id')))?.trim() ?? '';
  return /^[0-9a-f]{32}$/.test(id) ? id : null;
}
