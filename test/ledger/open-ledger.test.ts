import { chmod, chown, cp, mkdir, readFile, readdir, stat, truncate } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { LedgerPort, LedgerRecord } from '../../src/model/ports/ledger-port.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { contentOf, put, recordOf, statOf } from './support/samples.ts';

const folder = folderOfEachTest();
const open: LedgerPort[] = [];

afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((ledger) => ledger.close()));
});

async function openIt(options: Partial<Parameters<typeof openLedger>[0]> = {}): Promise<LedgerPort> {
  const ledger = await openLedger({
    dir: folder.join('state'),
    clock: manualClock(),
    log: recordedLog(),
    ...options,
  });
  open.push(ledger);
  return ledger;
}

describe('the ledger', () => {
  it('finds who carries a file as an attachment, by path or as the very file, also after changes', async () => {
    const ledger = await openIt();
    const carried = { name: 'x.csv', path: 'a/x.csv', sha256: '', stat: statOf(7) };
    const dropped = { name: 'y.csv', sha256: '', stat: { ...statOf(8), ino: 0 } };
    const find = (path: string, number: number) =>
      ledger.findOwners({ folder: 'inbox', path }, statOf(number)).map(({ ref }) => ref.path);
    expect(find('a/x.csv', 7)).toEqual([]);
    await ledger.commit([put('a/report-1.pdf', recordOf(1, { attachments: [carried, dropped] }))]);
    expect([find('a/x.csv', 9), find('b/z.csv', 7), find('y.csv', 8)]).toEqual([
      ['a/report-1.pdf'],
      ['a/report-1.pdf'],
      [],
    ]);
    const reused = { ...statOf(7), birthtimeMs: 1 };
    expect(ledger.findOwners({ folder: 'inbox', path: 'b/z.csv' }, reused)).toEqual([]);
    expect(ledger.findOwners({ folder: 'other', path: 'a/x.csv' }, statOf(9))).toEqual([]);
    await ledger.commit([
      { kind: 'drop', ref: { folder: 'inbox', path: 'a/report-1.pdf' } },
      put('b/report-1.pdf', recordOf(1, { attachments: [carried] })),
    ]);
    expect(find('a/x.csv', 7)).toEqual(['b/report-1.pdf']);
    await ledger.commit([put('b/report-1.pdf', recordOf(1))]);
    expect([find('a/x.csv', 9), find('b/z.csv', 7)]).toEqual([[], []]);
  });

  it('I5: forgets how a file was shared when it is sent, and a record tells of it: not while it changed as an attachment', async () => {
    const ledger = await openIt();
    const { stat } = recordOf(1);
    const held = { folder: 'inbox', path: 'b.pdf', mode: 'NONE', by: 'b.pdf.meta.json', file: stat } as const;
    await ledger.commit([{ kind: 'former', held }, put('a.pdf', recordOf(1, { standing: stat }))]);
    expect(ledger.formerModes(stat)).toEqual([held]);
    await ledger.commit([put('a.pdf', recordOf(1))]);
    expect(ledger.formerModes(stat)).toEqual([]);
    await ledger.commit([{ kind: 'former', held }, put('a.pdf', recordOf(1, { said: ['once'] }))]);
    expect(ledger.formerModes(stat)).toEqual([held]);
    await ledger.commit([put('a.pdf', recordOf(1, { modifiedAt: '2026-01-02T00:00:00.000Z' }))]);
    expect(ledger.formerModes(stat)).toEqual([]);
  });

  it('writes nothing down of what was never said of a document', async () => {
    const ledger = await openIt();
    const record = { ...recordOf(1), said: [] };
    await ledger.commit([
      put('a.pdf', record),
      put('report.pdf', { ...record, fileName: 'report.pdf', docId: 'other' }),
    ]);
    await ledger.close();
    const again = await openIt();
    expect([...again.entries()].map(({ record }) => 'said' in record)).toEqual([false, false]);
    expect(await readFile(folder.join('state', 'ledger.json'), 'utf8')).not.toContain('"said"');
  });

  it('takes no commit that gives a docId of another one on its way to a second document', async () => {
    const ledger = await openIt();
    const [one, other] = [recordOf(1), recordOf(2)];
    const drop = { kind: 'drop', ref: { folder: 'inbox', path: 'a.pdf' } } as const;
    const settled = await Promise.allSettled([
      ledger.commit([put('a.pdf', one)]),
      ledger.commit([put('b.pdf', one)]),
      ledger.commit([put('b.pdf', other)]),
      ledger.commit([put('a.pdf', other), put('b.pdf', one)]),
      ledger.commit([drop, put('c.pdf', other)]),
      ledger.commit([put('a.pdf', other)]),
      ledger.commit([put('a.pdf', recordOf(3))]),
    ]);
    const kinds = settled.map(({ status }) => status === 'fulfilled');
    expect(kinds).toEqual([true, false, true, true, true, false, true]);
    const paths = [one, other, recordOf(3)].map(({ docId }) => ledger.findByDocId(docId)?.path);
    expect(paths).toEqual(['b.pdf', 'c.pdf', 'a.pdf']);
  });

  it('keeps a snapshot that is one JSON document', async () => {
    const ledger = await openIt({ compactAfterBytes: 1 });
    await ledger.commit([put('a/report-1.pdf', recordOf(1))]);
    await ledger.close();
    const snapshot: unknown = JSON.parse(await readFile(folder.join('state', 'ledger.json'), 'utf8'));
    expect(snapshot).toMatchObject({ ingestd: 'ledger', version: 3 });
    expect(JSON.stringify(snapshot)).toContain(recordOf(1).docId);
  });

  it('P20, S4: is its owner’s alone, whatever the umask and the mode of the directory', async () => {
    const before = process.umask(0);
    try {
      await mkdir(folder.join('state'), { mode: 0o777 });
      const ledger = await openIt({ compactAfterBytes: 1 });
      await ledger.commit([put('a.pdf', recordOf(1))]);
      await ledger.close();
      await openIt();
      expect(await readdir(folder.join('state'))).toHaveLength(6);
      expect((await stat(folder.join('state'))).mode & 0o777).toBe(0o700);
      for (const name of await readdir(folder.join('state'))) {
        expect([name, (await stat(folder.join('state', name))).mode & 0o777]).toEqual([name, 0o600]);
      }
    } finally {
      process.umask(before);
    }
  });

  it('does not close a directory that is plainly not its own to others', async () => {
    if (process.getuid?.() !== 0) return;
    await folder.write('state/somebody-else.txt', 'x');
    await chmod(folder.join('state'), 0o755);
    await openIt();
    expect((await stat(folder.join('state'))).mode & 0o777).toBe(0o755);
  });

  it('S4: is refused in a directory of another user, or where others can write', async () => {
    // Only root can give a directory away.
    if (process.getuid?.() !== 0) return;
    await mkdir(folder.join('state'), { mode: 0o700 });
    await chown(folder.join('state'), 1001, 1001);
    await expect(openIt()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /belongs to another user \(uid 1001; this ingestd runs as uid 0\).* run ingestd as that user \(sudo -u '#1001' ingestd …\)$/,
      ),
    });
    await chown(folder.join('state'), 0, 0);
    await folder.write('state/somebody-else.txt', 'x');
    await chmod(folder.join('state'), 0o777);
    await expect(openIt()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/other users can write to .*mode 0777.*\/ingestd/),
    });
    expect(await readdir(folder.join('state'))).toEqual(['somebody-else.txt']);
  });

  it('shows a change only when it is durable', async () => {
    const ledger = await openIt();
    const committed = ledger.commit([put('a.pdf', recordOf(1))]);
    expect(ledger.count('inbox')).toBe(0);
    await committed;
    expect(ledger.count('inbox')).toBe(1);
  });

  it('P14: writes less than a kilobyte for an ordinary record', async () => {
    const ledger = await openIt();
    const size = async (): Promise<number> => (await stat(folder.join('state', 'ledger.journal.1'))).size;
    const before = await size();
    await ledger.commit([put('a/directory/of/some/depth/report-1.pdf', recordOf(1))]);
    expect((await size()) - before).toBeLessThan(600);
  });

  it('finds the path whose records a directory holds, by its identity, until its last record is gone', async () => {
    const first = { ino: 7, birthtimeMs: 1_760_000_000_000.25, dev: 3 };
    const second = { ino: 8, birthtimeMs: 0, dev: 3 };
    const place = { folder: 'inbox', path: 'd' };
    let ledger = await openIt();
    await ledger.commit([{ kind: 'directory', ...place, identity: first }]);
    expect(ledger.directory(place)).toBeUndefined();
    await ledger.commit([
      put('d/a.pdf', recordOf(1)),
      put('d/b.pdf', recordOf(2)),
      { kind: 'directory', ...place, identity: first },
    ]);
    expect(ledger.placesOf({ ...first, dev: 4 })).toEqual([place]);
    expect(ledger.placesOf({ ...first, birthtimeMs: 9 })).toEqual([]);
    await ledger.commit([{ kind: 'directory', ...place, identity: second }]);
    await ledger.close();
    ledger = await openIt({ compactAfterBytes: 1 });
    await ledger.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'd/a.pdf' } }]);
    await ledger.close();
    ledger = await openIt();
    expect([ledger.directory(place), ledger.placesOf(first), ledger.placesOf(second)]).toEqual([
      second,
      [],
      [place],
    ]);
    await ledger.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'd/b.pdf' } }]);
    await ledger.commit([put('d/c.pdf', recordOf(3))]);
    expect([ledger.directory(place), ledger.placesOf(second)]).toEqual([undefined, []]);
    await ledger.close();
  });

  it.each<readonly [string, Partial<LedgerRecord>]>([
    ...['0'.repeat(63), '0'.repeat(65), 'g'.repeat(64), ` ${'0'.repeat(64)}`].map(
      (sha256) => ['sha256', { sha256 }] as const,
    ),
    ['docId', { docId: '' }],
    ['mtimeMs', { stat: { ...recordOf(1).stat, mtimeMs: Number.NaN } }],
  ])('takes no record whose %s is none: %j', async (name, wrong) => {
    const ledger = await openIt();
    await expect(ledger.commit([put('a.pdf', recordOf(1, wrong))])).rejects.toThrow(name);
    expect(ledger.count('inbox')).toBe(0);
  });

  it('has none of a large commit of which a crash left only the first part', async () => {
    const ledger = await openIt();
    await ledger.commit([put('first.pdf', recordOf(0))]);
    const journal = folder.join('state', 'ledger.journal.1');
    const before = (await stat(journal)).size;
    await ledger.commit(
      Array.from({ length: 3000 }, (_, number) => put(`d/${number}.pdf`, recordOf(number + 1))),
    );
    const bytes = await readFile(journal);
    const firstLine = bytes.indexOf('\n', before) + 1;
    expect(firstLine).toBeLessThan(bytes.length);
    await cp(folder.join('state'), folder.join('crashed'), { recursive: true });
    await truncate(folder.join('crashed', 'ledger.journal.1'), firstLine);
    const { entries } = await readLedger(folder.join('crashed'));
    expect(Array.from(entries(), ({ ref }) => ref.path)).toEqual(['first.pdf']);
  });

  it('keeps the newest requests, however old they are', async () => {
    const clock = manualClock();
    const ledger = await openIt({ clock });
    await ledger.commit(
      Array.from({ length: 300 }, (_, index) => ({
        kind: 'sent',
        id: String(index),
        at: clock.now() + index,
      })),
    );
    await ledger.close();
    await clock.advance(3_600_000);
    const kept = (await openIt({ clock })).sentRequests().map(({ id }) => Number(id));
    expect(kept).toEqual(Array.from({ length: 200 }, (_, index) => 100 + index));
  });

  it('lets go of its files when it is closed, and takes nothing more', async () => {
    const ledger = await openIt();
    const late = ledger.commit([put('a.pdf', recordOf(1))]);
    await ledger.close();
    await expect(late).resolves.toBeUndefined();
    await expect(ledger.commit([put('b.pdf', recordOf(2))])).rejects.toMatchObject({ code: 'stopped' });
  });

  it('says of a file whether a record is of just this one', async () => {
    const ledger = await openIt();
    const record = recordOf(1);
    await ledger.commit([put('d/a.pdf', record)]);
    const records = ledger.recordsIn('inbox', 'd');
    const match = (change: Partial<typeof record.stat>, fingerprint = record.fingerprint) =>
      records.match('a.pdf', { stat: { ...record.stat, ...change }, fingerprint });
    expect([match({}), match({ dev: 99, birthtimeMs: 1 }), match({}, 'another')]).toEqual([
      'same',
      'same',
      'stat',
    ]);
    for (const field of ['size', 'mtimeMs', 'ctimeMs', 'ino'] as const)
      expect([field, match({ [field]: record.stat[field] + 1 })]).toEqual([field, 'other']);
    expect(records.match('b.pdf', record)).toBe('none');
    expect(ledger.recordsIn('inbox', 'nowhere').match('a.pdf', record)).toBe('none');
  });

  it('remembers requests of the last ten minutes and forgets older ones', async () => {
    const clock = manualClock();
    const ledger = await openIt({ clock });
    const start = clock.now();
    for (let minute = 0; minute < 60; minute += 1) {
      const changes = Array.from({ length: 50 }, (_, index) => {
        const at = start + minute * 60_000 + index;
        return { kind: 'sent' as const, id: `${minute}-${index}`, at };
      });
      await clock.advance(60_000);
      await ledger.commit(changes);
    }
    const kept = ledger.sentRequests();
    expect(kept.length).toBeLessThan(2000);
    expect(kept.filter(({ at }) => at > clock.now() - 600_000)).toHaveLength(450 + 49);
    await ledger.close();
    expect((await openIt({ clock })).sentRequests().length).toBeLessThan(600);
  });
});

