import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { systemClock } from '../../src/lib/time/clock.ts';
import { startTrial } from '../embedded/support/trial.ts';
import { installation } from '../support/processes/daemon-process.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const fixtures = ['../../fixtures/documents/', '../fixtures/documents/'].map(
  (path) => new URL(path, import.meta.url).pathname,
);

const trial = ofEachTest(() => startTrial({ clock: systemClock, requestsPerMinute: 50, windowMs: 1_000 }));
const place = ofEachTest(() =>
  installation({ ...trial.service, more: { service: { requestsPerMinute: 2_000 } } }),
);

/** What goes to the ingestion endpoints. */
function requests(): number {
  return trial.service.requestLog().filter(({ operation }) => !['auth', 'revoke'].includes(operation)).length;
}

describe('the main job', () => {
  it('brings a real file of every supported type into the service, byte for byte, with its metadata', async () => {
    for (const directory of fixtures) await cp(directory, place.inbox, { recursive: true });
    await writeFile(
      join(place.inbox, 'note.pdf.meta.json'),
      JSON.stringify({
        title: 'A note',
        shareInfo: { mode: 'NONE' },
        customTags: [{ name: 'trial', visibility: 'PUBLIC' }],
      }),
    );
    const done = await place.run('sync', '--json');
    expect([done.code, done.err]).toEqual([0, expect.anything()]);
    const stored = trial.service.documents();
    const listed = await Promise.all(fixtures.map((directory) => readdir(directory)));
    const names = listed
      .flat()
      .map((name) => name.normalize('NFC'))
      .sort();
    expect(stored.map(({ fileName }) => fileName).sort()).toEqual(names);
    for (const { docId, fileName } of stored) {
      const there = await readFile(trial.service.contentPath(docId) ?? '');
      expect(there.equals(await readFile(join(place.inbox, fileName)))).toBe(true);
    }
    const note = stored.find(({ fileName }) => fileName === 'note.pdf');
    expect(note?.metadata).toMatchObject({ title: 'A note', shareInfo: { mode: 'NONE' } });
    expect(new Set(names.map((name) => name.slice(name.lastIndexOf('.') + 1))).size).toBe(18);
  });

  it('follows a folder while it runs: new, edited, renamed, removed, metadata, attachments', async () => {
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'report.pdf'), 'one');
    await writeFile(join(place.inbox, 'old.txt'), 'old');
    await daemon.idle(({ totals }) => totals.uploaded === 2);
    const docId = trial.service.documents().find(({ fileName }) => fileName === 'report.pdf')?.docId;

    await writeFile(join(place.inbox, 'report.pdf'), 'two');
    await daemon.idle(({ totals }) => totals.modified === 1);
    await mkdir(join(place.inbox, 'report.pdf.attachments'));
    await writeFile(join(place.inbox, 'report.pdf.attachments', 'data.csv'), 'a,b');
    await daemon.idle(({ totals }) => totals.modified === 2);
    await writeFile(
      join(place.inbox, 'report.pdf.meta.json'),
      '{"title":"The report","shareInfo":{"mode":"EVERYONE"}}',
    );
    await daemon.idle(({ totals }) => totals.modified === 3);
    await rm(join(place.inbox, 'old.txt'));
    await daemon.idle(({ totals }) => totals.deleted === 1);

    const before = requests();
    await mkdir(join(place.inbox, 'archive'));
    for (const name of ['report.pdf', 'report.pdf.attachments', 'report.pdf.meta.json']) {
      await rename(join(place.inbox, name), join(place.inbox, 'archive', name));
    }
    await daemon.settled((status) =>
      expect(status).toMatchObject({
        totals: { moved: 1 },
        folders: [{ onDisk: 1, synced: 1, failed: 0, held: 0 }],
      }),
    );
    expect(requests()).toBe(before);

    const [document, ...others] = trial.service.documents();
    expect(others).toEqual([]);
    expect(document).toMatchObject({
      docId,
      metadata: { title: 'The report', shareInfo: { mode: 'EVERYONE' } },
    });
    expect(document?.attachments.map(({ name }) => name)).toEqual(['data.csv']);
    expect(await readFile(trial.service.contentPath(docId ?? '') ?? '', 'utf8')).toBe('two');
    const { code } = await daemon.end('SIGTERM');
    expect(code).toBe(0);
  });

  it('finds what changed while it was off, and sends nothing for what did not', async () => {
    for (let index = 0; index < 30; index += 1)
      await writeFile(join(place.inbox, `${index}.txt`), `text ${index}`);
    expect((await place.run('sync')).code).toBe(0);
    const before = requests();
    expect((await place.run('sync')).code).toBe(0);
    expect(requests()).toBe(before);
    await writeFile(join(place.inbox, '7.txt'), 'other');
    await rename(join(place.inbox, '8.txt'), join(place.inbox, 'eight.txt'));
    await rm(join(place.inbox, '9.txt'));
    const plan = await place.run('plan', '--json');
    expect(JSON.parse(plan.out)).toMatchObject({ counts: { upload: 0, delete: 1, move: 1 }, requests: 3 });
    expect((await place.run('sync')).code).toBe(0);
    expect(requests()).toBe(before + 3);
    expect(trial.service.documents()).toHaveLength(29);
  });
});
