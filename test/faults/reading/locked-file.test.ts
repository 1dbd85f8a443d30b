import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';

const preload = resolve('test/faults/reading/preload-failing-disk.mjs');
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** The real program, whose threads read through a disk that fails as long as the file `failing` says so. */
async function open(fault: string) {
  const control = resolve(`/tmp/ingestd-failing-${process.pid}-${opened.length}-${Date.now()}`);
  const place = await installationWithService({
    environment: { NODE_OPTIONS: `--import=${preload}`, FAILING_DISK: control },
  });
  opened.push(place.remove, () => rm(control, { force: true }));
  await writeFile(control, fault);
  return { place, heal: () => rm(control) };
}

describe('A2: a real process whose file is locked', () => {
  it('says what holds it and when it is tried next, and sends it when the lock is gone', async () => {
    const { place, heal } = await open('open scan.pdf EBUSY');
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'scan.pdf'), '%PDF-1.4 %%EOF');
    const locked = await eventually(async () => {
      const status = await daemon.status();
      expect(status.failures).toMatchObject([{ path: 'scan.pdf', code: 'unreadable-now' }]);
      expect(status.failures[0]?.attempts).toBeGreaterThan(1);
      return status;
    });
    expect(locked).toMatchObject({ state: 'working', health: 'ok', waitingFor: { retry: 1 } });
    const [failure] = locked.failures;
    expect(failure?.message).toBe('scan.pdf cannot be read (another program has it in use, EBUSY)');
    expect(Date.parse(failure?.retryAt ?? '')).toBeGreaterThan(Date.now() - 1_000);
    await eventuallyHolds(async () => {
      const { out } = await place.run('why', 'inbox/scan.pdf');
      expect(out).toContain('scan.pdf cannot be read (another program has it in use, EBUSY)');
      expect(out).toMatch(/next +it is tried again \(at /);
      expect(out).toContain('ingestd tries again by itself');
    });
    expect(place.service.requests).toEqual([]);
    await heal();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await eventuallyHolds(() => expect(daemon.log()).toContain('EBUSY'));
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });

  it('is sent by one pass that finds it locked at first', async () => {
    const { place, heal } = await open('open scan.pdf EAGAIN');
    await writeFile(join(place.inbox, 'scan.pdf'), '%PDF-1.4 %%EOF');
    const pass = place.begin('sync');
    await eventually(() => pass.log().includes('EAGAIN'));
    await heal();
    const { code } = await pass.finished;
    expect([code, place.service.requests.length]).toEqual([0, 1]);
  });

  it('is no success of a pass that never can read it, nor is a directory', async () => {
    const { place } = await open('open scan.pdf EIO\nlist /d ESTALE');
    await place.configure({ timing: { settleMs: 150, removeGraceMs: 400, stopSeconds: 2 } });
    await place.home.write('inbox/d/a.txt', 'a');
    await writeFile(join(place.inbox, 'scan.pdf'), '%PDF-1.4 %%EOF');
    const { code, out } = await place.run('sync');
    expect([code, place.service.requests.length]).toEqual([4, 0]);
    expect(out).toContain('scan.pdf cannot be read (the disk or network share reports an error, EIO)');
    expect(out).toContain('d: it cannot be read (the file server no longer knows the open file, ESTALE)');
  });
});
