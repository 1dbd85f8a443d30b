import { describe, expect, it } from '@jest/globals';
import { createTimeline } from '../../src/daemon/history/timeline.ts';
import type { Ending } from '../../src/daemon/history/timeline.ts';
import type { History } from '../../src/daemon/history/history.ts';
import type { Activity, Reason } from '../../src/model/report/status.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';

function timelineOf(
  reasons: Reason[],
  { before = [], isOver = () => true }: { before?: readonly Activity[]; isOver?: () => boolean } = {},
) {
  const clock = manualClock();
  const log = recordedLog();
  const lines: string[] = [];
  const entries = new Map(before.map((one) => [keyOf(one), one]));
  const add = (said: Activity) => {
    const { what, folder, path, code, message } = said;
    lines.push([what, path === '' ? folder : `${folder}/${path}`, code, message].filter(Boolean).join(' | '));
    entries.delete(keyOf(said));
    if (what === 'problem' || what === 'limit') entries.set(keyOf(said), said);
  };
  const open = () => [...entries.values()];
  const history: Pick<History, 'add' | 'wasKilled' | 'open'> = { add, wasKilled: false, open };
  const known = {
    'a.b.pdf': 'fixed',
    'g.one.pdf': 'gone',
    'doubt.pdf': 'gone',
    'back.pdf': 'fixed',
    'c.d.pdf': null,
  } as const;
  const endOf = ({ what, folder, path }: Activity): Ending | null => {
    if (folder === 'former') return 'removed';
    return what === 'problem' ? (isOver() ? 'passed' : null) : known[path as keyof typeof known];
  };
  const options = { clock, log, endOf };
  return { clock, log, lines, timeline: createTimeline(history, options, () => reasons) };
}

const keyOf = ({ folder, path, code }: Activity) => JSON.stringify([folder, path, code]);

/** What was said six minutes ago. */
const problem = (code: string) => ({
  at: new Date(manualClock().now() - 360_000).toISOString(),
  folder: '',
  path: '',
  what: 'problem',
  code,
  docId: null,
  message: code,
  documents: 0,
});

