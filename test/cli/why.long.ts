import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { localTime } from '../../src/lib/text/amounts.ts';
import type { Why } from '../../src/model/report/command-reports.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());

async function why(path: string): Promise<Why> {
  const { out, err } = await place.run('why', path, '--json');
  expect(err).toBe('');
  return JSON.parse(out) as Why;
}

describe('why', () => {
  it('tells of a file that is gone what it was and what became of it', async () => {
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'gone.txt'), 'is to go');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await writeFile(join(place.inbox, 'old.txt'), 'is to move');
    await daemon.idle(({ totals }) => totals.uploaded === 2);
    await rm(join(place.inbox, 'gone.txt'));
    await rename(join(place.inbox, 'old.txt'), join(place.inbox, 'new.txt'));
    await daemon.idle(({ totals }) => totals.deleted === 1 && totals.moved === 1);

    const gone = await why('inbox/gone.txt');
    expect(gone.verdict).toEqual({
      kind: 'absent',
      code: 'absent',
      message: 'the file is gone from the folder, and its document was deleted at the service',
    });
    expect([gone.docId, gone.next]).toEqual(['doc-1', 'nothing']);
    const [uploaded, deleted] = [gone.uploadedAt ?? '', gone.deletedAt ?? ''];
    expect(Date.parse(uploaded)).toBeLessThanOrEqual(Date.parse(deleted));
    expect((await place.run('why', 'inbox/gone.txt')).out).toContain(`deleted       ${localTime(deleted)}`);

    expect((await why('inbox/old.txt')).verdict.message).toBe(
      'the file was moved to inbox/new.txt, and its document with it',
    );
    expect((await why('./inbox')).verdict.kind).toBe('directory');
    const unknown = await why('inbox/never.txt');
    expect(unknown).toMatchObject({ docId: null, uploadedAt: null, deletedAt: null, next: 'nothing' });
    expect(unknown.verdict.message).toBe('no such file in the folder, and no record of one');

    await daemon.end('SIGTERM');
    await rm(join(place.inbox, 'new.txt'));
    expect(await why('inbox/new.txt')).toMatchObject({
      verdict: { message: 'the file is gone from the folder; the service still has its document' },
      docId: 'doc-2',
      deletedAt: null,
      next: 'its document is deleted at the service when ingestd runs',
    });
  }, 60_000);

  it('tells that a createdTimestamp stays as it went out, and the log says so once', async () => {
    const describe = (metadata: object) =>
      writeFile(join(place.inbox, 'a.txt.meta.json'), JSON.stringify(metadata));
    await describe({ createdTimestamp: '2020-01-01T00:00:00Z', title: 'one' });
    await writeFile(join(place.inbox, 'a.txt'), 'text');
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    expect((await why('inbox/a.txt')).notes).toEqual([]);

    await describe({ createdTimestamp: '2021-01-01T00:00:00Z', title: 'two' });
    await daemon.idle(({ totals }) => totals.modified === 1);
    await describe({ createdTimestamp: '2021-01-01T00:00:00Z', title: 'three' });
    await daemon.idle(({ totals }) => totals.modified === 2);
    const note =
      'the createdTimestamp stays as it was sent with the upload, because the service cannot change it';
    expect((await why('inbox/a.txt')).notes).toEqual([note]);
    expect((await place.run('why', 'inbox/a.txt')).out).toContain(note);
    expect(daemon.log().split(note)).toHaveLength(2);

    // One that follows the time of the file is nobody's word, so the log says nothing; what the service has stays.
    await rm(join(place.inbox, 'a.txt.meta.json'));
    await writeFile(join(place.inbox, 'a.txt'), 'edited');
    await daemon.idle(({ totals }) => totals.modified >= 3);
    expect(await why('inbox/a.txt')).toMatchObject({
      metadata: { createdTimestamp: '2020-01-01T00:00:00Z' },
      notes: [note],
    });
    expect(daemon.log().split(note)).toHaveLength(2);
  }, 60_000);
});
