import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { renderFleet, renderStatus } from '../../src/cli/report/render-status.ts';
import type { Status } from '../../src/model/report/status.ts';
import { localTime } from '../../src/lib/text/amounts.ts';
import { createOutput } from '../../src/cli/output.ts';
import { busyStatus } from '../status/support/busy-status.ts';
import { aFleet, aHost } from '../status/support/a-fleet.ts';
import { aFailure, aFolder, aStatus } from '../status/support/fake-control.ts';

const { colors } = createOutput(new PassThrough(), {});
const calm = aStatus({ health: 'attention', folders: [] });

it('names and messages of other hosts cannot act on the terminal', () => {
  const stream = new PassThrough();
  const output = createOutput(stream, { FORCE_COLOR: '1' });
  const host = aHost('a\x1b[2J', {
    health: 'attention',
    headline: 'H\x1b[2J',
    version: '1\x1b[2J',
    failuresTotal: 1,
  });
  for (const line of renderFleet(aFleet([host], { account: 'A\x1b[2J' }), output.colors)) output.line(line);
  const text = String(stream.read());
  expect(text).toContain('this minute');
  expect(text).not.toContain('\x1b[2J');
});

it('says of a folder that is paused that it is', () => {
  const status = { ...calm, folders: [aFolder()], paused: ['inbox'] };
  expect(renderStatus(status, { colors, page: null, now: 0 })[2]).toContain('paused');
});

it('gives one way to set credentials: that of the message', () => {
  const message = 'there is no value in /etc/ingestd/credentials. Write each into the file of its name there';
  const status = { ...calm, reasons: [{ code: 'credential-missing', message }] };
  const text = renderStatus(status, { colors, page: null, now: 0 }).join('\n');
  expect(text).toContain('no value in /etc/ingestd/credentials');
  expect(text).not.toContain('.env');
});

it('groups what failed by its cause, ordered by path, with the fix once', () => {
  const failures = [
    aFailure('y.pdf', 'forbidden', 'you may not'),
    ...[10, 3, 1, 0, 2].map((index) => aFailure(`${index}.b.txt`, 'double-extension', `dot ${index}`)),
    aFailure('x.pdf', 'forbidden', 'you may not'),
  ];
  const folders = [aFolder({ onDisk: 9, failed: 9 })];
  const status = { ...calm, folders, failures, failuresTotal: 9 };
  const lines = renderStatus(status, { colors, page: null, now: 0 });
  expect(lines.slice(lines.indexOf('Failed (9)'))).toEqual([
    'Failed (9)',
    expect.stringMatching(/^ {2}More than one dot in the name \(5\)/),
    '    inbox/0.b.txt: dot 0',
    '    inbox/1.b.txt: dot 1',
    '    inbox/2.b.txt: dot 2',
    '    and 2 more',
    expect.stringMatching(/^ {2}you may not \(2\)/),
    '    inbox/x.pdf',
    '    inbox/y.pdf',
    '  and 2 more',
    '  (ingestd why PATH explains one, ingestd retry sends again what the service refused)',
  ]);
});

it('says first what needs a person, in the order of headline and page', () => {
  const retried = { ...aFailure('e.pdf', 'econnrefused', 'refused'), retryAt: '2026-01-01T00:00:00Z' };
  const waits = { folder: 'inbox', path: 'w.pdf', code: 'sidecar-missing', message: 'waiting' };
  const { failures = [], ...busy } = busyStatus();
  const status = { ...calm, ...busy, failures: [...failures, retried], waiting: [waits], waitingTotal: 1 };
  const lines = renderStatus(status, { colors, page: null, now: 0 });
  const titles = lines.flatMap((line) => /^([A-Z][a-z ]+)(?: \(\d+\))?$/.exec(line)?.[1] ?? []);
  expect(titles).toEqual(['Failed', 'Held deletions', 'In doubt', 'Retrying', 'Waiting', 'Skipped']);
});

