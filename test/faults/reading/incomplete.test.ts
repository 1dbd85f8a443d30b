import { readFileSync } from 'node:fs';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';

const pdf = readFileSync(resolve('test/fixtures/formats/pdf/reportlab.pdf'));
const docx = readFileSync(resolve('test/fixtures/formats/ooxml/pandoc.docx'));
const waits = 'still being written: a PDF file without its end';

describe('A10: a document that is not whole by its own format', () => {
  let place: InstallationWithService;

  afterEach(() => place.remove());

  const at = (name: string) => join(place.inbox, name);
  const sentBytes = () => place.service.requests.map(({ parts }) => parts().at(-1)?.body.length);

  it('waits while its pages come, says so, and goes out once, whole', async () => {
    place = await installationWithService();
    const daemon = await place.start();
    await writeFile(at('scan.pdf'), pdf.subarray(0, 700));
    await eventually(async () => (await place.run('why', 'inbox/scan.pdf')).out.includes(waits));
    await daemon.settled((status) =>
      expect(status).toMatchObject({
        health: 'ok',
        waitingFor: { settling: 1 },
        folders: [{ waiting: 1, failed: 0 }],
      }),
    );
    await appendFile(at('scan.pdf'), pdf.subarray(700, 900));
    await eventually(async () => (await place.run('plan')).out.includes(waits));
    expect((await place.run('check')).out).toContain(waits);
    expect(place.service.requests).toEqual([]);
    await appendFile(at('scan.pdf'), pdf.subarray(900));
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    expect(sentBytes()).toEqual([pdf.length]);
    // What is sent again waits as well; so does one that takes its place.
    await writeFile(at('.new'), docx.subarray(0, 5000));
    await rename(at('.new'), at('scan.docx'));
    await writeFile(at('scan.pdf'), Buffer.alloc(pdf.length));
    await eventually(async () => (await daemon.status()).waitingFor.settling === 2);
    expect(sentBytes()).toEqual([pdf.length]);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });

  it('is what one pass waits for, which says so and until when', async () => {
    place = await installationWithService({ more: { timing: { settleMs: 150, stopSeconds: 2 } } });
    await writeFile(at('scan.pdf'), pdf.subarray(0, 700));
    const { code, err } = await place.run('sync');
    expect(code).toBe(4);
    expect(err.match(/waiting until \d\d:\d\d:\d\d for [^"\n]+/g)?.length).toBe(1);
    expect(err).toContain(`for inbox/scan.pdf: ${waits}`);
  });

  it('goes out as it stands when it has not changed for long enough, and activity says so', async () => {
    place = await installationWithService({ more: { timing: { settleMs: 150, incompleteMinutes: 0.02 } } });
    const daemon = await place.start();
    await writeFile(at('scan.pdf'), pdf.subarray(0, 700));
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    expect(sentBytes()).toEqual([700]);
    const said = 'sent as it stood: a PDF file without its end, unchanged for timing.incompleteMinutes';
    expect((await place.run('log')).out).toContain(said);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });

  it('waits in one pass as well, which lists it and is no success; with 0 it does not wait', async () => {
    const timing = { settleMs: 150, removeGraceMs: 400, stopSeconds: 1 };
    place = await installationWithService({ more: { timing } });
    await writeFile(at('scan.pdf'), pdf.subarray(0, 700));
    const { code, out } = await place.run('sync');
    expect([code, place.service.requests.length]).toEqual([4, 0]);
    expect(out).toContain(waits);
    await place.configure({ timing: { ...timing, incompleteMinutes: 0 } });
    expect((await place.run('sync')).code).toBe(0);
    expect(sentBytes()).toEqual([700]);
  });

  it('is listed with its reason as well where what goes with it may still come (7.28)', async () => {
    place = await installationWithService({ more: { timing: { settleMs: 1000 } } });
    await writeFile(at('old.txt'), 'old');
    await writeFile(at('old.txt.meta.json'), '{}');
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await writeFile(at('new.txt'), 'new');
    const listed = async () => {
      await appendFile(at('grows.csv'), 'more');
      return (await daemon.status()).waiting.find(({ path }) => path === 'new.txt')?.code;
    };
    expect(await eventually(listed)).toBe('sidecar-expected');
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });
});
