import { describe, it } from '@jest/globals';

/** A tool's name; or something that the machine does not allow, and that nothing installed can change. */
export type Missing = string | { readonly refused: string };

/**
 * A `describe` for tests that need a tool: without it they are skipped, and the title says what is missing. Under
 * CI, which installs the tools, a missing one is a failure and no skip; what the machine refuses is a skip there too.
 */
export function describeWhere(missing: Missing | null, title: string, tests: () => void): void {
  if (missing === null) {
    describe(title, tests);
    return;
  }
  if (typeof missing === 'object') {
    skip(`${title} (SKIPPED, not allowed here: ${missing.refused})`, tests);
    return;
  }
  if (process.env['CI'] === 'true') {
    it(`${title}: what it needs is there`, () => {
      throw new Error(`missing: ${missing}`);
    });
    return;
  }
  skip(`${title} (SKIPPED, missing: ${missing})`, tests);
}

/** Jest names no skipped test where it runs many files. */
function skip(title: string, tests: () => void): void {
  process.stderr.write(`${title}\n`);
  describe.skip(title, tests);
}
