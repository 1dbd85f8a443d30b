import { rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import { activityWords, folderSource, unstatedSource } from '../../../src/model/report/activity-words.ts';
import type { Activity } from '../../../src/model/report/status.ts';
import { busyOf, recordOf } from '../../support/fixtures/model-fixtures.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const stating = (mode: string) => JSON.stringify({ shareInfo: { mode } });
const world = ofEachTest(() => syncedFolder());

const words = () => world.activities.map((activity) => `${activity.what}: ${activityWords(activity) ?? ''}`);
const last = () => world.activities.at(-1)?.sharing;
const share = async (mode: string) => {
  await world.inbox.write('a.txt.meta.json', stating(mode));
  await world.sync();
};

describe('what happened to the sharing mode', () => {
  it('is said of an upload, with the place that states it', async () => {
    await world.inbox.write('a.txt', 'one');
    await share('EVERYONE');
    expect(last()).toEqual({ before: null, after: 'EVERYONE', source: 'a.txt.meta.json' });
    expect(words()).toEqual(['uploaded: sharing EVERYONE (its own sidecar)']);
  });

  it('is said of a modify that changes it, and of no other', async () => {
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    await share('EVERYONE');
    await world.inbox.write('a.txt', 'two, and longer');
    await world.sync();
    await rm(world.inbox.join('a.txt.meta.json'));
    await world.sync();
    expect(words()).toEqual([
      'uploaded: ',
      'modified: sharing DEFAULT → EVERYONE (its own sidecar)',
      'modified: ',
      `modified: sharing EVERYONE → DEFAULT (${unstatedSource})`,
    ]);
  });

  it('is not said of an upload as all of its folder are shared, only kept', async () => {
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    const source = unstatedSource;
    expect(last()).toEqual({ before: null, after: 'DEFAULT', source });
    const uploaded = world.activities.at(-1)!;
    const told = (sharing: Partial<NonNullable<Activity['sharing']>>) =>
      activityWords({
        ...uploaded,
        sharing: { before: null, after: 'EVERYONE', source: folderSource, ...sharing },
      });
    expect(told({})).toBeNull();
    expect(told({ source: '.meta.json' })).toBeNull();
    expect(told({ source: 'q3/.meta.json' })).toBe('sharing EVERYONE (q3/.meta.json)');
    expect(told({ before: 'NONE' })).toBe('sharing NONE → EVERYONE (folder settings)');
    expect(told({ perhaps: ['NONE'] })).toBe('sharing EVERYONE, perhaps NONE in between (folder settings)');
  });

  it('is said of each document of a bulk call', async () => {
    await world.inbox.write('a.txt', 'one');
    await world.inbox.write('b.txt', 'two');
    await world.sync();
    await world.inbox.write('.meta.json', stating('EVERYONE'));
    await world.sync();
    expect(world.service.calls).toEqual(['upload', 'upload', 'bulk modify 2']);
    expect(words().slice(2)).toEqual([
      'modified: sharing DEFAULT → EVERYONE (.meta.json)',
      'modified: sharing DEFAULT → EVERYONE (.meta.json)',
    ]);
  });

  it('is not said of a document that a person has sent again: it was no other in between', async () => {
    await world.inbox.write('a.txt', 'one');
    await share('NONE');
    await world.engine().retry([{ folder: 'inbox', path: 'a.txt' }]);
    await world.sync();
    expect(world.service.calls).toEqual(['upload', 'modify']);
    expect(words()).toEqual(['uploaded: sharing NONE (its own sidecar)', 'modified: ']);
  });

  it('names what it may have been in between, where an answer was lost', async () => {
    await world.inbox.write('a.txt', 'one');
    await share('NONE');
    const lost = busyOf({ message: 'no answer', sent: 'all' });
    world.service.failNext(lost, { taken: true });
    await world.inbox.write('a.txt.meta.json', stating('EVERYONE'));
    await world.rescan();
    await world.until(() => world.service.calls.length === 2);
    await share('NONE');
    expect(last()).toEqual({
      before: 'NONE',
      after: 'NONE',
      perhaps: ['EVERYONE'],
      source: 'a.txt.meta.json',
    });
    expect(words().at(-1)).toBe('modified: sharing NONE, perhaps EVERYONE in between (its own sidecar)');
  });

  it('was not known before where the document was imported', async () => {
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    const record = recordOf({ ...world.ledger().get({ folder: 'inbox', path: 'a.txt' }) });
    const imported = { ...record, metadata: {}, said: ['imported'] };
    await world.ledger().commit([{ kind: 'put', ref: { folder: 'inbox', path: 'a.txt' }, record: imported }]);
    await share('EVERYONE');
    expect(words().at(-1)).toBe('modified: sharing EVERYONE (its own sidecar)');
  });
});
