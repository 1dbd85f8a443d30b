import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import { program as builtProgram } from './program.ts';

/** What a command line did. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** On top of PATH and HOME=cwd only, so that nothing of the machine gets in; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Runs as this user and group; default: as the tests do. */
  readonly uid?: number;
  /** A copy, for a user who cannot read the built one. */
  readonly program?: string;
}

/** Starts the built program as a process of its own. */
export function startIngestd(
  args: readonly string[],
  { cwd, env = {}, uid, program = builtProgram }: RunOptions,
): ChildProcess {
  const surroundings = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env };
  return spawn(process.execPath, [program, ...args], {
    cwd,
    env: surroundings,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
}

/** Runs the built program to its end. */
export function ingestd(args: readonly string[], options: RunOptions): Promise<Ran> {
  const child = startIngestd(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
