import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../../src/cli/run-cli.ts';
import type { Ran, RunOptions } from './ingestd.ts';

/** Runs a command line to its end in this process, as `ingestd` does in one of its own. */
export async function inProcess(
  args: readonly string[],
  { cwd, env = {}, input = '' }: Pick<RunOptions, 'cwd' | 'env' | 'input'>,
): Promise<Ran> {
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
