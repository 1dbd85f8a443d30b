import { readFile, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';

import type { LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { readLedger } from '../../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../../src/ledger/verify-ledger.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../../support/processes/daemon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());
let daemon: RunningDaemon | null;

beforeEach(async () => {
  await writeFile(join(place.inbox, 'report.pdf'), Buffer.alloc(5_000_000, 'report '));
  daemon = null;
});

/** Ends the daemon in the middle of a request, when `until` of it has come; the connection ends with it. */
function killedWhen(until: (request: Parameters<Step>[0]) => Promise<void> | void): Step {
  return async (request) => {
    await until(request);
    const running = await eventually(() => daemon);
    await running.end('SIGKILL');
    request.socket.destroy();
  };
}

async function record(): Promise<LedgerRecord | undefined> {
  return (await readLedger(place.home.join('state'))).get({ folder: 'inbox', path: 'report.pdf' });
}

async function dead(): Promise<void> {
  const { pid } = await eventually(() => daemon);
  await eventually(() => {
    try {
      return process.kill(pid, 0) ? null : true;
    } catch {
      return true;
    }
  });
}

async function killDuring(step: Step): Promise<void> {
  place.service.script(step);
  daemon = await place.start();
  await dead();
}

/** Delivers, and is then killed. */
async function killAfterwards(): Promise<void> {
  daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  await daemon.end('SIGKILL');
}

/** What a process leaves that is killed within the write of an outcome: half of its line. */
async function tearOutcome(): Promise<void> {
  const dir = place.home.join('state');
  for (const name of (await readdir(dir)).filter((name) => name.startsWith('ledger.journal.'))) {
    const text = await readFile(join(dir, name), 'latin1');
    const at = text.indexOf('doc-1');
    if (at !== -1) await truncate(join(dir, name), at);
  }
}

interface Instant {
  readonly until: string;
  readonly crash: () => Promise<void>;
  /** Requests to the ingestion endpoints, before and after the restart. */
  readonly requests: number;
  /** Uploads that arrived in whole: those the service may hold. */
  readonly taken: number;
  readonly reported: number;
}

const instants: readonly Instant[] = [
  {
    until: 'before the intent',
    crash: async () => {
      place.service.scriptTokens(killedWhen(() => undefined));
      daemon = await place.start();
      await dead();
    },
    requests: 1,
    taken: 1,
    reported: 0,
  },
  {
    until: 'after the intent, before the body',
    // What the kernel holds already is never read.
    crash: () => killDuring(killedWhen((request) => void request.socket.pause())),
    requests: 2,
    taken: 1,
    reported: 1,
  },
  {
    until: 'in the middle of the body',
    crash: () =>
      killDuring(
        killedWhen(async (request) => {
          await request.bodyBytes(1_000_000);
          request.socket.pause();
        }),
      ),
    requests: 2,
    taken: 1,
    reported: 1,
  },
  {
    until: 'after the service took it, before its answer',
    crash: () => killDuring(killedWhen((request) => request.body())),
    requests: 2,
    taken: 2,
    reported: 1,
  },
  {
    until: 'in the middle of writing down the answer',
    crash: async () => {
      await killAfterwards();
      await tearOutcome();
    },
    requests: 2,
    taken: 2,
    reported: 1,
  },
  { until: 'after the answer is written down', crash: killAfterwards, requests: 1, taken: 1, reported: 0 },
];

describe('P1: a daemon that is killed', () => {
  it.each(instants)(
    '$until agrees with the service after the restart, and reports what may be double',
    async ({ crash, requests, taken, reported }) => {
      await crash();
      daemon = await place.start();
      await daemon.settled((status) =>
        expect(status).toMatchObject({
          possibleDuplicates: reported,
          failures: [],
          folders: [{ synced: 1 }],
          queue: { pending: 0 },
        }),
      );
      expect(place.service.requests).toHaveLength(requests);
      expect(place.service.requests.filter(({ complete }) => complete())).toHaveLength(taken);
      expect(await record()).toMatchObject({
        docId: expect.stringMatching(/^doc-/),
        possibleDuplicates: reported,
      });
      expect(place.service.requests.at(-1)?.bytes()).toBeGreaterThan(5_000_000);
      expect(await verifyLedger(place.home.join('state'))).toMatchObject({ ok: true, documents: 1 });
    },
  );
});

describe('P2: a daemon that is stopped within an upload', () => {
  it('lets it end, writes it down and exits with 0', async () => {
    let taken = false;
    place.service.script(async (request) => {
      await request.bodyBytes(1_000_000);
      const running = await eventually(() => daemon);
      running.signal('SIGTERM');
      await eventually(() => running.log().includes('"stopping"'));
      await steps.accept('doc-late')(request);
      taken = true;
    });
    daemon = await place.start();
    await eventually(() => taken);
    const { code } = await daemon.end('SIGCONT');
    expect(code).toBe(0);
    expect(place.service.requests).toHaveLength(1);
    expect(await record()).toMatchObject({ docId: 'doc-late', possibleDuplicates: 0 });
  });

  it('ends at once at the second signal, and knows afterwards what was under way', async () => {
    place.service.script(steps.silence());
    daemon = await place.start();
    await eventually(() => place.service.requests[0]?.complete());
    daemon.signal('SIGTERM');
    await eventually(() => daemon?.log().includes('"stopping"'));
    expect((await daemon.end('SIGINT')).code).toBe(1);
    expect((await place.run('sync')).code).toBe(0);
    expect(place.service.requests).toHaveLength(2);
    expect(await record()).toMatchObject({ possibleDuplicates: 1 });
    // Somebody has looked at the service.
    const { code, out } = await place.run('resolve', 'inbox/report.pdf', '--dismiss');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining(
        'The doubt about inbox/report.pdf is cleared, and nothing is sent by that',
      ),
    });
    expect(await record()).toMatchObject({ possibleDuplicates: 0 });
  });
});
