import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import * as fc from 'fast-check';

import { directoryOf, joinPath, nameOf } from '../../src/model/document.ts';
import type { ShareInfo } from '../../src/model/metadata/metadata.ts';
import { sameFile } from '../../src/model/same-file.ts';
import { folderSettingsOf } from '../support/default-settings.ts';
import { engineTiming, engineWorld } from '../support/engine-world.ts';
import type { EngineWorld } from '../support/engine-world.ts';
import type { OutgoingRequest } from '../support/simulated-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createChronicle, directoriesOf, ignores, readSidecar, sidecarOf } from './disk-chronicle.ts';
import type { Chronicle, StandingFile } from './disk-chronicle.ts';
import { failures } from './random-histories.ts';
import { scannedFolder } from './scanned-folder.ts';
import type { ScannedFolder, ScannedSource } from './scanned-folder.ts';

/** A folder on disk with sidecars, attachments and ignore files, under the real engine and the real scan. */
interface DiskWorld extends EngineWorld {
  readonly chronicle: Chronicle;
  readonly files: () => ReadonlyMap<string, StandingFile>;
  /** Changes the disk; `missed`: without an event. Nothing happens where it is impossible. */
  readonly change: (act: Disk, options?: { readonly missed?: boolean }) => Promise<void>;
  readonly pass: (ms: number) => Promise<void>;
  /** Kills the process; another begins, with this sharing mode in the folder's settings. */
  readonly begin: (mode: ShareMode) => Promise<void>;
  readonly mode: () => ShareMode;
}

type ShareMode = NonNullable<ShareInfo['mode']>;

/** One change of the disk. Gives the paths that it touched. */
type Disk = (disk: {
  readonly write: (path: string, content: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly remove: (path: string) => void;
}) => void;

const documents = ['a.txt', 'b.txt', 'd/a.txt', 'd/b.txt', 'd/e/c.txt'] as const;
const attached = ['x.csv', 'd/x.csv'] as const;
const sidecars = documents.slice(0, 3).map(sidecarOf);
const defaults = ['.meta.json', 'd/.meta.json'] as const;
const ignoreFiles = ['.ingestignore', 'd/.ingestignore'] as const;

const sidecarTexts = [
  '{"shareInfo":{"mode":"NONE"},"attachments":["x.csv"]}',
  '{"shareInfo":{"mode":"NONE"}}',
  '{"shareInfo":{"mode":"EVERYONE"},"attachments":["x.csv"]}',
  '{"shareInfo":{"mode":"EVERYONE"}}',
  '{"attachments":["x.csv"]}',
  '{"shareInfo":{"mode":"NO',
  '{"nonsense":1}',
  '',
] as const;
const defaultsTexts = [
  '{"shareInfo":{"mode":"NONE"}}',
  '{"shareInfo":{"mode":"EVERYONE"}}',
  '{"sha',
] as const;
const ignoreTexts = ['b.txt\n', 'e/\n', '*.csv\n', '', 'n\n'.repeat(1_001)] as const;

async function diskWorld(slow: () => number, inDoubt: 'retry' | 'hold'): Promise<DiskWorld> {
  const home = await temporaryFolder();
  const root = home.join('inbox');
  const outside = home.join('outside');
  mkdirSync(root);
  mkdirSync(outside);
  const chronicle = createChronicle();
  const writtenAt = new Map<number, number>();
  let folder: ScannedFolder | null = null;
  let writes = 0;
  let mode: ShareMode = 'EVERYONE';
  const world = await engineWorld({
    wallClock: Date.now() + 86_400_000,
    safety: { maxDeleteCount: 1_000, inDoubt },
    service: { requestsPerMinute: 1_000 },
    slow,
    isReading: () => folder?.isReading() ?? false,
    port: (clock) => {
      const settings = folderSettingsOf(root, { watch: 'polling', metadata: { shareInfo: { mode } } });
      folder = scannedFolder({ settings, clock, listed: chronicle.scanned });
      return folder;
    },
  });
  const place = (path: string) => (path.startsWith('~/') ? join(outside, basename(path)) : join(root, path));

  function files(): ReadonlyMap<string, StandingFile> {
    const found = new Map<string, StandingFile>();
    const visit = (directory: string) => {
      for (const entry of readdirSync(place(directory), { withFileTypes: true })) {
        const path = joinPath(directory, entry.name);
        if (entry.isDirectory()) visit(path);
        else {
          const { ino, birthtimeMs } = statSync(place(path));
          const content = readFileSync(place(path), 'utf8');
          found.set(path, { content, ino, birthtimeMs, writtenAt: writtenAt.get(ino) ?? -Infinity });
        }
      }
    };
    visit('');
    return found;
  }

  function note(): void {
    chronicle.note({ at: world.clock.monotonic(), files: files(), mode });
  }

  function write(path: string, content: string): void {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), content);
    // No two writes bear the same time.
    writes += 1;
    const seconds = world.clock.now() / 1_000 - writes / 1e6;
    utimesSync(place(path), seconds, seconds);
    writtenAt.set(statSync(place(path)).ino, world.clock.monotonic());
  }

  return {
    ...world,
    chronicle,
    files,
    mode: () => mode,
    change: async (act, { missed = false } = {}) => {
      await world.rest();
      const touched = new Set<string>();
      const touch = (path: string) => {
        if (!path.startsWith('~/')) touched.add(directoryOf(path));
      };
      try {
        act({
          write: (path, content) => {
            touch(path);
            write(path, content);
          },
          rename: (from, to) => {
            touch(from);
            touch(to);
            mkdirSync(dirname(place(to)), { recursive: true });
            renameSync(place(from), place(to));
          },
          remove: (path) => {
            touch(path);
            rmSync(place(path), { recursive: true });
          },
        });
      } catch (error) {
        // Nothing stands there, or something else does.
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      }
      note();
      if (!missed) for (const directory of touched) folder?.changed(directory);
    },
    pass: async (ms) => {
      const stepMs = Math.max(100, ms / 20);
      for (let left = ms; left > 0; left -= stepMs) {
        await world.rest();
        await world.clock.advance(Math.min(stepMs, left));
      }
      await world.rest();
    },
    begin: async (next) => {
      mode = next;
      chronicle.restarted();
      note();
      await world.restart();
    },
    close: async () => {
      await world.close();
      await home.remove();
    },
  };
}

