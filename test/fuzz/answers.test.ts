import { STATUS_CODES } from 'node:http';
import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { operationNames, startClientWorld } from '../remote/client-world.ts';
import { steps } from '../support/services/scripted-service.ts';
import { explore, fuzzTimeout, jsonLike, mutated } from './explore.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const good = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n' +
    '{"error":null,"success":{"docId":"doc-1","message":"done"},"warning":null}',
);

const world = ofEachTest(() =>
  startClientWorld({
    bytes: 10,
    requestsPerMinute: 1_000_000,
    idleSeconds: 1,
    responseSeconds: 1,
  }),
);

const names = fc.constantFrom(...operationNames);

it(
  'whatever the service answers, a call ends in an outcome and takes no nonsense for a success',
  async () => {
    const status = fc.constantFrom(
      ...Object.keys(STATUS_CODES)
        .map(Number)
        .filter((code) => code >= 200),
    );
    const body = jsonLike(['error', 'success', 'warning', 'docId', 'message']);
    await explore(fc.tuple(names, status, body), async ([name, code, content]) => {
      const text = content.toString('latin1');
      world.service.always(steps.answer(code, text));
      const { outcome } = await world.call(name);
      expect(typeof outcome.kind).toBe('string');
      if (code >= 300) expect(outcome.kind).not.toBe('accepted');
      // Everything but an upload may be answered by 204, which has no body.
      const mayBeEmpty = code === 204 && name !== 'upload';
      if (!mayBeEmpty && !/success|warning/.test(text)) expect(outcome.kind).not.toBe('accepted');
      if (name === 'upload' && !text.includes('docId')) expect(outcome.kind).not.toBe('accepted');
      expect(JSON.stringify(outcome).length).toBeLessThan(20_000);
    });
  },
  fuzzTimeout,
);

it(
  'whatever becomes of the bytes of an answer, a call ends in an outcome',
  async () => {
    await explore(fc.tuple(names, mutated(good)), async ([name, bytes]) => {
      world.service.always(steps.raw(bytes.toString('latin1')));
      const { outcome } = await world.call(name);
      expect(typeof outcome.kind).toBe('string');
      expect(JSON.stringify(outcome).length).toBeLessThan(20_000);
    });
  },
  fuzzTimeout,
);
