import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { renderFleet, renderStatus } from '../../src/cli/report/render-status.ts';
import { emptyStatus } from '../../src/model/report/status.ts';
import type { Status } from '../../src/model/report/status.ts';
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

it('says of each folder how many deletions are held, beyond those that it names', () => {
  const { colors } = createOutput(new PassThrough(), {});
  const heldIn = (folder: string, count: number) => ({
    folder,
    count,
    since: '2026-11-25T09:00:00.000Z',
    reason: 'many',
    paths: Array.from({ length: count }, (_, index) => `${index}.txt`),
  });
  const held = [heldIn('research', 10), heldIn('notes', 25)];
  const status: Status = {
    ...emptyStatus(50),
    version: '1.0.0',
    startedAt: '2026-11-25T08:00:00.000Z',
    pid: 1,
    state: 'idle',
    health: 'attention',
    trial: false,
    service: 'http://127.0.0.1:1',
    account: null,
    configuration: '/ingestd.yaml',
    reasons: [],
    folders: [],
    held,
  };
  const lines = renderStatus(status, { colors, page: null });
  const named = (folder: string) => lines.filter((line) => line.includes(`  ${folder}/`)).length;
  expect(lines).toContainEqual(expect.stringContaining(`and ${10 - named('research')} more`));
  expect(lines).toContainEqual(expect.stringContaining(`and ${25 - named('notes')} more`));
});
