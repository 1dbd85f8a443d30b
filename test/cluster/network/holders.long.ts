import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import type { ReceivedRequest } from '../../support/services/read-request.ts';
import { pieceArrives } from '../support/piece-arrives.ts';
import { fleetSeconds, inFleetSeconds, speed } from './support/fast-clock.ts';
import { deliveries, missingFleet, networkFleet } from './support/network-fleet.ts';
import type { Member, NetworkFleet } from './support/network-fleet.ts';

/** The holder of one state directory, and the host that stands by. */
interface Pair {
  readonly name: string;
  readonly one: Member;
  readonly two: Member;
}

const fates = ['cut off from Redis', 'cut off from both', 'frozen for two minutes', 'killed'] as const;
type Fate = (typeof fates)[number];
/** The answer to the upload of a document with this in its name takes long. */
const slow = 'answered late';

describeWhere(missingFleet(), 'a holder with a stand-by, in the middle of its uploads', () => {
  let fleet: NetworkFleet;
  const pairs = new Map<Fate, Pair>();
  let fellAt = 0;
  const over = new AbortController();
  let writing: Promise<void>;
  /** How many documents each pair's folder got. */
  let written = 0;
  const states = new Map<Fate, string>();

  const pair = (fate: Fate): Pair => {
    const found = pairs.get(fate);
    if (found === undefined) throw new Error(fate);
    return found;
  };
  const write = ({ one }: Pair, name: string, content: string | Buffer) =>
    writeFile(join(one.inbox, name), content);
  const after = (at: number) => inFleetSeconds(at - fellAt);
  const large = (name: string, letter: string) => Buffer.from(`${name} large ${letter.repeat(60_000)}`);
  const last = (requests: readonly ReceivedRequest[]) =>
    Math.max(...requests.map(({ lastAt }) => after(lastAt())));
  const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

  beforeAll(async () => {
    fleet = await networkFleet({ requestsPerMinute: 5_000 });
    const { service } = fleet;
    service.always(async (request) => {
      await request.body();
      await delay(fleetSeconds(request.received.text().includes(slow) ? 40 : 0.1));
      await service.work(request);
    });
    for (const [index, fate] of fates.entries()) {
      const name = `pair-${index}`;
      const one = await fleet.add(`${name}-one`, { service: { maxKilobytesPerSecond: 6 }, standBy: true });
      const two = await fleet.add(`${name}-two`, { sharing: one });
      pairs.set(fate, { name, one, two });
      await write(pair(fate), 'large.txt', `${name} first`);
      await one.start();
      await one.idle(({ folders }) => folders[0]?.synced === 1);
      await two.start();
    }
    const all = Array.from(pairs.values());
    await eventually(async () => {
      const states = await Promise.all(all.map(async ({ two }) => (await two.status()).state));
      return states.every((state) => state === 'standby');
    });
    // Live changes all the time, an upload that waits for its answer, and a change of a document that is on its way.
    for (const one of all) await write(one, `${slow}.txt`, `${one.name} ${slow}`);
    await eventually(() =>
      all.every(({ one }) => one.requests().some((request) => request.text().includes(slow))),
    );
    for (const one of all) await write(one, 'large.txt', large(one.name, 'x'));
    await eventually(
      () =>
        all.every(({ one }) =>
          one.requests().some((request) => request.bytes() > 20_000 && !request.complete()),
        ),
      { withinMs: fleetSeconds(60) },
    );
    const frozen = pair('frozen for two minutes').one;
    for (const request of frozen.requests()) if (!request.complete()) await pieceArrives(request);
    fellAt = performance.now();
    frozen.signal('SIGSTOP');
    pair('cut off from Redis').one.cut('redis');
    pair('cut off from both').one.cut('redis', 'service');
    pair('killed').one.signal('SIGKILL');
    writing = (async () => {
      while (!over.signal.aborted) {
        for (const one of all) await write(one, `small-${written}.txt`, `${one.name} small ${written}`);
        written += 1;
        await delay(fleetSeconds(1.5));
      }
    })();
    await delay(fleetSeconds(28));
    for (const one of all) await write(one, 'large.txt', `${one.name} latest`);
    await delay(fleetSeconds(17));
    pair('cut off from Redis').one.heal('redis');
    pair('cut off from both').one.heal('redis', 'service');
    await pair('killed').one.start();
    await delay(fleetSeconds(75));
    pair('frozen for two minutes').one.signal('SIGCONT');
    await delay(fleetSeconds(20));
    for (const fate of fates) states.set(fate, (await pair(fate).one.status()).state);
    over.abort();
    await writing;
    for (const { two } of all) await two.idle(({ folders }) => folders[0]?.synced === written + 2);
  }, 900_000);
  afterAll(async () => {
    over.abort();
    await fleet?.remove();
  });

  it.each(fates)('stops before the other begins, which takes over within 10 s: %s (H4, H6, H12)', (fate) => {
    const { one, two } = pair(fate);
    const begun = Math.min(...two.requests().map(({ at }) => after(at)));
    expect(last(one.requests())).toBeLessThan(begun);
    // The start of a daemon on a busy machine seems longer to fast clocks.
    expect(begun).toBeLessThan(10 + 4 * (speed - 1));
    expect(states.get(fate)).toBe('standby');
  });

  it.each(fates)(
    'delivers everything once, or reports it, and the last content stays: %s (H5)',
    async (fate) => {
      const current = pair(fate);
      const status = await current.two.status();
      const delivered = Array.from(deliveries(fleet.service.requests)).filter(([text]) =>
        text.startsWith(`${current.name} `),
      );
      const surplus = delivered.reduce(
        (sum, [text, times]) => sum + (text.includes('large') ? 0 : times - 1),
        0,
      );
      expect(delivered.filter(([text]) => text.includes('small'))).toHaveLength(written);
      expect(surplus).toBeLessThanOrEqual(status.possibleDuplicates);
      expect(status.possibleDuplicates).toBe(1);
      const contents = Array.from(fleet.service.documents.values(), (document) => document.sha256);
      expect(contents.filter((one) => one === sha256(`${current.name} latest`))).toHaveLength(1);
      expect(contents).not.toContain(sha256(large(current.name, 'x')));
    },
  );

  it('is taken over again by the first host when the second stops, and nothing is sent again', async () => {
    const before = fleet.service.requests.length;
    await Promise.all(fates.map((fate) => pair(fate).two.end()));
    await Promise.all(
      fates.map((fate) => pair(fate).one.idle(({ folders }) => folders[0]?.synced === written + 2)),
    );
    expect(fleet.service.requests).toHaveLength(before);
  });
});
