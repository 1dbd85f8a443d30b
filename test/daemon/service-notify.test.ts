import { chmod, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServiceNotify } from '../../src/daemon/process/service-notify.ts';
import { manualClock } from '../support/manual-clock.ts';
import { describeWhere } from '../support/needs.ts';
import { missingForNotify, startNotifyReceiver } from '../support/processes/notify-receiver.ts';
import type { NotifyReceiver } from '../support/processes/notify-receiver.ts';
import { recordedLog } from '../support/recorded-log.ts';
import type { RecordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

let log: RecordedLog;
const said = () => log.lines.map(({ message }) => message);

beforeEach(() => {
  log = recordedLog();
});

describeWhere(missingForNotify(), 'the service manager, over a real datagram socket', () => {
  const folder = folderOfEachTest();
  let receiver: NotifyReceiver;
  let clock: ReturnType<typeof manualClock>;

  const notify = (env: Record<string, string> = {}) => {
    const all = { PATH: process.env['PATH'], NOTIFY_SOCKET: receiver.socket, ...env };
    return createServiceNotify(all, clock, log);
  };

  beforeEach(async () => {
    receiver = await startNotifyReceiver(folder.path);
    clock = manualClock();
  });
  afterEach(() => receiver.close());

  it('hears of start, reload and stop in their order', async () => {
    const service = notify();
    service.ready();
    service.reloading();
    service.ready();
    service.stopping();
    await service.flushed();
    expect(receiver.messages).toEqual([
      'READY=1',
      expect.stringMatching(/^RELOADING=1\nMONOTONIC_USEC=\d+$/),
      'READY=1',
      'STOPPING=1',
    ]);
    // The machine's monotonic clock.
    const [, microseconds] = /MONOTONIC_USEC=(\d+)$/.exec(receiver.messages[1] ?? '') ?? [];
    const now = Number(process.hrtime.bigint() / 1_000n);
    expect(now - Number(microseconds)).toBeGreaterThanOrEqual(0);
    expect(now - Number(microseconds)).toBeLessThan(60_000_000);
  });

  it('hears the newest status line, and none twice', async () => {
    const service = notify();
    for (const text of ['1 of 3', '2 of 3', '3 of 3']) service.status(text);
    await service.flushed();
    service.status('3 of 3');
    await service.flushed();
    expect(receiver.messages).toEqual(['STATUS=3 of 3']);
  });

  it('cannot be told more by a file name with line breaks in a status line', async () => {
    const service = notify();
    service.status('sends a\nREADY=1\r\nb.pdf — 12 %');
    await service.flushed();
    expect(receiver.messages).toEqual([String.raw`STATUS=sends a\x0aREADY=1\x0d\x0ab.pdf — 12 %`]);
  });

  it('is pinged at half the watchdog interval for as long as there is progress', async () => {
    let alive = true;
    const service = notify({ WATCHDOG_USEC: '60000000', WATCHDOG_PID: String(process.pid) });
    const stop = service.watchdog(() => alive);
    await clock.advance(60_000);
    await service.flushed();
    expect(receiver.messages).toEqual(['WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1']);

    alive = false;
    await clock.advance(300_000);
    await service.flushed();
    expect(receiver.messages).toHaveLength(3);
    expect(said()).toEqual(['no progress; no more watchdog messages to systemd']);

    alive = true;
    await clock.advance(30_000);
    await service.flushed();
    expect(receiver.messages).toHaveLength(4);
    stop();
    await clock.advance(300_000);
    await service.flushed();
    expect(receiver.messages).toHaveLength(4);
  });

  it.each([
    ['without an interval', {}],
    ['with an interval of nothing', { WATCHDOG_USEC: '0' }],
    ['with an interval that is no number', { WATCHDOG_USEC: 'soon' }],
    ['with an interval for another process', { WATCHDOG_USEC: '60000000', WATCHDOG_PID: '1' }],
  ])('is not pinged %s', async (_name, env) => {
    const service = notify(env);
    service.watchdog(() => true);
    await clock.advance(120_000);
    await service.flushed();
    expect(receiver.messages).toEqual([]);
  });

  it('hears nothing of the secrets in the environment', async () => {
    const spy = await folder.write(
      'bin/systemd-notify',
      `#!/bin/sh\n/usr/bin/env > ${folder.join('env.txt')}\n`,
    );
    await chmod(spy, 0o755);
    const service = notify({ PATH: folder.join('bin'), INGESTD_PASSWORD: 'planted' });
    service.ready();
    await service.flushed();
    const env = await readFile(folder.join('env.txt'), 'utf8');
    expect(env).toContain('NOTIFY_SOCKET=');
    expect(env).not.toContain('planted');
  });
});

describe('notifications', () => {
  it('cost nothing where no service manager listens', async () => {
    const service = createServiceNotify({ PATH: '/nowhere', WATCHDOG_USEC: '1' }, manualClock(), log);
    service.ready();
    service.reloading();
    service.status('idle');
    service.watchdog(() => true)();
    service.stopping();
    await service.flushed();
    expect(said()).toEqual([]);
  });

  it('are given up with one warning where the sender is missing', async () => {
    const env = { PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere/socket' };
    const service = createServiceNotify(env, manualClock(), log);
    service.ready();
    service.status('idle');
    service.stopping();
    await service.flushed();
    expect(said()).toEqual(['cannot notify the service manager']);
  });
});
