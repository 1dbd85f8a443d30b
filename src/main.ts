#!/usr/bin/env node
import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

// Node would open its inspector, which runs any code, for whoever can send this signal. Before anything else is loaded.
process.on('SIGUSR1', () => undefined);
// It has no meaning here, and would end the process at once.
process.on('SIGUSR2', () => undefined);

const args = process.argv.slice(2);
// The scanning thread loads beside all that follows. With flags before the command, the command itself begins it.
if ((args[0] ?? 'run') === 'run') (await import('./daemon/prepare-scan.ts')).prepareScan();
// With zod, the largest package of all: together with the rest it would hold the event loop for twice as long.
await import('./model/metadata/metadata.ts');
const { runCli } = await import('./cli/run-cli.ts');
const { env, stdin, stderr } = process;
// Node's own stream for a file ignores a short write: on a disk that is nearly full the rest would be lost. Each line is
// written at once, as on standard error, so that both stand in order where they go to one file.
const file = new Writable({
  write: (bytes: Buffer, _, done) => {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
      done();
    } catch (error) {
      done(error as Error);
    }
  },
});
const stdout = fstatSync(1).isFile() ? file : process.stdout;
const code = await runCli({ args, env, cwd: process.cwd(), stdin, stdout, stderr });
// Nothing that a command left behind (a socket that lingers, a timer) may keep the process.
process.exit(code);
