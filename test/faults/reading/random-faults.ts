import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import type { DiskFault, FailingWorld, failingWorlds } from './failing-world.ts';

const text = (mode: ShareMode, ...attachments: string[]) =>
  JSON.stringify({ shareInfo: { mode }, ...(attachments.length === 0 ? {} : { attachments }) });

/** Documents, what belongs to them, and what is never to be sent. */
const files: Readonly<Record<string, string>> = {
  'a.txt': 'a',
  'open.txt': 'open',
  'a.txt.meta.json': text('NONE', 'x.csv'),
  'x.csv': 'x',
  'd/.meta.json': text('NONE'),
  'd/.ingestignore': 'secret.txt\n',
  'd/b.txt': 'b',
  'd/secret.txt': 'never',
  'd/b.txt.attachments/y.csv': 'y',
  'd/e/c.txt': 'c',
  'd/e/w.txt': 'w',
  'd/e/w.txt.meta.json': text('EVERYONE', 'z.csv'),
  'd/e/z.csv': 'z',
};

const expected: Readonly<
  Record<string, { readonly mode: ShareMode; readonly attachments: readonly string[] }>
> = {
  'a.txt': { mode: 'NONE', attachments: ['x.csv'] },
  'open.txt': { mode: 'DEFAULT', attachments: [] },
  'd/b.txt': { mode: 'NONE', attachments: ['y.csv'] },
  'd/e/c.txt': { mode: 'NONE', attachments: [] },
  'd/e/w.txt': { mode: 'EVERYONE', attachments: ['z.csv'] },
};

/** What may pass, what a person has to see to, and what no list of codes has. */
const codes =
  'EBUSY EAGAIN EIO ESTALE ETXTBSY ENFILE EMFILE ENOLCK ENOMEM ENXIO ETIMEDOUT EINTR EINVAL EOPNOTSUPP EREMOTEIO EBADMSG ENODEV EHOSTDOWN EACCES EPERM'.split(
    ' ',
  );
const barred = ['EACCES', 'EPERM'];

const places = ['', 'd', 'd/e', 'd/b.txt.attachments', ...Object.keys(files)];

const fault = fc.record<DiskFault>({
  operation: fc.constantFrom('open', 'read', 'stat', 'list', null),
  path: fc.option(fc.constantFrom(...places), { freq: 12 }),
  code: fc.constantFrom(...codes),
});

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(300, 1_500, 7_000, 45_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      path: fc.constantFrom(...Object.keys(expected)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('touch' as const),
      path: fc.constantFrom(...Object.keys(files)),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'rescan' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'well' as const }) },
);

/**
 * Any error at any open, read, stat and list of any file and directory, while files are written and processes end. When
 * the disk is well again everything is delivered by itself; nothing was deleted, sent twice or published wider.
 */
export function randomFaults(open: Awaited<ReturnType<typeof failingWorlds>>['open']) {
  const isNewAtFirst = fc.boolean();
  const steps = fc.array(step, { minLength: 2, maxLength: 10 });
  return fc.asyncProperty(
    isNewAtFirst,
    fc.array(fault, { maxLength: 3 }),
    steps,
    async (isNew, begins, list) => {
      // A sidecar that this user never could read attaches nothing (contract 4): what it lists goes out by itself.
      const mayCome = ({ code }: DiskFault) => !isNew || !barred.includes(code);
      const world = await open(files, { begins: isNew ? begins.filter(mayCome) : [] });
      try {
        if (!isNew) await world.quiesce();
        let edits = 0;
        for (const one of list) {
          if (one.kind === 'fail') world.fail(...one.faults.filter(mayCome));
          else if (one.kind === 'well') world.fail();
          else if (one.kind === 'pass') await world.pass(one.ms);
          else if (one.kind === 'edit')
            await world.write(one.path, `${one.path} ${'+'.repeat((edits += 1))}`);
          else if (one.kind === 'touch') await world.write(one.path, world.textOf(one.path));
          else if (one.kind === 'rescan') await world.rescan();
          else await world.restart();
          judge(world);
        }
        await world.recover();
        // What this user might not read is looked at again with a rescan; all else needs nobody.
        const met = [...begins, ...list.flatMap((one) => (one.kind === 'fail' ? one.faults : []))];
        if (met.some(({ code }) => barred.includes(code))) {
          await world.rescan();
          await world.recover();
        }
        judge(world);
        assert.deepEqual(heldBy(world), wanted(world));
      } finally {
        await world.close();
      }
    },
  );
}

/** Copies that the service may hold because a process ended before an answer came, as the ledger reports them. */
function reportedCopies(world: FailingWorld): number {
  const ledger = world.ledger();
  return ledger.possibleDuplicates() + ledger.doubts().reduce((sum, { count }) => sum + count, 0);
}

/** Nothing went out that should not, or wider than it should. */
function judge(world: FailingWorld): void {
  const { requests } = world;
  const uploaded = new Set(requests.filter(({ kind }) => kind === 'upload').map(({ path }) => path));
  // Of a process that was killed a request may be seen that did not go out any more.
  const repeated = world.service.calls.filter((call) => call === 'upload').length - uploaded.size;
  assert.ok(repeated <= reportedCopies(world), 'a document was uploaded twice, and nobody is told');
  for (const { kind, path, mode } of requests) {
    assert.notEqual(kind, 'delete', `${path} was deleted`);
    assert.ok(path in expected, `${path} was sent`);
    if (kind === 'upload' || mode !== null) assert.equal(mode ?? 'DEFAULT', expected[path]?.mode, path);
  }
}

function heldBy(world: FailingWorld) {
  const paths = new Map([...world.docIds()].map(([path, docId]) => [docId, path]));
  const copies = [...world.service.documents.keys()].filter((docId) => !paths.has(docId));
  assert.ok(copies.length <= reportedCopies(world), 'the service holds copies that nobody is told of');
  return Object.fromEntries(
    [...world.service.documents]
      .filter(([docId]) => paths.has(docId))
      .map(([docId, { content, attachments, metadata }]) => {
        const mode = metadata.shareInfo?.mode ?? 'DEFAULT';
        return [paths.get(docId) ?? docId, { mode, attachments, content }] as const;
      })
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function wanted(world: FailingWorld) {
  return Object.fromEntries(
    Object.entries(expected)
      .map(([path, one]) => [path, { ...one, content: world.textOf(path) }] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
