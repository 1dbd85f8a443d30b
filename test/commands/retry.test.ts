import { expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { steps } from '../support/services/scripted-service.ts';

const place = ofEachTest(() => installationWithService());
const fixes = { 'a.b.pdf': 'rename', 'bad.txt': 'Correct the file as', 'c.exe': 'Save the file as another' };

it('retry sends what it can help, and says of the rest what to do and that it goes by itself then', async () => {
  place.service.always(steps.refuse('no such company'));
  for (const name of [...Object.keys(fixes), 'bad.txt.meta.json', 'refused.txt'])
    await place.home.write(`inbox/${name}`, '{');
  const daemon = await place.start();
  await daemon.idle(({ failuresTotal }) => failuresTotal === 3);
  for (const [name, fix] of Object.entries(fixes)) {
    const { code, err } = await place.run('retry', `inbox/${name}`);
    expect([code, err]).toEqual([2, expect.stringMatching(`${fix}[^]*It is sent by itself then`)]);
  }
  const { out } = await place.run('retry');
  expect(out).toMatch(
    /^Retrying 1 document .*\.\nNot retried, .*: Invalid sidecar, More than one dot in the name\. /,
  );
});
