import { spawnSync } from 'node:child_process';

export interface PromtoolResult {
  readonly status: number | null;
  readonly output: string;
}

/** Whether Debian's package prometheus is installed here. */
export const promtoolFound = spawnSync('promtool', ['--version']).status === 0;

export function promtool(args: readonly string[], input = ''): PromtoolResult {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
