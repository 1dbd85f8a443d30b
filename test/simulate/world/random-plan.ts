import { seededRandom } from '../../soak/seeded-random.ts';
import type { SeededRandom } from '../../soak/seeded-random.ts';
import type { Ending } from '../service/service.ts';
import { modes } from '../judge/statement.ts';
import { Draft } from './draft.ts';
import type { Gap } from './gaps.ts';
import type { Plan, Setting } from './plan.ts';
import { randomWork } from './random-work.ts';

const stages: readonly Gap[] = ['connect', 'token', 'renewal', 'body', 'answer', 'ledger'];
const pauses = [0, 5, 60, 300, 900, 2_200, 2_500, 5_300, 8_000, 15_000, 65_000];
const gapPauses = [150, 400, 3_500];

/** A small world, a state that the service has accepted, and work in it: all of it from one number. */
export function randomPlan(seed: number): Plan {
  const random = seededRandom(seed);
  const setting = randomSetting(random);
  const draft = new Draft(random, setting);
  firstFiles(draft, random);
  const first = draft.takeFirst();
  if (random.chance(0.75)) draft.settle();
  for (let left = 2 + random.below(9); left > 0; left -= 1) {
    const pause = random.pick(pauses);
    if (random.chance(0.3)) draft.gap(random.pick(stages), random.pick(gapPauses));
    else draft.pause(pause);
    if (random.chance(0.3)) random.pick(troubles)(draft, random);
    else randomWork(draft, random);
  }
  return { seed, setting, first, steps: draft.steps };
}

function randomSetting(random: SeededRandom): Setting {
  const count = random.chance(0.7) ? 1 : 2 + random.below(2);
  const folders = ['inbox', 'second', 'third'].slice(0, count).map((name) => ({
    name,
    mode: random.chance(0.7) ? null : random.pick(modes),
    isPolled: random.chance(0.2),
  }));
  return {
    folders,
    habits: random.chance(0.65) ? {} : random.pick(strangeHabits),
    isBound: count > 1 && random.chance(0.25),
    settleMs: random.pick([2_000, 2_000, 500]),
    requestsPerMinute: random.pick([50, 50, 50, 4, 2]),
    maxDeleteCount: random.pick([10, 10, 1, 0]),
    inDoubt: random.pick(['retry', 'retry', 'hold']),
    tokenSeconds: random.pick([1_800, 1_800, 10, 45]),
    events: random.pick(['prompt', 'prompt', 'prompt', 'late', 'lossy', 'doubled']),
    eventQueue: random.pick([16_384, 16_384, 8]),
    lookMs: random.pick([0.02, 0.02, 0.5, 3]),
    maxPathBytes: random.chance(0.88) ? 4096 : 30 + random.below(25),
  };
}

const strangeHabits: readonly Setting['habits'][] = [
  { clockOffsetMs: -3_000 },
  { clockOffsetMs: 3_000 },
  { clockOffsetMs: -3_600_000 },
  { clockOffsetMs: 3_600_000 },
  { granuleMs: 1_000 },
  { granuleMs: 2_000, hasBirthTimes: false, isCaseless: true, type: { magic: 0x4d44, name: 'vfat' } },
  { hasBirthTimes: false },
  { firstInode: 2 ** 53 },
  { isCaseless: true },
  { type: { magic: 0x6969, name: 'nfs4' }, clockOffsetMs: -3_000, hasBirthTimes: false },
  { type: { magic: 0x6969, name: 'nfs4' }, attributeCacheMs: 3_000 },
];

function firstFiles(draft: Draft, random: SeededRandom): void {
  for (let left = 1 + random.below(random.chance(0.1) ? 25 : 5); left > 0; left -= 1) draft.newDocument();
  if (random.chance(0.2)) draft.writeDefaults(random.pick(modes));
  if (random.chance(0.1)) draft.writeIgnore();
}

const endings: readonly Ending[] = [
  { kind: 'busy', taken: false },
  { kind: 'busy', taken: false },
  { kind: 'lost', taken: true },
  { kind: 'lost', taken: false },
  { kind: 'reset', taken: true },
  { kind: 'reset', taken: false },
  { kind: 'html', taken: false },
  { kind: 'no-doc-id', taken: true },
  { kind: 'too-many', taken: false },
  { kind: 'rejected', taken: false },
  { kind: 'expired', taken: false },
];

type Trouble = (draft: Draft, random: SeededRandom) => void;

/** To one request, or to some in a row, for which documents come. */
const answer: Trouble = (draft, random) => {
  const ending = random.pick(endings);
  draft.act({ kind: 'answer', ending });
  if (random.chance(0.8)) return;
  for (let left = 3; left > 0; left -= 1) {
    draft.act({ kind: 'answer', ending });
    draft.newDocument();
    draft.pause(random.pick([100, 5_300]));
  }
};

/** One of the folders is taken out, or has another mode or is polled. */
export function otherFolders({ setting: { folders } }: Draft, random: SeededRandom): Setting['folders'] {
  const changed = random.pick(folders);
  const mode = random.pick([null, ...modes]);
  // A folder that is taken out comes back at the end.
  return folders.length > 1 && random.chance(0.5)
    ? folders.filter((one) => one !== changed)
    : folders.map((one) => (one === changed ? { ...one, mode, isPolled: random.chance(0.3) } : one));
}

/** With another configuration, now and then. */
const restart: Trouble = (draft, random) => {
  const next = otherFolders(draft, random);
  draft.act({
    kind: 'restart',
    how: random.pick(['kill', 'kill', 'stop', 'power', 'power'] as const),
    downMs: random.pick([10, 3_000]),
    ...(random.chance(0.3) ? { folders: next } : {}),
  });
};

/** A machine that crashes in the middle of what the ledger writes down. */
const crashInLedger: Trouble = (draft, random) => {
  draft.gap('ledger', random.pick(gapPauses));
  draft.act({ kind: 'restart', how: random.pick(['kill', 'power'] as const), downMs: 10 });
};

const person: Trouble = (draft, random) => {
  const kind = random.pick(['pause', 'approve', 'approve', 'retry', 'rescan', 'again'] as const);
  draft.act({ kind });
  if (kind !== 'pause') return;
  for (let left = random.below(3); left > 0; left -= 1) {
    randomWork(draft, random);
    draft.pause(random.pick(pauses));
  }
  draft.act({ kind: 'resume' });
};

/** Some documents are not taken for half an hour, while others come: rare, since it takes as long as ten other plans. */
const refuse: Trouble = (draft, random) => {
  if (random.chance(0.8)) return answer(draft, random);
  const texts = [draft.text(), draft.text()].slice(0, 1 + random.below(2));
  draft.act({ kind: 'refuse', texts });
  for (const text of texts) draft.write(draft.place(), text);
  draft.pause(random.pick([100, 5_300]));
  draft.newDocument();
  draft.pause(30 * 60_000);
  draft.act({ kind: 'take' });
};

const troubles: readonly Trouble[] = [
  answer,
  answer,
  answer,
  (draft) => draft.act({ kind: 'expire-tokens' }),
  restart,
  crashInLedger,
  refuse,
  (draft, random) => draft.act({ kind: 'clock', jumpMs: random.pick([-3_600_000, 3_600_000, -5_000]) }),
  (draft, random) => draft.act({ kind: 'full', forMs: random.pick([300, 12_000]) }),
  (draft, random) => draft.act({ kind: 'stall', forMs: random.pick([500, 4_000]) }),
  person,
  person,
  person,
  person,
];
