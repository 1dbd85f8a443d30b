import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import type { SimulatedSource } from '../../support/worlds/simulated-folder.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';

/** What becomes of a request that the service does not take, by what is seen of it. */
export const answers = {
  500: unavailable('http-500', 'all'),
  503: unavailable('http-503', 'all'),
  507: unavailable('http-507', 'part'),
  502: unknown('http-502'),
  408: unknown('http-408'),
  reset: unavailable('econnreset', 'part'),
  timeout: unknown('response-timeout'),
} as const;

function unavailable(code: string, sent: 'part' | 'all'): Outcome {
  return { kind: 'unavailable', code, message: `it said ${code}`, retryAfterMs: null, sent };
}

function unknown(code: string): Outcome {
  return { kind: 'unknown', code, message: `it said ${code}` };
}

/** Paths of the documents that a request is about. */
export function pathsOf(world: EngineWorld, { sources, docIds }: OutgoingRequest): readonly string[] {
  const [file] = sources as readonly SimulatedSource[];
  if (file !== undefined) return [file.path];
  return docIds.map((docId) => world.ledger().findByDocId(docId)?.path ?? '');
}

/** Nothing that is taken waits for longer than this, ms: the back-off of a service that seems to be away included. */
const longestMs = 6 * 3_600_000;

const change = fc.record({
  kind: fc.constantFrom('upload', 'modify', 'tag', 'delete'),
  /** Null: the service takes it. */
  answer: fc.option(fc.constantFrom(...Object.values(answers)), { nil: null, freq: 2 }),
});

/**
 * New, edited, tagged and removed documents, any of which the service does not take, in any order, for a daemon or one
 * pass. All others are done in the end, and those are not.
 */
export function untakenHistories() {
  return fc.asyncProperty(
    fc.array(change, { minLength: 1, maxLength: 16 }),
    fc.integer({ min: 1, max: 8 }),
    fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 9 }),
    fc.constantFrom('run', 'restart', 'sync'),
    async (changes, concurrency, draws, mode) => {
      let turn = 0;
      const world = await engineWorld({
        service: { concurrency },
        safety: { maxDeleteCount: 1_000, maxDeletePercent: 100 },
        random: () => draws[(turn += 1) % draws.length] ?? 0,
        ...(mode === 'sync' ? { maxAttempts: 5 } : {}),
      });
      try {
        const named = changes.map((one, index) => ({ ...one, path: `${index}.txt` }));
        for (const { kind, path } of named) if (kind !== 'upload') world.folder.write(path, path);
        await world.sync();
        const untaken = new Map(named.map(({ path, answer }) => [path, answer]));
        world.service.failWhere((request) => {
          const found = pathsOf(world, request).map((path) => untaken.get(path) ?? null);
          return found.find((answer) => answer !== null) ?? null;
        });
        for (const { kind, path } of named) {
          make(world, kind, path);
          world.folder.scan();
          await world.clock.advance(10);
        }
        if (mode === 'restart') await world.restart();
        const isOver = () => mode === 'sync' && (world.engine().isHopeless() || world.engine().isIdle());
        const isDone = () =>
          [...world.engine().tasks.all()].every(({ ref }) => untaken.get(ref.path) !== null);
        const since = world.clock.monotonic();
        await world.rest();
        while (!(isDone() && world.engine().backlogged() === 0) && !isOver()) {
          assert.ok(world.clock.monotonic() - since < longestMs, `waits: ${waiting(world)}`);
          await world.clock.advance(500);
          await world.rest();
        }
        assert.deepEqual(
          unfinished(world, named),
          named.filter(({ answer }) => answer !== null).map(({ path }) => path),
        );
      } finally {
        await world.close();
      }
    },
  );
}

type Kind = 'upload' | 'modify' | 'tag' | 'delete';

function make({ folder }: EngineWorld, kind: Kind, path: string): void {
  if (kind === 'delete') folder.remove(path);
  else if (kind === 'tag') folder.describe(path, { customTags: [{ name: 'q3', visibility: 'PUBLIC' }] });
  else folder.write(path, `${kind} ${path}`);
}

/** Paths of which the service does not hold what the folder says. */
function unfinished(
  world: EngineWorld,
  named: readonly { readonly kind: Kind; readonly path: string }[],
): string[] {
  const docIds = world.docIds();
  return named
    .filter(({ kind, path }) => {
      const held = world.service.documents.get(docIds.get(path) ?? '');
      if (kind === 'delete') return docIds.has(path);
      if (kind === 'tag') return held?.metadata.customTags === undefined;
      return held?.content !== `${kind} ${path}`;
    })
    .map(({ path }) => path);
}

function waiting(world: EngineWorld): string {
  return [...world.engine().tasks.all()].map(({ ref, state }) => `${ref.path} ${state.kind}`).join(', ');
}
