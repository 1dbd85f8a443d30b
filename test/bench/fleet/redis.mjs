import { spawn, spawnSync } from 'node:child_process';
import { createConnection, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export function isThere() {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Debian's Redis on a free port, without a disk. */
export async function startRedis() {
  const port = await freePort();
  let child;
  const command = (...words) =>
    spawnSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' }).stdout.trim();
  const start = async () => {
    const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
    child = spawn('redis-server', words, { stdio: 'ignore' });
    while (command('PING') !== 'PONG') await delay(20);
  };
  const kill = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  const info = (section, form) => Number(form.exec(command('INFO', section))?.[1] ?? 0);
  return {
    port,
    command,
    /** Scripts that were called: each is one way there and back. */
    calls: () => info('commandstats', /cmdstat_evalsha:calls=(\d+)/),
    /** How long such a script takes, ms, on average. */
    callMs: () => info('commandstats', /cmdstat_evalsha:.*?usec_per_call=([\d.]+)/) / 1000,
    /** Commands with those inside of scripts. */
    commands: () => info('stats', /total_commands_processed:(\d+)/),
    memory: () => info('memory', /used_memory:(\d+)/),
    start,
    kill,
    /** What clients send for so long, without what scripts do, by command. */
    watch: async (ms) => {
      const monitor = spawn('redis-cli', ['-p', String(port), 'MONITOR'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let text = '';
      monitor.stdout.on('data', (chunk) => (text += String(chunk)));
      await delay(ms);
      monitor.kill();
      return text
        .split('\n')
        .flatMap((line) => /^\d+\.\d+ \[\d+ (?!lua)\S+\] "(\w+)"/.exec(line)?.[1].toLowerCase() ?? []);
    },
  };
}

/** A way to a port of this machine that can be cut: what is on it then goes nowhere. */
export async function cableTo(port) {
  const pairs = new Set();
  let isCut = false;
  const server = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    const pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]]) {
      from.on('data', (chunk) => isCut || to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        if (!isCut) to.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reset = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  return {
    port: server.address().port,
    cut: () => (isCut = true),
    join: () => {
      isCut = false;
      reset();
    },
    close: () => {
      reset();
      server.close();
    },
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
