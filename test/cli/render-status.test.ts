import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { renderFleet } from '../../src/cli/report/render-status.ts';
import { createOutput } from '../../src/cli/output.ts';
import { aFleet, aHost } from '../status/support/a-fleet.ts';

it('names and messages of other hosts cannot act on the terminal', () => {
  const stream = new PassThrough();
  const output = createOutput(stream, { FORCE_COLOR: '1' });
  const host = aHost('a\x1b[2J', {
    health: 'attention',
    headline: 'H\x1b[2J',
    version: '1\x1b[2J',
    reasons: [{ code: 'x', message: 'M\x1b[2J' }],
    failures: [{ folder: 'f\x1b[2J', path: 'p\x1b[2J', code: 'x', message: 'm\x1b[2J' }],
    failuresTotal: 1,
  });
  for (const line of renderFleet(aFleet([host], { account: 'A\x1b[2J' }), output.colors)) output.line(line);
  const text = String(stream.read());
  expect(text).toContain('this minute');
  expect(text).not.toContain('\x1b[2J');
});
