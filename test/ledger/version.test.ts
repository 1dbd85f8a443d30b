import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { plainChangeSchema, recordSchema } from '../../src/model/ports/ledger-schema.ts';
import type { LedgerRecord } from '../../src/model/ports/ledger-port.ts';
import { createSharedValues } from '../../src/ledger/records/shared-values.ts';
import { changeJson, toStored } from '../../src/ledger/records/stored-change.ts';
import { LEDGER_VERSION } from '../../src/ledger/journal/journal-line.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { contentOf, put, recordOf, statOf } from './support/samples.ts';

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

/** Every field of a record, with another value than the usual: where one is missing, this does not compile. */
const fullRecord: Required<LedgerRecord> = {
  ...recordOf(1),
  metadata: { title: 'A', createdTimestamp: '2026-01-01T00:00:00Z' },
  modifiedAt: '2026-01-01T00:00:00Z',
  fileName: 'sent.pdf',
  attachments: [{ name: 'x.csv', sha256: '', stat: statOf(2) }],
  companions: { sidecar: null, defaults: [] },
  said: ['title'],
  unsure: { content: true, attachments: true, metadata: [] },
  possibleDuplicates: 1,
  heldModes: [{ folder: 'inbox', path: 'a.pdf', mode: 'NONE', by: null }],
  rootChange: 1,
  standing: statOf(3),
};

describe('the version of the ledger’s files', () => {
  it('rises with everything that they can hold: change the number and what stands here together', () => {
    const schemas = [plainChangeSchema, recordSchema].map((schema) =>
      z.toJSONSchema(schema, { io: 'input' }),
    );
    const line = JSON.parse(changeJson(toStored(put('a.pdf', fullRecord), createSharedValues()))) as object;
    const shape = JSON.stringify([...schemas, Object.keys(line).sort()]);
    const fingerprint = createHash('sha256').update(shape).digest('hex').slice(0, 16);
    expect([LEDGER_VERSION, fingerprint]).toEqual([3, '3864f5e7eac1e12d']);
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
