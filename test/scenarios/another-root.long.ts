import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';

import type { CheckFinding } from '../../src/model/report/command-reports.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());

beforeEach(async () => {
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(place.inbox, name), name);
  expect((await place.run('sync')).code).toBe(0);
});

/** Subject and code of what is not merely told. */
async function warnings(): Promise<readonly string[]> {
  const { out } = await place.run('check', '--json');
  const { findings } = JSON.parse(out) as { findings: CheckFinding[] };
  return findings.filter(({ level }) => level !== 'info').map(({ subject, code }) => `${subject} ${code}`);
}

describe('a ledger that knows a folder as another directory', () => {
  it('is told of the deletions that are held for it', async () => {
    await mkdir(place.home.join('second'));
    await writeFile(place.home.join('second/a.txt'), 'other content');
    await place.configure({ folders: [{ name: 'inbox', path: './second' }] });
    expect(await warnings()).toEqual(['inbox held']);
    expect((await place.run('sync')).code).toBe(4);
    expect(await warnings()).toEqual(['inbox held']);
    const { out } = await place.run('check');
    expect(out).toMatch(/inbox: 1 deletion held since 20.*not the same directory.*\n {2}.*ingestd approve/);
    expect(out).toMatch(/\n1 problem found\.\n$/);
  }, 60_000);
});
