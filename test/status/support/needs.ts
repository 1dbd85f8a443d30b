import { it } from '@jest/globals';

/**
 * Runs a suite's tests where a tool is installed. Where it is not, one test stands in for them: under CI it fails,
 * elsewhere it shows as skipped with the tool's name.
 */
export function withTool(tool: string, found: boolean, tests: () => void): void {
  if (found) {
    tests();
    return;
  }
  const missing = process.env['CI'] === undefined ? it.skip : it;
  missing(`needs ${tool}, which is not installed here`, () => {
    throw new Error(`${tool} is not installed`);
  });
}
