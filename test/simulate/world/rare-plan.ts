import { seededRandom } from '../../soak/seeded-random.ts';
import type { SeededRandom } from '../../soak/seeded-random.ts';
import { Draft } from './draft.ts';
import type { Gap } from './gaps.ts';
import type { Plan, Step } from './plan.ts';
import { otherFolders, randomPlan } from './random-plan.ts';

/** So many of all plans have something that is rarer. */
const rareShare = 1 / 6;
const stages: readonly Gap[] = ['connect', 'token', 'renewal', 'body', 'answer', 'ledger'];
const pauses = [0, 60, 900, 2_500, 5_300, 15_000];

/**
 * The plan of a seed, and in one of six also what is rarer. That is drawn from a stream of its own, so that what a seed
 * is pinned for stays as it is.
 */
export function rarePlan(seed: number, isRare = (random: SeededRandom) => random.chance(rareShare)): Plan {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1));
  let plan = randomPlan(seed);
  if (!isRare(random)) return plan;
  if (random.chance(0.5)) plan = { ...plan, setting: { ...plan.setting, followSymlinks: true } };
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const at = placeFor(plan.steps, random);
    const steps = plan.steps.toSpliced(at, 0, ...rareSteps(plan, plan.steps.slice(0, at), random));
    plan = { ...plan, steps };
  }
  return plan;
}

/** Anywhere, but not while somebody writes what is meant together. */
function placeFor(steps: readonly Step[], random: SeededRandom): number {
  const at = random.below(steps.length + 1);
  const unsaid = new Set<string>();
  for (const { act } of steps.slice(0, at)) {
    if (act.kind === 'intend') unsaid.add(act.saidBy);
    if (act.kind === 'write') unsaid.delete(act.path);
  }
  return unsaid.size > 0 ? steps.length : at;
}

/** Steps that come after others. */
function rareSteps(plan: Plan, before: readonly Step[], random: SeededRandom): readonly Step[] {
  const draft = new Draft(random, plan.setting, `rare ${plan.steps.length}.`);
  draft.follow(plan.first, before);
  if (random.chance(0.3)) draft.gap(random.pick(stages), random.pick([150, 3_500]));
  else draft.pause(random.pick(pauses));
  random.pick(rarities)(draft, random);
  return draft.steps;
}

type Rarity = (draft: Draft, random: SeededRandom) => void;

/** The service is away while something is there to be sent. */
const away: Rarity = (draft, random) => {
  const how = random.pick(['refused', 'silent'] as const);
  draft.act({ kind: 'away', how, forMs: random.pick([3_000, 40_000, 150_000]) });
  if (random.chance(0.7)) draft.write(draft.document(), draft.text());
  if (random.chance(0.3)) draft.remove(draft.document());
};

/** The disk of the ledger reports errors, mostly while something is there to be written down. */
const brokenLedger: Rarity = (draft, random) => {
  const fails = random.pick(['fsync', 'write'] as const);
  draft.act({ kind: 'ledger', fails, forMs: random.pick([300, 12_000]) });
  draft.write(draft.document(), draft.text());
  if (random.chance(0.4)) return;
  draft.soon(random.pick([0, 400, 6_000]));
  draft.act({ kind: 'restart', how: random.pick(['kill', 'power', 'stop'] as const), downMs: 10 });
};

/** A companion, or a whole directory, cannot be looked at for a while, and may change meanwhile. */
const brokenPath: Rarity = (draft, random) => {
  const path = anyPlace(draft, random);
  const code = random.pick(['EIO', 'EACCES', 'ESTALE', 'ENAMETOOLONG', 'EBUSY']);
  draft.act({ kind: 'fail', path, code, forMs: random.pick([1_500, 30_000]), isWhole: true });
  if (random.chance(0.3)) draft.remove(draft.document());
  if (random.chance(0.3)) draft.write(draft.document(), draft.text());
};

/** The same by its rights. */
const withoutRights: Rarity = (draft, random) => {
  const path = anyPlace(draft, random);
  draft.act({ kind: 'chmod', path, mode: random.pick([0, 0o400]) });
  if (random.chance(0.3)) draft.remove(draft.document());
  if (random.chance(0.3)) draft.write(draft.document(), draft.text());
  draft.soon(random.pick([900, 9_000, 30_000]));
  draft.act({ kind: 'chmod', path, mode: 0o755 });
};

