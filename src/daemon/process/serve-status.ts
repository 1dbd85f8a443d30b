import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { version } from '../../config/package-files.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { systemClock } from '../../lib/time/clock.ts';
import type { Log } from '../../log/create-log.ts';
import type { Daemon } from '../assemble-daemon.ts';
import type { Place } from './join-cluster.ts';
import type { Reloaded } from './obey-signals.ts';

export type Served = Pick<Daemon, 'control' | 'metrics' | 'deliveries' | 'fleet'> &
  Partial<Pick<Daemon, 'readLog'>> & { readonly place: Place | null };

export interface ServedDaemon {
  /** Of the page; null: it has none. */
  readonly url: string | null;
  readonly close: () => Promise<void>;
}

/** Opens the HTTP address and the socket for the command line; the log and daemon.json say where they are. */
export async function serveStatus(
  daemon: Served,
  { settings, httpToken }: Reloaded,
  { log, usualPort }: { readonly log: Log; readonly usualPort: number | undefined },
): Promise<ServedDaemon> {
  const { maxSocketPathBytes, startStatusServer } =
    await import('../../status/server/start-status-server.ts');
  // Loading it has held the event loop long enough.
  await nextTurn();
  const dir = daemon.place?.cluster.directory ?? settings.state.dir;
  await makeDirectory(dir, 0o700);
  const near = join(dir, 'daemon.sock');
  const far = Buffer.byteLength(near) > maxSocketPathBytes ? await mkdtemp(join(tmpdir(), 'ingestd-')) : null;
  const socketPath = far === null ? near : join(far, 'daemon.sock');
  const server = await startStatusServer({
    control: daemon.control,
    metrics: daemon.metrics,
    deliveries: daemon.deliveries,
    fleet: daemon.fleet,
    ...(daemon.readLog === undefined ? {} : { readLog: daemon.readLog }),
    http: settings.http,
    usualPort,
    socketPath,
    httpToken,
    log,
    clock: systemClock,
    version: version(),
  });
  const file = join(dir, 'daemon.json');
  // Whoever waits for it never reads half of it.
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  const address = {
    pid: process.pid,
    socket: socketPath,
    http: server.url,
    configuration: settings.file,
  };
  await writeFile(fresh, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  await rename(fresh, file);
  if (server.url !== null) log.info({ url: server.url }, 'status page');
  return {
    url: server.url,
    close: async () => {
      await rm(file, { force: true });
      await server.close();
      if (far !== null) await rm(far, { recursive: true, force: true });
    },
  };
}
