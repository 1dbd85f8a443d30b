import * as fc from 'fast-check';

import { directoryOf, joinPath } from '../../../src/model/document.ts';
import { sidecarOf } from './chronicle.ts';
import { companionsOf, defaultsTexts, shown } from './disk-texts.ts';
import type { DiskAct, DiskWorld } from './disk-world.ts';
import { failures } from './failures.ts';

/** One thing that happens, in words. */
export type DiskStep = readonly [string, (world: DiskWorld) => Promise<void> | void];

/** A change of the disk, in words. */
export type Change = readonly [string, DiskAct];

/** Longer than a file needs to settle, shorter than the grace period. */
const aMomentMs = 3_000;
/** A change goes out within this time, unless something is in its way. */
const longestMs = 6_000;
const lookMs = 200;
/** What held before this plays no part in what is decided now. */
const longMs = 20_000;
/** Where no document stands at first. */
const vacant = ['n.txt', 'd/n.txt', 'f/n.txt'] as const;

/**
 * What chance alone brings about too rarely: several steps that belong together, about one document of `documents` or a
 * new one, or about any `change`.
 */
export function diskStory(
  documents: readonly string[],
  change: fc.Arbitrary<Change>,
): fc.Arbitrary<DiskStep> {
  const document = fc.constantFrom(...documents, ...vacant);
  return fc.oneof(
    { weight: 4, arbitrary: document.chain(companionInMotion) },
    { weight: 1, arbitrary: document.chain((from) => document.chain((to) => companionFollows(from, to))) },
    { weight: 1, arbitrary: fc.boolean().map(comesBackApproved) },
    { weight: 3, arbitrary: document.chain((path) => changeUnderWay(path, documents, change)) },
  );
}

/**
 * What a document's companion says has been in force for long. Then it is gone, or says something else, for a moment,
 * in which its document comes or changes.
 */
function companionInMotion(path: string): fc.Arbitrary<DiskStep> {
  const companion = fc
    .constantFrom(...companionsOf(path))
    .chain(([place, texts]) =>
      fc.tuple(fc.constant(place), fc.constantFrom(...texts), fc.option(fc.constantFrom(...texts))),
    );
  return fc
    .record({
      companion,
      comesBefore: fc.boolean(),
      comesMeanwhile: fc.boolean(),
      pauseMs: fc.constantFrom(700, 1_500, aMomentMs, 4_000),
      isStopped: fc.constantFrom(false, false, true),
    })
    .map(({ companion: [place, text, other], comesBefore, comesMeanwhile, pauseMs, isStopped }): DiskStep => {
      const before = comesBefore ? `, ${path} is written` : '';
      const meanwhile = `${comesMeanwhile ? ` and ${path} is written` : ''}${isStopped ? ' while stopped' : ''}`;
      const motion = other === null ? 'is gone' : `is ${shown(other)}`;
      return [
        `${place} is ${shown(text)} for long${before}; it ${motion} for ${pauseMs}${meanwhile}`,
        async (world) => {
          await world.change(({ write }) => write(place, text));
          if (comesBefore) await world.change(({ write }) => write(path, 'xx'));
          await world.pass(longMs);
          const act: DiskAct = ({ write, rename }) => {
            if (other === null) rename(place, '~/aside');
            else write(place, other);
            if (comesMeanwhile) write(path, 'yy');
          };
          await (isStopped ? world.begin(world.mode(), act) : world.change(act));
          await world.pass(pauseMs);
          await world.change(({ write, rename }) =>
            other === null ? rename('~/aside', place) : write(place, text),
          );
        },
      ];
    });
}

/** A document is moved, and what states its sharing mode is moved a moment before or after it. */
function companionFollows(from: string, to: string): fc.Arbitrary<DiskStep> {
  const isNearby = directoryOf(from) === directoryOf(to);
  const places = (document: string) =>
    [sidecarOf(document), joinPath(directoryOf(document), '.meta.json')] as const;
  return fc
    .record({
      which: isNearby ? fc.constant(0 as const) : fc.constantFrom(0 as const, 1 as const),
      isFirst: fc.boolean(),
      pauseMs: fc.constantFrom(700, aMomentMs, 4_000),
    })
    .map(({ which, isFirst, pauseMs }): DiskStep => {
      const source = places(from)[which];
      const target = places(to)[which];
      const moves: readonly (readonly [string, string])[] = [
        [from, to],
        [source, target],
      ];
      return [
        `${source} says NONE for long, ${from} moves to ${to}, and ${source} ${pauseMs} ${isFirst ? 'before' : 'after'} it`,
        async (world) => {
          await world.change(({ write }) => {
            write(from, 'xx');
            write(source, defaultsTexts[0]);
          });
          await world.pass(longMs);
          for (const [index, move] of (isFirst ? moves.toReversed() : moves).entries()) {
            if (index > 0) await world.pass(pauseMs);
            await world.change(({ rename }) => rename(...move));
          }
        },
      ];
    });
}

/** So many documents go that a person is asked, and says yes; before they are deleted they come back. */
function comesBackApproved(isStopped: boolean): DiskStep {
  return [
    `d goes for long and is approved; it comes back at once${isStopped ? ' while stopped' : ''}`,
    async (world) => {
      await world.change(({ rename }) => rename('d', '~/d'));
      await world.pass(longMs);
      await world.approve();
      const back: DiskAct = ({ rename }) => rename('~/d', 'd');
      await (isStopped ? world.begin(world.mode(), back) : world.change(back));
    },
  ];
}

/** A change, and the time until a request has gone out, or none will. */
export async function goesOut(world: DiskWorld, act: DiskAct): Promise<void> {
  const before = world.service.calls.length;
  await world.change(act);
  for (let ms = 0; ms < longestMs && world.service.calls.length === before; ms += lookMs)
    await world.pass(lookMs);
}

/** Something happens while a request is under way, whatever comes of that. */
function changeUnderWay(
  path: string,
  documents: readonly string[],
  change: fc.Arbitrary<Change>,
): fc.Arbitrary<DiskStep> {
  const another = fc
    .constantFrom(...documents, ...vacant)
    .map((to): Change => [`it moves to ${to}`, ({ rename }) => rename(path, to)]);
  const edit: fc.Arbitrary<Change> = fc.constant(['it is edited', ({ write }) => write(path, 'zzzz')]);
  const outcome = fc.constantFrom('taken', 'taken', 'refused', 'refused', 'lost', 'busy');
  return fc
    .tuple(fc.oneof(another, edit, change), outcome, fc.constantFrom(300, aMomentMs, 5_000))
    .map(([[words, act], comes, pauseMs]): DiskStep => [
      `${path} is written and under way; ${words}; ${pauseMs} later the request is ${comes}`,
      async (world) => {
        if (comes === 'refused' || comes === 'busy') world.service.failNext(failures[comes]);
        if (comes === 'lost') world.service.failNext(failures.lost, { taken: true });
        const release = world.service.holdNext();
        await goesOut(world, ({ write }) => write(path, 'xxxx'));
        await world.change(act);
        await world.pass(pauseMs);
        release();
        await world.pass(aMomentMs);
      },
    ]);
}
