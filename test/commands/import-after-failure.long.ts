import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import type { PlanReport } from '../../src/commands/make-plan.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';
import { steps } from '../support/services/scripted-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() =>
  installationWithService({ more: { safety: { inDoubt: 'hold' }, timing: { settleMs: 0 } } }),
);

beforeEach(async () => {
  await writeFile(join(place.inbox, 'a.txt'), 'one');
});

async function importCsv(...rows: readonly string[]): ReturnType<InstallationWithService['run']> {
  await writeFile(place.home.join('list.csv'), ['path,docId', ...rows, ''].join('\n'));
  return place.run('ledger', 'import', place.home.join('list.csv'));
}

async function planned(): Promise<readonly string[]> {
  const { operations } = JSON.parse((await place.run('plan', '--json')).out) as PlanReport;
  return operations.map(({ kind, path }) => `${kind} ${path}`);
}

it('a document that failed before its import has not failed after it', async () => {
  place.service.script(steps.refuse('no room', 422));
  expect((await place.run('sync')).code).toBe(4);
  expect(await planned()).toEqual(['failed a.txt']);
  expect(await importCsv('a.txt,doc-a')).toMatchObject({ code: 0, out: '1 document adopted.\n' });
  expect(await planned()).toEqual(['modify a.txt']);
  expect((await place.run('sync')).code).toBe(0);
});

it('a document in doubt is not imported but resolved: nobody would know of its copies', async () => {
  await writeFile(join(place.inbox, 'b.txt'), 'two');
  place.service.always(steps.empty());
  expect((await place.run('sync')).code).toBe(4);
  await place.home.write('e.json', (await place.run('ledger', 'export')).out);
  place.service.always(steps.accept('doc-a'));
  const refused = await importCsv('a.txt,doc-a');
  expect([refused.code, refused.out]).toEqual([2, '0 documents adopted.\n']);
  expect(refused.err).toContain('list.csv:2: an upload of inbox/a.txt is in doubt');
  expect(refused.err).toContain('ingestd resolve inbox/a.txt --doc-id doc-a');
  expect((await place.run('resolve', 'a.txt', '--doc-id', 'doc-a', '--yes')).code).toBe(0);
  expect(await importCsv('a.txt,doc-a')).toMatchObject({ out: '0 documents adopted, 1 already known.\n' });
  expect(await planned()).toContain('modify a.txt');
  await place.run('ledger', 'import', place.home.join('e.json'));
  expect((await place.run('status')).out).toContain('In doubt (1)');
});
