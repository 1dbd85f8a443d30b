import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { writeDurably } from '../../lib/files/durable-file.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import { systemClock } from '../../lib/time/clock.ts';
import type { Log } from '../../log/create-log.ts';
import { errorMessage } from '../../model/errors.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import type { PageState } from '../../status/server/open-page.ts';
import type { Daemon } from '../assemble-daemon.ts';
import { announceState } from '../preconditions/whose-state.ts';
import type { Place } from './join-cluster.ts';
import type { Reloaded } from './obey-signals.ts';

export interface Served extends Pick<Daemon, 'metrics' | 'deliveries' | 'readLog' | 'notePage'> {
  readonly control: ControlPort;
  /** Null: this host is alone. */
  readonly place: Place | null;
}

/**
 * Opens the socket for the command line, and the page as soon as its address can be had; log, status and daemon.json
 * say where they are, and `onOpen` is told. Gives what closes them.
 */
export async function serveStatus(
  daemon: Served,
  { settings, digest, httpToken, makesFolders }: Reloaded,
  log: Log,
  usualPort: number | undefined,
  onOpen: (url: string) => void,
): Promise<() => Promise<void>> {
  const { maxSocketPathBytes, startStatusServer } =
    await import('../../status/server/start-status-server.ts');
  // Loading it has held the event loop long enough.
  await nextTurn();
  const dir = daemon.place?.directory ?? settings.state.dir;
  await makeDirectory(dir, 0o700);
  const near = join(dir, 'daemon.sock');
  const far = Buffer.byteLength(near) > maxSocketPathBytes ? await mkdtemp(join(tmpdir(), 'ingestd-')) : null;
  const socketPath = far === null ? near : join(far, 'daemon.sock');
  const file = join(dir, 'daemon.json');
  const inTurn = createTurns();
  let state: PageState | null = null;
  let isServing = false;

  const writeAddress = () =>
    inTurn(() => {
      const http = state?.kind === 'open' ? state.url : null;
      const address = { pid: process.pid, socket: socketPath, http, configuration: settings.file, digest };
      return writeDurably(file, `${JSON.stringify(address)}\n`);
    });

  const onPage = (now: PageState) => {
    const isNews = now.kind === 'open' || state?.kind !== 'unavailable' || state.problem !== now.problem;
    state = now;
    if (!isNews) return;
    if (now.kind === 'unavailable') {
      const message = `${now.problem}. Documents are delivered without the page`;
      daemon.notePage({ code: 'page-unavailable', message });
      log.warn({ problem: now.problem }, 'the status page is unavailable; trying again');
      return;
    }
    daemon.notePage(null);
    onOpen(now.url);
    log.info({ url: now.url, publicUrl: settings.http.publicUrl }, 'status page');
    if (isServing)
      writeAddress().catch((error: unknown) => log.warn({ file, error: errorMessage(error) }, addressUnsaid));
  };

  const close = await startStatusServer({
    ...daemon,
    fleet: daemon.place?.fleet,
    http: settings.http,
    usualPort,
    socketPath,
    httpToken,
    onPage,
    log,
    clock: systemClock,
  });
  isServing = true;
  await writeAddress();
  // Where that cannot be written, they find it as long as the configuration says it.
  const withdraw = makesFolders ? null : await announceState(settings, process.env).catch(() => null);
  return async () => {
    isServing = false;
    await inTurn(() => rm(file, { force: true }));
    await withdraw?.().catch(() => {});
    await close();
    if (far !== null) await rm(far, { recursive: true, force: true });
  };
}

const addressUnsaid = 'daemon.json cannot be written; ingestd status does not name the page';