const failed = aFailure('a.b.pdf', 'double-extension', 'two dots');
const doubt = { folder: 'inbox', path: 'd.pdf', since: '2026-01-01T00:00:00Z', count: 2, message: 'lost' };
const duplicates = ['d.pdf', 'e.pdf'].map((path) => ({ folder: 'inbox', path, copies: 2 }));
const waiting = 'waiting for its sidecar w.pdf.meta.json';

it.each<[string, Partial<Status>, readonly RegExp[]]>([
  [
    'possible duplicates, but those of what is in doubt, and where their names are',
    { possibleDuplicates: 4, recordedDuplicates: 2, duplicates, inDoubt: [doubt], inDoubtTotal: 1 },
    [/ possible duplicates \(1\)\n {2}inbox\/e\.pdf: up to 2 extra copies\n.* resolve PATH --dismiss\)$/],
  ],
  [
    'an upload in doubt in one place, and counts it once',
    {
      folders: [aFolder({ synced: 3, failed: 2, inDoubt: 1 }), aFolder({ name: 'other', failed: 1 })],
      failures: [failed, aFailure('d.pdf', 'in-doubt', 'lost')],
      failuresTotal: 3,
      inDoubt: [doubt],
      inDoubtTotal: 1,
    },
    [
      /^2 documents failed, 1 upload in doubt\. 3 of 6 documents delivered/,
      /^inbox {2}3 of 5, 1 failed, 1 in doubt /m,
      /^other {2}0 of 1, 1 failed /m,
      /\nFailed \(2\)\n/,
      /\nIn doubt \(1\)\n {2}inbox\/d\.pdf: lost\n/,
      /^(?:(?!inbox\/d\.pdf)[^])*inbox\/d\.pdf(?:(?!inbox\/d\.pdf)[^])*$/,
    ],
  ],
  [
    'uploads in doubt that are sent again apart from what is to be sent, and from what waits',
    { folders: [aFolder({ pending: 30, pendingInDoubt: 4, waiting: 2, retriedInDoubt: 1 })] },
    [/^inbox {2}0 of 32, 26 to send, 1 waiting, 5 in doubt /m],
  ],
  [
    'apart from what failed what is tried again by itself',
    {
      failures: [failed, { ...aFailure('e.pdf', 'econnrefused', 'refused'), retryAt: doubt.since }],
      failuresTotal: 2,
    },
    [/\nFailed \(1\)\n/, /\nRetrying \(1\)\n {2}inbox\/e\.pdf: refused\n {2}\(nothing to do/],
  ],
  [
    'what another attempt does not end, and offers none',
    { failures: [aFailure('m.pdf', 'missing-at-service', 'not there')], failuresTotal: 1 },
    [/\n {4}inbox\/m\.pdf: not there\n {2}\(ingestd why PATH explains one\)$/],
  ],
  [
    'no sharing of what nobody can share as it is stated, and why',
    { narrower: [{ folder: 'inbox', path: 'n.pdf', sharing: 'EVERYONE', code: 'attachments-would-show' }] },
    [/\n {2}inbox\/n\.pdf: EVERYONE is stated now \(Old attach.*\)\n {2}\(ingestd why PATH says why\)$/],
  ],
  [
    'by name what is kept at the service',
    { kept: [aFailure('k9.pdf', 'kept', ''), aFailure('k10.pdf', 'kept', '')] },
    [/\nKept at the service \(\d\)\n {2}inbox\/k9\.pdf\n {2}inbox\/k10\.pdf\n {2}\(for details/],
  ],
  [
    'no decision about an upload in doubt that is being sent again',
    { inDoubt: [{ ...doubt, isSending: true }], inDoubtTotal: 1 },
    [/\nIn doubt \(1\)\n {2}inbox\/d\.pdf: lost\n {2}\(for details run ingestd why PATH\)$/],
  ],
  [
    'what the service has not answered for ten seconds',
    {
      transfers: [-10_000, -9_000].map((at) => {
        const since = new Date(at).toISOString();
        const bytes = { bytesSent: 1, bytesTotal: 1 };
        return { folder: 'inbox', path: `${at}.pdf`, operation: 'upload', ...bytes, documents: 1, since };
      }),
    },
    [/\nNo answer from the service \(1\)\n {2}inbox\/-10000\.pdf: upload, since \S+ \S+\n {2}\(ing/],
  ],
  [
    'what waits, and for what',
    {
      waiting: [{ folder: 'inbox', path: 'w.pdf', code: 'sidecar-missing', message: waiting }],
      waitingTotal: 12,
    },
    [
      /\nWaiting \(12\)\n.+ \(1\).*\n {4}inbox\/w\.pdf: waiting for its sidecar w\.pdf\.meta\.json\n {2}and 11 more$/m,
    ],
  ],
])('lists %s', (_name, more, texts) => {
  const text = renderStatus({ ...calm, ...more }, { colors, page: null, now: 0 }).join('\n');
  for (const one of texts) expect(text).toMatch(one);
});

it('says when the queue is done, in the zone of this machine', () => {
  const queue = { pending: 400, inFlight: 0, waiting: 0, etaSeconds: 480 };
  const folders = [aFolder({ pending: 400 })];
  const status: Status = { ...calm, health: 'ok', state: 'working', folders, queue };
  const now = new Date(2026, 10, 27, 20, 53).getTime();
  const [first] = renderStatus(status, { colors, page: null, now });
  expect(first).toContain('about 8 minutes left, done about 21:01');
  const [late] = renderStatus(status, { colors, page: null, now: new Date(2026, 10, 27, 23, 55).getTime() });
  expect(late).toContain('done about 2026-11-28 00:03');
});

it('says of each folder how many deletions are held, beyond those that it names', () => {
  const heldIn = (folder: string, count: number) => ({
    folder,
    count,
    since: '2026-11-25T09:00:00.000Z',
    reason: 'many',
    paths: Array.from({ length: count }, (_, index) => `${index}.txt`),
  });
  const held = [heldIn('research', 10), heldIn('notes', 25)];
  const status: Status = { ...calm, held };
  const lines = renderStatus(status, { colors, page: null, now: 0 });
  const named = (folder: string) => lines.filter((line) => line.includes(`  ${folder}/`)).length;
  expect(lines).toContainEqual(expect.stringContaining(`and ${10 - named('research')} more`));
  expect(lines).toContainEqual(
    expect.stringContaining(`and ${25 - named('notes')} more: ingestd approve FOLDER`),
  );
});

it('says of what is held in a folder that is away nothing of approving now', () => {
  const folders = [aFolder({ state: 'unavailable' })];
  const held = [{ folder: 'inbox', count: 11, since: '2026-11-25T09:00:00Z', reason: 'many', paths: ['a'] }];
  const text = renderStatus({ ...calm, folders, held }, { colors, page: null, now: 0 }).join('\n');
  expect(text).toContain('and 10 more\n    for you to approve when the folder is available again');
  expect(text).not.toContain('ingestd approve');
});

it('says once what is held and what is in the way, with times of this machine', () => {
  const at = '2026-11-25T09:00:00.000Z';
  const message = `the service asked to wait until ${at}`;
  const reasons = [
    { code: 'held', message: 'inbox: 11 deletions wait for approval' },
    { code: 'folder-missing', message: '/two does not exist', folder: 'two' },
    { code: 'rate-limited', message, since: at, until: at },
  ];
  const held = [{ folder: 'inbox', count: 11, since: at, reason: `since ${at}`, paths: [] }];
  const text = renderStatus({ ...calm, reasons, held }, { colors, page: null, now: 0 }).join('\n');
  expect(text.split('wait for approval')).toHaveLength(1);
  expect(text.split('/two does not exist')).toHaveLength(2);
  expect(text).toContain(`${localTime(at)} (since ${localTime(at)}, next attempt at ${localTime(at)})`);
  expect(text).not.toMatch(/\d\dZ/);
});
