import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import { closeWorlds, operationNames, shortOutcome, startClientWorld } from '../client-world.ts';
import type { ClientWorldOptions, OperationName } from '../client-world.ts';

const mebibyte = 1024 * 1024;

/** What comes of it: for every operation, or for an upload and for all others. */
type Expected = string | { readonly upload: string; readonly other: string };

interface Row {
  readonly name: string;
  readonly step: Step;
  readonly expected: Expected;
  readonly options?: ClientWorldOptions;
  /** Where a large body is of the essence. */
  readonly only?: readonly OperationName[];
}

const inDoubt = (upload: string, other: string): Expected => ({ upload: `unknown ${upload}`, other });
const unusable = (code: string) => inDoubt(code, `unavailable ${code}`);
const withFiles: readonly OperationName[] = ['upload', 'modify'];
const rejected = (code: string): Expected => `rejected ${code}`;

/**
 * What only a wire can do, beside what test/faults/network has happen to the whole engine; what a whole answer means is
 * decided by `judgeAnswer`, and tested there.
 */
const rows: readonly Row[] = [
  {
    name: 'a refusing head and no body (N3)',
    step: steps.silentBody(409),
    options: { responseSeconds: 0.1 },
    expected: rejected('http-409'),
  },
  {
    name: 'an answer by the byte for ever (N3)',
    step: steps.trickle(20),
    options: { responseSeconds: 0.15 },
    expected: unusable('answer-cut'),
  },
  {
    name: 'a reader that stops (N3)',
    step: steps.stopReading(),
    options: { idleSeconds: 0.15, bytes: 12_000_000 },
    only: withFiles,
    expected: 'unavailable idle-timeout',
  },
  {
    name: 'an answer lost by hanging up after the service took it (N5)',
    step: steps.hangUp(),
    expected: inDoubt('econnreset', 'unavailable econnreset'),
  },
  { name: 'a refusal cut off (N22)', step: steps.cutAnswer(422), expected: rejected('http-422') },
  {
    name: 'something that is not HTTP',
    step: steps.raw('SSH-2.0-OpenSSH_9.2\r\n'),
    expected: inDoubt('hpe-invalid-constant', 'unavailable hpe-invalid-constant'),
  },
  {
    name: 'more bytes than were announced (N29)',
    step: steps.raw(
      'HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n{"success":{"docId":"doc-a"}}HTTP/1.1 500 X\r\n\r\n',
    ),
    expected: 'accepted',
  },
  {
    name: 'a body that ends with the connection',
    step: steps.raw('HTTP/1.0 200 OK\r\n\r\n{"success":{"docId":"doc-a"}}'),
    expected: 'accepted',
  },
  {
    name: '64 MiB of refusal (N25)',
    step: steps.longAnswer(64 * mebibyte, 415),
    expected: rejected('http-415'),
  },
  {
    name: '101, which nobody asked for (N27)',
    step: steps.raw('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    options: { responseSeconds: 0.1 },
    expected: inDoubt('response-timeout', 'unavailable response-timeout'),
  },
  {
    name: '103 and nothing after it (N27)',
    step: steps.raw('HTTP/1.1 103 Early Hints\r\n\r\n'),
    expected: inDoubt('econnreset', 'unavailable econnreset'),
  },
];

function expectedFor({ expected }: Row, operation: OperationName): string {
  if (typeof expected === 'string') return expected;
  return operation === 'upload' ? expected.upload : expected.other;
}

afterEach(closeWorlds);

describe.each(rows)('answered with $name', (row) => {
  const names = row.only ?? operationNames;
  it.each([...names])('%s ends as it should, after one request', async (operation) => {
    const world = await startClientWorld(row.options);
    world.service.script(row.step);
    const told: string[] = [];
    const result = await world.call(operation, {
      beforeSend: async (id) => {
        told.push(id);
      },
      onAnswer: (id) => {
        told.push(id);
      },
    });
    const expected = expectedFor(row, operation);
    const got = shortOutcome(result.outcome);
    expect(expected.includes(' ') ? got : got.split(' ')[0]).toBe(expected);
    expect(world.service.requests).toHaveLength(1);
    expect(told).toHaveLength(2);
    expect(told[0]).toBe(told[1]);
    expect(world.limiter.status().used).toBe(1);
    if (result.outcome.kind === 'unavailable' && row.options?.bytes !== undefined) {
      expect(result.outcome.sent).toBe('part');
    }
  });
});

describe('a storm of 401 (N8, N9)', () => {
  it('renews once for ten in flight, and repeats each once with a body of its own', async () => {
    const world = await startClientWorld();
    let arrived = 0;
    let release = () => {};
    const allAreHere = new Promise<void>((resolve) => (release = resolve));
    const refuse: Step = async (request) => {
      await request.body();
      arrived += 1;
      if (arrived === 10) release();
      await allAreHere;
      await steps.xml(401)(request);
    };
    world.service.script(...Array.from({ length: 10 }, () => refuse));
    const results = await Promise.all(Array.from({ length: 10 }, () => world.call('upload')));
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(Array<string>(10).fill('accepted'));
    expect(world.service.requests).toHaveLength(20);
    expect(world.service.tokenRequests).toHaveLength(2);
    expect(
      new Set(world.service.requests.slice(10).map((request) => request.headers['authorization'])),
    ).toEqual(new Set(['Bearer token-2']));
    expect(world.service.requests.every((request) => request.complete())).toBe(true);
    expect(world.limiter.status().used).toBe(20);
  });

  it('repeats with a token that is still valid when the permit for it comes', async () => {
    const clock = manualClock();
    const world = await startClientWorld({ clock });
    world.service.script(steps.xml(401));
    world.service.scriptTokens(
      steps.token({ access_token: 'refused' }),
      steps.token({ access_token: 'short', expires_in: 300 }),
    );
    const result = world.call('remove', { onAnswer: () => world.limiter.pause(600_000, 'too busy') });
    await eventually(() => world.tokens.status().expiresAt === '2026-01-01T00:05:00.000Z');
    await clock.advance(600_000);
    expect(await result).toMatchObject({ outcome: { kind: 'accepted' } });
    expect(world.service.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer refused',
      'Bearer token-1',
    ]);
  });
});
