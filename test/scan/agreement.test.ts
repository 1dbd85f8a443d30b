import { mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { afterEach, describe, it } from '@jest/globals';
import * as fc from 'fast-check';

import type { Inspection } from '../../src/model/document.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { folderWorld } from './support/folder-world.ts';
import type { FolderWorld } from './support/folder-world.ts';

const directories = [
  '',
  'sub',
  'sub/deep',
  '.hidden',
  'a.pdf.attachments',
  'b.txt.attachments',
  'a.pdf.meta.json',
  'b.meta.json',
  'sub/.meta.json',
];
const fileNames = [
  'a.pdf',
  'a.txt',
  'a.csv',
  'b.txt',
  'b.zip',
  'none',
  'two.dots.pdf',
  `${'x'.repeat(240)}.pdf`,
  '.dot.pdf',
  '~$a.pdf',
  'half.tmp',
  'caf\u00e9.pdf',
  'cafe\u0301.pdf',
  'e\u0301t\u00e9.txt',
];
const sidecarNames = [
  'a.meta.json',
  'a.pdf.meta.json',
  'a.txt.meta.json',
  'b.meta.json',
  'gone.pdf.meta.json',
  '~$a.pdf.meta.json',
  '.meta.json',
];
const sidecars = [
  '{}',
  '{"title": "t"}',
  '{"title": 1}',
  '{"attachments": ["a.csv"]}',
  '{"attachments": ["b.zip", "a.txt"]}',
  '{"attachments": ["sub/a.txt", "../a.pdf", ".hidden/a.pdf"]}',
  '{"attachments": ["half.tmp"], "nonsense": 1}',
  'not json',
];
const ignoreFiles = [
  '*.csv\n',
  '*.attachments/\n',
  '*\n!a.*\n',
  'sub/\n',
  '!a.pdf\na.meta.json\n',
  '# nothing\n',
];

const linkNames = [
  'a.txt',
  'b.txt',
  'linked',
  'a.pdf.attachments',
  'b.txt.attachments',
  'a.pdf.meta.json',
  'b.zip',
];

interface Item {
  readonly directory: string;
  readonly name: string;
  readonly content: string;
  readonly link?: string;
}

const inDirectory = fc.constantFrom(...directories);
const item: fc.Arbitrary<Item> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      directory: inDirectory,
      name: fc.constantFrom(...fileNames),
      content: fc.constantFrom('x', 'x', ''),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      directory: inDirectory,
      name: fc.constantFrom(...sidecarNames),
      content: fc.constantFrom(...sidecars),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      directory: inDirectory,
      name: fc.constant('.ingestignore'),
      content: fc.constantFrom(...ignoreFiles),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      directory: inDirectory,
      name: fc.constantFrom(...linkNames),
      content: fc.constant(''),
      link: fc.constantFrom('a.pdf', 'sub', 'missing', '/etc/hostname'),
    }),
  },
);

const tree = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 14 }),
  followSymlinks: fc.boolean(),
  attachments: fc.constantFrom('below' as const, 'folder' as const),
  sidecar: fc.constantFrom('optional' as const, 'required' as const),
  include: fc.constantFrom<readonly string[]>([], [], ['*.pdf'], ['sub/', 'a.*', '!a.txt']),
  ignore: fc.constantFrom<readonly string[]>([], ['*.txt'], ['sub']),
});

/** A link to a directory, which is never entered under this name, whatever `include` says of files. */
const linkedAttachments: typeof tree extends fc.Arbitrary<infer T> ? T : never = {
  items: [
    { directory: 'sub', name: 'a.txt', content: 'x' },
    { directory: '', name: 'a.pdf.attachments', content: '', link: 'sub' },
  ],
  followSymlinks: true,
  attachments: 'folder',
  sidecar: 'required',
  include: ['*.pdf'],
  ignore: [],
};

/** Older than any settling time, so that every answer is final. */
const longAgo = new Date('2026-01-01T00:00:00Z');

async function fill(folder: TemporaryFolder, items: readonly Item[]): Promise<void> {
  for (const { directory, name, content, link } of items) {
    const path = folder.join(...directory.split('/').filter(Boolean), name);
    try {
      await mkdir(dirname(path), { recursive: true });
      if (link === undefined) {
        await writeFile(path, content);
        if (content === '') await truncate(path);
        await utimes(path, longAgo, longAgo);
      } else await symlink(link.startsWith('/') ? link : folder.join(link), path);
    } catch {
      // Something else of this name was there first.
    }
  }
}

let world: FolderWorld | null = null;
afterEach(() => world?.close());

/** What a scan says of each path, in one word each. */
function scannedPaths(from: FolderWorld): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const path of from.documents()) said.set(path, `document ${from.fingerprintOf(path)}`);
  for (const { path, code } of from.skips()) said.set(path, `skipped ${code}`);
  return said;
}

function agrees(scan: string | undefined, inspection: Inspection): boolean {
  switch (inspection.kind) {
    case 'document':
      return scan === `document ${inspection.document.fingerprint}`;
    case 'skipped':
      return scan === `skipped ${inspection.code}`;
    case 'unfit':
    case 'waiting':
      // It may be sent once somebody does something about it.
      return scan?.startsWith('document ') === true;
    case 'ignored':
    case 'absent':
      return scan === undefined;
    case 'settling':
    case 'unknown':
      return false;
    default:
      return inspection satisfies never;
  }
}

describe('a scan of everything and the inspection of each path', () => {
  it('give the same answer and the same fingerprint, whatever the tree', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async ({ items, ...settings }) => {
        world = await folderWorld({
          settings,
          timing: { settleMs: 20, removeGraceMs: 20 },
          before: (folder) => fill(folder, items),
        });
        try {
          await world.idle();
          const said = scannedPaths(world);
          const paths = new Set([
            ...said.keys(),
            ...items.map(({ directory, name }) =>
              (directory === '' ? name : `${directory}/${name}`).normalize('NFC'),
            ),
          ]);
          for (const path of paths) {
            const inspection = await world.inspect(path);
            const scan = said.get(path);
            if (!agrees(scan, inspection))
              throw new Error(`${path}: the scan says ${scan}, the inspection ${JSON.stringify(inspection)}`);
          }
        } finally {
          await world.close();
          world = null;
        }
      }),
      {
        numRuns: Number(process.env['AGREEMENT_RUNS'] ?? 60),
        examples: [[linkedAttachments]],
        // The first counterexample says enough; to find the smallest would take longer than the test may.
        endOnFailure: true,
        timeout: 30_000,
      },
    );
  }, 120_000);
});
