import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { startIngestd } from '../../support/ingestd.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { call } from './call.ts';

/** What was measured while a daemon's HTTP address was attacked. */
export interface UnderAttack {
  /** How much more memory the daemon took at most than before. */
  readonly extraBytes: number;
  /** The longest that a well-behaved client waited for the page. */
  readonly slowestMs: number;
  /** How often the page was asked for. */
  readonly pages: number;
}

/**
 * Starts a daemon with nothing to do, holds `connections` open that send their headers byte by byte or read no events,
 * pipelines `requests` that nobody reads, and asks for the page meanwhile as a browser would.
 */
export async function attack({
  connections,
  requests,
  pages,
}: {
  readonly connections: number;
  readonly requests: number;
  readonly pages: number;
}): Promise<UnderAttack> {
  const folder = await temporaryFolder();
  const sockets: Socket[] = [];
  await folder.write(
    'ingestd.yaml',
    'service:\n  mode: embedded\nfolders:\n  - name: inbox\n    path: ./inbox\nstate:\n  dir: ./state\nhttp:\n  port: 0\n',
  );
  const daemon = startIngestd(['run', '--config', 'ingestd.yaml'], { cwd: folder.path });
  daemon.stdout?.resume();
  daemon.stderr?.resume();
  try {
    const port = await eventually(async () => {
      const text = await readFile(folder.join('state', 'daemon.json'), 'utf8').catch(() => null);
      return text === null ? null : Number(new URL((JSON.parse(text) as { http: string }).http).port);
    });
    const host = `127.0.0.1:${port}`;
    const page = () => call({ to: port, path: '/', headers: { host } });
    // What is loaded with the first answers is no cost of the attack.
    for (let index = 0; index < 20; index += 1) {
      await page();
      await call({ to: port, path: '/api/status', headers: { host } });
    }
    await delay(500);
    const idle = await residentBytes(daemon.pid ?? 0);
    let most = idle;

    const open = (text: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(text);
      socket.pause();
      sockets.push(socket);
    };
    for (let index = 0; index < connections; index += 1) {
      open(
        index % 2 === 0
          ? `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `
          : `GET /api/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      );
    }
    const paths = ['/api/status', '/', '/metrics', '/api/history', '/assets/page.js'];
    for (const path of paths.slice(0, 4)) {
      open(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(Math.ceil(requests / 4)));
    }

    let slowestMs = 0;
    for (let index = 0; index < pages; index += 1) {
      const began = performance.now();
      const { status } = await eventually(async () => {
        const answer = await page().catch(() => null);
        // All places were taken for a moment: a browser asks again.
        return answer === null || answer.status === 503 ? null : answer;
      });
      if (status !== 200) throw new Error(`the page was answered with ${status}`);
      slowestMs = Math.max(slowestMs, performance.now() - began);
      most = Math.max(most, await residentBytes(daemon.pid ?? 0));
      await delay(100);
    }
    return { extraBytes: most - idle, slowestMs, pages };
  } finally {
    for (const socket of sockets) socket.destroy();
    daemon.kill('SIGKILL');
    await folder.remove();
  }
}

async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}
