import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import { inProcess } from '../support/processes/in-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const configure = (at: string, rules: Readonly<Record<string, unknown>>) =>
  folder.write(
    `${at}/ingestd.yaml`,
    stringify({
      service: { mode: 'embedded' },
      folders: [{ name: 'inbox', path: './inbox', ...rules }],
      state: { dir: './state' },
      timing: { settleMs: 0, removeGraceMs: 0, stopSeconds: 1 },
      http: { port: false },
    }),
  );

const run = (at: string, ...args: string[]) =>
  inProcess([...args, '--config', folder.join(at, 'ingestd.yaml')], { cwd: folder.path });

it.each([
  [['!*.tmp'], /folders\[0\]\.include: .*the patterns include nothing/],
  [['**/a/**/b/**/c.pdf'], /folders\[0\]\.include\[0\]: .*more than 2 "\*\*"/],
  [[''], /folders\[0\]\.include\[0\]/],
])('patterns %j are refused', async (include, message) => {
  await configure('.', { include });
  expect(await run('.', 'check')).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});
