import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Status } from '../../../src/model/report/status.ts';
import { eventually } from '../../support/eventually.ts';
import { startIngestd } from '../../support/processes/ingestd.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { call } from './call.ts';

/** What was measured while an address of a daemon was attacked. */
export interface UnderAttack {
  /** How much more memory the daemon took at most than before, while it delivered as much. */
  readonly extraBytes: number;
  /**
   * The longest that a well-behaved client waited for the page of the address, before the attack and during it, less the
   * time for which that client was held itself: a pause of the machine is nobody's attack.
   */
  readonly slowestMs: { readonly before: number; readonly during: number };
  /** Documents a second, before the attack and during it. */
  readonly rates: { readonly before: number; readonly during: number };
  /** Documents that were not delivered once, and cleanly. */
  readonly harmed: number;
}

interface Attack {
  /** Whose address: the status page's, or that of the embedded service to which the daemon delivers. */
  readonly target: 'status' | 'embedded';
  /** Held open: half of them send their headers byte by byte, the others read nothing of their answers. */
  readonly connections: number;
  /** Pipelined, and their answers not read. */
  readonly requests: number;
  /** To be delivered before the attack, and as many during it. */
  readonly documents: number;
}

/** So many that the process is measured, not the limit. */
const requestsPerMinute = 60_000;

const configuration = `
service: { mode: embedded, requestsPerMinute: ${requestsPerMinute} }
folders: [{ name: inbox, path: ./inbox }]
state: { dir: ./state }
http: { port: 0 }
timing: { settleMs: 100 }
`;

/**
 * Starts a daemon, lets it deliver, and does it once more while hostile clients hold its address. Throws where no
 * document is delivered for a minute, however long all of them take, or somebody who asks for the page of the address
 * gets none within twenty seconds.
 */
export async function attack({ target, connections, requests, documents }: Attack): Promise<UnderAttack> {
  const folder = await temporaryFolder();
  const sockets: Socket[] = [];
  await folder.write('ingestd.yaml', configuration);
  await folder.write('inbox/.keep', '');
  const daemon = startIngestd(['run', '--config', 'ingestd.yaml'], { cwd: folder.path });
  daemon.stdout?.resume();
  daemon.stderr?.resume();
  try {
    const started = async () => {
      const text = await readFile(folder.join('state', 'daemon.json'), 'utf8').catch(() => null);
      return text === null ? null : (JSON.parse(text) as { http: string; socket: string });
    };
    // On a busy machine the start takes its time: it is not what is judged here.
    const { http, socket } = await eventually(started, { withinMs: 120_000 });
    // The command line's way in, which no hostile client has.
    const status = async () => (await call({ to: socket, path: '/api/status' })).json() as Status;
    const port = portOf(target === 'status' ? http : (await status()).service);
    const host = `127.0.0.1:${port}`;
    const page = () => call({ to: port, path: '/', headers: { host } });
    const resident = () => residentBytes(daemon.pid ?? 0);

    let written = 0;
    const deliver = async (): Promise<number> => {
      const wanted = written + documents;
      for (; written < wanted; written += 1) await folder.write(`inbox/${written}.txt`, `${written}`);
      const uploaded = async () => (await status()).totals.uploaded;
      const first = await uploaded();
      const began = performance.now();
      for (let last = first; last < wanted; last = await uploaded())
        await eventually(async () => (await uploaded()) > last, { withinMs: 60_000 });
      return ((wanted - first) * 1000) / (performance.now() - began);
    };

    /** Asks for the page all the while, as people do. */
    const measure = async () => {
      const meanwhile = { isDelivering: true };
      const delivered = deliver().finally(() => {
        meanwhile.isDelivering = false;
      });
      const held = monitorEventLoopDelay({ resolution: 10 });
      held.enable();
      let slowestMs = 0;
      let most = 0;
      for (let pages = 0; meanwhile.isDelivering || pages < 20; pages += 1) {
        held.reset();
        const began = performance.now();
        const { status: code } = await eventually(async () => {
          const answer = await page().catch(() => null);
          // All places were taken for a moment: a browser asks again.
          return answer === null || answer.status === 503 ? null : answer;
        });
        if (code !== 200) throw new Error(`the page was answered with ${code}`);
        slowestMs = Math.max(slowestMs, performance.now() - began - held.max / 1e6);
        most = Math.max(most, await resident());
        await delay(100);
      }
      held.disable();
      return { rate: await delivered, slowestMs, most };
    };

    // What is loaded with the first answers is no cost of the attack.
    for (let index = 0; index < 20; index += 1) await page();
    const before = await measure();
    const open = (text: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(text);
      socket.pause();
      sockets.push(socket);
    };
    const unread = target === 'status' ? '/api/events' : '/';
    for (let index = 0; index < connections; index += 1) {
      open(
        index % 2 === 0
          ? `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `
          : `GET ${unread} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      );
    }
    const paths = {
      status: ['/api/status', '/', '/metrics', '/api/history'],
      embedded: ['/', '/documents/unknown/0', '/services/i/ingestion-api/v1/nothing'],
    }[target];
    for (const path of paths)
      open(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(Math.ceil(requests / paths.length)));

    const during = await measure();
    const { failuresTotal, possibleDuplicates, totals } = await status();
    const harmed = failuresTotal + possibleDuplicates + Math.abs(totals.uploaded - written);
    return {
      extraBytes: during.most - before.most,
      slowestMs: { before: before.slowestMs, during: during.slowestMs },
      rates: { before: before.rate, during: during.rate },
      harmed,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    daemon.kill('SIGKILL');
    await folder.remove();
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}
