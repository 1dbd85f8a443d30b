import { truncate, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

import { beforeEach, describe, expect, it } from '@jest/globals';

import type { Change, LedgerPort } from '../../src/model/ports/ledger-port.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import type { RecordedLog } from '../support/recorded-log.ts';
import { modelOf } from './support/model.ts';
import { contentOf, put, recordOf } from './support/samples.ts';
import { fileIn, imageOf, layOut, withFile } from './support/state-image.ts';
import type { Image } from './support/state-image.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const commits: readonly (readonly Change[])[] = [
  [put('a.pdf', recordOf(1)), { kind: 'sent', id: '1', at: Date.UTC(2026, 0, 1) }],
  [put('d/b.pdf', recordOf(2))],
  [{ kind: 'intent', intent: { id: 'i', ref: { folder: 'inbox', path: 'c.pdf' }, size: 3, at: 5 } }],
  [{ kind: 'resolve', id: 'i' }, put('c.pdf', recordOf(3))],
  [{ kind: 'drop', ref: { folder: 'inbox', path: 'a.pdf' } }, put('e.pdf', recordOf(4))],
];

const folder = folderOfEachTest();
let log: RecordedLog;
let dir: string;
/** Two snapshots, the older one's journal, and a journal that holds the commits. */
let image: Image;

beforeEach(async () => {
  dir = folder.join('state');
  log = recordedLog();
  const first = await openIt({ compactAfterBytes: 1 });
  await first.commit([hold]);
  await first.close();
  const ledger = await openIt();
  for (const changes of commits) await ledger.commit(changes);
  image = await imageOf(dir);
  await ledger.close();
  log = recordedLog();
});

function openIt({ compactAfterBytes }: { compactAfterBytes?: number } = {}): Promise<LedgerPort> {
  return openLedger({ dir, clock: manualClock(), log, compactAfterBytes });
}

const hold: Change = { kind: 'hold', folder: 'inbox', hold: { since: 1, reason: 'many' } };
const histories = Array.from({ length: commits.length + 1 }, (_, count) =>
  modelOf([[hold], ...commits.slice(0, count)]),
);

function after(count: number): object {
  return histories[count] ?? {};
}

function journalIn(files: Image): string {
  const names = [...files.keys()].filter((name) => name.startsWith('ledger.journal.'));
  return names.sort().at(-1) ?? '';
}

async function readOrRefusal(): Promise<object | string> {
  return readLedger(dir).then(contentOf, (error: { code: string; message: string }) => {
    expect(error.code).toBe('ledger-damaged');
    expect(error.message).toContain(dir);
    expect(error.message).toContain('ingestd ledger verify');
    return 'refused';
  });
}

describe('P6, P12: a journal that was cut off by a power loss', () => {
  it('gives at every byte the commits that were whole, and goes on from there', async () => {
    const name = journalIn(image);
    const whole = fileIn(image, name);
    const ends = [...whole.keys()].filter((at) => whole[at] === 10).map((at) => at + 1);
    const header = ends[0] ?? 0;
    await layOut(dir, image);
    for (let size = whole.length; size >= header; size -= size > whole.length - 450 ? 1 : 11) {
      await truncate(folder.join('state', name), size);
      const count = ends.filter((end) => end <= size).length - 1;
      expect(await readOrRefusal()).toEqual(after(count));
    }
  });

  it('is cut to its last whole group once, with one line in the log, and written on', async () => {
    const name = journalIn(image);
    const whole = fileIn(image, name);
    await layOut(dir, withFile(image, name, whole.subarray(0, whole.length - 7)));
    const ledger = await openIt();
    expect(contentOf(ledger)).toEqual(after(commits.length - 1));
    expect(log.lines.map(({ message }) => message)).toEqual([
      'ledger journal ended with an incomplete entry, which was removed',
    ]);
    await ledger.commit(commits.at(-1) ?? []);
    await ledger.close();
    const again = await openIt();
    expect(contentOf(again)).toEqual(after(commits.length));
    expect(log.lines).toHaveLength(1);
    await again.close();
  });

  it('takes an end of zeros, as some file systems leave it, for an end that was never written', async () => {
    const name = journalIn(image);
    await layOut(dir, withFile(image, name, Buffer.concat([fileIn(image, name), Buffer.alloc(4096)])));
    expect(await readOrRefusal()).toEqual(after(commits.length));
  });

  it('is refused when even its first line is gone', async () => {
    const name = journalIn(image);
    for (const content of [Buffer.alloc(0), Buffer.from('\n'), null]) {
      await layOut(dir, withFile(image, name, content));
      expect(await readOrRefusal()).toBe('refused');
    }
  });
});

