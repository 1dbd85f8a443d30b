import { mkdir, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { servedFolder, servedTiming } from './served-folder.ts';
import type { ServedFolder } from './served-folder.ts';

const { settleMs, removeGraceMs } = servedTiming;

let folder: ServedFolder;

afterEach(() => folder.remove());

const modeText = (mode: string) => `{"shareInfo": {"mode": "${mode}"}}`;
const secret = modeText('NONE');

/** A folder whose documents are shared like this unless something beside them says more, with these files in it. */
async function standing(mode: 'EVERYONE' | 'NONE', files: Readonly<Record<string, string>>): Promise<void> {
  folder = await servedFolder({ settings: { metadata: { shareInfo: { mode } } }, isPatient: false });
  for (const [path, text] of Object.entries(files)) await folder.write(path, text);
  await folder.scan();
  await rest();
}

/** Lets time pass until nothing is waited for that could still be written. */
async function rest(path = 'sub/a.pdf'): Promise<void> {
  for (let looks = 0; looks < 5 && (await folder.inspect(path)).kind === 'settling'; looks += 1) {
    folder.pass(settleMs);
    await folder.scan();
  }
}

/** With whom the document is shared; where it is none now: what it is. */
async function mode(): Promise<string | undefined> {
  const found = await folder.inspect('sub/a.pdf');
  return found.kind === 'document' ? found.document.metadata.shareInfo?.mode : found.kind;
}

describe.each(['a.pdf.meta.json', 'a.meta.json', '.meta.json'])('what %s says', (companion) => {
  it('is not taken back while it is saved by unlink and recreate', async () => {
    await standing('EVERYONE', { 'sub/a.pdf': 'pdf', [`sub/${companion}`]: secret });
    expect(await mode()).toBe('NONE');
    await unlink(folder.join(`sub/${companion}`));
    // Before a scan has seen it, and after.
    expect(await mode()).toBe('settling');
    await folder.scan();
    folder.pass(removeGraceMs - 1);
    expect(await mode()).toBe('settling');
    await folder.write(`sub/${companion}`, secret);
    await rest();
    expect(await mode()).toBe('NONE');
  });

  it('is true no more when nothing has come in its place within the grace', async () => {
    await standing('EVERYONE', { 'sub/a.pdf': 'pdf', [`sub/${companion}`]: secret });
    await unlink(folder.join(`sub/${companion}`));
    await folder.scan();
    expect(await mode()).toBe('settling');
    folder.pass(removeGraceMs);
    expect(await mode()).toBe('EVERYONE');
  });
});

it('is not replaced for a moment by what a sidecar of the same stem says', async () => {
  await standing('EVERYONE', { 'sub/a.pdf': 'pdf', 'sub/a.pdf.meta.json': secret });
  await folder.write('sub/a.meta.json', modeText('EVERYONE'));
  await folder.scan();
  await rest();
  expect(await mode()).toBe('NONE');
  await unlink(folder.join('sub/a.pdf.meta.json'));
  await folder.scan();
  expect(await mode()).toBe('settling');
  await folder.write('sub/a.pdf.meta.json', secret);
  await folder.scan();
  await rest();
  expect(await mode()).toBe('NONE');
});

describe('what is gone for a moment is waited for, though', () => {
  const companions = ['a.pdf.meta.json', 'a.meta.json', '.meta.json', '.ingestignore'];
  const ways: Readonly<Record<string, (companion: string) => Promise<unknown>>> = {
    'everything is scanned from scratch': async (companion) => {
      await unlink(folder.join('sub', companion));
      await folder.scan({ fromScratch: true });
    },
    'everything was scanned from scratch after it went': async (companion) => {
      await unlink(folder.join('sub', companion));
      await folder.scan();
      await folder.scan({ fromScratch: true });
    },
    'another directory has taken the place of its own': async () => {
      await rename(folder.join('sub'), folder.join('old'));
      await folder.write('sub/a.pdf', 'another');
      await folder.scan();
    },
    'its directory was gone, too': async () => {
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
      folder = await servedFolder({ isPatient: false });
      await folder.write('sub/a.pdf', 'pdf');
      await folder.write(`sub/${companion}`, companion === '.ingestignore' ? 'b.pdf\n' : secret);
      await folder.scan();
      folder.pass(60_000);
      expect(await folder.verdict('sub/a.pdf')).toBe('document');
      await ways[way]?.(companion);
      folder.pass(4_900);
      expect(await folder.verdict('sub/a.pdf')).toBe('settling');
      folder.pass(200);
      expect(await folder.verdict('sub/a.pdf')).toBe('document');
    },
  );
});

it.each([
  ['a.pdf.meta.json', 'EVERYONE', []],
  ['.meta.json', 'EVERYONE', []],
  ['a.pdf.attachments', 'NONE', ['q.csv']],
])(
  'a companion with old times that is moved to a document holds for it when it has been there for a while: %s',
  async (companion, expected, attachments) => {
    await standing('NONE', { 'sub/a.pdf': 'pdf', 'sub/made/q.csv': 'q' });
    const made = folder.join('made');
    if (attachments.length > 0) await rename(folder.join('sub/made'), made);
    else await writeFile(made, modeText(expected));
    await utimes(made, 1, 1);
    await rename(made, folder.join(`sub/${companion}`));
    expect(await mode()).toBe('settling');
    folder.pass(settleMs - 1);
    expect(await mode()).toBe('settling');
    await rest();
    const found = await folder.inspect('sub/a.pdf');
    const names = found.kind === 'document' ? found.document.attachments.map(({ name }) => name) : found;
    expect([await mode(), names]).toEqual([expected, attachments]);
  },
);

describe('what ignore rules keep in', () => {
  const kind = async (path = 'private/a.pdf') => (await folder.inspect(path)).kind;

  /** The private directory is not listed as long as the rules stand. */
  async function ruled(): Promise<void> {
    await standing('NONE', { '.ingestignore': 'private/\n', 'private/a.pdf': 'pdf', 'b.pdf': 'pdf' });
    expect(await kind()).toBe('ignored');
  }

  it('stays in while they are saved by unlink and recreate', async () => {
    await ruled();
    await unlink(folder.join('.ingestignore'));
    await folder.scan();
    folder.pass(removeGraceMs - 1);
    expect(await kind()).toBe('settling');
    await folder.write('.ingestignore', 'private/\n');
    await rest('b.pdf');
    expect([await kind(), await kind('b.pdf')]).toEqual(['ignored', 'document']);
  });

  it('stays in while the scan in force has seen less of them than there is', async () => {
    await standing('NONE', { '.ingestignore': '', 'private/a.pdf': 'pdf' });
    await folder.write('.ingestignore', 'private/\n');
    expect(await kind()).toBe('settling');
    await folder.scan();
    await rest('private/a.pdf');
    expect(await kind()).toBe('ignored');
  });

  it('stays in while they are written again from the beginning', async () => {
    await ruled();
    for (let write = 0; write < 5; write += 1) {
      await folder.write('.ingestignore', '\n'.repeat(write));
      await folder.scan();
      expect(await kind()).toBe('settling');
      folder.pass(settleMs - 1);
    }
    await folder.write('.ingestignore', 'private/\n');
    await folder.scan();
    await rest('b.pdf');
    expect(await kind()).toBe('ignored');
  });
});

it('is not let out at once where an ignore file goes that is not valid', async () => {
  await standing('NONE', { 'sub/a.pdf': 'pdf', 'sub/.ingestignore': 'n\n'.repeat(1_001) });
  expect(await mode()).toBe('unknown');
  await unlink(folder.join('sub/.ingestignore'));
  await folder.scan();
  // The rest of the grace period, and not the time for which the file itself is waited for.
  expect(await folder.inspect('sub/a.pdf')).toMatchObject({ kind: 'settling', againMs: removeGraceMs });
  await folder.write('sub/.ingestignore', '*.txt\n');
  await folder.scan();
  await rest();
  expect(await mode()).toBe('NONE');
});
