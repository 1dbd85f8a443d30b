import { cp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { ofAllTests } from '../../support/of-each-test.ts';

const place = ofAllTests(() => installationWithService());
let state: string;
let good: string;
let sent: number;

beforeAll(async () => {
  state = place.home.join('state');
  good = place.home.join('good');
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(place.inbox, name), name);
  const { code } = await place.run('sync');
  expect(code).toBe(0);
  await rename(state, good);
  sent = place.service.requests.length;
});

beforeEach(async () => {
  await rm(state, { recursive: true, force: true });
  await cp(good, state, { recursive: true });
});

async function journal(): Promise<string> {
  const names = (await readdir(state)).filter((name) => name.startsWith('ledger.journal.'));
  return join(state, names.sort().at(-1) ?? '');
}

/** Neither snapshot nor the one before it. */
async function setSnapshot(content: string | null): Promise<void> {
  await rm(join(state, 'ledger.previous.json'), { force: true });
  if (content === null) await rm(join(state, 'ledger.json'));
  else await writeFile(join(state, 'ledger.json'), content);
}

async function newerVersion(): Promise<string> {
  return (await readFile(join(state, 'ledger.json'), 'utf8')).replace(/"version":\d+/, '"version":99');
}

describe('a ledger that cannot be read without guessing', () => {
  it.each([
    ['P6', 'NUL bytes', ['run', 'plan', 'ledger verify', 'ledger export'], () => '\0'.repeat(300)],
    ['P6', 'other JSON', ['sync', 'status'], () => '[]'],
    ['P7', 'nothing any more', ['sync', 'ledger verify'], () => null],
    ['P8', 'a newer version', ['run', 'ledger verify'], newerVersion],
  ])(
    '%s: (%s) is exit code 1 of %j, names the file and the way out, and sends nothing',
    async (_row, _name, commands, content) => {
      await setSnapshot(await content());
      const before = await readdir(state);
      const ends = await Promise.all(commands.map((command) => place.run(...command.split(' '))));
      for (const { code, out, err } of ends) {
        expect([code, `${out}${err}`]).toEqual([1, expect.stringContaining('ledger.json')]);
        expect(`${out}${err}`).toMatch(/from a backup.*ingestd ledger import|Use the newer ingestd/);
      }
      expect(place.service.requests).toHaveLength(sent);
      expect((await readdir(state)).sort()).toEqual(before.sort());
    },
  );
});

describe('P12: a power loss', () => {
  it('that cut the journal costs what was not acknowledged and nothing else', async () => {
    const file = await journal();
    const whole = await readFile(file);
    const lines = whole.toString('latin1').split('\n');
    const lastGroup = (lines.at(-2) ?? '').length + 1;
    for (const cut of [1, Math.floor(lastGroup / 2), lastGroup - 1]) {
      await writeFile(file, whole.subarray(0, whole.length - cut));
      const verified = await place.run('ledger', 'verify');
      expect([verified.code, verified.out]).toEqual([
        0,
        expect.stringMatching(/; an incomplete entry of [\d,]+ bytes? at the end is ignored/),
      ]);
    }
    const { code, err } = await place.run('sync');
    expect([code, err]).toEqual([0, expect.stringContaining('ended with an incomplete entry')]);
    const { out } = await place.run('ledger', 'export', '--json');
    const { documents } = JSON.parse(out) as { documents: { path: string; possibleDuplicates: number }[] };
    expect(documents.map(({ path }) => path).sort()).toEqual(['a.txt', 'b.txt', 'c.txt']);
    const reported = documents.reduce((sum, { possibleDuplicates }) => sum + possibleDuplicates, 0);
    expect(place.service.requests.length - sent).toBeLessThanOrEqual(reported);
  });
});