const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 10)}…` : text);

type Step = readonly [string, (world: DiskWorld) => Promise<void> | void];

function changing(name: string, act: Disk): Step {
  return [name, (world) => world.change(act)];
}

const content = fc.constantFrom('x', 'yy', 'zzz', 'xx');
const fresh = fc.oneof(
  fc.tuple(fc.constantFrom(...documents), content),
  fc.tuple(fc.constantFrom(...attached), content),
  fc.tuple(fc.constantFrom(...sidecars), fc.constantFrom(...sidecarTexts)),
  fc.tuple(fc.constantFrom(...sidecars), fc.constantFrom(...sidecarTexts)),
  fc.tuple(fc.constantFrom(...defaults), fc.constantFrom(...defaultsTexts)),
  fc.tuple(fc.constantFrom(...ignoreFiles), fc.constantFrom(...ignoreTexts)),
);
const anything = fc.constantFrom(...documents, ...attached, ...sidecars, ...defaults, ...ignoreFiles);
const movable = fc.constantFrom(...documents, ...attached);
const directory = fc.constantFrom('d', 'f', 'd/e', 'e');

/** Ways in which programs save: the old file is renamed, or removed, and a new one comes in its place. */
const ways = {
  Word: { aside: (path: string) => joinPath(directoryOf(path), `~WRL${nameOf(path)}.tmp`), isByRename: true },
  vim: { aside: (path: string) => `${path}~`, isByRename: false },
  LibreOffice: { aside: () => null, isByRename: true },
} as const;

async function save(
  world: DiskWorld,
  { path, text, way, pauseMs }: { path: string; text: string; way: keyof typeof ways; pauseMs: number },
): Promise<void> {
  const aside = ways[way].aside(path);
  const half = joinPath(directoryOf(path), '~WRD0001.tmp');
  if (ways[way].isByRename) await world.change(({ write }) => write(half, text));
  await world.change(({ rename, remove }) => (aside === null ? remove(path) : rename(path, aside)));
  await world.pass(pauseMs);
  await world.change(({ rename, write }) => (ways[way].isByRename ? rename(half, path) : write(path, text)));
  if (aside !== null) await world.change(({ remove }) => remove(aside));
}

const stepWith = (lostWeight: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fresh.map(([to, text]) =>
        changing(`write ${to} ${shown(text)}`, ({ write }) => write(to, text)),
      ),
    },
    {
      weight: 5,
      arbitrary: fc
        .record({
          saved: fresh,
          way: fc.constantFrom(...(Object.keys(ways) as (keyof typeof ways)[])),
          pauseMs: fc.constantFrom(0, 100, 1_000, 3_000),
        })
        .map(({ saved: [path, text], way, pauseMs }): Step => [
          `save ${path} ${shown(text)} as ${way} ${pauseMs}`,
          (world) => save(world, { path, text, way, pauseMs }),
        ]),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(movable, movable)
        .map(([from, to]) => changing(`rename ${from} ${to}`, ({ rename }) => rename(from, to))),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...documents), fc.constantFrom(...documents)).map(([from, to]) =>
        changing(`rename ${from} ${to} with its sidecar`, ({ rename }) => {
          rename(from, to);
          rename(sidecarOf(from), sidecarOf(to));
        }),
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(directory, directory)
        .map(([from, to]) => changing(`rename ${from} ${to}`, ({ rename }) => rename(from, to))),
    },
    {
      weight: 3,
      arbitrary: anything.map((path) => changing(`remove ${path}`, ({ remove }) => remove(path))),
    },
    {
      weight: 2,
      arbitrary: anything.map((path) =>
        changing(`away ${path}`, ({ rename }) => rename(path, `~/${nameOf(path)}`)),
      ),
    },
    {
      weight: 2,
      arbitrary: anything.map((path) =>
        changing(`back ${path}`, ({ rename }) => rename(`~/${nameOf(path)}`, path)),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(movable, content)
        .map(([path, text]): Step => [
          `write ${path} ${text} unnoticed`,
          (world) => world.change(({ write }) => write(path, text), { missed: true }),
        ]),
    },
    {
      weight: 5,
      arbitrary: fc.constantFrom(300, 2_500, 6_000).map((ms): Step => [`wait ${ms}`, ({ pass }) => pass(ms)]),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(-3_600_000, 3_600_000)
        .map((ms): Step => [`clock ${ms}`, ({ clock }) => clock.jump(ms)]),
    },
    { weight: 2, arbitrary: fc.constant<Step>(['restart', (world) => world.begin(world.mode())]) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('NONE' as const, 'EVERYONE' as const, 'DEFAULT' as const)
        .map((mode): Step => [`restart, mode ${mode}`, ({ begin }) => begin(mode)]),
    },
    { weight: 1, arbitrary: fc.constant<Step>(['busy', ({ service }) => service.failNext(failures.busy)]) },
    {
      weight: lostWeight,
      arbitrary: fc.constant<Step>([
        'lost',
        ({ service }) => service.failNext(failures.lost, { taken: true }),
      ]),
    },
  );

const delays = fc.array(fc.constantFrom(0, 0, 0, 150, 700, 3_000), { minLength: 1, maxLength: 7 });

/** A random history of a folder on disk. Every request is judged as it goes out, and what has become of all at the end. */
export function diskHistories(inDoubt: 'retry' | 'hold') {
  const steps = fc.array(stepWith(inDoubt === 'hold' ? 4 : 1), { minLength: 3, maxLength: 20 });
  const named = steps.map((list) =>
    Object.assign(list, { [fc.toStringMethod]: () => list.map(([name]) => name).join('; ') }),
  );
  return fc.asyncProperty(named, delays, async (list, waits) => {
    let turn = 0;
    const world = await diskWorld(() => waits[(turn += 1) % waits.length] ?? 0, inDoubt);
    const violations: string[] = [];
    world.service.observe((request) => violations.push(...violationsOf(world, request)));
    try {
      if (inDoubt === 'hold') world.service.failNext(failures.lost, { taken: true });
      await world.change(({ write }) => {
        for (const path of ['a.txt', 'd/a.txt', 'd/e/c.txt', 'x.csv', 'd/x.csv']) write(path, path);
        write('a.txt.meta.json', sidecarTexts[0]);
        write('d/a.txt.meta.json', sidecarTexts[1]);
      });
      await world.quiesce();
      for (const [, act] of list) {
        await act(world);
        await world.rest();
      }
      await world.quiesce();
      // Below an ignore file that is not valid nothing is decided.
      const isValid = (path: string) => ignores(world.files().get(path)?.content ?? '', '', '') !== null;
      for (const path of world.files().keys())
        if (nameOf(path) === '.ingestignore' && !isValid(path))
          await world.change(({ remove }) => remove(path));
      // What only a poll finds has been found by then.
      await world.pass(61_000);
      await world.quiesce();
      assert.deepEqual(violations, []);
      if (inDoubt === 'retry') assertAgreement(world);
    } finally {
      await world.close();
    }
  });
}

/** What must never go out, as things stand at this moment. */
function* violationsOf(world: DiskWorld, request: OutgoingRequest): Iterable<string> {
  const { kind, docIds, metadata } = request;
  const sources = request.sources as readonly ScannedSource[];
  const { chronicle } = world;
  const ledger = world.ledger();
  const now = world.clock.monotonic();
  const standing = [...world.files()];
  if (kind === 'delete') {
    for (const docId of docIds) {
      const ref = ledger.findByDocId(docId);
      const record = ref === undefined ? undefined : ledger.get(ref);
      if (ref === undefined || record === undefined) continue;
      for (const [path, file] of standing) {
        // A file that has come to the path of another document is that one's from now on.
        const isOthers = path !== ref.path && ledger.get({ folder: ref.folder, path }) !== undefined;
        if (path === ref.path || (sameFile(record.stat, { ...file, dev: 0 }) && !isOthers))
          yield `${ref.path} is deleted, and its file stands at ${path}`;
      }
    }
    return;
  }
  for (const { path, ino } of sources) {
    const file = standing.find(([, one]) => one.ino === ino)?.[1];
    const settledMs = file === undefined ? Infinity : now - file.writtenAt;
    if (settledMs < engineTiming.settleMs) yield `${path} goes out ${settledMs} ms after a write`;
  }
  const [file] = sources;
  const about =
    kind === 'upload' ? [file?.path ?? ''] : docIds.map((id) => ledger.findByDocId(id)?.path ?? '');
  if (kind === 'upload' || metadata?.shareInfo !== undefined) {
    const mode = metadata?.shareInfo?.mode ?? 'DEFAULT';
    for (const path of about) {
      const companions = ledger.get({ folder: 'inbox', path })?.companions;
      const asked = chronicle.modesOf(path, now, companions?.sidecar === 'name');
      if (!asked.has(mode))
        yield `${kind} of ${path} with ${mode}, asked for: ${[...asked].join(', ') || 'nothing'}`;
    }
  }
  if (kind !== 'upload' || file === undefined) return;
  if (!chronicle.wasAllowed(file.path, now)) yield `${file.path} is uploaded, and is ignored`;
  for (const { ref, record } of ledger.entries()) {
    for (const { path, stat } of record.attachments) {
      const isIt = path === file.path || (path !== undefined && sameFile(stat, { ...file, dev: 0 }));
      if (isIt && !chronicle.hasLetGo(ref.path, file.path, now))
        yield `${file.path} is uploaded, and is an attachment of ${ref.path}`;
    }
    if (!sameFile(record.stat, { ...file, dev: 0 })) continue;
    if (!standing.some(([path]) => path === ref.path))
      yield `${file.path} is uploaded, and is what was ${ref.path}`;
  }
  for (const { ref, stat, holds } of ledger.doubts()) {
    const isSame = ref.path === file.path || (stat !== undefined && sameFile(stat, { ...file, dev: 0 }));
    if (holds && isSame) yield `${file.path} is uploaded, and in doubt as ${ref.path}`;
  }
}

const nothing = { ino: 0, birthtimeMs: 0 };

/** What the disk asks for at the end: documents with their content, sharing mode and attachments. */
function expectedOf(world: DiskWorld) {
  const files = world.files();
  const isIgnored = (path: string) =>
    directoriesOf(path).some((one) => {
      const rules = files.get(joinPath(one, '.ingestignore'))?.content;
      return rules !== undefined && ignores(rules, path, one) !== false;
    });
  const isSent = (path: string) => !isIgnored(path) && files.get(path)?.content !== '';
  const listedBy = (path: string) =>
    readSidecar(files.get(sidecarOf(path))?.content ?? '{}')?.attachments.map((one) =>
      joinPath(directoryOf(path), one),
    ) ?? null;
  const names = [...files.keys()].filter(
    (path) => /\.(?:txt|csv)$/.test(path) && !nameOf(path).startsWith('~'),
  );
  const owners = names.filter((path) => files.has(sidecarOf(path)));
  const carried = new Set(owners.flatMap((path) => listedBy(path) ?? []));
  // What an invalid sidecar listed when it was valid stays attached.
  const isUnclear = owners.some((path) => listedBy(path) === null);
  // A file that went out with another document stays its attachment, wherever it is, until that lets go of it.
  const isKept = (path: string) =>
    [...world.ledger().entries()].some(({ record }) =>
      record.attachments.some(({ stat }) => sameFile(stat, { ...(files.get(path) ?? nothing), dev: 0 })),
    );
  const expected = new Map<string, { content: string; mode: string; attachments: readonly string[] }>();
  for (const path of names) {
    if (!isSent(path) || carried.has(path) || isKept(path) || (isUnclear && path.endsWith('.csv'))) continue;
    const listed = listedBy(path);
    if (listed === null || !listed.every((one) => files.has(one) && isSent(one))) continue;
    let mode: string | null | undefined;
    for (const place of [
      sidecarOf(path),
      ...directoriesOf(path)
        .map((one) => joinPath(one, '.meta.json'))
        .toReversed(),
    ]) {
      const text = files.get(place)?.content;
      const read = text === undefined ? undefined : readSidecar(text);
      if (read === null) mode = undefined;
      if (read === null) break;
      mode = mode ?? read?.mode ?? null;
    }
    if (mode === undefined) continue;
    expected.set(path, {
      content: files.get(path)?.content ?? '',
      mode: mode ?? world.mode(),
      attachments: listed.map(nameOf),
    });
  }
  // It waits as long as the document that carried it does: where that is gone, or is to be fixed by a person.
  for (const { ref, record } of world.ledger().entries())
    for (const { path } of expected.has(ref.path) ? [] : record.attachments) expected.delete(path ?? '');
  return { files, expected };
}

function assertAgreement(world: DiskWorld): void {
  const { files, expected } = expectedOf(world);
  const docIds = world.docIds();
  const tasks = [...world.engine().tasks.all()].map(({ key, state }) => `${key} ${JSON.stringify(state)}`);
  for (const [path, wanted] of expected) {
    const docId = docIds.get(path);
    const held = docId === undefined ? undefined : world.service.documents.get(docId);
    assert.ok(held !== undefined, `${path} is not at the service: ${tasks.join('; ')}`);
    const mode =
      held.metadata.shareInfo === undefined ? 'DEFAULT' : (held.metadata.shareInfo.mode ?? 'DEFAULT');
    const attachments = wanted.attachments.length === 0 ? [] : held.attachments;
    assert.deepEqual({ path, content: held.content, mode, attachments }, { path, ...wanted });
  }
  for (const { ref, record } of world.ledger().entries()) {
    const stands = [...files].some(
      ([path, file]) => path === ref.path || sameFile(record.stat, { ...file, dev: record.stat.dev }),
    );
    // It was not sent any more before it went: what the service holds is kept, and listed so.
    const isKept = world.engine().tasks.get(ref)?.state.kind === 'dormant';
    assert.ok(stands || isKept, `${ref.path} is gone, and the service holds it: ${tasks.join('; ')}`);
  }
  const reported =
    world.ledger().possibleDuplicates() +
    world
      .ledger()
      .doubts()
      .reduce((total, { count }) => total + count, 0);
  assert.ok(world.service.documents.size - docIds.size <= reported, 'a duplicate is reported nowhere');
  assert.deepEqual(world.ledger().intents(), []);
}
