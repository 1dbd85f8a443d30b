import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { temporaryFolder } from './temporary-folder.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

/** One that is new for each test of the file, or of the `describe`, in which it is called, and removed after it. */
export function folderOfEachTest(): TemporaryFolder {
  const { fill, empty, folder } = folderOfATime();
  beforeEach(fill);
  afterEach(empty);
  return folder;
}

/** One for all tests of the file, or of the `describe`, in which it is called, and removed after the last. */
export function folderOfAllTests(): TemporaryFolder {
  const { fill, empty, folder } = folderOfATime();
  beforeAll(fill);
  afterAll(empty);
  return folder;
}

function folderOfATime() {
  let now: TemporaryFolder | undefined;
  const current = (): TemporaryFolder => {
    if (now === undefined) throw new Error('there is a folder only while a test runs');
    return now;
  };
  const folder: TemporaryFolder = {
    get path() {
      return current().path;
    },
    write: (name, content) => current().write(name, content),
    join: (...names) => current().join(...names),
    remove: () => current().remove(),
  };
  const fill = async () => {
    now = await temporaryFolder();
  };
  return { folder, fill, empty: () => current().remove() };
}
