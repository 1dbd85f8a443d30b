import { execFileSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { realDisk } from '../../src/ledger/disk-operations.ts';
import type { Disk } from '../../src/ledger/disk-operations.ts';
import { sideChangeSchema } from '../../src/ledger/format/change-format.ts';
import { companionsSchema, rareSchema } from '../../src/ledger/format/record-schemas.ts';
import type { RecordFields } from '../../src/ledger/format/record-format.ts';
import type { FileStat } from '../../src/model/document.ts';
import { LEDGER_VERSION } from '../../src/ledger/journal/journal-line.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { recordingDisk } from './support/recording-disk.ts';
import { contentOf, put, recordOf } from './support/samples.ts';
import { imageOf, layOut } from './support/state-image.ts';
import type { Image } from './support/state-image.ts';

const fixtures = new URL('../fixtures/ledgers/', import.meta.url);

let folder: TemporaryFolder;
let dir: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  dir = folder.join('state');
});

afterEach(() => folder.remove());

const openIt = (options: { log?: ReturnType<typeof recordedLog>; disk?: Disk } = {}) =>
  openLedger({ dir, clock: manualClock(), log: recordedLog(), ...options });

/** A ledger as the older version left it, killed in the middle of its work. */
async function layOutVersion(version: number): Promise<Image> {
  await cp(new URL(`v${version}/`, fixtures), dir, { recursive: true });
  return imageOf(dir);
}

/** All that the older version itself read out of it. It knew nothing of claims, mounts and the identity of directories. */
async function contentOfVersion(version: number): Promise<unknown> {
  const read: object = JSON.parse(await readFile(new URL(`v${version}.content.json`, fixtures), 'utf8'));
  return {
    ...read,
    claims: [[], []],
    mounts: [[], []],
    mountIdentities: [[], []],
    bareMountPoints: [[], []],
    identities: {},
  };
}

function plain(ledger: Parameters<typeof contentOf>[0]): unknown {
  return JSON.parse(JSON.stringify(contentOf(ledger)));
}

function versionsIn(image: Image): readonly string[] {
  return Array.from(
    image,
    ([name, bytes]) => `${name} ${/"version":(\d+)/.exec(bytes.toString())?.[1] ?? ''}`,
  );
}

const stat: Required<FileStat> = { size: 1, mtimeMs: 1, ctimeMs: 1, birthtimeMs: 1, ino: 1, dev: 1 };

/** Every field of a record: where one is missing, this does not compile. */
const fullRecord: Required<RecordFields> = {
  docId: '',
  sha256: '',
  stat,
  fingerprint: 0,
  metadata: 0,
  title: '',
  createdTimestamp: 0,
  uploadedAt: 0,
  modifiedAt: 0,
  fileName: '',
  attachments: [],
  companions: undefined,
  said: [],
  unsure: undefined,
  possibleDuplicates: 0,
  leftSidecar: undefined,
  rootChange: 0,
};

describe('the version of the ledger’s files', () => {
  it('rises with everything that they can hold: change the number and what stands here together', () => {
    const schemas = [sideChangeSchema, rareSchema, companionsSchema].map((schema) =>
      z.toJSONSchema(schema, { io: 'input' }),
    );
    const shape = JSON.stringify([...schemas, Object.keys(fullRecord), Object.keys(stat)]);
    const fingerprint = createHash('sha256').update(shape).digest('hex').slice(0, 16);
    expect([LEDGER_VERSION, fingerprint]).toEqual([3, '62a2e63767601966']);
  });
});

describe.each([1, 2])('a ledger of version %d', (version) => {
  it('is read beside whoever writes it, with all that it holds, and not changed', async () => {
    const before = await layOutVersion(version);
    expect(plain(await readLedger(dir))).toEqual(await contentOfVersion(version));
    expect(await verifyLedger(dir)).toMatchObject({ ok: true, documents: 8 });
    expect(await imageOf(dir)).toEqual(before);
  });

  it('is written in the new format when it is opened, and holds the same', async () => {
    await layOutVersion(version);
    const log = recordedLog();
    const ledger = await openIt({ log });
    const content = await contentOfVersion(version);
    expect(plain(ledger)).toEqual(content);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'ledger converted to a new format; the old files are kept beside it'],
    ]);
    expect(versionsIn(await imageOf(dir))).toEqual(
      expect.arrayContaining(['ledger.json 3', 'ledger.journal.6 3']),
    );
    await ledger.commit([put('new.pdf', recordOf(20))]);
    await ledger.close();
    expect(await verifyLedger(dir)).toMatchObject({ ok: true, documents: 9 });
    const again = await openIt({ log });
    expect(again.get({ folder: 'inbox', path: 'new.pdf' })).toEqual(recordOf(20));
    await again.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'new.pdf' } }]);
    expect(plain(again)).toEqual(content);
    expect(log.lines).toHaveLength(1);
    await again.close();
  });

  it('stays beside it, byte for byte, so that the commands of docs/operations.md go back', async () => {
    const before = await layOutVersion(version);
    const ledger = await openIt();
    await ledger.commit([put('new.pdf', recordOf(20))]);
    await ledger.close();
    const operations = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const commands = /```sh\n([^`]*)```/.exec(operations)?.[1] ?? '';
    execFileSync('sh', ['-ec', commands.replaceAll('v2', `v${version}`)], { cwd: dir });
    expect(await imageOf(dir)).toEqual(before);
    expect(plain(await readLedger(dir))).toEqual(await contentOfVersion(version));
  });

  it('is whole, in the old or the new format, wherever a crash stops the change', async () => {
    const before = await layOutVersion(version);
    const disk = recordingDisk();
    const ledger = await openIt({ disk });
    await ledger.close();
    const content = await contentOfVersion(version);
    expect(disk.moments.length).toBeGreaterThan(10);
    for (const { step, killed } of disk.moments) {
      await layOut(dir, new Map([...before, ...killed]));
      const after = await openIt();
      expect([step, plain(after)]).toEqual([step, content]);
      await after.close();
      const kept = new Map([...(await imageOf(dir))].filter(([name]) => name.endsWith(`.v${version}`)));
      expect(kept.get(`ledger.json.v${version}`) ?? before.get('ledger.json')).toEqual(
        before.get('ledger.json'),
      );
    }
  });

  it('is left as it was when the disk does not take the new one', async () => {
    const before = await layOutVersion(version);
    const disk: Disk = {
      ...realDisk,
      rename: () => Promise.reject(Object.assign(new Error('EIO: simulated'), { code: 'EIO' })),
    };
    await expect(openIt({ disk })).rejects.toMatchObject({ code: 'ledger-unwritable' });
    const image = await imageOf(dir);
    for (const [name, bytes] of before) expect([name, image.get(name)]).toEqual([name, bytes]);
    const ledger = await openIt();
    expect(plain(ledger)).toEqual(await contentOfVersion(version));
    await ledger.close();
  });
});
