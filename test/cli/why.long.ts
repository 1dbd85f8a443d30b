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
});