describe('a second reader', () => {
  it('sees a ledger that is whole while the first one writes and compacts', async () => {
    const ledger = await openIt({ compactAfterBytes: 2000 });
    const last = 150;
    let written = 0;
    const writing = (async () => {
      for (; written < last; written += 1) {
        // Always two at once: a reader must never see one of them alone.
        await ledger.commit([
          put(`a/${written}.pdf`, recordOf(written * 2)),
          put(`b/${written}.pdf`, recordOf(written * 2 + 1)),
        ]);
      }
    })();
    let looks = 0;
    for (let before = 0; before < last - 1;) {
      before = written;
      const reader = await readLedger(folder.join('state'));
      expect(reader.recordsIn('inbox', 'a').size).toBe(reader.recordsIn('inbox', 'b').size);
      expect(reader.recordsIn('inbox', 'a').size).toBeGreaterThanOrEqual(before);
      looks += 1;
    }
    await writing;
    expect(looks).toBeGreaterThan(3);
    expect(contentOf(await readLedger(folder.join('state')))).toEqual(contentOf(ledger));
  });

  it('finds nothing where there never was a ledger, and makes nothing', async () => {
    const reader = await readLedger(folder.join('nowhere'));
    expect([reader.folders(), [...reader.entries()]]).toEqual([[], []]);
    await expect(stat(folder.join('nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