describe('what happens to the daemon itself', () => {
  it('is said when it begins and, with its length, when it is over', async () => {
    const troubles: Reason[] = [];
    const { clock, log, lines, timeline } = timelineOf(troubles);
    const outage = { folder: '', code: 'service-unavailable', message: 'connect ECONNREFUSED' };
    const missing = { folder: 'inbox', code: 'folder-missing', message: '/inbox is not there' };
    const notFound = 'Folder not found: /inbox is not there';
    timeline.look();
    troubles.push(outage);
    timeline.look();
    // The same outage, in other words.
    troubles.splice(0, 1, { ...outage, message: 'the service answered 503' });
    timeline.look();
    await clock.advance(360_000);
    troubles.push(missing, { ...missing, folder: 'second' });
    timeline.look();
    troubles.splice(0, 2);
    timeline.look();
    expect(lines).toEqual([
      'problem | service-unavailable | Service unavailable: connect ECONNREFUSED',
      `problem | inbox | folder-missing | ${notFound}`,
      `problem | second | folder-missing | ${notFound}`,
      expect.stringMatching(/^recovered \| service-unavailable \| .+: over after about 6 minutes$/),
      expect.stringMatching(/^recovered \| inbox \| folder-missing \| .+: over after a few seconds$/),
    ]);
    expect(log.lines.map(({ level, message, data }) => [level, message, data])).toEqual([
      ['warn', 'problem', { ...outage, message: 'Service unavailable: connect ECONNREFUSED' }],
      ['warn', 'problem', { ...missing, message: notFound }],
      ['warn', 'problem', { ...missing, folder: 'second', message: notFound }],
      ['info', 'recovered', { ...outage, message: expect.stringMatching(/: over after about 6 minutes$/) }],
      ['info', 'recovered', { ...missing, message: expect.stringMatching(/: over after a few seconds$/) }],
    ]);
  });

  it('says of a document that failed, and of a folder, when that is over, and how it ended', () => {
    const failed = { ...problem('double-extension'), what: 'failed', folder: 'inbox' };
    const troubles = ['a.b.pdf', 'c.d.pdf', 'g.one.pdf'].map((path) => ({ ...failed, path }));
    const doubt = { ...problem('econnreset'), what: 'in doubt', folder: 'inbox', path: 'doubt.pdf' };
    const held = { ...problem('held'), what: 'held', folder: 'inbox', path: 'back.pdf', docId: 'doc-1' };
    const before = [{ ...problem('folder-missing'), folder: 'former' }, ...troubles, doubt, held];
    const { log, lines, timeline } = timelineOf([], { before, isOver: () => false });
    timeline.look();
    const over = 'over after about 6 minutes, as';
    const dots = 'double-extension | More than one dot in the name:';
    expect(lines).toEqual([
      `ended | former | folder-missing | Folder not found: ${over} the folder is no longer configured`,
      `recovered | inbox/a.b.pdf | ${dots} ${over} the service has the file as it is now`,
      `ended | inbox/g.one.pdf | ${dots} ${over} its file is gone or is no longer to be sent`,
      `ended | inbox/doubt.pdf | in-doubt | Upload in doubt: ${over} its file is gone or is no longer to be sent`,
      'returned | inbox/back.pdf | held | its file is back, so that its deletion is no longer held',
    ]);
    expect(log.lines.at(-1)).toMatchObject({ message: 'returned', data: { docId: 'doc-1' } });
  });

  it('tells each place by itself, once over restarts, when it begins and when it is over', () => {
    const at = (path: string) => ({
      folder: 'inbox',
      path,
      code: 'ignore-file-invalid',
      message: 'not UTF-8',
    });
    const reasons: Reason[] = [at('a'), at('b')];
    const before = [{ ...problem('ignore-file-invalid'), folder: 'inbox', path: 'a' }];
    const { lines, timeline } = timelineOf(reasons, { before });
    timeline.look();
    reasons.splice(0, 2, at('b'), at('c'));
    timeline.look();
    timeline.look();
    const said = (path: string) => `inbox/${path} | ignore-file-invalid | Invalid .ingestignore: `;
    expect(lines).toEqual([
      `problem | ${said('b')}not UTF-8`,
      `recovered | ${said('a')}over after about 6 minutes`,
      `problem | ${said('c')}not UTF-8`,
    ]);
  });

  it('leaves out what is in the history by itself, and what is no trouble', () => {
    const codes = [
      'paused',
      'held',
      'fleet-paused',
      'new-ledger',
      'not-running',
      'rate-limited',
      'orphan-sidecar',
    ];
    const { lines, timeline } = timelineOf(codes.map((code) => ({ folder: '', code, message: code })));
    timeline.look();
    expect(lines).toEqual([
      'problem | fleet-paused | The whole fleet is paused: fleet-paused',
      'limit | rate-limited | The service asked to wait: rate-limited',
      // Its own words are a sentence.
      'problem | orphan-sidecar | orphan-sidecar',
    ]);
  });

  it('says that what began before this start is over, once that is known, and how long it was', () => {
    const troubles: Reason[] = [{ folder: 'inbox', code: 'folder-missing', message: '/inbox is not there' }];
    const before = [problem('credentials-refused'), { ...problem('folder-missing'), folder: 'inbox' }];
    let isOver = false;
    const { lines, timeline } = timelineOf(troubles, { before, isOver: () => isOver });
    timeline.look();
    // This process says it too, and no more when it goes on with another configuration.
    const said = 'problem | inbox | folder-missing | Folder not found: /inbox is not there';
    expect(lines).toEqual([said]);
    const reloaded = timelineOf(troubles, { before });
    reloaded.timeline.reloaded(true, [], []);
    reloaded.timeline.look();
    expect(reloaded.lines.filter((line) => line.startsWith('problem'))).toEqual([]);
    isOver = true;
    timeline.look();
    troubles.pop();
    timeline.look();
    timeline.look();
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^recovered \| credentials-refused \| .+: over after about 6 minutes$/),
      expect.stringMatching(/^recovered \| inbox \| folder-missing \| .+: over after about 6 minutes$/),
    ]);
  });
});