/** A file has a second name where nothing is sent, which may be all that is left of it, or come back. */
const hiddenLink: Rarity = (draft, random) => {
  const path = draft.document();
  const [directory, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
  const folder = path.slice(0, path.indexOf('/'));
  const to = random.pick([
    `${folder}/.hidden/${name}`,
    `${folder}/#recycle/${name}`,
    `${directory}/.${name}`,
    `${path}~`,
  ]);
  draft.act({ kind: 'link', path, to });
  draft.soon(random.pick([0, 900, 9_000]));
  change(draft, path, random.below(4));
  if (!random.chance(0.5)) return;
  draft.soon(random.pick([900, 9_000]));
  draft.act({ kind: 'rename', path: to, to: random.chance(0.5) ? path : draft.place() });
};

/** A pass of `sync`, mostly with something to do. */
const sync: Rarity = (draft, random) => {
  for (let left = random.below(3); left > 0; left -= 1) draft.write(draft.document(), draft.text());
  draft.act({ kind: 'sync', how: random.pick(['kill', 'stop', 'stop'] as const) });
  if (random.chance(0.4)) draft.pause(random.pick(pauses));
  if (random.chance(0.4)) draft.rename(draft.document(), draft.place());
};

/** While it runs, another configuration takes effect, or it is told to look again. */
const reload: Rarity = (draft, random) => {
  if (random.chance(0.4)) draft.write(draft.document(), draft.text());
  if (random.chance(0.3)) draft.rename(draft.document(), draft.place());
  draft.act(
    random.chance(0.3) ? { kind: 'reload' } : { kind: 'reload', folders: otherFolders(draft, random) },
  );
  if (random.chance(0.3)) draft.pause(random.pick(pauses));
  if (random.chance(0.4)) draft.rename(draft.document(), draft.place());
};

/** Documents are gone, more than may go unasked, and a person keeps them; some may come back. */
const keep: Rarity = (draft, random) => {
  for (let left = 1 + random.below(2); left > 0; left -= 1) draft.remove(draft.document());
  draft.soon(random.pick([5_300, 15_000]));
  draft.act({ kind: 'keep' });
  if (random.chance(0.3)) draft.write(draft.document(), draft.text());
  if (random.chance(0.3))
    draft.act({ kind: 'restart', how: random.pick(['kill', 'stop'] as const), downMs: 10 });
  if (random.chance(0.3)) draft.act({ kind: 'approve' });
};

/** An upload is in doubt, and a person ends that. */
const resolve: Rarity = (draft, random) => {
  const kind = random.pick(['lost', 'no-doc-id', 'reset'] as const);
  draft.act({ kind: 'answer', ending: { kind, taken: kind === 'no-doc-id' || random.chance(0.5) } });
  draft.write(draft.place(), draft.text());
  draft.soon(random.pick([15_000, 130_000]));
  if (random.chance(0.2)) draft.remove(draft.document());
  draft.act({ kind: 'resolve', how: random.pick(['again', 'dismiss', 'adopt'] as const) });
  if (random.chance(0.3)) draft.write(draft.document(), draft.text());
};

/** A statement goes, or a file is shared more narrowly by where it was, and a person has all shared as stated. */
const share: Rarity = (draft, random) => {
  const path = draft.document();
  draft.write(`${path}.meta.json`, '{"shareInfo":{"mode":"NONE"}}');
  draft.soon(random.pick([5_300, 15_000]));
  if (random.chance(0.5)) draft.remove(`${path}.meta.json`);
  else draft.rename(path, draft.place());
  draft.soon(random.pick([900, 15_000]));
  draft.act({ kind: 'share' });
  if (random.chance(0.3)) draft.write(draft.document(), draft.text());
};

/** A symbolic link, to a document or a directory, inside of the folder or not. */
const symbolicLink: Rarity = (draft, random) => {
  const to = random.pick([draft.document(), draft.document(), ...draft.directories(), 'outside/none']);
  const path = random.chance(0.8) ? draft.place() : `${random.pick(draft.folderNames)}/linked`;
  if (draft.files.has(path) || path === to) return;
  draft.act({ kind: 'symlink', path, to });
  draft.soon(random.pick([0, 900, 9_000]));
  const next = random.below(5);
  change(draft, path, next);
  if (next === 3) draft.rename(draft.document(), path);
};

/** It goes (0), is saved (1) or moves (2), or nothing of that. */
function change(draft: Draft, path: string, what: number): void {
  if (what === 0) draft.remove(path);
  else if (what === 1) draft.write(path, draft.text());
  else if (what === 2) draft.rename(path, draft.place());
}

/** A companion, a directory, or the root of a folder. */
function anyPlace(draft: Draft, random: SeededRandom): string {
  const companions = [...draft.files.keys()].filter((path) => /\.(?:meta\.json|ingestignore)$/.test(path));
  const lists = draft.documents().map((path) => `${path}.attachments`);
  return random.pick([
    ...(companions.length > 0 ? [random.pick(companions), random.pick(companions)] : []),
    ...(lists.length > 0 ? [random.pick(lists)] : []),
    random.pick([...draft.directories(), ...draft.folderNames]),
  ]);
}

const rarities: readonly Rarity[] = [
  away,
  away,
  brokenLedger,
  brokenLedger,
  brokenPath,
  withoutRights,
  hiddenLink,
  sync,
  sync,
  reload,
  reload,
  keep,
  resolve,
  resolve,
  share,
  symbolicLink,
  symbolicLink,
];
