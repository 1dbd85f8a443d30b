import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { plainChangeSchema } from '../../src/model/ports/change-schema.ts';
import { companionsSchema, rareSchema } from '../../src/ledger/format/record-schemas.ts';
import type { RecordFields } from '../../src/ledger/format/record-schemas.ts';
import type { FileStat } from '../../src/model/document.ts';
import { LEDGER_VERSION } from '../../src/ledger/journal/journal-line.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { contentOf, put, recordOf } from './support/samples.ts';

const fixtures = new URL('../fixtures/ledgers/', import.meta.url);

const folder = folderOfEachTest();
let dir: string;

beforeEach(async () => {
  dir = folder.join('state');
});

const openIt = (log = recordedLog()) => openLedger({ dir, clock: manualClock(), log });

function plain(ledger: Parameters<typeof contentOf>[0]): unknown {
  return JSON.parse(JSON.stringify(contentOf(ledger)));
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
  heldModes: undefined,
  rootChange: 0,
  standing: stat,
};

describe('the version of the ledger’s files', () => {
  it('rises with everything that they can hold: change the number and what stands here together', () => {
    const schemas = [plainChangeSchema, rareSchema, companionsSchema].map((schema) =>
      z.toJSONSchema(schema, { io: 'input' }),
    );
    const shape = JSON.stringify([...schemas, Object.keys(fullRecord), Object.keys(stat)]);
    const fingerprint = createHash('sha256').update(shape).digest('hex').slice(0, 16);
    expect([LEDGER_VERSION, fingerprint]).toEqual([3, 'c4a4bbc48e4bf834']);
  });
});

describe('a ledger of version 3, the first that was released', () => {
  it('is read with all that it holds, and goes on', async () => {
    await cp(new URL('v3/', fixtures), dir, { recursive: true });
    const content: unknown = JSON.parse(await readFile(new URL('v3.content.json', fixtures), 'utf8'));
    expect(plain(await readLedger(dir))).toEqual(content);
    expect(await verifyLedger(dir)).toMatchObject({ ok: true, documents: 8 });
    const log = recordedLog();
    const ledger = await openIt(log);
    await ledger.commit([put('new.pdf', recordOf(20))]);
    await ledger.close();
    const again = await openIt(log);
    await again.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'new.pdf' } }]);
    expect(plain(again)).toEqual(content);
    expect(log.lines).toEqual([]);
    await again.close();
  });

  it.each([
    ['ledger.json', 2, /version 2, which no ingestd has written/],
    ['ledger.journal.6', 4, /damaged/],
  ])('is left alone where %s has version %i', async (name, version, message) => {
    await cp(new URL('v3/', fixtures), dir, { recursive: true });
    const file = join(dir, name);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"version":3', `"version":${version}`));
    await expect(openIt()).rejects.toMatchObject({
      code: 'ledger-damaged',
      message: expect.stringMatching(message),
    });
  });
});
