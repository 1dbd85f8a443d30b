import { chownSync, rmSync, utimesSync, writeFileSync } from 'node:fs';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { FolderSettings } from '../../../src/model/settings.ts';
import { describeWhere } from '../../support/needs.ts';
import { syncedFolder } from '../support/synced-folder.ts';
import type { SyncedFolder } from '../support/synced-folder.ts';

const long = new Date(Date.now() - 86_400_000);
const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301'];
const everyone = '{"shareInfo": {"mode": "EVERYONE"}}';
const nobody = '{"shareInfo": {"mode": "NONE"}}';

let world: SyncedFolder;

async function open(settings: Partial<FolderSettings> = {}): Promise<void> {
  world = await syncedFolder({ settings });
}

afterEach(() => world.close());

const at = (path: string) => world.inbox.join(path);

function put(path: string, content: string): void {
  writeFileSync(at(path), content);
  utimesSync(at(path), long, long);
}

/** The modes of what the service holds. */
const modes = () =>
  [...world.service.documents.values()].map(({ metadata: { shareInfo } }) => shareInfo?.mode ?? null);
const failed = () => [...world.engine().tasks.in('failed')].map(({ ref }) => ref.path);

describe('F19: of two sidecars whose names differ only in how accents are encoded, none counts', () => {
  it.each([
    ['its name', '.pdf.meta.json'],
    ['its stem', '.meta.json'],
  ])('and a document of %s is failed until one of the two is removed', async (_, end) => {
    await open();
    put(`${nfc}.pdf`, 'report');
    put(`${nfc}${end}`, everyone);
    put(`${nfd}${end}`, nobody);
    await world.sync();
    await world.restart();
    await world.sync();
    expect([modes(), failed()]).toEqual([[], [`${nfc}.pdf`]]);
    rmSync(at(`${nfc}${end}`));
    await world.sync();
    expect([modes(), failed()]).toEqual([['NONE'], []]);
  });

  it('and what was sent stays as it is when the second one comes, and its attachment an attachment', async () => {
    await open();
    put('salaries.csv', 'jane,100');
    put(`${nfd}.pdf`, 'report');
    put(`${nfd}.pdf.meta.json`, '{"attachments": ["salaries.csv"], "shareInfo": {"mode": "NONE"}}');
    await world.sync();
    put(`${nfc}.pdf.meta.json`, everyone);
    await world.sync();
    expect(failed()).toEqual([`${nfc}.pdf`]);
    await world.restart();
    await world.sync();
    expect([modes(), failed()]).toEqual([['NONE'], [`${nfc}.pdf`]]);
    rmSync(at(`${nfc}.pdf.meta.json`));
    await world.sync();
    expect([world.service.calls, failed()]).toEqual([['upload'], []]);
  });

  it('and what one of them attaches is an attachment from the beginning', async () => {
    await open();
    put('salaries.csv', 'jane,100');
    put(`${nfc}.pdf`, 'report');
    put(`${nfc}.pdf.meta.json`, '{"attachments": ["salaries.csv"]}');
    put(`${nfd}.pdf.meta.json`, '{"attachments": ["salaries.csv"]}');
    await world.sync();
    expect([modes(), world.port().health().attached]).toEqual([[], 1]);
  });

  describeWhere(process.getuid?.() === 0 ? null : 'root, to be somebody else', 'of another user', () => {
    it('but one of another user does not stand in the way (sidecarOwner: same)', async () => {
      await open({ sidecarOwner: 'same' });
      for (const name of [`${nfc}.pdf`, `${nfc}.pdf.meta.json`, `${nfd}.pdf.meta.json`]) {
        put(name, name.startsWith(nfd) ? everyone : nobody);
        chownSync(at(name), name.startsWith(nfd) ? 1_002 : 1_001, 1_001);
      }
      await world.sync();
      expect(modes()).toEqual(['NONE']);
    });

    it('and one of another user does not take the place of the own one (sidecarOwner: same)', async () => {
      await open({ sidecarOwner: 'same' });
      for (const name of [`${nfc}.pdf`, `${nfc}.pdf.meta.json`, `${nfd}.pdf.meta.json`]) {
        put(name, nobody);
        chownSync(at(name), name === `${nfc}.pdf.meta.json` ? 1_002 : 1_001, 1_001);
      }
      await world.sync();
      expect([modes(), failed()]).toEqual([[], [`${nfc}.pdf`]]);
      rmSync(at(`${nfc}.pdf.meta.json`));
      await world.sync();
      expect([modes(), failed()]).toEqual([['NONE'], []]);
    });
  });
});
