import { spawn, type ChildProcess } from 'node:child_process';

import { excerpt, printableJson } from '../../lib/text/printable.ts';
import { errorMessage } from '../../model/errors.ts';

const usualMs = 30_000;
const longestComplaint = 2_000;
/** Secrets of ingestd, and what a service manager gives to it alone. */
const own = /^(?:INGESTD_.*|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|WATCHDOG_\w+|LISTEN_\w+)$/;

/**
 * Runs a program, without a shell, with a value as JSON on standard input and none of ingestd's own variables in its
 * environment. It, and what it started, is ended after 30 s, or by the signal. Rejects unless it exits with 0.
 */
export async function runNotifyCommand(
  [program = '', ...args]: readonly string[],
  value: unknown,
  {
    cwd,
    signal,
    longestMs = usualMs,
  }: { readonly cwd: string; readonly signal: AbortSignal; readonly longestMs?: number },
): Promise<void> {
  signal.throwIfAborted();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  // A group of its own, so that what it starts ends with it.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  const end = (): void => endGroup(child);
  const timer = setTimeout(end, longestMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      let complaint = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaint = `${complaint}${text}`.slice(0, longestComplaint);
      });
      child.on('error', (error) => reject(new Error(`${program} cannot be run: ${errorMessage(error)}`)));
      // Not `close`: a program that it left behind may hold its standard error.
      child.on('exit', (code, killedBy) => {
        const how = killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`;
        const said = complaint.trim() === '' ? '' : `: ${excerpt(complaint.trim())}`;
        if (code === 0) resolve();
        else reject(new Error(`${program}: ${how}${said}`));
      });
      // One that does not read its input is not wrong for that.
      child.stdin.on('error', () => {});
      child.stdin.end(`${printableJson(JSON.stringify(value))}\n`);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    child.stderr.destroy();
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
