import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createNewestFirst } from '../../src/lib/newest-first.ts';
import type { Ranked } from '../../src/lib/newest-first.ts';

function itemOf(at: number, order: number): Ranked {
  return { at, order, place: -1 };
}

describe('a heap of the newest', () => {
  it('gives nothing when it is empty', () => {
    const heap = createNewestFirst();
    expect(heap.pop()).toBeUndefined();
    expect(heap.size()).toBe(0);
  });

  it('does not mind the removal of what is not inside', () => {
    const heap = createNewestFirst();
    const [first, second] = [itemOf(2, 1), itemOf(1, 2)];
    heap.push(second);
    heap.push(first);
    heap.remove(itemOf(2, 1));
    heap.remove({ at: 2, order: 1, place: 0 });
    expect(heap.pop()).toBe(first);
    heap.remove(first);
    expect(heap.pop()).toBe(second);
    expect(heap.size()).toBe(0);
  });

  it('lets what fills a gap rise where it is newer than what stood above', () => {
    const heap = createNewestFirst();
    const ages = [100, 10, 90, 5, 4, 80, 70, 1, 2, 3, 0, 60, 59, 58, 57];
    const items = ages.map(itemOf);
    for (const item of items) heap.push(item);
    for (const item of items) if (item.at === 5) heap.remove(item);
    const left = ages.filter((at) => at !== 5).toSorted((a, b) => b - a);
    expect(left.map(() => heap.pop()?.at)).toEqual(left);
  });

  it('gives what a sorted list would, whatever is pushed, popped and removed', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), at: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ kind: fc.constant('remove' as const), index: fc.nat() }),
      fc.record({ kind: fc.constant('pop' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100, size: 'max' }), (steps) => {
        const heap = createNewestFirst();
        let model: Ranked[] = [];
        for (const [order, one] of steps.entries()) {
          if (one.kind === 'push') {
            const item = itemOf(one.at, order);
            heap.push(item);
            model.push(item);
          } else if (one.kind === 'remove') {
            const item = model[one.index % model.length];
            if (item !== undefined) heap.remove(item);
            model = model.filter((other) => other !== item);
          } else {
            model.sort((a, b) => b.at - a.at || a.order - b.order);
            expect(heap.pop()).toBe(model.shift());
          }
          expect(heap.size()).toBe(model.length);
        }
      }),
    );
  });
});
