import { afterAll, describe, expect, it } from '@jest/globals';

import { networkFaults } from './network-faults.ts';
import type { Fate, NetworkFault, Operation } from './network-faults.ts';
import { closeNetworkWorlds, startNetworkWorld } from './network-world.ts';
import type { NetworkWorld } from './network-world.ts';

/** One kind of change in the folder that leads to one request. */
interface Act {
  readonly name: string;
  readonly change: (world: NetworkWorld, fault: NetworkFault) => void;
  /** Paths that the request is about. */
  readonly about: readonly string[];
  readonly fate: (fault: NetworkFault) => Fate | null;
}

const tagged = ['a.txt', 'b.txt', 'c.txt'];
const dropped = ['x.txt', 'y.txt', 'z.txt'];
const tag = { customTags: [{ name: 'tag', operation: 'ADD' }] } as const;

/** In this order, in one world: the upload last, because a possible duplicate of it stays in status. */
const acts: Readonly<Record<Operation, Act>> = {
  modify: {
    name: 'a change of content',
    change: ({ folder }) => folder.write('content.txt', 'other words'),
    about: ['content.txt'],
    fate: ({ modify }) => modify,
  },
  modifyMetadata: {
    name: 'a change of metadata',
    change: ({ folder }) => folder.describe('title.txt', { title: 'Another' }),
    about: ['title.txt'],
    fate: ({ modify }) => modify,
  },
  remove: {
    name: 'a deletion',
    change: ({ folder }) => folder.remove('gone.txt'),
    about: ['gone.txt'],
    fate: ({ remove }) => remove,
  },
  bulkModify: {
    name: 'a bulk modify',
    change: ({ folder }) => tagged.forEach((path) => folder.describe(path, tag)),
    about: tagged,
    fate: ({ bulk }) => bulk,
  },
  bulkRemove: {
    name: 'a bulk delete',
    change: ({ folder }) => dropped.forEach((path) => folder.remove(path)),
    about: dropped,
    fate: ({ bulk }) => bulk,
  },
  upload: {
    name: 'an upload',
    change: ({ folder }, { bytes = 20 }) => folder.write('new.txt', 'n'.repeat(bytes)),
    about: ['new.txt'],
    fate: ({ upload }) => upload,
  },
  token: {
    name: 'a token',
    change: ({ folder }) => folder.write('new.txt', 'new'),
    about: ['new.txt'],
    fate: ({ token }) => token,
  },
};

/** Fates of what the service may hold without our knowledge. */
const inDoubt: ReadonlySet<string> = new Set(['doubt', 'conflict']);

const minute = 60_000;
const hour = 60 * minute;

const cases = networkFaults.flatMap((fault) =>
  Object.entries(acts).flatMap(([operation, act]) => {
    const fate = act.fate(fault);
    if (fate === null) return [];
    const title = `${fault.row}: ${act.name} that meets ${fault.fault}: ${fate}`;
    return [{ title, operation: operation as Operation, act, fault, fate }];
  }),
);

type Case = (typeof cases)[number];

/** The world of the last act, if that went well: the next of the same fault goes on in it. */
let spare: { readonly world: NetworkWorld; readonly fault: NetworkFault } | null = null;

afterAll(closeNetworkWorlds);

describe('one request', () => {
  it.each(cases)('$title', async (one) => {
    const { act, fault, operation } = one;
    const world = await worldFor(one);
    const { service } = world;
    const before = {
      requests: service.requests.length,
      tokens: service.tokenRequests.length,
      activities: world.activities.length,
    };

    const script = fault.steps(service, operation);
    if (operation === 'token') service.scriptTokens(...script);
    else service.script(...script);
    if (fault.away === true) await service.away();
    act.change(world, fault);
    world.folder.scan();
    await world.shown();

    expect(pictureOf(world, before.activities)).toEqual(expectedPicture(one));
    if (fault.away === true) await service.back();
    await recover(world, one);

    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toHaveLength(strays(one));
    const { failures, possibleDuplicates, held, reasons, state } = world.status();
    expect({ failures, held, reasons, state, possibleDuplicates }).toEqual({
      failures: [],
      held: [],
      reasons: [],
      state: 'idle',
      possibleDuplicates: duplicates(one),
    });
    expect(service.requests.length - before.requests).toBe(expectedRequests(one));
    if (operation === 'token') expect(service.tokenRequests).toHaveLength(script.length + 1);
    spare = { world, fault };
  });
});

