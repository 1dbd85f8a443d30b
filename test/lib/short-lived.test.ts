import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

import { ShortLivedMap, ShortLivedSet } from '../../src/lib/queue/short-lived.ts';

const run = promisify(execFile);
const module = join(import.meta.dirname, '../../build/lib/queue/short-lived.js');

describe('the map of short-lived entries', () => {
  it('holds what a plain map would, in the same order, through many comings and goings', () => {
    const plain = new Map<number, number>();
    const map = new ShortLivedMap<number, number>();
    for (let step = 0; step < 5_000; step += 1) {
      const key = (step * 7_919) % 401;
      if (step % 3 === 0) expect(map.delete(key)).toBe(plain.delete(key));
      else {
        plain.set(key, step);
        map.set(key, step);
      }
      expect([map.size, map.get(key), map.has(key)]).toEqual([plain.size, plain.get(key), plain.has(key)]);
    }
    expect([...map]).toEqual([...plain]);
    expect([[...map.keys()], [...map.values()]]).toEqual([[...plain.keys()], [...plain.values()]]);
    map.clear();
    expect([map.size, [...map]]).toEqual([0, []]);
  });

  it('keeps nothing from being collected while it is young', async () => {
    const script = `
      import { PerformanceObserver, constants } from 'node:perf_hooks';
      import { ShortLivedMap } from ${JSON.stringify(module)};
      let whole = 0;
      new PerformanceObserver((list) => {
        for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) whole += 1;
      }).observe({ entryTypes: ['gc'] });
      const map = new ShortLivedMap();
      for (let index = 0; index < 300_000; index += 1) {
        map.set(index, { text: new Array(40).fill(index) });
        if (index >= 200) map.delete(index - 200);
      }
      setTimeout(() => console.log(whole), 50);
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(Number(stdout)).toBe(0);
  });
});

describe('the set of short-lived values', () => {
  it('holds each value once, in the order of their coming', () => {
    const set = new ShortLivedSet<string>();
    for (const value of ['a', 'b', 'a', 'c']) set.add(value);
    expect([set.delete('b'), set.delete('b'), set.has('a'), set.has('b')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([set.size, [...set]]).toEqual([2, ['a', 'c']]);
  });
});
