import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import { localTime } from '../../../src/lib/text/amounts.ts';
import type { Status } from '../../../src/model/report/status.ts';
import { eventually } from '../../support/eventually.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import type { Installation, RunningDaemon } from '../../support/processes/daemon-process.ts';
import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const quarterMs = 15 * 60_000;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;

const service = ofEachTest(() => startHoldingService());
let place: Installation;

afterEach(() => place.remove());

function asksToWait(status: number): Step {
  return steps.json(status, { message: 'too busy' }, { 'Retry-After': '999999999' });
}

async function startWith(documents: readonly string[]): Promise<RunningDaemon> {
  place = await installation(service);
  for (const name of documents) await writeFile(join(place.inbox, name), name);
  return place.start();
}

/** What stands in the way, and until when, everywhere that a person or a program looks. */
async function expectSaid(daemon: RunningDaemon, code: string, message: string): Promise<Status> {
  const status = await eventually(async () => {
    const now = await daemon.status();
    const isSaid = now.reasons.some((reason) => reason.code === code && reason.until !== undefined);
    return isSaid && now.state !== 'starting' ? now : null;
  });
  const found = status.reasons.filter((reason) => reason.code === code);
  expect(found).toEqual([{ code, message: expect.stringContaining(message), since: time, until: time }]);
  const [{ since = '', until = '' } = {}] = found;
  expect(Date.parse(since)).toBeLessThanOrEqual(Date.now() + 500);
  const leftMs = Date.parse(until) - Date.now();
  expect([leftMs > quarterMs - 60_000, leftMs <= quarterMs + 1_000]).toEqual([true, true]);

  const { out } = await place.run('status');
  expect(out).toContain(`since ${localTime(since)}, next attempt at ${localTime(until)}`);
  const metrics = await (await daemon.fetch('/metrics')).text();
  expect(metrics).toMatch(new RegExp(`^ingestd_reason\\{code="${code}"\\} 1$`, 'm'));
  expect(metrics).toMatch(/^ingestd_blocked_seconds (8[4-9]|90)\d/m);
  expect((await daemon.fetch('/healthz')).status).toBe(200);
  return status;
}

describe('the status of a service that asks to wait', () => {
  it('N17: says why nothing is signed in, since when and until when, before there is a document', async () => {
    service.alwaysTokens(asksToWait(429));
    const daemon = await startWith([]);
    const status = await expectSaid(daemon, 'rate-limited', 'the token endpoint: the service answered 429');
    expect(status).toMatchObject({ state: 'idle', health: 'ok', auth: { state: 'none' } });
    const ready = await daemon.fetch('/readyz');
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('answered 429')]);
  });

  it('N17: a token endpoint that is out of order is an error from its first answer on', async () => {
    service.alwaysTokens(asksToWait(503));
    const daemon = await startWith(['a.txt']);
    const status = await expectSaid(daemon, 'service-unavailable', 'the token endpoint');
    expect(status).toMatchObject({ state: 'degraded', health: 'error' });
  });

  it('N1: an outage takes nothing from credentials that were accepted: it is ready, and says that it is degraded', async () => {
    const daemon = await startWith(['a.txt']);
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await service.away();
    await writeFile(join(place.inbox, 'b.txt'), 'b');
    await eventually(async () => (await daemon.status()).reasons[0]?.code === 'service-unavailable');
    expect(await daemon.status()).toMatchObject({
      state: 'degraded',
      health: 'error',
      auth: { state: 'ok' },
    });
    const ready = await daemon.fetch('/readyz');
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, reasons: [] }]);
    expect(await (await daemon.fetch('/metrics')).text()).toMatch(/^ingestd_ready 1$/m);
  });

  it.each([429, 503])('N17: says why uploads wait after one answer %d', async (answer) => {
    service.always(asksToWait(answer));
    const daemon = await startWith(['a.txt']);
    const status = await expectSaid(daemon, 'rate-limited', `answered ${answer}`);
    expect(status).toMatchObject({ state: 'paused', health: 'ok', auth: { state: 'ok' } });
    // The credentials are accepted, and nothing is wrong with the folders.
    expect((await daemon.fetch('/readyz')).status).toBe(200);
    expect((await place.run('why', 'inbox/a.txt')).out).toContain(`answered ${answer}`);
  });
});
