import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { unpackInspection } from '../../../src/scan/worker/packed-inspection.ts';
import { servedFolder, servedTiming } from '../inspect/served-folder.ts';
import type { ServedFolder } from '../inspect/served-folder.ts';

const { removeGraceMs, settleMs } = servedTiming;
const secret = '{"shareInfo": {"mode": "NONE"}}';
/** Names come and go more often than the grace period is long. */
const stepMs = removeGraceMs - 1_000;

let folder: ServedFolder;

beforeEach(async () => {
  folder = await servedFolder({ settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } } });
});

afterEach(() => folder.remove());

/** What has the document as private. */
const known = (sidecar: 'name' | null) => ({ sidecar, defaults: sidecar === null ? ['proj'] : [] });

async function modeOf(path: string, sidecar: 'name' | null): Promise<string> {
  const found = unpackInspection(await folder.ask('inspect', { path, known: known(sidecar) }));
  return found.kind === 'document' ? (found.document.metadata.shareInfo?.mode ?? 'DEFAULT') : found.kind;
}

/** So many documents in a directory that is to be removed, one name after the other. */
async function fill(directory: string, count: number): Promise<readonly string[]> {
  const paths = Array.from({ length: count }, (_, index) => `${directory}/${index}.pdf`);
  for (const path of paths) await folder.write(path, 'pdf');
  return paths;
}

describe('I14: while a directory is being removed, name by name', () => {
  it('a document whose sidecar went first does not become less private', async () => {
    await folder.write('proj/a.pdf', 'pdf');
    await folder.write('proj/a.pdf.meta.json', secret);
    const others = await fill('proj', 5);
    await folder.scan();
    folder.pass(settleMs);
    expect(await modeOf('proj/a.pdf', 'name')).toBe('NONE');
    await rm(folder.join('proj/a.pdf.meta.json'));
    await folder.scan();
    for (const other of others) {
      await rm(folder.join(other));
      await folder.scan();
      folder.pass(stepMs);
      expect(await modeOf('proj/a.pdf', 'name')).toBe('settling');
    }
    folder.pass(removeGraceMs - stepMs);
    expect(await modeOf('proj/a.pdf', 'name')).toBe('EVERYONE');
  });

  it('nor do those below when its defaults went first', async () => {
    await folder.write('proj/.meta.json', secret);
    await folder.write('proj/kept/a.pdf', 'pdf');
    const others = await fill('proj/gone/deep', 4);
    await folder.scan();
    folder.pass(settleMs);
    expect(await modeOf('proj/kept/a.pdf', null)).toBe('NONE');
    await rm(folder.join('proj/.meta.json'));
    await folder.scan();
    for (const other of others) {
      await rm(folder.join(other));
      await folder.scan();
      folder.pass(stepMs);
      expect(await modeOf('proj/kept/a.pdf', null)).toBe('settling');
    }
    folder.pass(removeGraceMs - stepMs);
    expect(await modeOf('proj/kept/a.pdf', null)).toBe('EVERYONE');
  });

  it('an attachment whose document went first is not sent by itself', async () => {
    await folder.write('proj/a.pdf', 'pdf');
    await folder.write('proj/a.pdf.meta.json', '{"attachments": ["salaries.csv"]}');
    await folder.write('proj/salaries.csv', 'jane,100');
    const others = await fill('proj', 4);
    await folder.scan();
    await rm(folder.join('proj/a.pdf'));
    await rm(folder.join('proj/a.pdf.meta.json'));
    await folder.scan();
    for (const other of others) {
      await rm(folder.join(other));
      await folder.scan();
      folder.pass(stepMs);
      expect(await folder.verdict('proj/salaries.csv')).toBe('ignored attachment');
    }
    folder.pass(removeGraceMs - stepMs);
    await folder.scan();
    expect(await folder.verdict('proj/salaries.csv')).toBe('document');
  });
});

describe('what has gone', () => {
  beforeEach(async () => {
    await folder.write('proj/a.pdf', 'pdf');
    await folder.write('proj/a.pdf.meta.json', secret);
    await folder.scan();
    await rm(folder.join('proj/a.pdf.meta.json'));
    await folder.scan();
  });

  it('is waited for as long as names go that no scan has seen yet', async () => {
    await folder.write('proj/b.pdf', 'pdf');
    await folder.scan();
    folder.pass(removeGraceMs);
    await rm(folder.join('proj/b.pdf'));
    expect(await modeOf('proj/a.pdf', 'name')).toBe('settling');
  });

  it('is not waited for because names come: some directories are never quiet', async () => {
    for (let passed = 0; passed < removeGraceMs; passed += stepMs) {
      expect(await modeOf('proj/a.pdf', 'name')).toBe('settling');
      folder.pass(stepMs);
      await folder.write(`proj/${passed}.tmp`, '');
      await folder.scan();
    }
    await folder.write('proj/unseen.tmp', '');
    expect(await modeOf('proj/a.pdf', 'name')).toBe('EVERYONE');
  });

  it('is not waited for because of what happens elsewhere', async () => {
    folder.pass(removeGraceMs);
    await fill('other', 1);
    await folder.scan();
    expect(await modeOf('proj/a.pdf', 'name')).toBe('EVERYONE');
  });

  it('is not waited for longer than ten minutes', async () => {
    for (let passed = 0; passed < 600_000; passed += stepMs) {
      expect(await modeOf('proj/a.pdf', 'name')).toBe('settling');
      folder.pass(stepMs);
      await folder.write('proj/goes.tmp', '');
      await folder.scan();
      await rm(folder.join('proj/goes.tmp'));
      await folder.scan();
    }
    expect(await modeOf('proj/a.pdf', 'name')).toBe('EVERYONE');
  });
});
