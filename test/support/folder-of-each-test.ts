import { ofAllTests, ofEachTest } from './of-each-test.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

/** One that is new for each test of the file, or of the `describe`, in which it is called, and removed after it. */
export function folderOfEachTest(): TemporaryFolder {
  return ofEachTest(temporaryFolder);
}

/** One for all tests of the file, or of the `describe`, in which it is called, and removed after the last. */
export function folderOfAllTests(): TemporaryFolder {
  return ofAllTests(temporaryFolder);
}
