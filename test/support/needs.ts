import { describe, it } from '@jest/globals';

/**
 * A `describe` for tests that need a tool: without it they are skipped, and the title says what is missing. Under
 * CI, which installs the tools, a missing one is a failure and no skip.
 */
export function describeWhere(missing: string | null, title: string, tests: () => void): void {
  if (missing === null) {
    describe(title, tests);
    return;
  }
  if (process.env['CI'] === 'true') {
    it(`${title}: what it needs is there`, () => {
      throw new Error(`missing: ${missing}`);
    });
    return;
  }
  describe.skip(`${title} (SKIPPED, missing: ${missing})`, tests);
}
