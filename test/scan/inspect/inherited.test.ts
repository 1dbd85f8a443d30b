import { statSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { folderWorld } from '../support/folder-world.ts';
import type { FolderWorld } from '../support/folder-world.ts';
import { servedFolder } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

let world: FolderWorld;

afterEach(() => world.close());

const secret = '{"shareInfo": {"mode": "NONE"}}';

/** A document whose sidecar or defaults keep it private in a folder that is shared with everyone. */
async function privateDocument(companion: string, removeGraceMs: number): Promise<void> {
  world = await folderWorld({
    settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } },
    timing: { removeGraceMs },
    before: async (folder) => {
      await folder.write('sub/a.pdf', 'pdf');
      await folder.write(`sub/${companion}`, secret);
    },
  });
  await eventually(async () => (await mode()) === 'NONE');
}

async function mode(): Promise<string | undefined> {
  return (await world.document('sub/a.pdf')).metadata.shareInfo?.mode;
}

/** Until a scan has said that something beside the document is another now. */
async function seen(before: string | undefined): Promise<void> {
  await eventually(() => Promise.resolve(world.fingerprintOf('sub/a.pdf') !== before || null));
}

describe.each(['a.pdf.meta.json', 'a.meta.json', '.meta.json'])('what %s says', (companion) => {
  it('is not taken back while it is saved by unlink and recreate', async () => {
    await privateDocument(companion, 3_600_000);
    const before = world.fingerprintOf('sub/a.pdf');
    await unlink(world.join(`sub/${companion}`));
    // Before a scan has seen it, and after.
    expect((await world.port.inspect('sub/a.pdf')).kind).toBe('settling');
    await seen(before);
    expect((await world.port.inspect('sub/a.pdf')).kind).toBe('settling');
    await writeFile(world.join(`sub/${companion}`), secret);
    expect(await mode()).toBe('NONE');
  });

  it('is true no more when nothing has come in its place within the grace', async () => {
    await privateDocument(companion, 500);
    await rename(world.join(`sub/${companion}`), world.home.join('away'));
    expect(await mode()).toBe('EVERYONE');
  });
});

it('is not replaced for a moment by what a sidecar of the same stem says', async () => {
  await privateDocument('a.pdf.meta.json', 3_600_000);
  await writeFile(world.join('sub/a.meta.json'), '{"shareInfo": {"mode": "EVERYONE"}}');
  expect(await mode()).toBe('NONE');
  await unlink(world.join('sub/a.pdf.meta.json'));
  await world.idle();
  expect((await world.port.inspect('sub/a.pdf')).kind).toBe('settling');
  await writeFile(world.join('sub/a.pdf.meta.json'), secret);
  expect(await mode()).toBe('NONE');
});

describe('what is gone for a moment is waited for, though', () => {
  const companions = ['a.pdf.meta.json', 'a.meta.json', '.meta.json', '.ingestignore'];
  const ways: Readonly<Record<string, (folder: ServedFolder, companion: string) => Promise<unknown>>> = {
    'everything is scanned from scratch': async (folder, companion) => {
      await unlink(folder.join('sub', companion));
      await folder.scan({ fromScratch: true });
    },
    'everything was scanned from scratch after it went': async (folder, companion) => {
      await unlink(folder.join('sub', companion));
      await folder.scan();
      await folder.scan({ fromScratch: true });
    },
    'another directory has taken the place of its own': async (folder) => {
      await rename(folder.join('sub'), folder.join('old'));
      await folder.write('sub/a.pdf', 'another');
      await folder.scan();
    },
    'its directory was gone, too': async (folder) => {
      await rm(folder.join('sub'), { recursive: true });
      await folder.scan();
      await mkdir(folder.join('sub'));
      await folder.write('sub/a.pdf', 'another');
      await folder.scan();
    },
  };

  it.each(Object.keys(ways).flatMap((way) => companions.map((companion) => [way, companion] as const)))(
    '%s: %s',
    async (way, companion) => {
      const folder = await servedFolder({ isPatient: false });
      try {
        await folder.write('sub/a.pdf', 'pdf');
        await folder.write(`sub/${companion}`, companion === '.ingestignore' ? 'b.pdf\n' : secret);
        await folder.scan();
        folder.pass(60_000);
        expect(await folder.verdict('sub/a.pdf')).toBe('document');
        await ways[way]?.(folder, companion);
        folder.pass(4_900);
        expect(await folder.verdict('sub/a.pdf')).toBe('settling');
        folder.pass(200);
        expect(await folder.verdict('sub/a.pdf')).toBe('document');
      } finally {
        await folder.remove();
      }
    },
  );
});