describe('a journal that is not the one that it should be', () => {
  it('is said to be another one, where a file has the name of the next', async () => {
    const names = [...image.keys()].filter((name) => name.startsWith('ledger.journal.')).sort();
    const [older = '', newer = ''] = names;
    await layOut(dir, withFile(image, newer, fileIn(image, older)));
    await expect(readLedger(dir)).rejects.toThrow(/it contains journal \d/);
  });
});

describe('P6: a journal with a changed byte', () => {
  it('is read up to its last group or refused, and never read wrongly', async () => {
    const name = journalIn(image);
    const whole = fileIn(image, name);
    const lastGroup = whole.lastIndexOf(10, whole.length - 2) + 1;
    await layOut(dir, image);
    for (let at = 0; at < whole.length; at += at < lastGroup - 100 ? 11 : 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await writeFile(folder.join('state', name), changed);
      const found = await readOrRefusal();
      if (at < lastGroup - 1) expect(found).toBe('refused');
      else if (found !== 'refused')
        expect([after(commits.length), after(commits.length - 1), after(commits.length - 2)]).toContainEqual(
          found,
        );
    }
  });

  it('is refused when a whole line is missing, doubled or in the wrong place', async () => {
    const name = journalIn(image);
    const lines = fileIn(image, name)
      .toString()
      .split(/(?<=\n)/);
    const [header = '', one = '', two = '', ...rest] = lines;
    for (const wrong of [
      [header, two, ...rest],
      [header, one, one, two, ...rest],
      [header, two, one, ...rest],
      [one, two, ...rest],
      [header, header, one, two, ...rest],
    ]) {
      await layOut(dir, withFile(image, name, Buffer.from(wrong.join(''))));
      expect(await readOrRefusal()).toBe('refused');
    }
  });
});

