import { crc32 } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { LEDGER_VERSION } from '../../src/ledger/journal-line.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { extrasSchema } from '../../src/ledger/record-cells.ts';
import { sideChangeSchema } from '../../src/ledger/side-change-schema.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { put, recordOf } from './samples.ts';
import { imageOf, layOut } from './state-image.ts';

let folder: TemporaryFolder;
let dir: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  dir = folder.join('state');
});

afterEach(() => folder.remove());

const openIt = () => openLedger({ dir, clock: manualClock(), log: recordedLog() });

/** The same files as the version before wrote them, checksums and all. */
function older(name: string, bytes: Buffer): Buffer {
  const text = bytes.toString().replace(/"version":\d+/, '"version":1');
  if (name.startsWith('ledger.journal.')) {
    const [head = '', ...rest] = text.split('\n');
    const json = head.slice(9);
    return Buffer.from([`${hex(json)} ${json}`, ...rest].join('\n'));
  }
  const end = text.indexOf('\n[]],') + 1;
  return Buffer.from(
    text.slice(0, end) + text.slice(end).replace(/"crc32":"\w+"/, `"crc32":"${hex(text.slice(0, end))}"`),
  );
}

function hex(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

describe('the version of the ledger’s files', () => {
  it('rises with everything that they can hold: change the number and what stands here together', () => {
    const shape = JSON.stringify([z.toJSONSchema(sideChangeSchema), z.toJSONSchema(extrasSchema)]);
    const fingerprint = createHash('sha256').update(shape).digest('hex').slice(0, 16);
    expect([LEDGER_VERSION, fingerprint]).toEqual([2, '14da99c7100bc93c']);
  });

  it('is an older one’s no more as soon as this one may have added to them', async () => {
    const ledger = await openIt();
    await ledger.commit([put('a.pdf', recordOf(1))]);
    await ledger.close();
    const image = await imageOf(dir);
    await layOut(
      dir,
      new Map(
        Array.from(image, ([name, bytes]) => [
          name,
          name.startsWith('ledger.') && name !== 'ledger.used' ? older(name, bytes) : bytes,
        ]),
      ),
    );
    const taken = await openIt();
    expect([...taken.entries()].map(({ ref }) => ref.path)).toEqual(['a.pdf']);
    await taken.commit([{ kind: 'service', service: 'https://service.example' }]);
    const now = await imageOf(dir);
    const journals = [...now.keys()].filter((name) => name.startsWith('ledger.journal.')).sort();
    const written = ['ledger.json', journals.at(-1) ?? ''].map((name) => now.get(name)?.toString() ?? '');
    expect(written.map((text) => /"version":(\d+)/.exec(text)?.[1])).toEqual(['2', '2']);
    expect(written.at(-1)).toContain('service.example');
    await taken.close();
  });
});
