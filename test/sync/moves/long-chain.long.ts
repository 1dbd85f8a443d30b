import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { adoptDocuments } from '../../support/processes/adopt-documents.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const place = ofEachTest(() =>
  installationWithService({
    more: { folders: [{ name: 'inbox', path: './inbox', title: 'none', createdTimestamp: 'none' }] },
  }),
);

it('I13: a shift of 1,200 names while stopped keeps all docIds, without a request', async () => {
  const numbers = Array.from({ length: 1_200 }, (_, index) => index);
  const paths = numbers.map((number) => `${number}.txt`);
  for (const path of paths) await writeFile(join(place.inbox, path), path);
  await adoptDocuments(place, paths);
  // The ledger learns which files they are.
  expect(await place.run('sync')).toMatchObject({ code: 0 });
  expect(place.service.requests).toEqual([]);

  for (const number of numbers.toReversed())
    await rename(join(place.inbox, `${number}.txt`), join(place.inbox, `${number + 1}.txt`));
  expect(await place.run('sync')).toMatchObject({ code: 0 });
  expect(place.service.requests).toEqual([]);
  const exported = JSON.parse((await place.run('ledger', 'export', '--json')).out) as {
    documents: { path: string; docId: string }[];
  };
  const docIds = Object.fromEntries(exported.documents.map(({ path, docId }) => [path, docId]));
  expect(docIds).toEqual(Object.fromEntries(numbers.map((number) => [`${number + 1}.txt`, `doc-${number}`])));
  // A minute and a half of it is the second pass, where several others use the machine.
}, 300_000);