describe('P6: a damaged snapshot', () => {
  it('is made good from the one before it and its journals, whatever byte is wrong', async () => {
    const whole = fileIn(image, 'ledger.json');
    await layOut(dir, image);
    for (let at = 0; at < whole.length; at += at < whole.length - 90 ? 3 : 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await writeFile(folder.join('state', 'ledger.json'), changed);
      expect(await readOrRefusal()).toEqual(after(commits.length));
    }
  });

  it('is said, and replaced by a good one at once', async () => {
    await layOut(dir, withFile(image, 'ledger.json', Buffer.from('{}')));
    expect(await verifyLedger(dir)).toMatchObject({ ok: false, recoverable: true });
    const ledger = await openIt();
    expect(contentOf(ledger)).toEqual(after(commits.length));
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
    await ledger.close();
    expect(await verifyLedger(dir)).toMatchObject({ ok: true, fix: null });
    await layOut(dir, withFile(await imageOf(dir), 'ledger.previous.json', null));
    expect(await readOrRefusal()).toEqual(after(commits.length));
  });

  it('is refused without the one before it, and nothing is changed', async () => {
    const whole = fileIn(image, 'ledger.json').toString();
    const cases = {
      missing: null,
      empty: '',
      blank: '  \n',
      zeros: '\0'.repeat(whole.length),
      list: '[]',
      number: '5',
      'other JSON': '{"documents": []}',
      'cut off': whole.slice(0, -20),
      'with something behind it': `${whole}{}`,
      'with a byte order mark': `\uFEFF${whole}`,
      'without a line': whole.replace(/^\{"kind".*\n/m, ''),
    };
    for (const content of Object.values(cases)) {
      const bad = withFile(image, 'ledger.json', content === null ? null : Buffer.from(content));
      await layOut(dir, withFile(bad, 'ledger.previous.json', null));
      const before = await imageOf(dir);
      expect(await readOrRefusal()).toBe('refused');
      await expect(openIt()).rejects.toMatchObject({ code: 'ledger-damaged', exitCode: 1 });
      expect(await imageOf(dir)).toEqual(before);
      const report = await verifyLedger(dir);
      expect(report).toMatchObject({ ok: false, recoverable: false });
      expect(report.fix).toContain(dir);
      expect(JSON.stringify(report).split('a backup')).toHaveLength(2);
      expect(JSON.stringify(report)).not.toContain('ledger verify');
    }
  });

  it('P8: of a newer version is left alone, also where an older one lies beside it', async () => {
    const newer = fileIn(image, 'ledger.json')
      .toString()
      .replace(/"version":\d+/, '"version":99');
    await layOut(dir, withFile(image, 'ledger.json', Buffer.from(newer)));
    await expect(openIt()).rejects.toMatchObject({ code: 'ledger-damaged' });
    await expect(openIt()).rejects.toThrow('newer ingestd');
    expect(fileIn(await imageOf(dir), 'ledger.json').toString()).toBe(newer);
  });
});

describe('a verification says of each file how it is', () => {
  const states = async () => {
    const { ok, findings } = await verifyLedger(dir);
    return [ok, Object.fromEntries(findings.map(({ file, state }) => [file, state]))];
  };

  it('and that nothing is wrong where an end is not whole, or something is left over', async () => {
    const name = journalIn(image);
    const torn = fileIn(image, name).subarray(0, -7);
    await layOut(dir, new Map([...image, [name, torn], ['ledger.x.tmp', Buffer.from('{')]]));
    const good = ['ledger.json', 'ledger.previous.json', ...image.keys()].filter(
      (file) => image.has(file) && file !== 'ledger.used',
    );
    expect(await states()).toEqual([
      true,
      {
        ...Object.fromEntries(good.map((file) => [file, 'good'])),
        [name]: 'torn',
        'ledger.x.tmp': 'leftover',
      },
    ]);
  });

  it('and the fault of the whole, where no file alone shows it', async () => {
    await layOut(dir, withFile(withFile(image, 'ledger.json', null), 'ledger.previous.json', null));
    const { findings } = await verifyLedger(dir);
    expect(findings.map(({ file, state }) => `${file} ${state}`)).toEqual([
      'ledger.json missing',
      ...[...image.keys()].filter((file) => file.includes('.journal.')).map((file) => `${file} good`),
      'ledger damaged',
    ]);
  });
});

describe('P7: a state directory that was in use', () => {
  it('is never begun again while anything of the ledger is left', async () => {
    for (const kept of ['ledger.used', journalIn(image)]) {
      await layOut(dir, new Map([[kept, fileIn(image, kept)]]));
      await expect(openIt()).rejects.toThrow('was in use');
    }
  });

  it('P13: is begun again when a crash came before the first ledger was complete', async () => {
    await layOut(
      dir,
      new Map([
        ['ledger.journal.1', Buffer.from('0123')],
        ['ledger.x.tmp', Buffer.from('{')],
      ]),
    );
    const ledger = await openIt();
    await ledger.commit(commits[0] ?? []);
    await ledger.close();
    expect([...(await imageOf(dir)).keys()].sort()).toEqual([
      'ledger.journal.1',
      'ledger.json',
      'ledger.used',
    ]);
  });
});

describe('P9: rows that cannot be', () => {
  it('are left out one by one, said, and fail the document where there is one', async () => {
    await layOut(dir, image);
    const ledger = await openIt();
    await ledger.commit([put('twin.pdf', recordOf(9))]);
    await ledger.close();
    await forge(journalIn(image), (text) =>
      text.replaceAll(recordOf(9).docId, recordOf(2).docId).replace('"c.pdf"', '"../c.pdf"'),
    );
    const report = await verifyLedger(dir);
    expect(report).toMatchObject({ ok: false, recoverable: true });
    const rejected = report.findings.flatMap(({ file }) => /^inbox\/(.*)/.exec(file)?.[1] ?? []);
    expect(rejected.sort()).toEqual(['../c.pdf', 'd/b.pdf', 'twin.pdf']);
    const again = await openIt();
    expect([...again.entries()].map(({ ref }) => ref.path).sort()).toEqual(['e.pdf']);
    for (const path of ['d/b.pdf', 'twin.pdf']) {
      expect(again.failure({ folder: 'inbox', path })).toMatchObject({ code: 'double-doc-id' });
    }
    expect(log.lines.map(({ message }) => message)).toEqual(['damaged ledger records were skipped']);
    await again.close();
  });

  it('are sought in snapshots too; what the journal changed since counts', async () => {
    const twins = [put('twin.pdf', recordOf(8)), put('third.pdf', recordOf(9)), put('é.pdf', recordOf(10))];
    await layOut(dir, image);
    const ledger = await openIt({ compactAfterBytes: 1 });
    await ledger.commit(twins);
    await ledger.close();
    const later = await openIt();
    await later.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'c.pdf' } }]);
    await later.commit([put('twin.pdf', recordOf(8, { fingerprint: 'new' }))]);
    await later.close();
    await forgeSnapshot((text) =>
      text
        .replace(recordOf(8).docId, recordOf(2).docId)
        .replace(recordOf(9).docId, recordOf(2).docId)
        .replace(recordOf(10).docId, recordOf(3).docId),
    );
    const again = await openIt();
    const paths = [...again.entries()].map(({ ref }) => ref.path).sort();
    expect(paths).toEqual(['e.pdf', 'twin.pdf', 'é.pdf']);
    expect([...again.failures()].map(([{ path }]) => path).sort()).toEqual(['d/b.pdf', 'third.pdf']);
    await again.close();
  });

  it.each(['g', 'A', 'İ'])('are refused where a hash has another character: %s', async (character) => {
    const spoil = (text: string): string => {
      const { sha256 } = recordOf(2);
      return text.replace(sha256, `${sha256.slice(0, -1)}${character}`);
    };
    await forge(journalIn(image), spoil);
    await expect(openIt()).rejects.toMatchObject({
      message: expect.stringContaining('sha256 is not a hash'),
    });
    await layOut(dir, image);
    const ledger = await openIt({ compactAfterBytes: 1 });
    await ledger.commit([put('f.pdf', recordOf(5))]);
    await ledger.close();
    await forgeSnapshot(spoil);
    await layOut(dir, withFile(await imageOf(dir), 'ledger.previous.json', null));
    await expect(openIt()).rejects.toMatchObject({
      message: expect.stringContaining('sha256 is not a hash'),
    });
  });

  /** Changes the text of the snapshot and makes its checksum right again. */
  async function forgeSnapshot(change: (text: string) => string): Promise<void> {
    const files = await imageOf(dir);
    const text = change(fileIn(files, 'ledger.json').toString());
    const end = text.indexOf('\n[]],') + 1;
    const checksum = crc32(text.slice(0, end)).toString(16).padStart(8, '0');
    const forged = text.slice(0, end) + text.slice(end).replace(/"crc32":"\w+"/, `"crc32":"${checksum}"`);
    await layOut(dir, withFile(files, 'ledger.json', Buffer.from(forged)));
  }

  /** Changes the text of a journal and makes its checksums right again. */
  async function forge(name: string, change: (text: string) => string): Promise<void> {
    const files = await imageOf(dir);
    const lines = fileIn(files, name)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => change(line.slice(9)))
      .map((json) => `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    await layOut(dir, withFile(files, name, Buffer.from(lines.join(''))));
  }
});
