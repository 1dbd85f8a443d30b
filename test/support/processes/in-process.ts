import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../../src/cli/run-cli.ts';
import { createTurns } from '../../../src/lib/queue/turns.ts';
import type { Ran, RunOptions } from './ingestd.ts';

type Options = Pick<RunOptions, 'cwd' | 'env' | 'input'>;

/** jest cannot load the modules of two commands at once. */
const inTurn = createTurns();

/** Runs a command line to its end in this process, as `ingestd` does in one of its own; one after the other. */
export function inProcess(args: readonly string[], options: Options): Promise<Ran> {
  return inTurn(() => runHere(args, options));
}

async function runHere(args: readonly string[], { cwd, env = {}, input = '' }: Options): Promise<Ran> {
  const stdout = new PassThrough();
  const read = text(stdout);
  let stderr = '';
  const code = await runCli({
    args,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    cwd,
    stdin: Readable.from([input]),
    stdout,
    stderr: new PassThrough(),
    writeError: (words) => (stderr += words),
  });
  stdout.end();
  return { code, stdout: await read, stderr };
}