/** One in which every document of the acts stands at the service, and one that must not be touched by any. */
async function worldFor({ fault, operation }: Case): Promise<NetworkWorld> {
  const last = spare;
  spare = null;
  if (last?.fault === fault && operation !== 'token') {
    await last.world.pass(minute);
    return last.world;
  }
  await closeNetworkWorlds();
  const world = await startNetworkWorld();
  if (operation === 'token') return world;
  world.write({ 'bystander.txt': 'none of its business' });
  await world.quiesce();
  const paths = ['content.txt', 'title.txt', 'gone.txt', ...tagged, ...dropped];
  world.write(Object.fromEntries(paths.map((path) => [path, `the text of ${path}`])));
  await world.quiesce();
  await world.pass(minute);
  return world;
}

/** By itself, or by a person where it takes one: then nothing may have gone out in an hour. */
async function recover(world: NetworkWorld, { fate }: Case): Promise<void> {
  const kind = kindOf(fate);
  if (kind === 'fails' || kind === 'conflict') {
    const before = world.service.requests.length;
    await world.pass(hour);
    expect(world.service.requests).toHaveLength(before);
    // What is in doubt has to be named.
    await world.engine().retry(world.status().failures.map(({ folder, path }) => ({ folder, path })));
  }
  await world.quiesce();
}

/** What a person sees. */
function pictureOf(world: NetworkWorld, since: number) {
  const { state, reasons, failures, inDoubt, possibleDuplicates, held } = world.status();
  return {
    state,
    reasons: reasons.map(({ code }) => code),
    failures: failures
      .map(({ path, code, retryAt }) => [path, code, retryAt !== null])
      .sort(([a], [b]) => String(a).localeCompare(String(b))),
    inDoubt: inDoubt.map(({ path }) => path),
    possibleDuplicates,
    held,
    words: world.activities
      .slice(since)
      .flatMap(({ what, message }) => (message === null || what === 'failed' ? [] : [what])),
  };
}

function expectedPicture({ fate, act, operation }: Case): ReturnType<typeof pictureOf> {
  const kind = kindOf(fate);
  const code = fate.slice(kind.length + 1);
  const listed = (retries: boolean, name: unknown = code) =>
    act.about.map((path) => [path, name as string, retries]);
  const isDoubtful = inDoubt.has(kind);
  const quiet = {
    state: 'idle' as const,
    reasons: [],
    failures: [],
    inDoubt: isDoubtful ? [...act.about] : [],
    possibleDuplicates: isDoubtful ? 1 : 0,
    held: [],
    words: isDoubtful ? ['in doubt'] : [],
  };
  switch (kind) {
    case 'again':
    case 'doubt':
      return { ...quiet, state: 'working', failures: listed(true, expect.stringMatching(`^(${code})$`)) };
    case 'waits':
      return { ...quiet, state: 'paused', reasons: ['rate-limited'], failures: listed(true) };
    case 'fails':
    case 'conflict':
      return { ...quiet, failures: listed(false) };
    case 'alarm':
      return { ...quiet, state: 'degraded', reasons: [code], failures: listed(true) };
    case 'warned':
      return { ...quiet, words: act.about.map(() => toldAs(operation)) };
    default:
      return quiet;
  }
}

function toldAs(operation: Operation): string {
  if (operation === 'upload') return 'uploaded';
  return operation === 'remove' || operation === 'bulkRemove' ? 'deleted' : 'modified';
}

function expectedRequests({ fate, act, fault, operation }: Case): number {
  if (operation === 'token' || fault.away === true) return 1;
  const kind = kindOf(fate);
  if (kind === 'accepted' || kind === 'warned') return 1;
  if (kind === 'singly') return 1 + act.about.length;
  // The service knows none of them any more, and does not say which: each is asked for by itself.
  if (operation === 'bulkRemove' && fault.taken === true) return 2 + act.about.length;
  return kind === 'alarm' && fault.row === 'N8' ? 3 : 2;
}

/** How many documents too many status tells of at the end. What a person retries is no longer in doubt to them. */
function duplicates({ fate }: Case): number {
  return inDoubt.has(kindOf(fate)) ? 1 : 0;
}

/** How many the service has. */
function strays({ fate, fault }: Case): number {
  return inDoubt.has(kindOf(fate)) && fault.taken === true ? 1 : 0;
}

function kindOf(fate: Fate): string {
  return fate.split(' ')[0] ?? '';
}
