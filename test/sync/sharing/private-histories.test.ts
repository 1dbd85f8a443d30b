import assert from 'node:assert/strict';

import { it } from '@jest/globals';
import * as fc from 'fast-check';

import type { FoundDocument, Inspection } from '../../../src/model/document.ts';
import { modeOf } from '../../../src/model/metadata/metadata.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';

import type { FolderPort } from '../../../src/model/ports/folder-port.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';
import { engineTiming, engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import { simulatedFolder } from '../../support/worlds/simulated-folder.ts';
import type { SimulatedFolder, SimulatedSource } from '../../support/worlds/simulated-folder.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';

/** What the sidecars state, which stand as they are from beginning to end; of all other documents the folder states EVERYONE. */
const stated: ReadonlyMap<string, ShareMode> = new Map([
  ['a.txt', 'NONE'],
  ['d/a.txt', 'NONE'],
  ['open.txt', 'EVERYONE'],
]);
const paths = ['a.txt', 'd/a.txt', 'open.txt', 'a-1.txt', 'a-2.txt', 'd/b.txt', 'e/a.txt'] as const;

interface PrivateWorld extends Omit<EngineWorld, 'folder'> {
  readonly folder: SimulatedFolder;
  /** A content that no file had before. */
  readonly fresh: () => string;
}

type Act = (world: PrivateWorld) => void;
type Step = readonly [name: string, act: (world: PrivateWorld) => Promise<void> | void];

const path = fc.constantFrom(...paths);

const change: fc.Arbitrary<readonly [string, Act]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(path, path).map(([from, to]): [string, Act] => [
      `put ${from} aside as ${to}`,
      ({ folder, fresh }) => {
        folder.rename(from, to);
        folder.write(from, fresh());
      },
    ]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(path, path)
      .map(([from, to]): [string, Act] => [`rename ${from} ${to}`, ({ folder }) => folder.rename(from, to)]),
  },
  {
    weight: 2,
    arbitrary: path.map((at): [string, Act] => [
      `rewrite ${at}`,
      ({ folder, fresh }) => folder.write(at, fresh()),
    ]),
  },
  {
    weight: 2,
    arbitrary: path.map((at): [string, Act] => [
      `save ${at} by a rename`,
      ({ folder, fresh }) => {
        folder.remove(at);
        folder.write(at, fresh());
      },
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(path, path).map(([from, to]): [string, Act] => [
      `copy ${from} to ${to} and edit it`,
      // The copy is another file: what it has in common with the first one is not told apart here.
      ({ folder, fresh }) => {
        if (!folder.contents().has(from) || from === to) return;
        folder.remove(to);
        folder.write(to, fresh());
      },
    ]),
  },
  {
    weight: 2,
    arbitrary: path.map((at): [string, Act] => [`away ${at}`, ({ folder }) => folder.takeAway(at)]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, path)
      .map(([name, to]): [string, Act] => [`back ${name} ${to}`, ({ folder }) => folder.bringBack(name, to)]),
  },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: change },
  { weight: 6, arbitrary: fc.constant<Step>(['scan', ({ folder }) => folder.scan()]) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(300, 2_500, 6_000, 20_000)
      .map((ms): Step => [`wait ${ms}`, ({ clock }) => clock.advance(ms)]),
  },
  {
    weight: 4,
    arbitrary: fc
      .array(change, { maxLength: 3 })
      .map((list): Step => [
        `while stopped (${list.map(([name]) => name).join(', ')})`,
        (world) => world.restart(() => list.forEach(([, act]) => act(world))),
      ]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>(['busy', ({ service }) => service.failNext(busyOf())]),
  },
);

/** Of commits and requests, in turn. */
const delays = fc.array(fc.constantFrom(0, 0, 0, 150, 700, 6_000), { minLength: 1, maxLength: 7 });

/**
 * A random history of private files that are renamed, put aside, rewritten and brought back, live and while nobody looks. At
 * each request: no content that the service held as NONE goes out to more people, but as a sidecar of its own states.
 */
const privateHistories = fc.asyncProperty(
  fc
    .array(step, { minLength: 3, maxLength: 25 })
    .map((list) => Object.assign(list, { [fc.toStringMethod]: () => list.map(([name]) => name).join('; ') })),
  delays,
  fc.constantFrom(1_000, 1_000, 8),
  async (steps, waits, requestsPerMinute) => {
    let turn = 0;
    const slow = () => waits[(turn += 1) % waits.length] ?? 0;
    let folder: SimulatedFolder | null = null;
    const world = await engineWorld({
      safety: { maxDeleteCount: 1_000 },
      service: { requestsPerMinute },
      slow,
      port: (clock) => {
        let inode = 1_000;
        const nextInode = () => (inode += 1);
        folder ??= simulatedFolder({ name: 'inbox', clock, settleMs: engineTiming.settleMs, nextInode });
        return withSidecars(folder);
      },
    });
    assert.ok(folder !== null);
    let written = 0;
    const inMemory: PrivateWorld = { ...world, folder, fresh: () => `version ${(written += 1)}` };
    const secret = new Set<string>();
    const violations: string[] = [];
    world.service.observe((request) => violations.push(...violationsOf(inMemory, request, secret)));
    try {
      for (const at of ['a.txt', 'd/a.txt', 'open.txt', 'd/b.txt'])
        inMemory.folder.write(at, inMemory.fresh());
      inMemory.folder.scan();
      await world.quiesce();
      for (const [, act] of steps) {
        await act(inMemory);
        noteSecrets(inMemory, secret);
      }
      for (let scans = 0; scans < 2; scans += 1) {
        inMemory.folder.scan();
        await world.quiesce();
      }
      assert.deepEqual(violations, []);
    } finally {
      await world.close();
    }
  },
);

/** A folder with those sidecars beside the documents that they are named after. */
function withSidecars(folder: SimulatedFolder): FolderPort {
  const sidecarOf = (at: string) => (stated.has(at) ? `${at}.meta.json` : null);
  return {
    ...folder,
    start: (listener) =>
      folder.start({
        ...listener,
        directory: (scan) =>
          listener.directory({
            ...scan,
            entries: scan.entries.map((entry) => {
              const at = scan.directory === '' ? entry.name : `${scan.directory}/${entry.name}`;
              return { ...entry, fingerprint: sidecarOf(at) ?? '' };
            }),
          }),
      }),
    inspect: async (at): Promise<Inspection> => {
      const owner = at.replace(/\.meta\.json$/, '');
      if (stated.has(owner) && owner !== at)
        return { kind: 'ignored', code: 'sidecar', message: 'a sidecar', owner };
      const found = await folder.inspect(at);
      return found.kind === 'document' ? { kind: 'document', document: described(found.document) } : found;
    },
  };

  function described(document: FoundDocument): FoundDocument {
    const { path: at } = document.ref;
    const sidecar = sidecarOf(at);
    return {
      ...document,
      fingerprint: sidecar ?? '',
      sidecar,
      ...(sidecar === null ? null : { companions: { sidecar: 'name', defaults: [] } }),
      metadata: { ...document.metadata, shareInfo: { mode: stated.get(at) ?? 'EVERYONE' } },
      sources: { shareInfo: sidecar ?? 'folder settings' },
    };
  }
}

/** What the service holds as NONE is secret, until it goes out by a sidecar of its own that states more. */
function noteSecrets({ ledger }: PrivateWorld, secret: Set<string>): void {
  for (const { ref, record } of ledger().entries()) {
    if (modeOf(record.metadata) === 'NONE') secret.add(record.sha256);
    else if (stated.get(ref.path) === 'EVERYONE') secret.delete(record.sha256);
  }
}

function* violationsOf(
  world: PrivateWorld,
  { kind, docIds, metadata, sources }: OutgoingRequest,
  secret: Set<string>,
): Iterable<string> {
  if (kind === 'delete') return;
  noteSecrets(world, secret);
  const ledger = world.ledger();
  const [file] = sources as readonly SimulatedSource[];
  for (const docId of kind === 'upload' ? [null] : docIds) {
    const ref = docId === null ? undefined : ledger.findByDocId(docId);
    const at = ref?.path ?? file?.path ?? '';
    const held = docId === null ? undefined : world.service.documents.get(docId)?.metadata;
    const mode = modeOf(metadata?.shareInfo === undefined ? (held ?? {}) : metadata);
    const sha256 = file?.sha256() ?? (ref === undefined ? '' : ledger.get(ref)?.sha256) ?? '';
    if (mode !== 'NONE' && secret.has(sha256) && stated.get(at) !== 'EVERYONE')
      yield `${kind} of ${at} as ${mode}, and what is in it was held as NONE`;
  }
}

it('random histories of private files show no content to more people that was held as private (A1)', async () => {
  await fc.assert(privateHistories, { numRuns: 60 });
}, 120_000);
