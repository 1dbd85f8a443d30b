import { rename } from 'node:fs/promises';
import { expect, it } from '@jest/globals';

import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';

const folder = ofEachTest(() => trialFolder());

it('without a daemon, approve accepts the root as one more that has changed, and the mounts as they are', async () => {
  await folder.write('inbox/0.pdf', 'x');
  const before = await folder.openLedger();
  const identity = { path: folder.join('inbox'), dev: 1, ino: 1, seenAt: 5, changes: 1 };
  await before.commit([
    { kind: 'put', ref: { folder: 'inbox', path: '1.pdf' }, record: recordOf({ docId: 'doc-1' }) },
    { kind: 'hold', folder: 'inbox', hold: { since: 1, reason: '1 document is gone' } },
    { kind: 'root', folder: 'inbox', identity },
    { kind: 'mounts', folder: 'inbox', mounts: ['drive'] },
  ]);
  await before.close();
  await rename(folder.join('inbox'), folder.join('elsewhere'));
  expect(await folder.run('approve', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/the folder "inbox" .* is unavailable .*run ingestd approve inbox/),
  });
  await rename(folder.join('elsewhere'), folder.join('inbox'));
  expect(await folder.run('approve', '--yes')).toMatchObject({
    code: 0,
    stdout: '1 deletion approved, to be sent when ingestd runs.\n',
  });
  const after = await folder.openLedger();
  expect(after.root('inbox')).toMatchObject({ changes: 2 });
  expect([after.root('inbox')?.ino === 1, after.mounts('inbox'), after.hold('inbox')]).toEqual([
    false,
    [],
    undefined,
  ]);
  await after.close();
});