describe('a companion with old times that is moved to a document', () => {
  const settleMs = 400;

  it.each([
    ['a.pdf.meta.json', { shareInfo: { mode: 'EVERYONE' } }, []],
    ['.meta.json', { shareInfo: { mode: 'EVERYONE' } }, []],
    ['a.pdf.attachments', { shareInfo: { mode: 'NONE' } }, ['q.csv']],
  ])('holds for it when it has been there for a while: %s', async (companion, metadata, attachments) => {
    world = await folderWorld({
      settings: { metadata: { shareInfo: { mode: 'NONE' } } },
      timing: { settleMs },
      before: (folder) => folder.write('sub/a.pdf', 'pdf'),
    });
    const made = world.home.join('made');
    if (attachments.length > 0) await world.home.write('made/q.csv', 'q');
    else await writeFile(made, JSON.stringify(metadata));
    await utimes(made, 1, 1);
    // Its files have settled by now, and so has the document.
    await eventually(() => Date.now() - statSync(world.home.join('made')).birthtimeMs > settleMs);
    await world.document('sub/a.pdf');
    const moved = Date.now();
    await rename(made, world.join(`sub/${companion}`));
    await eventually(async () => {
      const found = await world.port.inspect('sub/a.pdf');
      if (found.kind !== 'document') return null;
      const names = found.document.attachments.map(({ name }) => name);
      const holds = names.join() === attachments.join() && found.document.metadata.shareInfo?.mode;
      return holds === metadata.shareInfo.mode || null;
    });
    // The file system's clock may be a tick behind.
    expect(Date.now() - moved).toBeGreaterThanOrEqual(settleMs - 10);
  });
});

describe('what ignore rules keep in', () => {
  /** The private directory is not listed as long as the rules stand. */
  async function ruledFolder(removeGraceMs: number): Promise<void> {
    world = await folderWorld({
      timing: { removeGraceMs },
      before: async (folder) => {
        await folder.write('.ingestignore', 'private/\n');
        await folder.write('private/a.pdf', 'pdf');
        await folder.write('b.pdf', 'pdf');
      },
    });
    await eventually(() => Promise.resolve(world.documents().join() === 'b.pdf' || null));
  }
  const reported = () => eventually(() => Promise.resolve(world.documents().length === 2 || null));

  it('stays in while they are saved by unlink and recreate', async () => {
    await ruledFolder(3_600_000);
    await unlink(world.join('.ingestignore'));
    await reported();
    expect((await world.port.inspect('private/a.pdf')).kind).toBe('settling');
    await writeFile(world.join('.ingestignore'), 'private/\n');
    expect((await world.inspect('private/a.pdf')).kind).toBe('ignored');
    expect((await world.inspect('b.pdf')).kind).toBe('document');
  });

  it('stays in while the scan in force has seen less of them than there is', async () => {
    world = await folderWorld({
      settings: { watch: 'polling' },
      timing: { pollSeconds: 3_600, settleMs: 0 },
      before: async (folder) => {
        await folder.write('.ingestignore', '');
        await folder.write('private/a.pdf', 'pdf');
      },
    });
    await eventually(() => Promise.resolve(world.documents().length === 1 || null));
    await writeFile(world.join('.ingestignore'), 'private/\n');
    // A second look soon after the start may have seen them by now.
    expect(['settling', 'ignored']).toContain((await world.port.inspect('private/a.pdf')).kind);
    await world.port.rescan('event');
    expect((await world.inspect('private/a.pdf')).kind).toBe('ignored');
  });

  it('goes out when nothing has come in their place within the grace', async () => {
    await ruledFolder(500);
    await unlink(world.join('.ingestignore'));
    await reported();
    expect((await world.inspect('private/a.pdf')).kind).toBe('document');
  });

  it('stays in while they are written again from the beginning', async () => {
    await ruledFolder(500);
    await writeFile(world.join('.ingestignore'), '');
    // Written on all the time: it is never whole.
    const writing = setInterval(() => writeFileSync(world.join('.ingestignore'), ''), 20);
    try {
      await reported();
      expect((await world.port.inspect('private/a.pdf')).kind).toBe('settling');
    } finally {
      clearInterval(writing);
    }
    await writeFile(world.join('.ingestignore'), 'private/\n');
    expect((await world.inspect('private/a.pdf')).kind).toBe('ignored');
  });
});

it('is not let out at once where an ignore file goes that is not valid', async () => {
  world = await folderWorld({
    timing: { removeGraceMs: 3_600_000 },
    before: async (folder) => {
      await folder.write('sub/a.pdf', 'pdf');
      await folder.write('sub/.ingestignore', 'n\n'.repeat(1_001));
    },
  });
  expect((await world.port.inspect('sub/a.pdf')).kind).toBe('unknown');
  await unlink(world.join('sub/.ingestignore'));
  await eventually(() => Promise.resolve(world.fingerprintOf('sub/a.pdf') ?? null));
  // The rest of the grace period, and not the time for which the file itself is waited for.
  const inspection = await world.port.inspect('sub/a.pdf');
  expect(inspection.kind === 'settling' && inspection.againMs > 3_000_000).toBe(true);
  await world.write('sub/.ingestignore', '*.txt\n');
  await eventually(async () => (await world.port.inspect('sub/a.pdf')).kind === 'document');
});
