import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { isStateFree } from '../ledger/lock-state-directory.ts';
import { asItsUser } from '../lib/process/user-name.ts';
import { orNull } from '../lib/or-null.ts';
import { countWords } from '../lib/text/amounts.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  IngestdError,
  errorCode,
  errorMessage,
  exitCodes,
} from '../model/errors.ts';
import { decisionSchemas, decisionsThrough } from '../model/ports/control-port.ts';
import type { Answer, DecisionName, Given } from '../model/ports/control-port.ts';
import { whySchema } from '../model/report/command-reports.ts';
import { statusSchema } from '../model/report/status.ts';
import type { Settings } from '../model/settings.ts';

/** The running daemon, reached through its socket. Every call throws IngestdError with the daemon's words. */
export type DaemonClient = ReturnType<typeof clientOf>;

const CONNECT_MS = 2000;
/** A daemon that reads a large ledger has none of its addresses yet. */
const STARTING_MS = 5000;
/** With the time to connect, `status` ends within ten seconds: monitoring does not wait longer. */
const STATUS_MS = 7000;
const PROBE_MS = 5000;
/** Of one that answers the probe: it may have to wait for a disk, or for the service. */
const ANSWER_MS = 60_000;

const addressSchema = z.object({
  pid: z.int(),
  socket: z.string().min(1),
  /** Address of the page; null: off. */
  http: z.string().nullable(),
  /** The configuration file that it reads, absolute; null: it does not say. */
  configuration: z.string().nullable().default(null),
  /** Of what the configuration said when the daemon read it. */
  digest: z.string().nullable().default(null),
});
type Address = z.output<typeof addressSchema>;

/** Of every answer that is not a success. */
export const errorSchema = z.object({ code: z.string().optional(), message: z.string() });

/**
 * Finds this host's daemon with that state directory; of several hosts on this machine, the one that reads
 * `configuration`. Null: none runs. What a crash left behind counts as none.
 * Throws IngestdError where one may run and this user may not connect to it.
 */
export async function connectDaemon(stateDir: string, configuration?: string): Promise<DaemonClient | null> {
  const own = await findAnswering([join(stateDir, 'daemon.json')]);
  const found = own.length > 0 ? own : await findAnswering(await hostFiles(stateDir));
  const address = found.find((one) => one.configuration === configuration) ?? found[0];
  return address === undefined ? null : clientOf(address);
}

/**
 * The same, for what is to be decided: where a process holds the state directory and cannot be reached, it may be a daemon
 * that starts, and is waited for; not in a fleet, where another host may hold it.
 */
export async function awaitDaemon({ state, file, cluster }: Settings): Promise<DaemonClient | null> {
  const until = performance.now() + (cluster === null ? STARTING_MS : 0);
  for (;;) {
    const daemon = await connectDaemon(state.dir, file);
    if (daemon !== null || performance.now() > until || (await isStateFree(state.dir))) return daemon;
    await delay(50);
  }
}

/** The daemons of hosts that share the state directory. Those on other machines do not answer here. */
async function hostFiles(stateDir: string): Promise<readonly string[]> {
  const hosts = join(stateDir, 'hosts');
  const names = await readdir(hosts).catch(() => []);
  return names.map((name) => join(hosts, name, 'daemon.json'));
}

async function findAnswering(files: readonly string[]): Promise<readonly Address[]> {
  const addresses = await Promise.all(files.map(readAddress));
  const there = addresses.filter((address) => address !== null);
  const answering = await Promise.all(there.map(({ socket }) => answers(socket)));
  return there.filter((_, index) => answering[index]);
}

function clientOf({ socket, pid, http, configuration, digest }: Address) {
  const probe = () => call('GET', '/healthz', PROBE_MS);
  // One that hangs would carry out a decision when it goes on, long after it was given up.
  const ask = async (method: Method, path: string, body?: object) => {
    await probe();
    return json(await call(method, path, ANSWER_MS, body));
  };
  const post = async <Name extends DecisionName>(name: Name, given: Given<Name>) =>
    decisionSchemas[name].answer.parse(await ask('POST', `/api/${name}`, given)) as Answer<Name>;
  const rawStatus = async () => json(await call('GET', '/api/status', STATUS_MS));
  return {
    ...decisionsThrough(post),
    pid,
    http,
    configuration,
    digest,
    /** The status as the daemon sends it: another version may send more. */
    rawStatus,
    status: async () => statusSchema.parse(await rawStatus()),
    why: async (path: string) =>
      whySchema.parse(await ask('GET', `/api/why?path=${encodeURIComponent(path)}`)),
    revoke: async (options: { readonly all: boolean }) => {
      await ask('POST', '/api/revoke', options);
    },
    healthy: async () => (await probe()).status === 200,
  };

  async function call(method: Method, path: string, withinMs: number, body?: object): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(withinMs);
    try {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const outgoing = request({ socketPath: socket, path, method, headers, agent: false, signal });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, text: await textOf(response) };
    } catch (cause) {
      const why = signal.aborted
        ? `nothing came within ${countWords(withinMs / 1000, 'second')}; it hangs or is suspended: see its log, or restart it`
        : errorMessage(cause);
      const message = `the daemon does not answer: ${why}`;
      throw new IngestdError('daemon-silent', exitCodes.unforeseen, message, { cause });
    }
  }
}

type Method = 'GET' | 'POST';

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

async function readAddress(file: string): Promise<Address | null> {
  try {
    return addressSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throwIfForbidden(file, error);
    return null;
  }
}

async function answers(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return true;
  } catch (error) {
    throwIfForbidden(socketPath, error);
    return false;
  } finally {
    socket.destroy();
  }
}

function json({ status, text }: HttpAnswer): unknown {
  const value = orNull<unknown>(() => JSON.parse(text));
  if (status >= 200 && status < 300) return value;
  const body = errorSchema.safeParse(value);
  const { code, message } = body.success ? body.data : { code: undefined, message: `status ${status}` };
  if (code === 'credentials-refused') throw new CredentialsRefusedError(message);
  if (status >= 400 && status < 500) throw new ConfigurationError(message);
  throw new IngestdError(code ?? 'daemon', exitCodes.unforeseen, message);
}

function throwIfForbidden(file: string, cause: unknown): void {
  const code = errorCode(cause);
  if (code !== 'EACCES' && code !== 'EPERM') return;
  const message = `${file} is not accessible to this user; ${asItsUser(file)}`;
  throw new IngestdError('daemon-forbidden', exitCodes.usage, message, { cause });
}
