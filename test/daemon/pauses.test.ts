import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import {
  createPauseKeeper,
  pause,
  pausedAmong,
  readPauses,
  resume,
  writePauses,
} from '../../src/daemon/control/pauses.ts';
import { toTheSecond } from '../../src/lib/time/clock.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { Pauses } from '../../src/daemon/control/pauses.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const none: Pauses = [];
const inbox = { name: 'inbox', path: '/srv/inbox' };
const scans = { name: 'scans', path: '/srv/scans' };
const later = { name: 'later', path: '/srv/later' };
const configured = [inbox, scans];

const pausedNames = (...given: Parameters<typeof pausedAmong>) => pausedAmong(...given).paused;
const paused = (pauses: Pauses): readonly string[] => pausedNames(pauses, [inbox, scans, later]);

describe('what is paused', () => {
  it.each([
    ['one folder', pause(none, inbox), ['inbox']],
    ['one folder twice', pause(pause(none, inbox), inbox), ['inbox']],
    ['two folders', pause(pause(none, inbox), scans), ['inbox', 'scans']],
    ['everything, and what is configured later', pause(none, null), ['inbox', 'scans', 'later']],
    ['nothing, when all go on', resume(pause(none, null), null, configured), []],
    ['the others, when one of all goes on', resume(pause(none, null), inbox, configured), ['scans']],
  ])('is %s', (_name, pauses, names) => {
    expect(paused(pauses)).toEqual(names);
  });

  it('stays so for a folder that is given another name, or another path', () => {
    const pauses = pause(none, inbox);
    expect(pausedNames(pauses, [{ ...inbox, name: 'in' }])).toEqual(['in']);
    expect(pausedNames(pauses, [{ ...inbox, path: '/mnt/inbox' }])).toEqual(['inbox']);
  });

  it('stays so for what is made of a folder, under other names', () => {
    const made = [
      { name: 'a', path: '/srv/inbox/a' },
      { name: 'all', path: '/srv' },
      { name: 'other', path: '/srv/inbox2' },
    ];
    expect(pausedNames(pause(none, inbox), made)).toEqual(['a', 'all']);
  });
});

describe('in the state directory', () => {
  const state = folderOfEachTest();
  it('nothing is paused at first, and what is paused is read again', async () => {
    expect(await readPauses(state.path)).toEqual(none);
    await writePauses(state.path, pause(none, inbox));
    expect(await readPauses(state.path)).toEqual([inbox]);
  });

  it.each(['', '{"all": fal', '{"all": "no", "folders": []}', '[]'])(
    'a file that says %j pauses everything: what was kept back must not go out',
    async (text) => {
      await writePauses(state.path, pause(none, inbox));
      await writeFile(state.join('paused.json'), text);
      expect(await readPauses(state.path)).toEqual(pause(none, null));
    },
  );
});

describe('a pause for a time', () => {
  const state = folderOfEachTest();

  it('ends by itself, over a restart too, and leaves the others as they are', async () => {
    const clock = manualClock();
    const seen: (readonly string[])[] = [];
    const over: (readonly string[])[] = [];
    const keeper = createPauseKeeper({
      stateDir: state.path,
      clock,
      folders: configured,
      first: none,
      onChange: (names) => seen.push(names),
      onOver: ({ before, after }) => {
        const still = pausedNames(after, configured);
        over.push(pausedNames(before, configured).filter((name) => !still.includes(name)));
      },
    });
    await keeper.pause(scans, () => {});
    await keeper.pause(inbox, () => {}, { by: 'page', ms: 3_600_000 });
    const [since, until] = [0, 3_600_000].map((ms) => toTheSecond(clock.now() + ms));
    const pauses = { inbox: { since, by: 'page', until }, scans: { since } };
    expect(keeper.now()).toEqual({ paused: ['inbox', 'scans'], pauses });
    await clock.advance(3_599_000);
    expect(over).toEqual([]);
    await clock.advance(1_001);
    await clock.advance(0);
    expect(keeper.now().paused).toEqual(['scans']);
    expect([seen.at(-1), over]).toEqual([['scans'], [['inbox']]]);
    // In turn: what has ended is written by then.
    await keeper.resume(null, () => {});
    await keeper.close();
    await writePauses(state.path, pause(none, null, { until: Date.now() - 1 }));
    expect(pausedNames(await readPauses(state.path), configured)).toEqual([]);
    await writePauses(state.path, pause(none, null, { until: Date.now() + 60_000 }));
    expect(pausedNames(await readPauses(state.path), configured)).toEqual(['inbox', 'scans']);
    // As it was written once.
    await writeFile(state.join('paused.json'), '{"all": true, "folders": []}');
    expect(pausedNames(await readPauses(state.path), configured)).toEqual(['inbox', 'scans']);
  });

  it('has no end while a longer one of all folders keeps its folder', async () => {
    const clock = manualClock();
    const change = { onChange: () => {}, onOver: () => {} };
    const options = { stateDir: state.path, clock, folders: configured, first: none, ...change };
    const keeper = createPauseKeeper(options);
    const since = toTheSecond(clock.now());
    await keeper.pause(null, () => {});
    await clock.advance(1_000);
    await keeper.pause(inbox, () => {}, { by: 'page', ms: 60_000 });
    expect(keeper.now().pauses).toEqual({ inbox: { since }, scans: { since } });
    await keeper.resume(scans, () => {});
    expect(keeper.now()).toEqual({ paused: ['inbox'], pauses: { inbox: { since } } });
    await keeper.pause(scans, () => {}, { ms: 60_000 });
    expect(keeper.now().pauses['scans']?.until).toBe(toTheSecond(clock.now() + 60_000));
    await keeper.close();
  });
});
