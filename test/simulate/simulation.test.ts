import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, it } from '@jest/globals';

// @ts-expect-error: it is read by the programs of the simulation too, which are no TypeScript.
import { bundleSimulation, nodeOptions } from './bundle-simulation.mjs';
import { plainSetting } from './shrink-plan.ts';
import type { Gap } from './world/gaps.ts';
import type { Act, Plan } from './world/plan.ts';
import { randomPlan } from './world/random-plan.ts';
import { rarePlan } from './world/rare-plan.ts';

const run = promisify(execFile);
let program: string;
const plans = new Map<string, Plan>();
let logs: readonly string[] = [];

beforeAll(async () => {
  program = await bundleSimulation(fileURLToPath(new URL('../../build/simulated/', import.meta.url)));
  // One process for all of them: to begin takes it longer than a plan does.
  const said = await logOf(...[...plans.values()].flatMap((plan) => ['--plan', JSON.stringify(plan)]));
  logs = said.split(/^(?=seed \d+$)/m);
  // Some 230 plans: on a machine that is busy otherwise they take minutes.
}, 900_000);

/** Gives what the runs say with their logs; a line of JSON tells what is wrong with one. */
async function logOf(...options: readonly string[]): Promise<string> {
  const command = [...nodeOptions(1), program, '--log', ...options];
  const { stdout } = await run(process.execPath, command, { maxBuffer: 2 ** 28 });
  return stdout;
}

/** A test of what the run of a plan says. */
function itRuns(what: string, plan: Plan, judge: (said: string) => void | Promise<void>): void {
  plans.set(what, plan);
  const place = plans.size - 1;
  it(what, async () => {
    expect(logs).toHaveLength(plans.size);
    await judge(logs[place] ?? '');
  });
}

/** A number that the source gives: another one with each change of it. */
function seedOfSource(): number {
  const files = readdirSync('src', { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const hash = createHash('sha256');
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted())
    hash.update(path).update(readFileSync(path));
  return hash.digest().readUInt32BE();
}

/** Gives what the command says, or what it said before it failed. */
async function simulate(...options: readonly string[]): Promise<string> {
  return run(process.execPath, ['test/simulate/simulate.mjs', ...options]).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string; readonly stderr: string }) => `failed\n${error.stdout}${error.stderr}`,
  );
}

/** Where case does not count: files that are delivered, and what happens to them then. */
function caselessPlan(first: Plan['first'], acts: readonly Act[]): Plan {
  const folders = [{ name: 'inbox', mode: null, isPolled: false }];
  const setting = { ...plainSetting, folders, habits: { isCaseless: true } };
  return { seed: 1, setting, first, steps: acts.map((act) => ({ afterMs: 20_000, act })) };
}

function firstOf(files: Readonly<Record<string, string>>): Plan['first'] {
  return Object.entries(files).map(([name, text]) => ({ path: `inbox/${name}`, text }));
}

/** Where the numbers of files cannot be told apart. */
function unnumbered({ setting, ...plan }: Plan): Plan {
  return { ...plan, setting: { ...setting, habits: { firstInode: 2 ** 53 } } };
}

describe('the simulation', () => {
  itRuns(
    'A13: keeps the documents of names of which only the case changes',
    caselessPlan(
      ['report.pdf', 'docs/b.txt'].map((name) => ({ path: `inbox/${name}`, text: name })),
      [
        { kind: 'rename', path: 'inbox/report.pdf', to: 'inbox/Report.pdf' },
        { kind: 'rename', path: 'inbox/docs', to: 'inbox/Docs' },
      ],
    ),
    (said) => {
      expect(said.match(/→ ok doc-\d/g)).toEqual(['→ ok doc-1', '→ ok doc-2']);
      expect(said.match(/info moved .*/g)?.map((line) => /"path":"(.*?)"/.exec(line)?.[1])).toEqual([
        'Report.pdf',
        'Docs/b.txt',
      ]);
      expect(said).not.toContain('{"seed"');
    },
  );

  const listed = { 'a.csv': 'a', 'a.csv.meta.json': '{"attachments":["extra/t.csv"]}', 'extra/t.csv': 't' };
  const renamed = caselessPlan(firstOf(listed), [{ kind: 'rename', path: 'inbox/extra', to: 'inbox/Extra' }]);
  const soon = renamed.steps.map((step) => ({ ...step, afterMs: 3_000 }));
  itRuns(
    'A13: looks for an attachment in a directory only as it is written',
    { ...renamed, steps: soon },
    (said) => {
      expect(said).toContain('the attachment extra/t.csv does not exist');
      expect(said).not.toContain('{"seed"');
    },
  );

  const early = caselessPlan(
    [{ path: 'inbox/d/a.txt', text: 'a' }],
    [
      { kind: 'rename', path: 'inbox/d', to: 'inbox/moved' },
      { kind: 'write', path: 'inbox/.save.tmp', text: 'b' },
      { kind: 'rename', path: 'inbox/.save.tmp', to: 'inbox/moved/a.txt' },
    ],
  );
  itRuns(
    'keeps a document whose directory is moved before its answer is written down, whatever is saved there',
    {
      ...early,
      steps: early.steps.map(({ act }, at) => ({
        afterMs: 0,
        act,
        ...(at === 0 ? { gap: 'answer' as const } : null),
      })),
    },
    (said) => {
      expect(said).toMatch(/modify doc-1 a\.txt/);
      expect(said).not.toContain('delete doc-1');
    },
  );

  itRuns(
    'keeps a document whose file is ignored now, where numbers of files cannot be told apart',
    unnumbered(
      caselessPlan(
        [{ path: 'inbox/a.pdf', text: 'a' }],
        [{ kind: 'rename', path: 'inbox/a.pdf', to: 'inbox/a.pdf~' }],
      ),
    ),
    (said) => {
      expect(said).toContain('info remains');
      expect(said).not.toContain('delete doc-1');
    },
  );

  const files = { 'a.csv': 'a', 'a.csv.meta.json': '{"attachments":["t.csv"]}', 't.csv': 't', 'b.csv': 'b' };
  itRuns(
    'does not send what was an attachment and is renamed, where numbers of files cannot be told apart',
    unnumbered(
      caselessPlan(firstOf(files), [{ kind: 'rename', path: 'inbox/t.csv', to: 'inbox/renamed.csv' }]),
    ),
    (said) => {
      expect(said).toMatch(/upload +b\.csv/);
      expect(said).not.toMatch(/upload +renamed\.csv/);
    },
  );

  const renamedOver: readonly Act[] = [
    { kind: 'rename', path: 'inbox/é.txt', to: 'outside/swap' },
    { kind: 'rename', path: 'inbox/t.csv', to: 'inbox/é.txt' },
    { kind: 'rename', path: 'outside/swap', to: 'inbox/t.csv' },
    { kind: 'write', path: 'inbox/é.txt', text: 'edited' },
  ];
  const swapped = caselessPlan(firstOf({ ...files, 'é.txt': 'é' }), [
    { kind: 'rename', path: 'inbox/a.csv', to: 'inbox/d/a.csv' },
    ...renamedOver,
  ]);
  const gaps = [20_000, 20_000, 0, 100, 0];
  itRuns(
    'what a document was sent with is none any more when another file stands there soon (4)',
    { ...swapped, steps: swapped.steps.map((step, at) => ({ ...step, afterMs: gaps[at] ?? 0 })) },
    (said) => {
      expect(said).not.toContain('{"seed"');
    },
  );

  const pushed = caselessPlan(
    ['inbox/a.csv', 'inbox/b.csv', 'other/a.csv'].map((path) => ({ path, text: path })),
    [
      { kind: 'rename', path: 'other/a.csv', to: 'inbox/a.csv' },
      { kind: 'rename', path: 'inbox/b.csv', to: 'outside/b.csv' },
    ],
  );
  const folders = ['inbox', 'other'].map((name) => ({ name, mode: null, isPolled: false }));
  itRuns(
    'a document that one of another folder pushes from its path counts in its own folder (7.15)',
    { ...pushed, setting: { ...plainSetting, folders, maxDeleteCount: 1 } },
    (said) => {
      expect(said.match(/delete doc-\d.*→ ok/g)).toHaveLength(1);
      expect(said).toMatch(/warn held .*"inbox".*all in the folder, disappeared/);
      expect(said).not.toContain('{"seed"');
    },
  );

  itRuns(
    'an upload may be in doubt where it was killed to have a folder back',
    {
      seed: 1,
      setting: { ...plainSetting, folders, inDoubt: 'hold' },
      first: [{ path: 'other/a.csv', text: 'a' }],
      steps: [
        { afterMs: 0, act: { kind: 'restart', how: 'stop', downMs: 10, folders: folders.slice(1) } },
        { afterMs: 100, act: { kind: 'write', path: 'other/a.csv.meta.json', text: '{}' } },
        { afterMs: 0, gap: 'ledger', act: { kind: 'write', path: 'other/b.csv', text: 'b' } },
      ],
    },
    (said) => {
      expect(said).toMatch(/warn in doubt .*"a.csv"/);
      expect(said).not.toContain('{"seed"');
    },
  );

  const sidecar = 'inbox/private/a.txt.meta.json';
  const list = { path: sidecar, text: '{"attachments":["extra/t.csv"]}' };
  const document = { path: 'inbox/private/a.txt', text: 'a' };
  const attachment = { path: 'inbox/private/extra/t.csv', text: 't' };
  const move = (path: string, to: string): Act => ({
    kind: 'rename',
    path: `inbox/${path}`,
    to: `inbox/${to}`,
  });
  const write = (path: string, text: string): Act => ({ kind: 'write', path: `inbox/${path}`, text });

  itRuns(
    'a document that was sent from elsewhere attaches nothing by the sidecar that it left behind (4)',
    {
      ...caselessPlan([document, attachment, list], []),
      steps: [{ afterMs: 100, act: move('private/a.txt', 'd/b.csv') }],
    },
    (said) => {
      expect(said).toMatch(/upload +t\.csv/);
    },
  );

  const unseen: Act = { kind: 'fail', path: 'inbox/a.csv', code: 'EACCES', forMs: 30_000 };
  const rotated = [move('a.csv', 'old.csv'), write('a.csv', 'b'), unseen, write('c.csv', 'c')];
  itRuns(
    'what cannot be looked at has not left its path where its directory shows it (7.1)',
    {
      ...caselessPlan([{ path: 'inbox/a.csv', text: 'a' }], []),
      steps: rotated.map((act, index) => ({ afterMs: index % 3 === 0 ? 20_000 : 0, act })),
    },
    (said) => {
      expect(said).toMatch(/modify doc-1 a\.csv/);
      expect(said).not.toContain('{"seed"');
    },
  );

  const secondName: Act = { kind: 'link', path: 'inbox/a.csv', to: 'inbox/b.csv' };
  const linked = [write('b.csv.meta.json', '{"shareInfo":{"mode":"NONE"}}'), secondName, write('b.csv', 'b')];
  itRuns(
    'a file that gets another name, private and not sent yet, is narrowed before an edit goes out (7.27)',
    {
      ...caselessPlan([{ path: 'inbox/a.csv', text: 'a' }], []),
      steps: linked.map((act, index) => ({ afterMs: index === 0 ? 20_000 : 0, act })),
    },
    (said) => {
      expect(said).toMatch(/modify doc-1 {2}\{"shareInfo":\{"mode":"NONE"\}\}[^]*modify doc-1 a\.csv/);
      expect(said).not.toContain('{"seed"');
    },
  );

  const ofStem = { 'a.docx': 'a', 'a.meta.json': '{"shareInfo":{"mode":"EVERYONE"}}' };
  const savedAside: Plan['steps'] = [
    { afterMs: 20_000, act: write('a.pdf', 'b') },
    { afterMs: 20_000, act: move('a.docx', 'a.docx~') },
    { afterMs: 600, act: write('a.docx', 'c') },
  ];
  itRuns(
    'a sidecar of two documents is not that of one while the other is saved (4)',
    { ...caselessPlan(firstOf(ofStem), []), steps: savedAside },
    (said) => {
      expect(said).toMatch(/warn failed .*"a\.pdf","code":"ambiguous-sidecar"/);
      expect(said).not.toMatch(/upload +a\.pdf/);
    },
  );

  const [composed, decomposed] = ['\u00E9', 'e\u0301'].map((name) => `${name}.csv.meta.json`) as [
    string,
    string,
  ];
  const twinSidecars = {
    '\u00E9.csv': 'a',
    [composed]: '{"shareInfo":{"mode":"EVERYONE"}}',
    [decomposed]: '{"shareInfo":{"mode":"NONE"}}',
  };
  const savedTwin: Plan['steps'] = [
    { afterMs: 20_000, act: move(decomposed, 'a.json~') },
    { afterMs: 600, act: write(decomposed, '{"shareInfo":{"mode":"NONE"}}') },
  ];
  itRuns(
    'of two sidecars whose names look the same none counts while the other is saved (7.3)',
    { ...caselessPlan(firstOf(twinSidecars), []), steps: savedTwin },
    (said) => {
      expect(said).toMatch(/warn failed .*"code":"unicode-twin"/);
      expect(said).not.toMatch(/upload/);
    },
  );

  const nearDefaults = { 'meta.json': '{"shareInfo":{"mode":"NONE"}}', 'd/a.csv': 'a' };
  const savedNear: Plan['steps'] = [
    { afterMs: 20_000, act: move('meta.json', 'meta.json~') },
    { afterMs: 600, act: write('meta.json', nearDefaults['meta.json']) },
  ];
  itRuns(
    'what waits for defaults with a misspelled name waits while these are saved (7.29)',
    { ...caselessPlan(firstOf(nearDefaults), []), steps: savedNear },
    (said) => {
      expect(said).not.toMatch(/upload +a\.csv/);
    },
  );

  const stated = write('a.csv.meta.json', '{"shareInfo":{"mode":"NONE"},"attachments":["t.csv"]}');
  const saved = [stated, move('a.csv', 'old.csv'), write('a.csv', 'b')];
  const single = caselessPlan([{ path: 'inbox/a.csv', text: 'a' }], []);
  itRuns(
    'a narrower mode goes out though it is not known whether the file before arrived from its new place (7.27)',
    {
      ...single,
      setting: { ...single.setting, inDoubt: 'hold' },
      steps: [
        ...saved.map((act, index) => ({ afterMs: index === 0 ? 20_000 : 0, act })),
        { afterMs: 0, gap: 'ledger', act: write('.meta.json', '{}') },
        { afterMs: 0, gap: 'connect', act: { kind: 'restart', how: 'power', downMs: 10 } },
      ],
    },
    (said) => {
      expect(said).toMatch(/warn in doubt .*"old.csv"[^]*modify doc-1 .*"NONE"/);
      expect(said).not.toContain('{"seed"');
    },
  );

  const ignoring = { path: 'inbox/private/extra/.ingestignore', text: 't.csv' };
  itRuns(
    'what a pattern below leaves out was never an attachment (4)',
    caselessPlan([document, attachment, list, ignoring], [move('private/extra/t.csv', 'd/b.csv')]),
    (said) => {
      expect(said).toMatch(/upload +b\.csv/);
    },
  );

  const withPolled = [
    { name: 'inbox', mode: null, isPolled: false },
    { name: 'second', mode: 'NONE', isPolled: true },
  ] as const;
  const numberless: Partial<Plan['setting']> = { habits: { firstInode: 2 ** 53 } };
  const blameless: readonly {
    readonly what: string;
    readonly first: Plan['first'];
    readonly steps: readonly (readonly [afterMs: number, act: Act, gap?: Gap])[];
    readonly setting?: Partial<Plan['setting']>;
    /** What it never says, known or not. */
    readonly never?: RegExp;
  }[] = [
    {
      what: 'an attachment that was renamed and is edited then stays one, without birth times too (4, 7.19)',
      first: [document, attachment, list],
      steps: [
        [20_000, move('private/extra', 'private/d')],
        [100_000, write('private/d/t.csv', 'u')],
        [100_000, { kind: 'rescan' }],
      ],
      setting: { habits: { type: { magic: 26_985, name: 'nfs4' }, hasBirthTimes: false } },
      never: /upload +t\.csv/,
    },
    {
      what: 'so does one that was renamed alone',
      first: firstOf({ 'a.csv': 'a', 'a.csv.meta.json': '{"attachments":["t.csv"]}', 't.csv': 't' }),
      steps: [
        [20_000, move('t.csv', 'b.csv')],
        [20_000, write('b.csv', 'edited')],
      ],
      setting: { habits: { hasBirthTimes: false } },
      never: /upload +b\.csv/,
    },
    {
      what: 'what is edited on its way out of the place of an attachment goes out no wider than that (7.27)',
      first: firstOf({
        'a.docx': 'a',
        'a.docx.meta.json': '{"attachments":["d/u.csv"]}',
        'd/u.csv': 'u',
        'b.csv': 'b',
      }),
      steps: [
        [20_000, move('b.csv', 'd/u.csv')],
        [20_000, write('d/u.csv', 'edited')],
        [0, move('d/u.csv', 'private/b.txt')],
        [20_000, write('d/u.csv', 'new')],
      ],
    },
    {
      what: 'a copy is none of a document whose file a mount may hide (7.25)',
      first: firstOf({ 'd/a.txt': 'a' }),
      steps: [
        [20_000, { kind: 'copy', path: 'inbox/d/a.txt', to: 'inbox/b.txt' }],
        [0, { kind: 'mount', path: 'inbox/d' }],
        [60_000, { kind: 'unmount', path: 'inbox/d' }],
      ],
      never: /info moved/,
    },
    {
      what: 'a scan that missed a document did not see it: what nobody can list since then may hide it (7.25)',
      first: firstOf({ 'a.txt': 'a', 'b.txt': 'b' }),
      steps: [
        [20_000, move('a.txt', 'd/a.txt')],
        [0, { kind: 'chmod', path: 'inbox/d', mode: 0 }],
        [1_000, { kind: 'rescan' }],
        [1_500, { kind: 'chmod', path: 'inbox', mode: 0 }],
        [30_000, { kind: 'chmod', path: 'inbox', mode: 0o755 }],
        [30_000, { kind: 'rescan' }],
      ],
      never: /delete doc/,
    },
    {
      what: 'what a person keeps stays kept where another document comes to its path (2, 7.25)',
      first: firstOf({ 'a.csv': 'a', 'b.pdf': 'b', 'c.pdf': 'c' }),
      steps: [
        [8_000, { kind: 'remove', path: 'inbox/b.pdf' }],
        [0, { kind: 'remove', path: 'inbox/c.pdf' }],
        [15_000, { kind: 'keep' }],
        [700_000, move('a.csv', 'b.pdf')],
      ],
      setting: { maxDeleteCount: 1 },
      never: /delete doc/,
    },
    {
      what: 'what leaves a path where another document comes that is not sent there keeps its docId (7.1)',
      first: firstOf({ 'a.csv': 'a', 'b.pdf': 'b' }),
      steps: [
        [8_000, write('.ingestignore', '*.pdf')],
        [20_000, move('b.pdf', 'c.csv')],
        [0, move('a.csv', 'b.pdf')],
      ],
      never: /upload +c\.csv/,
    },
    {
      what: 'so it does where they change places',
      first: firstOf({ 'b.pdf': 'b', 'c.csv': 'c' }),
      steps: [
        [8_000, write('.ingestignore', '*.pdf')],
        [20_000, move('b.pdf', 'swap.tmp')],
        [0, move('c.csv', 'b.pdf')],
        [0, move('swap.tmp', 'c.csv')],
      ],
      never: /modify doc-\d c\.csv|delete/,
    },
    {
      what: 'without numbers, content tells where a document has gone, whatever was mounted elsewhere (7.1, 7.25)',
      first: firstOf({ 'd/e/a.txt': 'a' }),
      steps: [
        [2_500, { kind: 'mount', path: 'inbox/disk' }],
        [0, write('disk/b.pdf', 'b')],
        [2_200, move('d/e/a.txt', 'd/e/a.pdf')],
      ],
      setting: { folders: withPolled.slice(1).map((one) => ({ ...one, name: 'inbox' })), ...numberless },
      never: /upload +a\.pdf/,
    },
    {
      what: 'so it does not where another document is (7.25)',
      first: firstOf({ 'é.docx': 'a', 'é.docx.meta.json': '{"attachments":["u.csv"]}', 'u.csv': 'u' }),
      steps: [
        [0, move('u.csv', '../outside/u.csv'), 'answer'],
        [0, write('é.docx', 'a')],
        [100, { kind: 'link', path: 'inbox/é.docx', to: 'inbox/d/é.pdf' }],
        [2_500, move('d', '.hidden')],
      ],
      setting: numberless,
    },
    {
      what: 'what changes places with one below an ignore file that is not valid keeps its docId (7.1, 7.35)',
      first: firstOf({ 'd/a.docx': 'a', 'b.csv': 'b' }),
      steps: [
        [8_000, { ...write('d/.ingestignore', '*.docx'), encoding: 'utf16le' } as Act],
        [0, move('d/a.docx', 'swap.tmp')],
        [0, move('b.csv', 'd/a.docx')],
        [0, move('swap.tmp', 'b.csv')],
        [100, move('d/a.docx', 'e/c.txt')],
      ],
      never: /upload +c\.txt/,
    },
    {
      what: 'what has left a folder that cannot be read keeps its docId (7.1, 7.35)',
      first: [{ path: 'other/a.pdf', text: 'a' }],
      steps: [
        [20_000, { kind: 'rename', path: 'other/a.pdf', to: 'inbox/b.csv' }],
        [0, { kind: 'write', path: 'other/.ingestignore', text: '*.csv', encoding: 'utf16le' }],
        [65_000, { kind: 'rescan' }],
      ],
      setting: { folders, habits: { hasBirthTimes: false } },
      never: /upload +b\.csv/,
    },
    {
      what: 'so does what is renamed over another document then (7.1, 7.35)',
      first: [{ path: 'other/a.pdf', text: 'a' }, ...firstOf({ 'b.pdf': 'b' })],
      steps: [
        [20_000, { kind: 'rename', path: 'other/a.pdf', to: 'inbox/b.pdf' }],
        [0, { kind: 'write', path: 'other/.ingestignore', text: '*.csv', encoding: 'utf16le' }],
        [65_000, { kind: 'rescan' }],
      ],
      setting: { folders },
      never: /modify doc-\d b\.pdf/,
    },
    {
      what: 'a document that another one is renamed over is gone, though its place is ignored by now (7.25)',
      first: firstOf({ 'b.pdf': 'b', 'd/a.csv': 'a' }),
      steps: [
        [8_000, { kind: 'restart', how: 'kill', downMs: 10 }],
        [0, move('d/a.csv', 'b.pdf')],
        [0, write('.ingestignore', '*.pdf')],
      ],
    },
    {
      what: 'of two documents over which an attachment of the second was renamed, either may go (4, 7.25)',
      first: firstOf({
        's.pdf': 's',
        'd/r.pdf': 'r',
        'd/e/t.csv': 't',
        'd/r.pdf.meta.json': '{"shareInfo":{"mode":"EVERYONE"},"attachments":["e/t.csv"]}',
      }),
      steps: [
        [20_000, move('d/e/t.csv', 's.pdf')],
        [22_500, move('s.pdf', 'd/r.pdf')],
      ],
    },
    {
      what: 'the narrower mode of what was attached goes out when its owner is deleted, though nothing else can (7.27)',
      first: firstOf({
        's.pdf': 's',
        'd/r.pdf': 'r',
        'd/e/t.csv': 't',
        'd/r.pdf.meta.json': '{"attachments":["e/t.csv"]}',
      }),
      steps: [
        [20_000, move('d/e/t.csv', 's.pdf')],
        [22_500, move('s.pdf', 'd/r.pdf')],
      ],
    },
    {
      what: 'what has gone into a hidden directory is gone: its document goes on with a copy (7.1, 7.25)',
      first: firstOf({ 'd/b.txt': 'b' }),
      steps: [
        [5_000, move('d', '.hidden')],
        [0, { kind: 'copy', path: 'inbox/.hidden/b.txt', to: 'inbox/e/b.pdf' }],
      ],
    },
    {
      what: 'what is saved where a document was for a moment only, on its way to where it went, is another one (7.1)',
      first: firstOf({ 'd/s.txt': 's', 'd/s.txt.meta.json': '{"shareInfo":{"mode":"EVERYONE"}}' }),
      steps: [
        [100, write('d/a.txt', 'a')],
        [0, move('d/s.txt', 'e/a.csv'), 'token'],
        [0, move('e/a.csv', '../outside/swap')],
        [100, move('../outside/swap', 'd/a.txt')],
        [0, write('e/a.csv', 'b')],
        [2_500, { kind: 'remove', path: 'inbox/d/a.txt' }],
        [0, write('e/a.csv', 'c')],
      ],
    },
    {
      what: 'an attachment stays one while a mount has just hidden its document, which was not sent yet (4)',
      first: firstOf({
        'd/e/a.txt': 'a',
        'private/extra/u.csv': 'u',
        'private/b.pdf.meta.json': '{"attachments":["extra/u.csv"]}',
        'private/b.pdf': 'b',
      }),
      steps: [
        [20_000, move('private/extra/u.csv', 'd/e/b.docx')],
        [20_000, { kind: 'mount', path: 'inbox/private' }],
        [2_500, { kind: 'unmount', path: 'inbox/private' }],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'what was an attachment, went and comes back may count as that (7.27)',
      first: firstOf({
        'd/e/b.docx': 'a',
        'd/e/u.csv': 'u',
        'd/e/b.docx.meta.json': '{"attachments":["u.csv"]}',
      }),
      steps: [
        [100, move('d/e/u.csv', 'd/e/u-old.csv')],
        [0, write('d/e/u.csv', 'other')],
        [0, move('d/e/u-old.csv', '../outside/u.csv')],
        [0, write('extra/summary.csv', 'b'), 'renewal'],
        [0, move('../outside/u.csv', 'd/e/report.pdf')],
      ],
      setting: { folders: [{ name: 'inbox', mode: 'EVERYONE', isPolled: false }] },
    },
    {
      what: 'a document that comes back, deleted by then, attaches what its sidecar lists anew (4)',
      first: firstOf({
        'private/a.txt': 'a',
        'private/a.txt.meta.json': '{"attachments":["extra/t.csv"]}',
        'private/extra/t.csv': 't',
      }),
      steps: [
        [8_000, move('private/a.txt', '../outside/swap')],
        [20_000, move('../outside/swap', 'private/a.txt')],
        [100, move('private/extra/t.csv', 'a.pdf')],
      ],
    },
    {
      what: 'what a 503 was the answer to may have been taken: a mode that may be held stays (7.27)',
      first: firstOf({ 'd/e/report.pdf': 'a' }),
      steps: [
        [100, { kind: 'link', path: 'inbox/d/e/report.pdf', to: 'inbox/extra/summary.pdf' }],
        [2_500, { kind: 'remove', path: 'inbox/d/e/report.pdf' }],
        [0, write('extra/summary.pdf.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [0, { kind: 'answer', ending: { kind: 'busy', taken: false } }, 'body'],
        [100, move('extra/summary.pdf', 'd/e/a.pdf')],
        [0, { kind: 'reload', folders: [{ name: 'inbox', mode: 'DEFAULT', isPolled: false }] }],
        [0, move('d/e/a.pdf', 'd/a.docx')],
      ],
    },
    {
      what: 'a sidecar fits a symbolic link of its name (7.5, 7.29)',
      first: firstOf({ 'b.txt.meta.json': '{"shareInfo":{"mode":"EVERYONE"}}' }),
      steps: [[0, { kind: 'symlink', path: 'inbox/b.txt', to: 'inbox/tree0' }]],
    },
    {
      what: 'without birth times what a person shared stays so when it is edited (7.27)',
      first: firstOf({ 'a.pdf': 'a', 'a.pdf.meta.json': '{"shareInfo":{"mode":"NONE"}}' }),
      steps: [
        [20_000, { kind: 'remove', path: 'inbox/a.pdf.meta.json' }],
        [20_000, { kind: 'share' }],
        [20_000, write('a.pdf', 'edited')],
      ],
      setting: { habits: { hasBirthTimes: false } },
      never: /kept as it was/,
    },
    {
      what: 'without birth times a link is told by its content alone where the document’s own is gone (7.19, 7.25)',
      first: [{ path: 'inbox/private/b.txt', text: 'a' }],
      steps: [
        [0, { kind: 'link', path: 'inbox/private/b.txt', to: 'inbox/d/e/summary.pdf' }],
        [0, { kind: 'answer', ending: { kind: 'rejected', taken: false } }, 'connect'],
        [65_000, { kind: 'remove', path: 'inbox/private/b.txt' }],
        [0, { kind: 'ledger', fails: 'write', forMs: 12_000 }],
        [0, write('d/e/summary.pdf', 'b')],
        [15_000, { kind: 'resolve', how: 'again' }],
      ],
      setting: { habits: { hasBirthTimes: false } },
    },
    {
      what: 'what stands below a directory whose ignore file is not valid is not known to be private (7.27, 7.35)',
      first: firstOf({ 'private/é.pdf': 'a', 'private/é.meta.json': '{"shareInfo":{"mode":"NONE"}}' }),
      steps: [
        [0, { kind: 'write', path: 'inbox/.ingestignore', text: '*.pdf', encoding: 'utf16le' }],
        [20_000, { kind: 'link', path: 'inbox/private/é.pdf', to: 'inbox/é.csv' }],
      ],
    },
    {
      what: 'what is held as the copy of it that is left is there, sync says (7.1, 7.18)',
      first: firstOf({ 'd/report.pdf': 'a', 'd/b.docx': 'b' }),
      steps: [
        [20_000, { kind: 'copy', path: 'inbox/d/report.pdf', to: 'inbox/é.docx' }],
        [0, move('d/b.docx', 'd/report.pdf')],
        [30_000, { kind: 'sync', how: 'kill' }],
      ],
    },
    {
      what: 'a process that died may have sent attachments, over which no mode widens (7.27)',
      first: firstOf({ 'é.csv': 'a' }),
      steps: [
        [20_000, write('é.csv.attachments/u.csv', 'u')],
        [400, { kind: 'rescan' }, 'body'],
        [0, { kind: 'restart', how: 'power', downMs: 10 }],
        [70, move('é.csv', '../second/é.pdf')],
      ],
      setting: {
        folders: [
          { name: 'inbox', mode: null, isPolled: false },
          { name: 'second', mode: 'EVERYONE', isPolled: false },
        ],
      },
    },
    {
      what: 'without numbers of files, what is sent when its directory is renamed is not uploaded again (7.1, 7.19)',
      first: firstOf({ 'd/report.csv': 'a' }),
      steps: [
        [20_000, write('d/report.csv', 'b')],
        [3_500, move('d', 'moved'), 'answer'],
      ],
      setting: { settleMs: 500, events: 'late', habits: { firstInode: 9_007_199_254_740_992 } },
      never: /upload +report\.csv[^]*upload +report\.csv/,
    },
    {
      what: 'what a document was, kept under another name, counts as held as that is, or was (7.27)',
      first: firstOf({ 'report.docx': 'a' }),
      steps: [
        [20_000, move('report.docx', 'report-old.docx')],
        [0, write('report.docx', 'b')],
        [0, write('report.docx.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
      ],
    },
    {
      what: 'an attachment goes along with its document where case does not count',
      first: [
        { path: 'inbox/d/e/report.pdf', text: 'a' },
        { path: 'inbox/d/e/report.pdf.meta.json', text: '{"attachments":["extra/t.csv"]}' },
        { path: 'inbox/d/e/extra/t.csv', text: 't' },
      ],
      steps: [
        [20_000, move('d/e/extra', 'd/e/Extra')],
        [0, move('d/e', 'd/E')],
      ],
      setting: { habits: { isCaseless: true, hasBirthTimes: false } },
    },
    {
      what: 'a sidecar whose path is too long is in use, and what is like its document waits until it is quiet',
      first: [
        { path: 'inbox/u.csv', text: 'u' },
        { path: 'inbox/d/e/b.csv', text: 'b' },
        { path: 'inbox/é.csv.meta.json', text: '{"shareInfo":{"mode":"DEFAULT"}}' },
      ],
      steps: [[20_000, write('é.csv', 'e')]],
      setting: { lookMs: 0.5, maxPathBytes: 32 },
    },
    {
      what: 'an upload of one of two links is that of its own place',
      first: [{ path: 'inbox/d/report.pdf', text: 'a' }],
      steps: [
        [20_000, { kind: 'link', path: 'inbox/d/report.pdf', to: 'inbox/report.txt' }],
        [100, move('report.txt', 'report.pdf')],
        [8_000, move('d', 'd2')],
        [0, move('report.pdf', 'report.pdf~')],
        [0, write('report.pdf', 'b')],
        [100, move('report.pdf', 'd/e/summary.docx')],
      ],
    },
    {
      what: 'an attachment is saved while its document moves',
      first: [document, attachment, list],
      steps: [
        [15_000, move('private/a.txt', 'd/e/b.csv')],
        [0, write('private/extra/.save.tmp', 'u')],
        [0, move('private/extra/.save.tmp', 'private/extra/t.csv')],
      ],
    },
    {
      what: 'what a folder that is polled since a start has not shown yet is not known (7.27)',
      first: [{ path: 'second/extra/report.txt', text: 'a' }],
      steps: [
        [0, { kind: 'restart', how: 'kill', downMs: 10, folders: withPolled }],
        [65_000, write('../second/extra/extra/t.csv', 't')],
        [0, write('../second/extra/report.txt.meta.json', '{"attachments":["extra/t.csv"]}')],
        [20_000, write('../second/extra/extra/.ingestignore', 't.csv')],
        [0, move('../second/extra', 'moved')],
        [0, { kind: 'link', path: 'inbox/moved/extra/t.csv', to: 'inbox/a.pdf' }],
      ],
    },
    {
      what: 'an attachment stays one where its unsent document goes, and the sidecar goes with the directory (4)',
      first: [document, attachment, { ...list, text: '{"attachments":["extra/t.csv","none.csv"]}' }],
      steps: [
        [20_000, move('private', 'moved')],
        [0, move('moved/a.txt', '../outside/a.txt')],
      ],
    },
    {
      what: 'what a document was sent with is recorded where that was written down before a kill (4)',
      first: [document, attachment, list],
      steps: [
        [15_000, { kind: 'remove', path: sidecar }],
        [0, { kind: 'restart', how: 'power', downMs: 10 }],
      ],
    },
    {
      what: 'a sidecar counts that no listing has shown, however its accents are encoded (7.30)',
      first: [],
      steps: [
        [0, write('e\u0301.pdf', 'a')],
        [2_500, write('e\u0301.pdf.meta.json', '')],
        [20_000, { kind: 'expire-tokens' }],
      ],
      setting: { habits: { type: { magic: 0x69_69, name: 'nfs4' }, attributeCacheMs: 3_000 } },
    },
    {
      what: 'an attachment is free once its document was deleted, in whatever directory that was seen last (4)',
      first: [document, attachment, list],
      steps: [
        [5_000, move('private', 'moved')],
        [60, { kind: 'remove', path: 'inbox/moved/a.txt' }],
      ],
    },
    {
      what: 'an attachment is free once another file stands in its place, whatever its sidecar says (4)',
      first: [document, attachment, list, { path: 'inbox/b.csv', text: 'b' }],
      steps: [
        [100, write('private/a.txt.meta.json', '')],
        [0, move('b.csv', '../outside/swap')],
        [0, move('private/extra/t.csv', 'b.csv')],
        [0, move('../outside/swap', 'private/extra/t.csv')],
      ],
    },
    {
      what: 'an attachment is looked at again as soon as its document and the sidecar are gone (4)',
      first: [document, attachment, list],
      steps: [
        [2_500, move('private/extra/t.csv', 'b.csv')],
        [40_000, move('private', '../outside/private')],
      ],
    },
    {
      what: 'what two sidecars list is free once both drop it (4)',
      first: [
        document,
        attachment,
        list,
        { path: 'inbox/private/b.txt', text: 'b' },
        { path: 'inbox/private/b.txt.meta.json', text: list.text },
      ],
      steps: [
        [100, move('private/b.txt', 'd/c.txt')],
        [0, move('private/b.txt.meta.json', 'd/c.txt.meta.json')],
        [0, write('private/a.txt.meta.json', '{}')],
      ],
    },
    {
      what: 'an ignore file in the directory of attachments that a document was sent with keeps nothing busy (4, 7.35)',
      first: firstOf({ 'report.txt': 'a', 'report.txt.attachments/u.csv': 'u' }),
      steps: [
        [20_000, move('report.txt', 'private/report.pdf')],
        [
          5_000,
          {
            kind: 'write',
            path: 'inbox/report.txt.attachments/.ingestignore',
            text: '*.csv',
            encoding: 'utf16le',
          },
        ],
      ],
    },
    {
      what: 'an attachment stays one while its unsent document is hidden by a mount (4)',
      first: [document, attachment, list],
      steps: [
        [500, { kind: 'mount', path: 'inbox/private' }],
        [0, write('private/b.csv', 'b')],
        [0, write('private/d.csv', 'd')],
        [2_500, { kind: 'unmount', path: 'inbox/private' }],
        [20_000, move('private/extra/t.csv', 'c.csv')],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'of hard links each gets the narrowest mode of theirs at once (7.27)',
      first: firstOf({ 'a.pdf': 'a', 'a.pdf.meta.json': '{"attachments":["u.csv"]}' }),
      steps: [
        [0, { kind: 'link', path: 'inbox/a.pdf', to: 'inbox/extra/b.docx' }],
        [0, write('d/.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [65_000, move('extra/b.docx', 'd/b.pdf')],
      ],
    },
    {
      what: 'a file may be saved over one that counts as narrower',
      first: [
        { path: 'inbox/a.csv', text: 'a' },
        { path: 'inbox/a.csv.meta.json', text: '{"shareInfo":{"mode":"DEFAULT"}}' },
      ],
      steps: [
        [20_000, write('.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}')],
        [20_000, move('a.csv', 'b.pdf')],
        [60, write('.save.tmp', 'b')],
        [0, move('.save.tmp', 'b.pdf')],
      ],
    },
    {
      what: 'a file that leaves its path while its modify is under way keeps its document',
      first: [
        { path: 'inbox/a.pdf', text: 'a' },
        { path: 'inbox/private/c.csv', text: 'c' },
        { path: 'inbox/private/c.csv.meta.json', text: '{"attachments":["extra/t.csv"]}' },
        { path: 'inbox/private/extra/t.csv', text: 't' },
      ],
      steps: [
        [20_000, { kind: 'answer', ending: { kind: 'lost', taken: true } }],
        [0, write('a.pdf', 'b')],
        [5_000, { kind: 'link', path: 'inbox/a.pdf', to: 'inbox/d/b.docx' }],
        [0, move('private/c.csv.meta.json', 'a.pdf.meta.json')],
        [0, move('private/c.csv', 'a.pdf')],
      ],
    },
    {
      what: 'a narrower mode goes out of a document that comes where attachments are missing',
      first: [
        { path: 'inbox/b.csv', text: 'b' },
        document,
        attachment,
        { ...list, text: '{"shareInfo":{"mode":"NONE"},"attachments":["extra/t.csv"]}' },
      ],
      steps: [
        [20_000, move('private/extra', 'moved')],
        [65_000, move('private/a.txt', '../outside/swap')],
        [0, move('b.csv', 'private/a.txt')],
        [0, move('../outside/swap', 'b.csv')],
      ],
    },
    {
      what: 'what was an attachment stays one while its place cannot be seen, where numbers cannot be told apart',
      first: [document, attachment, list],
      steps: [
        [20_000, move('private/extra/t.csv', 'b.csv')],
        [0, { kind: 'write', path: 'inbox/private/.ingestignore', text: '*.pdf\n', encoding: 'utf16le' }],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'a file that stands for a moment in the place of one document, and then of another, may be either',
      first: ['a.pdf', 'b.docx'].map((name) => ({ path: `inbox/${name}`, text: name })),
      steps: [
        [20_000, write('.save.tmp', 'b')],
        [0, move('.save.tmp', 'a.pdf')],
        [0, move('a.pdf', 'b.docx')],
        [100, move('b.docx', 'extra/c.docx')],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'a document keeps its path where its file goes and an unsent one comes',
      first: [{ path: 'inbox/b.csv', text: 'a' }],
      steps: [
        [20_000, { kind: 'answer', ending: { kind: 'expired', taken: false } }],
        [0, { kind: 'answer', ending: { kind: 'expired', taken: false } }],
        [0, write('c.docx', 'c')],
        [0, { kind: 'answer', ending: { kind: 'expired', taken: false } }],
        [0, write('.save.tmp', 'b')],
        [0, move('.save.tmp', 'b.csv')],
        [65_000, move('c.docx', '../outside/swap')],
        [0, move('b.csv', 'c.docx')],
        [0, move('../outside/swap', 'b.csv')],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'a save that moved with its directory stood there all the time, and an unsent file may come in its place',
      first: ['inbox/a.pdf', 'inbox/d/e/b.txt'].map((path) => ({ path, text: path })),
      steps: [
        [5_000, write('d/e/.save.tmp', 'b')],
        [0, move('d/e/.save.tmp', 'd/e/b.txt')],
        [20_000, move('d/e', 'moved')],
        [2_500, write('d/a.csv', 'a')],
        [15_000, move('moved/b.txt', '../outside/swap')],
        [0, move('d/a.csv', 'moved/b.txt')],
        [0, move('../outside/swap', 'd/a.csv')],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'an attachment whose unsent document goes into a hidden directory is a document',
      first: [
        { path: 'inbox/d/b.docx', text: 'b' },
        { path: 'inbox/d/b.docx.meta.json', text: '{"attachments":["extra/t.csv","none.csv"]}' },
        { path: 'inbox/d/extra/t.csv', text: 't' },
      ],
      steps: [
        [20_000, move('d/extra', 'moved')],
        [0, move('d', '.hidden')],
      ],
    },
    {
      what: 'a file that comes to the path of one that was renamed over another is a document of its own',
      first: [
        { path: 'inbox/a.pdf', text: 'a' },
        { path: 'inbox/b.pdf', text: 'b' },
      ],
      steps: [
        [20_000, move('a.pdf', 'b.pdf')],
        [65_000, write('a.pdf', 'c')],
        [0, write('a.pdf.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
      ],
      setting: { maxDeleteCount: 0 },
    },
    {
      what: 'a file that went below the disk of a folder while that was away is not deleted when it is back (7.25)',
      first: [document],
      steps: [
        [0, { kind: 'mount', path: 'third' }],
        [0, write('../third/b.pdf', 'b')],
        [20_000, { kind: 'unmount', path: 'third' }],
        [8_000, move('private', '../third/extra')],
      ],
      setting: { folders: ['inbox', 'third'].map((name) => ({ name, mode: null, isPolled: false })) },
    },
    {
      what: 'what stands at the place of a document in a directory that moved may be that document (7.25)',
      first: ['d/b.csv', 'd/e/summary.csv'].map((name) => ({ path: `inbox/${name}`, text: name })),
      steps: [
        [20_000, write('d/e/.save.tmp', 'c')],
        [0, move('d/e/.save.tmp', 'd/e/summary.csv')],
        [0, move('d/b.csv', '../outside/swap')],
        [0, move('d/e/summary.csv', 'd/b.csv')],
        [0, move('../outside/swap', 'd/e/summary.csv')],
        [0, move('d', 'd2')],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'an ignore file that is edited within the step of its times, and is as long as before, counts (7.31)',
      first: [
        { path: 'inbox/a.pdf', text: 'a' },
        { path: 'inbox/.ingestignore', text: 'b.pdf' },
      ],
      steps: [[100, write('.ingestignore', 'a.pdf')]],
      setting: { habits: { granuleMs: 2_000 } },
    },
    {
      what: 'a sidecar counts that comes while its document is on its way, and leaves it again (7.27)',
      first: [{ path: 'inbox/a.pdf', text: 'a' }],
      steps: [
        [0, { kind: 'answer', ending: { kind: 'lost', taken: false } }],
        [65_000, write('a.pdf.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [15_000, write('b.pdf', 'b')],
        [0, move('a.pdf', 'd/c.csv')],
      ],
    },
    {
      what: 'what went out with a document stays its attachment where no answer came (4)',
      first: [document],
      steps: [
        [5_300, { kind: 'answer', ending: { kind: 'lost', taken: true } }],
        [0, write('private/extra/t.csv', 't')],
        [0, { kind: 'write', ...list }],
        [2_500, move('private/extra/t.csv', 'd/b.csv')],
      ],
    },
    {
      what: 'an attachment has no attachments, and what lay in its directory is free (4, 7.9)',
      first: [document, attachment, list],
      steps: [
        [0, write('private/extra/t.csv.attachments/u.csv', 'u')],
        [15_000, move('private/extra/t.csv.attachments', 'private/d')],
      ],
    },
    {
      what: 'what is stated for a file that cannot be looked at is not known (7.27)',
      first: [],
      steps: [
        [0, write('a.pdf', 'a')],
        [0, { kind: 'fail', path: 'inbox/a.pdf', code: 'EACCES', forMs: 30_000 }],
        [0, write('a.pdf.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [20_000, move('a.pdf', 'private/b.pdf')],
      ],
    },
    {
      what: 'a mode is stated for a file whose name cannot be sent, too (7.27)',
      first: [],
      steps: [
        [0, write('two.dots.csv', 'a')],
        [0, write('two.dots.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [100, move('two.dots.csv', 'a.pdf')],
        [0, write('.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}')],
      ],
    },
    {
      what: 'a directory of attachments whose ignore file cannot be looked at keeps its document back',
      first: [
        { path: 'inbox/é.csv', text: 'a' },
        { path: 'inbox/é.csv.attachments/.ingestignore', text: 'u.csv\n' },
      ],
      steps: [],
      setting: { maxPathBytes: 43 },
    },
    {
      what: 'what cannot be looked at may always have been another name of a file that is gone (7.25)',
      first: [{ path: 'inbox/d/report.docx', text: 'a' }],
      steps: [
        [0, { kind: 'link', path: 'inbox/d/report.docx', to: 'inbox/b.pdf' }],
        [5_300, { kind: 'remove', path: 'inbox/b.pdf' }],
      ],
      setting: { maxPathBytes: 31 },
    },
    {
      what: 'nor is a document gone whose file cannot be looked at among attachments (7.25)',
      first: ['a.csv', 'r.pdf', 'r.pdf.attachments/b.csv'].map((name) => ({
        path: `inbox/${name}`,
        text: name,
      })),
      steps: [[20_000, move('a.csv', 'r.pdf.attachments/abcdef.csv')]],
      setting: { maxPathBytes: 42 },
    },
    {
      what: 'what a sidecar lists stays an attachment of a document that cannot be looked at, wherever it moves (4)',
      first: [
        { path: 'inbox/a.pdf', text: 'a' },
        { path: 'inbox/a.pdf.meta.json', text: '{"attachments":["t.csv"]}' },
      ],
      steps: [
        [20_000, { kind: 'fail', path: 'inbox/a.pdf', code: 'ESTALE', forMs: 60_000 }],
        [100, write('t.csv', 't')],
        [15_000, move('t.csv', 'd/t.csv')],
      ],
    },
    {
      what: 'without birth times a new file with a reused number may count as the one before (7.19)',
      first: [
        { path: 'inbox/a.pdf', text: 'a' },
        { path: 'inbox/a.pdf.meta.json', text: '{"shareInfo":{"mode":"NONE"}}' },
        { path: 'inbox/d/.meta.json', text: '{"shareInfo":{"mode":"DEFAULT"}}' },
      ],
      steps: [
        [100, write('.save.tmp', 'b')],
        [0, move('.save.tmp', 'a.pdf')],
        [0, write('d/.save.tmp', 'c')],
        [0, move('d/.save.tmp', 'd/b.pdf')],
      ],
      setting: { habits: { hasBirthTimes: false } },
    },
    {
      what: 'a document that moved to another folder was last accepted there (7.27)',
      first: [
        { path: 'inbox/a.csv', text: 'a' },
        { path: 'other/.keep', text: '' },
      ],
      steps: [
        [5_300, move('a.csv', '../other/b.csv')],
        [2_500, write('../other/.meta.json', '{"shareInfo":{"mode":"DEFAULT"}}')],
      ],
      setting: {
        folders: folders.map((folder, index) => ({ ...folder, mode: index === 0 ? 'NONE' : null })),
      },
    },
    {
      what: 'a save in a directory that moved to a folder that was away is its document (7.25)',
      first: [{ path: 'other/d/a.pdf', text: 'a' }],
      steps: [
        [0, { kind: 'restart', how: 'kill', downMs: 10, folders: folders.slice(1) }],
        [15_000, move('../other/d', 'd')],
        [0, move('d/a.pdf', 'd/a.pdf~')],
        [0, write('d/a.pdf', 'b')],
      ],
      setting: { folders },
    },
    {
      what: 'so is what is ignored by the time that an ignore file is valid again (7.25, 7.35)',
      first: firstOf({ 'd/a.pdf': 'a' }),
      steps: [
        [20_000, { ...write('.ingestignore', 'a.pdf'), encoding: 'utf16le' } as Act],
        [2_500, move('d', 'e')],
        [0, write('e/.save.tmp', 'b')],
        [0, move('e/.save.tmp', 'e/a.pdf')],
        [15_000, write('.ingestignore', 'a.pdf')],
      ],
      never: /delete doc/,
    },
    {
      what: 'so is what is saved there for longer than a removal waits (7.25)',
      first: firstOf({ 'd/a.pdf': 'a' }),
      steps: [
        [20_000, move('d', 'e')],
        ...Array.from({ length: 6 }, (_, index): readonly [number, Act][] => [
          [1_500, write('e/.save.tmp', `save ${index}`)],
          [0, move('e/.save.tmp', 'e/a.pdf')],
        ]).flat(),
      ],
      never: /delete doc/,
    },
    {
      what: 'so is what cannot be sent for its sidecar (7.25)',
      first: firstOf({ 'd/a.pdf': 'a' }),
      steps: [
        [20_000, move('d', 'e')],
        [0, write('e/.save.tmp', 'b')],
        [0, move('e/.save.tmp', 'e/a.pdf')],
        [0, write('e/a.pdf.meta.json', '{')],
      ],
      never: /delete doc/,
    },
    {
      what: 'nothing is gone while it may stand in a folder that cannot be listed (7.25)',
      first: [{ path: 'other/a.pdf', text: 'a' }],
      steps: [
        [20_000, move('../other/a.pdf', 'b.pdf')],
        [0, { kind: 'write', path: 'inbox/.ingestignore', text: 'c.pdf', encoding: 'utf16le' }],
        [15_000, write('c.pdf', 'c')],
      ],
      setting: { folders },
    },
    {
      what: 'the document of an attachment is gone where case does not count and its directory has another name (4)',
      first: [document, attachment, list],
      steps: [
        [20_000, { kind: 'remove', path: document.path }],
        [4_000, move('private', 'Private')],
      ],
      setting: { habits: { isCaseless: true, hasBirthTimes: false } },
    },
    {
      what: 'of two copies with one name each goes out with its own attachments',
      first: [document, attachment, list, { path: 'inbox/d/a.txt', text: 'a' }],
      steps: [
        [20_000, write('d/a.txt', 'b')],
        [0, move('d', 'd2')],
      ],
    },
    {
      what: 'of two links each document is of its own place',
      first: [{ path: 'inbox/a.pdf', text: 'a' }],
      steps: [
        [15_000, { kind: 'link', path: 'inbox/a.pdf', to: 'inbox/b.pdf' }],
        [15_000, write('a.pdf', 'b')],
        [20_000, write('.save.tmp', 'c')],
        [0, move('.save.tmp', 'b.pdf')],
      ],
    },
    {
      what: 'what cannot be read has not left its path (7.1)',
      first: [{ path: 'inbox/b.csv', text: 'a' }],
      steps: [
        [20_000, { kind: 'fail', path: 'inbox/b.csv.attachments', code: 'EIO', forMs: 30_000 }],
        [0, { kind: 'link', path: 'inbox/b.csv', to: 'inbox/d/a.pdf' }],
        [4_300, write('.save.tmp', 'b')],
        [0, move('.save.tmp', 'd/a.pdf')],
      ],
    },
    {
      what: 'where numbers of files cannot be told apart, what is edited and moved is a new document (7.19)',
      first: [{ path: 'inbox/a.pdf', text: 'a' }],
      steps: [
        [20_000, write('a.pdf', 'b')],
        [0, write('b.pdf.meta.json', '{"attachments":["t.csv"]}')],
        [0, move('a.pdf', 'b.pdf')],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'without birth times, what is edited where it has just come is a new document (7.19)',
      first: [
        { path: 'inbox/d/a.txt', text: 'a' },
        { path: 'inbox/d/a.txt.meta.json', text: '{"attachments":["u.csv"]}' },
      ],
      steps: [
        [100, write('d/u.csv', 'u')],
        [20_000, move('d/a.txt.meta.json', 'b.pdf.meta.json')],
        [0, move('d/a.txt', 'b.pdf')],
        [0, write('b.pdf', 'b')],
      ],
      setting: { habits: { type: { magic: 0x6969, name: 'nfs4' }, hasBirthTimes: false } },
    },
    {
      what: 'without birth times, a document moves out of where an ignore file is not valid (7.1, 7.35)',
      first: [{ path: 'inbox/d/a.txt', text: 'a' }],
      steps: [
        [20_000, { ...write('d/.ingestignore', '*.log'), encoding: 'utf16le' } as Act],
        [0, move('d', 'moved')],
        [20_000, move('moved/a.txt', 'b.txt')],
      ],
      setting: { habits: { hasBirthTimes: false } },
    },
    {
      what: 'of two copies with one name the one that was not sent is sent when the other goes',
      first: ['a.pdf', 'd/b.pdf'].map((path) => ({ path: `inbox/${path}`, text: path })),
      steps: [
        [100, { kind: 'copy', path: 'inbox/d/b.pdf', to: 'inbox/b.pdf' }],
        [20_000, move('b.pdf', '../outside/b.pdf')],
      ],
      setting: { requestsPerMinute: 1, lookMs: 3 },
    },
    {
      what: 'what was saved where a document had come to the place of another one moves on as its own (7.1)',
      first: ['a.pdf', 'd/a.pdf'].map((path) => ({ path: `inbox/${path}`, text: path })),
      steps: [
        [20_000, move('a.pdf', 'd/a.pdf')],
        [5_300, move('d/a.pdf', 'd/a.pdf~')],
        [0, write('d/a.pdf', 'c')],
        [100, move('d/a.pdf', 'b.txt')],
      ],
    },
    {
      what: 'without numbers of files, what a sidecar no longer lists is shared with nobody (7.27)',
      first: [
        { path: 'inbox/d/report.pdf', text: 'a' },
        { path: 'inbox/d/report.pdf.meta.json', text: '{"attachments":["t.csv"]}' },
        { path: 'inbox/d/t.csv', text: 't' },
      ],
      steps: [[20_000, write('d/report.pdf.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}')]],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'without numbers of files, an attachment that moves is shared with nobody (7.27)',
      first: [
        { path: 'inbox/d/report.pdf', text: 'a' },
        { path: 'inbox/d/report.pdf.meta.json', text: '{"attachments":["extra/t.csv"]}' },
        { path: 'inbox/d/extra/t.csv', text: 't' },
      ],
      steps: [
        [20_000, move('d/extra/t.csv', 'u.csv')],
        [0, { kind: 'remove', path: 'inbox/d/report.pdf' }],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'what a file attaches that is an attachment itself may wait with it (4)',
      first: [document, attachment, { ...list, text: '{"attachments":["extra/t.csv","b.csv"]}' }],
      steps: [
        [0, write('private/extra/u.csv', 'u')],
        [0, write('private/extra/t.csv.meta.json', '{"attachments":["u.csv"]}')],
        [100, move('private/extra/u.csv', 'd/b.csv')],
      ],
    },
    {
      what: 'an attachment that comes back elsewhere may wait while the list names its old name (4)',
      first: [document, attachment, list],
      steps: [
        [100, { kind: 'rename', path: 'inbox/private/extra', to: 'outside/extra' }],
        [60_000, write('b.csv', 'b')],
        [0, { kind: 'rename', path: 'outside/extra', to: 'inbox/d/other' }],
      ],
    },
    {
      what: 'what a document in doubt was sent without may still be its attachment (4)',
      first: [document, attachment, list],
      steps: [
        [3_000, { kind: 'remove', path: sidecar }],
        [0, move('private', 'moved')],
        [1_000, move('moved/a.txt', 'a.txt')],
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [20_000, write('.hidden.pdf', 'b')],
      ],
    },
    {
      what: 'the sidecar of another file that came to the place of a document says nothing of its attachments (4)',
      first: [document, attachment, list, { path: 'inbox/b.csv', text: 'b' }],
      steps: [
        [20_000, move('b.csv', 'private/a.txt')],
        [700, write('private/a.txt.meta.json', '{}')],
      ],
      setting: { maxDeleteCount: 0 },
    },
    {
      what: 'what a change was about to go out with before a kill may be in its record (4)',
      first: [document, attachment, { path: 'inbox/b.csv', text: 'b' }],
      steps: [
        [20_000, write('private/extra/u.csv', 'u')],
        [
          0,
          write('private/a.txt.meta.json', '{"shareInfo":{"mode":"DEFAULT"},"attachments":["extra/u.csv"]}'),
        ],
        [0, { kind: 'remove', path: document.path }, 'ledger'],
        [0, { kind: 'restart', how: 'power', downMs: 10 }, 'ledger'],
      ],
      setting: { maxDeleteCount: 0 },
    },
    {
      what: 'an ambiguous sidecar does not say what an owner attaches no longer (4)',
      first: [document, attachment, list, { path: 'inbox/d/a.csv', text: 'b' }],
      steps: [
        [0, { kind: 'link', path: document.path, to: 'inbox/d/a.txt' }],
        [20_000, { kind: 'remove', path: document.path }],
        [0, write('d/a.meta.json', '{}')],
      ],
      setting: { maxDeleteCount: 0 },
    },
    {
      what: 'the list that another document takes over holds though the one before it was deleted (4)',
      first: [{ path: 'inbox/b.csv', text: 'b' }, document],
      steps: [
        [100, write('private/extra/t.csv', 't')],
        [0, write('private/a.txt.meta.json', '{"shareInfo":{"mode":"NONE"},"attachments":["extra/t.csv"]}')],
        [20_000, move('b.csv', 'private/a.txt')],
        [0, write('private/a.txt.meta.json', ''), 'answer'],
      ],
    },
    {
      what: 'what goes with its directory while a rule comes that names it is gone (7.25)',
      first: [{ path: 'inbox/d/a.pdf', text: 'a' }],
      steps: [
        [20_000, { kind: 'rename', path: 'inbox/d', to: 'outside/d' }],
        [0, write('.ingestignore', '*.pdf\n')],
      ],
    },
    {
      what: 'what is stated in a directory that was moved out of the place of a statement is a deeper one (7.27)',
      first: firstOf({ 'd/e/a.pdf': 'a', 'd/.meta.json': '{"shareInfo":{"mode":"NONE"}}' }),
      steps: [
        [20_000, move('d/e', 'moved')],
        [0, write('moved/.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}')],
      ],
    },
    {
      what: 'what is replaced while a rule comes that names it is gone (7.25)',
      first: firstOf({ 'b.csv': 'b', 'd/a.csv': 'a' }),
      steps: [
        [20_000, move('b.csv', 'd/a.csv')],
        [4_009, write('d/.ingestignore', '*.csv\n')],
      ],
    },
    {
      what: 'a hold ends once its directory is listed, though it could not be written down yet (7.25)',
      first: [
        { path: 'inbox/extra/b.docx', text: 'b' },
        { path: 'inbox/d/a.csv', text: 'a' },
      ],
      steps: [
        [20_000, { kind: 'remove', path: 'inbox/extra/b.docx' }],
        [5, { kind: 'full', forMs: 12_000 }],
        [0, { kind: 'chmod', path: 'inbox/d', mode: 0 }],
        [9_000, { kind: 'chmod', path: 'inbox/d', mode: 0o755 }],
      ],
    },
    {
      what: 'an attachment and a document change places: its owner is looked at again once that has the other file (4)',
      first: [
        { ...document, path: 'inbox/private/b.txt' },
        attachment,
        { ...list, path: 'inbox/private/b.txt.meta.json' },
      ],
      steps: [
        [20_000, write('d/a.pdf', 'a')],
        [0, move('private/b.txt', 'a.docx')],
        [15_000, move('private/extra/t.csv', '../outside/swap')],
        [0, move('d/a.pdf', 'private/extra/t.csv')],
        [0, move('../outside/swap', 'd/a.pdf')],
      ],
    },
    {
      what: 'what several documents had attached has another place for each of them (4)',
      first: [{ path: 'inbox/b.csv', text: 'b' }, document, attachment, list],
      steps: [
        [5_000, move('private/a.txt', '../outside/swap')],
        [0, move('b.csv', 'private/a.txt')],
        [0, move('../outside/swap', 'b.csv')],
        [100, move('private', 'moved')],
        [65_000, move('moved/extra/t.csv', 'a.pdf')],
      ],
    },
    {
      what: 'what is saved in the place of a document that waits is its own, and holds no link of it that is gone (7.25)',
      first: [document, attachment, list],
      steps: [
        [15_000, { kind: 'remove', path: attachment.path }],
        [0, move('private/a.txt', 'private/a.txt~')],
        [0, write('private/a.txt', 'b')],
        [0, { kind: 'link', path: document.path, to: 'inbox/d/b.csv' }],
        [65_000, { kind: 'remove', path: 'inbox/d/b.csv' }],
      ],
    },
    {
      what: 'what is renamed to the place of a document that waits keeps its own (7.1)',
      first: [document, { path: 'inbox/b.csv', text: 'b' }],
      steps: [
        [20_000, { kind: 'write', path: sidecar, text: '{"attachments":["none.csv"]}' }],
        [15_000, move('b.csv', 'private/a.txt')],
        [60_000, write('c.csv', 'c')],
      ],
    },
    {
      what: 'what was replaced is gone, whatever a rule says of the file that came to its place (7.25)',
      first: firstOf({ 'b.csv': 'b', 'd/a.pdf': 'a' }),
      steps: [
        [20_000, move('b.csv', 'd/a.pdf')],
        [5_000, write('d/.ingestignore', 'a.pdf\n')],
        [1_000, move('d/a.pdf', 'd/b.txt')],
      ],
    },
    {
      what: 'a document whose file has come to the path of another one, as an attachment, waits for nothing (6)',
      first: firstOf({
        'extra/report.pdf': 'a',
        'extra/report.pdf.meta.json': '{"shareInfo":{"mode":"NONE"},"attachments":["extra/u.csv"]}',
        'report.txt': 'u',
      }),
      steps: [
        [5_300, move('report.txt', 'extra/extra/u.csv')],
        [0, write('tree2/a.pdf', 'b')],
        [2_000, move('extra/extra/u.csv', 'tree2/a.pdf')],
      ],
      setting: { settleMs: 500 },
    },
    {
      what: 'what leaves a directory that is ignored as a whole is known by its content, and sent (7.1)',
      first: firstOf({ 'd/a.txt': 'a' }),
      steps: [
        [20_000, write('.ingestignore', 'd/\n')],
        [20_000, move('d/a.txt', 'b.txt')],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'the list of an owner that was sent without it holds no longer than its sidecar is there (4)',
      first: firstOf({ 'd/e/summary.csv': 'a' }),
      steps: [
        [20_000, write('d/e/extra/u.csv', 'u')],
        [0, write('d/e/summary.csv.meta.json', '{"attachments":["extra/u.csv"]}')],
        [0, { kind: 'pause' }],
        [65_000, move('d/e/summary.csv', 'd/a.csv')],
      ],
    },
    {
      what: 'what a mount covers is not gone, an owner or its sidecar neither (4)',
      first: [
        { path: 'third/private/extra/u.csv', text: 'u' },
        { path: 'third/private/report.pdf.meta.json', text: '{"attachments":["extra/u.csv"]}' },
        { path: 'third/private/report.pdf', text: 'a' },
      ],
      steps: [
        [100, { kind: 'remove', path: 'third/private/report.pdf' }],
        [0, { kind: 'mount', path: 'third' }],
        [20_000, { kind: 'unmount', path: 'third' }],
      ],
      setting: { folders: [{ name: 'third', mode: null, isPolled: false }] },
    },
    {
      what: 'what a list names elsewhere, where nothing stands, may wait to be moved there (4)',
      first: firstOf({
        'a.txt': 'a',
        'extra/t.csv': 't',
        'a.txt.meta.json': '{"attachments":["extra/t.csv"]}',
      }),
      steps: [[60, write('a.txt.meta.json', '{"attachments":["t.csv"]}')]],
    },
    {
      what: 'what is no document has no sidecar by its stem (4)',
      first: firstOf({
        'b.pdf': 'b',
        'u.csv': 'u',
        'b.pdf.meta.json': '{"shareInfo":{"mode":"NONE"},"attachments":["u.csv"]}',
      }),
      steps: [
        [100, move('b.pdf', 'b.pdf~')],
        [0, write('b.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
      ],
    },
    {
      what: 'what was sent with attachments, and is listed by another document, may be no attachment (4)',
      first: firstOf({
        'a.csv': 'a',
        'a.csv.meta.json': '{"attachments":["extra/u.csv"]}',
        'b.txt': 'b',
        'b.txt.meta.json': '{"attachments":["t.csv"]}',
        't.csv': 't',
      }),
      steps: [[65_000, move('b.txt', 'extra/u.csv')]],
    },
    {
      what: 'of copies with one name nobody knows which is in doubt (7.1)',
      first: firstOf({ 'd/e/a.csv': 'a' }),
      steps: [
        [100, { kind: 'answer', ending: { kind: 'lost', taken: true } }],
        [0, { kind: 'copy', path: 'inbox/d/e/a.csv', to: 'inbox/d/a.csv' }],
        [2_200, { kind: 'retry' }],
      ],
      setting: { inDoubt: 'hold' },
    },
    {
      what: 'a directory that cannot be looked at in one folder is still the one that another folder shows (5)',
      first: firstOf({ 'a.pdf': 'a' }),
      steps: [
        [20_000, { kind: 'fail', path: 'inbox', code: 'EIO', forMs: 60_000, isWhole: true }],
        [70_000, { kind: 'rescan' }],
      ],
      setting: {
        folders: ['inbox', 'second'].map((name) => ({ name, mode: null, isPolled: false })),
        isBound: true,
      },
    },
    {
      what: 'an approval is written as a whole, so that the next start does nothing of one that was refused (2)',
      first: firstOf({ 'a.pdf': 'a', 'b.pdf': 'b' }),
      steps: [
        [20_000, { kind: 'remove', path: 'inbox/a.pdf' }],
        [20_000, { kind: 'approve' }],
        [150, { kind: 'ledger', fails: 'write', forMs: 300 }, 'ledger'],
        [2_000, write('b.pdf', 'b2')],
      ],
      setting: { maxDeleteCount: 0 },
    },
    {
      what: 'what leaves the folder of its document while that is taken out is still what the sidecar lists (4)',
      first: [
        { path: 'second/d/a.pdf', text: 'a' },
        { path: 'second/d/a.pdf.meta.json', text: '{"attachments":["extra/u.csv"]}' },
        { path: 'second/d/extra/u.csv', text: 'u' },
      ],
      steps: [
        [20_000, move('../second/d/extra/u.csv', 'b.pdf')],
        [0, { kind: 'reload', folders: withPolled.slice(0, 1) }],
        [8_000, { kind: 'reload', folders: withPolled }],
      ],
      setting: { folders: withPolled },
    },
    {
      what: 'uploads that are stopped stay so when the configuration is read again (7.32)',
      first: firstOf({ 'a.pdf': 'a', 'b.pdf': 'b', 'c.pdf': 'c' }),
      steps: [
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [20_000, write('d.pdf', 'd')],
        [0, { kind: 'reload' }],
        [20_000, write('e.pdf', 'e')],
      ],
    },
    {
      what: 'what comes to the place of an attachment that a sidecar has not dropped for long enough may be one (4)',
      first: [
        { path: 'inbox/d/b.csv.meta.json', text: '{"shareInfo":{"mode":"NONE"}}' },
        document,
        attachment,
        list,
      ],
      steps: [
        [0, write('c.docx', 'c')],
        [100, move('private/a.txt', 'd/b.csv')],
        [0, write('d/b.csv.meta.json', '')],
        [0, move('c.docx', 'private/extra/t.csv')],
      ],
    },
    {
      what: 'a process that dies may have forgotten what a person told it to, or not (2)',
      first: firstOf({ 'a.pdf': 'a' }),
      steps: [
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [130_000, { kind: 'resolve', how: 'dismiss' }],
        [0, { kind: 'restart', how: 'kill', downMs: 10 }, 'ledger'],
      ],
    },
    {
      what: 'a document of which the answer to its deletion was lost, and that is there, was not deleted (7.15)',
      first: firstOf({ 'b.txt': 'b', 'd/e/a.docx': 'a' }),
      steps: [
        [20_000, { kind: 'answer', ending: { kind: 'lost', taken: false } }],
        [100, { kind: 'remove', path: 'inbox/b.txt' }],
        [6_000, write('b.txt', 'b')],
        [20_000, write('.meta.json', '{"shareInfo":{"mode":"DEFAULT"}}')],
        [100_000, { kind: 'remove', path: 'inbox/d/e/a.docx' }],
      ],
      setting: { maxDeleteCount: 1 },
    },
    {
      what: 'what is away for a moment when sync looks at it, and is back without an event, is left to the next pass (7.18)',
      first: firstOf({
        'd/b.docx': 'b',
        'd/c.pdf.meta.json': '{"shareInfo":{"mode":"NONE"}}',
        'summary.txt': 'a',
      }),
      steps: [
        [2_500, { kind: 'sync', how: 'kill' }],
        [100, { kind: 'rename', path: 'inbox/summary.txt', to: 'outside/swap' }, 'answer'],
        [100, { kind: 'rename', path: 'outside/swap', to: 'inbox/summary.txt' }],
      ],
      setting: { folders: [{ name: 'inbox', mode: null, isPolled: true }], habits: { granuleMs: 2_000 } },
    },
    {
      what: 'without birth times, a new file with the number of a document that is gone says nothing of its attachments (4, 7.19)',
      first: firstOf({
        'd/b.pdf': 'b',
        'd/b.pdf.meta.json': '{"attachments":["extra/t.csv"]}',
        'd/extra/t.csv': 't',
      }),
      steps: [
        [15_000, { kind: 'remove', path: 'inbox/d/b.pdf' }],
        [0, write('d/a.csv', 'a')],
        [0, write('d/a.csv.meta.json', '{"attachments":["u.csv"]}')],
      ],
      setting: { habits: { hasBirthTimes: false } },
    },
    {
      what: 'so is what went before sync looked, and is back before it ends',
      first: firstOf({ 'b.txt': 'b', 'd/e/a.csv': 'a' }),
      steps: [
        [0, { kind: 'rename', path: 'inbox/d/e', to: 'outside/e' }],
        [100, { kind: 'sync', how: 'stop' }],
        [2_500, { kind: 'rename', path: 'outside/e', to: 'inbox/d/e' }],
      ],
      setting: { folders: [{ name: 'inbox', mode: null, isPolled: true }] },
    },
    {
      what: 'a document was last accepted where its title was, whatever stated its mode before (7.27)',
      first: firstOf({ 'd/a.pdf': 'a', 'd/.meta.json': '{"shareInfo":{"mode":"NONE"}}' }),
      steps: [
        [20_000, { kind: 'rename', path: 'inbox/d/a.pdf', to: 'second/extra/b.pdf' }],
        [20_000, { kind: 'rename', path: 'second/extra', to: 'inbox/e' }],
      ],
      setting: {
        folders: [
          { name: 'inbox', mode: 'DEFAULT', isPolled: false },
          { name: 'second', mode: null, isPolled: false },
        ],
      },
    },
    {
      what: 'what is edited, and leaves where an ignore file is not valid, is told by its number alone (7.1, 7.19)',
      first: firstOf({ 'd/a.txt': 'a', 'd/b.txt': 'b' }),
      steps: [
        [20_000, { ...write('d/.ingestignore', 'z'), encoding: 'utf16le' } as Act],
        [20_000, move('d/a.txt', 'c.txt')],
        [0, { kind: 'append', path: 'inbox/c.txt', text: 'c' }],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'what is written over and renamed over another document is told by its number alone (7.19, 7.25)',
      first: firstOf({ 'a.txt': 'a', 'd/c.txt': 'c' }),
      steps: [
        [20_000, { kind: 'copy', path: 'inbox/a.txt', to: 'inbox/d/c.txt' }],
        [0, move('d/c.txt', 'a.txt')],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'a name that nothing is sent by makes a file no other document’s (7.25)',
      first: firstOf({ 'a.csv': 'a', 'd/a.pdf': 'b' }),
      steps: [
        [20_000, move('d/a.pdf', 'a.csv')],
        [0, { kind: 'link', path: 'inbox/a.csv', to: 'inbox/.a.csv' }],
      ],
    },
    {
      what: 'a folder that cannot be looked at is waited for, also where nothing of it was ever recorded (7.2)',
      first: [],
      steps: [
        [0, { kind: 'fail', path: 'second', code: 'EACCES', forMs: 30_000, isWhole: true }],
        [100, { kind: 'restart', how: 'power', downMs: 10 }],
      ],
      setting: { folders: withPolled },
    },
    {
      what: 'a symbolic link in the place of a document is listed, and keeps it (7.5)',
      first: firstOf({ 'd/summary.docx': 'a' }),
      steps: [
        [5_300, { kind: 'symlink', path: 'inbox/private/summary.docx', to: 'inbox/d' }],
        [0, move('private/summary.docx', 'd/summary.docx')],
      ],
    },
    {
      what: 'the list of a document that was not sent holds while its sidecar is there, though its file came from elsewhere (4)',
      first: firstOf({ 'd/b.csv': 'b' }),
      steps: [
        [100, { kind: 'answer', ending: { kind: 'lost', taken: true } }],
        [0, write('a.txt', 'a')],
        [0, write('extra/u.csv', 'u')],
        [0, write('a.txt.meta.json', '{"attachments":["extra/u.csv"]}')],
        [5_300, { kind: 'answer', ending: { kind: 'lost', taken: true } }],
        [0, write('d/report.docx', 'r')],
        [0, move('d/report.docx', 'd/report-old.docx'), 'ledger'],
        [2_200, move('d/report-old.docx', 'a.txt')],
        [2_200, { kind: 'remove', path: 'inbox/a.txt' }],
      ],
    },
    {
      what: 'what was forgotten while it was in doubt goes out when its sidecar changes',
      first: firstOf({ 'é.txt': 'a' }),
      steps: [
        [0, { kind: 'answer', ending: { kind: 'reset', taken: false } }],
        [130_000, { kind: 'resolve', how: 'dismiss' }],
        [100, write('é.txt.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
      ],
      setting: { inDoubt: 'hold' },
    },
    {
      what: 'what is said below an ignore file that is not valid ends no list (4, 7.35)',
      first: firstOf({
        'd/b.pdf': 'b',
        'd/extra/u.csv': 'u',
        'd/b.pdf.meta.json': '{"shareInfo":{"mode":"NONE"},"attachments":["extra/u.csv"]}',
      }),
      steps: [
        [100, { kind: 'write', path: 'inbox/d/.ingestignore', text: '*.pdf', encoding: 'utf16le' }],
        [0, move('d/extra', 'private/d')],
        [0, write('d/b.pdf.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}')],
      ],
    },
    {
      what: 'what comes to a place that an attachment has just left is no save of it (4)',
      first: firstOf({
        'a.pdf': 'a',
        'extra/b.csv': 'b',
        'extra/b.csv.meta.json': '{"attachments":["extra/u.csv"]}',
        'extra/extra/u.csv': 'u',
      }),
      steps: [
        [20_000, { kind: 'write', path: 'inbox/extra/.ingestignore', text: '*.pdf', encoding: 'utf16le' }],
        [0, move('extra/extra', 'private/d')],
        [100, write('extra/a.csv.meta.json', '{}')],
        [0, move('a.pdf', '../outside/swap')],
        [0, move('private/d/u.csv', 'a.pdf')],
        [0, move('../outside/swap', 'private/d/u.csv')],
        [100, write('d/e/a.docx.meta.json', '{')],
      ],
    },
    {
      what: 'what was sent alone, and was attached since, stays an attachment where it is moved and edited at once (4)',
      first: firstOf({ 'a.csv': 'a', 't.csv': 't' }),
      steps: [
        [20_000, write('a.csv.meta.json', '{"attachments":["t.csv"]}')],
        [15_000, move('t.csv', 'b.txt')],
        [0, write('b.txt', 'u')],
      ],
    },
    {
      what: 'what is back after a deletion that was not answered is new where the service does not know it any more (7.29)',
      first: firstOf({ 'd/summary.pdf': 'a', 'd/summary.pdf.meta.json': '{}', 'd/summary.csv': 'b' }),
      steps: [
        [20_000, { kind: 'answer', ending: { kind: 'lost', taken: true } }],
        [0, move('d/summary.csv', '../outside/summary.csv')],
        [65_000, { kind: 'remove', path: 'inbox/d/summary.pdf' }],
        [0, move('../outside/summary.csv', 'd/summary.csv')],
      ],
    },
    {
      what: 'of two links with one name, either document may go with its directory, and is what is saved there (7.25)',
      first: firstOf({ 'd/b.pdf': 'a', 'c.csv': 'c' }),
      steps: [
        [100, { kind: 'link', path: 'inbox/d/b.pdf', to: 'inbox/b.pdf' }],
        [65_000, write('extra/summary.pdf', 's')],
        [0, move('d', 'moved')],
        [0, write('moved/.save.tmp', 'b')],
        [0, move('moved/.save.tmp', 'moved/b.pdf')],
      ],
    },
    {
      what: 'a narrower mode goes out for what has come to a link’s place, wherever an ignore file is not valid (7.27, 7.35)',
      first: firstOf({ 'd/a.txt': 'a', 'd/e/b.docx': 'b' }),
      steps: [
        [20_000, { kind: 'write', path: 'inbox/d/.ingestignore', text: 'a.txt', encoding: 'utf16le' }],
        [0, { kind: 'link', path: 'inbox/d/a.txt', to: 'inbox/c.pdf' }],
        [5_300, move('d/e/b.docx', 'c.pdf')],
        [0, write('c.pdf.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
      ],
    },
    {
      what: 'who ends one of the doubts that stop uploads has seen them (7.32)',
      first: firstOf({ 'd/a.txt': 'a', 'extra/b.pdf': 'b' }),
      steps: [
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [130_000, { kind: 'resolve', how: 'dismiss' }],
        [0, write('c.pdf', 'c')],
        [5_300, write('extra/d.csv', 'd')],
        [5_300, { kind: 'rescan' }],
      ],
    },
    {
      what: 'what the disk does not say yet, sync does not know of (7.18)',
      first: firstOf({ 'a.csv': 'a' }),
      steps: [
        [65_000, { kind: 'rescan' }],
        [0, write('a.csv', 'b')],
        [0, { kind: 'sync', how: 'stop' }],
      ],
      setting: { habits: { type: { magic: 26_985, name: 'nfs4' }, attributeCacheMs: 3_000 } },
    },
    {
      what: 'the list of a document that was deleted and is back holds while its sidecar is there (4)',
      first: [document, attachment, list],
      steps: [
        [8_000, move('private', '../outside/private')],
        [20_000, { kind: 'rename', path: 'outside/private', to: 'inbox/private' }],
        [100, { kind: 'remove', path: document.path }],
      ],
    },
    {
      what: 'of two lists that name a file, that of a document which was not sent holds when the other goes (4)',
      first: [document, attachment, list, { path: 'inbox/b.txt', text: 'b' }],
      steps: [
        [100, move('private/a.txt', '../outside/a.txt')],
        [15_000, write('private/extra/t.csv', 'u')],
        [0, write('b.txt.meta.json', '{"attachments":["private/extra/t.csv"]}')],
        [0, { kind: 'remove', path: 'inbox/b.txt' }],
      ],
    },
    {
      what: 'where a document was swapped with what was not sent, the list at its place may hold (4, 7.1)',
      first: [document, attachment, list],
      steps: [
        [20_000, move('private/a.txt.meta.json', 'd/a.txt.meta.json')],
        [0, move('private/a.txt', 'd/a.txt')],
        [0, write('b.txt.meta.json', '{"shareInfo":{"mode":"DEFAULT"}}')],
        [0, { kind: 'pause' }],
        [0, write('b.txt', 'b')],
        [8_000, move('b.txt', '../outside/swap')],
        [0, move('d/a.txt', 'b.txt')],
        [0, { kind: 'rename', path: 'outside/swap', to: 'inbox/d/a.txt' }],
      ],
    },
    {
      what: 'without numbers of files a doubt follows what looks like its file, which is gone (7.1, 7.32)',
      first: firstOf({ 'd/a.txt': 'a' }),
      steps: [
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [20_000, move('d/a.txt', 'b.docx')],
      ],
      setting: { habits: { firstInode: 2 ** 53 } },
    },
    {
      what: 'the mode that is held, and that its own sidecar states later, is stated by that from then on (7.27)',
      first: firstOf({ 'd/a.txt': 'a' }),
      steps: [
        [20_000, write('d/a.txt.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [5_000, { kind: 'remove', path: 'inbox/d/a.txt.meta.json' }],
        [0, write('d/.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}')],
      ],
      setting: { folders: [{ name: 'inbox', mode: 'NONE', isPolled: false }] },
    },
    {
      what: 'what a person has sent again is the one document that is named (2)',
      first: firstOf({ 'd/a.txt': 'a', 'extra/b.pdf': 'b' }),
      steps: [
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [0, { kind: 'answer', ending: { kind: 'no-doc-id', taken: true } }],
        [15_000, { kind: 'resolve', how: 'again' }],
      ],
    },
    {
      what: 'a narrower mode may go out that was stated for a moment before the document of a file was deleted (7.27)',
      first: firstOf({ 'd/a.txt': 'a', '.meta.json': '{"shareInfo":{"mode":"DEFAULT"}}' }),
      steps: [
        [20_000, write('d/a.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [100, move('d', '.hidden')],
        [65_000, move('.hidden/a.txt', 'b.txt')],
      ],
    },
    {
      what: 'and one that was stated for the file before, with what was saved in the place of that',
      first: firstOf({ 'd/e/a.txt': 'a' }),
      steps: [
        [20_000, { kind: 'stall', forMs: 4_000 }],
        [0, write('d/e/a.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [100, move('d/e/a.txt', 'extra/b.txt'), 'body'],
        [0, write('.meta.json', '{"shareInfo":{"mode":"DEFAULT"}}')],
        [60, write('extra/.save.tmp', 'b')],
        [0, move('extra/.save.tmp', 'extra/b.txt')],
      ],
    },
    {
      what: 'a sidecar on a mount that covers the document of an attachment says nothing of that (4)',
      first: [document, attachment, list],
      steps: [
        [20_000, move('private/extra/t.csv', 'd/b.csv')],
        [0, { kind: 'mount', path: 'inbox/private' }],
        [0, write('private/a.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
      ],
    },
    {
      what: 'what was saved in the place of a document, and is renamed when another file comes there, is a new one (7.1)',
      first: firstOf({ 'd/a.txt': 'a' }),
      steps: [
        [20_000, write('d/a.csv', 'c')],
        [0, write('d/a.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [0, write('d/.save.tmp', 'b')],
        [0, move('d/.save.tmp', 'd/a.txt')],
        [20_000, move('d/a.txt', 'd/b.txt')],
        [0, write('d/a.txt', 'e')],
      ],
    },
    {
      what: 'what was stated for a file that was not sent counts, though the record of another one looks so (7.27)',
      first: firstOf({ 'd/a.txt': 'a', 'd/b.pdf': 'b' }),
      steps: [
        [0, write('d/c.csv', 'c')],
        [5_300, write('d/b.pdf.meta.json', '{"shareInfo":{"mode":"NONE"}}')],
        [15_000, { kind: 'remove', path: 'inbox/d/b.pdf.meta.json' }],
      ],
      setting: { ...numberless, requestsPerMinute: 2 },
    },
    {
      what: 'a document that a person adopts is held as its upload stated, where that did (7.27)',
      first: [],
      steps: [
        [0, { kind: 'answer', ending: { kind: 'reset', taken: true } }],
        [0, write('a.txt', 'a')],
        [5_000, { kind: 'resolve', how: 'adopt' }],
        [0, write('.meta.json', '{"shareInfo":{"mode":"DEFAULT"}}')],
      ],
      setting: { inDoubt: 'hold', folders: [{ name: 'inbox', mode: 'NONE', isPolled: false }] },
    },
    {
      what: 'an attachment that was renamed while its sidecar was away is one while that lists it as it was sent (4)',
      first: firstOf({ 'a.docx': 'a', 'u.csv': 'u', 'a.docx.meta.json': '{"attachments":["u.csv"]}' }),
      steps: [
        [4_000, move('a.docx.meta.json', 'extra/b.docx.meta.json')],
        [5_300, move('u.csv', 'extra/b.csv')],
        [1_500, move('a.docx', 'extra/b.docx')],
      ],
      setting: { settleMs: 500, requestsPerMinute: 1 },
    },
    {
      what: 'what came into a directory that could not be read is hidden by a mount that was away meanwhile (7.25)',
      first: firstOf({ 'a.docx': 'a', 'd/b.docx': 'b' }),
      steps: [
        [0, { kind: 'mount', path: 'inbox/d' }],
        [0, write('d/c.pdf', 'c')],
        [100, { kind: 'unmount', path: 'inbox/d' }],
        [0, { kind: 'fail', path: 'inbox/d', code: 'EACCES', forMs: 60_000 }],
        [20_000, { kind: 'rename', path: 'inbox/a.docx', to: 'outside/a.docx' }],
        [0, { kind: 'mount', path: 'inbox/d' }],
      ],
    },
  ];
  for (const { what, first, steps, setting: own, never = /\{"seed"/ } of blameless) {
    const { setting, ...plan } = caselessPlan(first, []);
    const timed = steps.map(([afterMs, act, gap]) => ({ afterMs, act, ...(gap && { gap }) }));
    const timedPlan = { ...plan, setting: { ...setting, habits: {}, ...own }, steps: timed };
    itRuns(`finds nothing wrong: ${what}`, timedPlan, (said) => {
      expect(said).not.toContain('{"seed"');
      expect(said).not.toMatch(never);
    });
  }

  const mountedOver = caselessPlan(firstOf({ 'a.csv': 'a', 'd/e/b.pdf': 'b' }), [
    { kind: 'rename', path: 'inbox/a.csv', to: 'outside/a.csv' },
    { kind: 'mount', path: 'inbox/d/e' },
    write('b.csv', 'b'),
  ]);
  itRuns(
    'what is mounted over a directory that has stood since the start may hide what went just before (7.25)',
    {
      ...mountedOver,
      steps: mountedOver.steps.map((step, index) => ({ ...step, afterMs: [20_000, 60][index] ?? 20_000 })),
    },
    (said) => {
      expect(said).toMatch(/warn held .*hidden by what was mounted/);
      expect(said).not.toContain('delete doc-1');
    },
  );

  const keptAtOnce = caselessPlan(firstOf({ 'a.csv': 'a' }), [
    { kind: 'write', path: 'inbox/.save.tmp', text: 'b' },
    { kind: 'remove', path: 'inbox/a.csv' },
    { kind: 'keep' },
    { kind: 'rename', path: 'inbox/.save.tmp', to: 'inbox/a.csv' },
    { kind: 'rename', path: 'inbox/a.csv', to: 'outside/a.csv' },
  ]);
  itRuns(
    'finds nothing wrong: what is back when a person keeps it, and gone when that is done, is kept (2)',
    {
      ...keptAtOnce,
      setting: { ...keptAtOnce.setting, habits: {}, maxDeleteCount: 0 },
      steps: keptAtOnce.steps.map((step, index) => ({
        ...step,
        afterMs: [8_000, 0, 15_000, 0, 0][index] ?? 0,
      })),
    },
    (said) => {
      expect(said).toContain('info kept');
      expect(said).not.toContain('{"seed"');
    },
  );

  const pausedAndReloaded = caselessPlan(firstOf({ 'a.csv': 'a' }), [
    { kind: 'pause' },
    write('b.csv', 'b'),
    { kind: 'reload', folders: [{ name: 'inbox', mode: 'DEFAULT', isPolled: false }] },
    write('c.csv', 'c'),
  ]);
  itRuns(
    'finds nothing wrong: a pause that is being saved when another configuration takes over counts there (2)',
    {
      ...pausedAndReloaded,
      steps: pausedAndReloaded.steps.map((step, index) => ({
        ...step,
        afterMs: [20_000, 100, 0, 20_000][index] ?? 0,
        ...(index === 1 ? { gap: 'ledger' as const } : null),
      })),
    },
    (said) => {
      expect(said).toContain('info paused');
      expect(said).not.toContain('{"seed"');
    },
  );

  itRuns(
    'finds nothing wrong: a deletion looks last whether its own path is empty, since to look elsewhere may take long (7.30)',
    {
      seed: 1,
      setting: { ...plainSetting, folders: [{ name: 'inbox', mode: null, isPolled: false }], lookMs: 3 },
      first: firstOf({ 'b.txt': 'b', 'b.txt.meta.json': '{"attachments":["x/t.csv"]}', 'x/t.csv': 't' }),
      steps: [
        { afterMs: 20_000, act: { kind: 'remove', path: 'inbox/b.txt' } },
        { afterMs: 5_350, act: write('b.txt', 'new') },
      ],
    },
    (said) => {
      expect(said).not.toContain('{"seed"');
    },
  );

  const copiedAndBack = caselessPlan(firstOf({ 'b.pdf': 'a' }), [
    { kind: 'copy', path: 'inbox/b.pdf', to: 'inbox/copy.pdf' },
    { kind: 'remove', path: 'inbox/b.pdf' },
    write('b.pdf', 'a'),
  ]);
  const times = [20_000, 1_900, 2_500];
  const steps = copiedAndBack.steps.map((step, index) => ({ ...step, afterMs: times[index] ?? 0 }));
  itRuns(
    'F46: what is back in its place within its grace keeps its document, though there is a copy',
    { ...copiedAndBack, steps },
    (said) => {
      expect(said.match(/(?:upload|modify|delete) .*→ ok/g)).toHaveLength(2);
      expect(said).not.toContain('info moved');
    },
  );

  for (const [seed, what] of [
    [190_001_046, 'a document does not wait for the end of its own request'],
    [190_004_741, 'a process that was killed does not know that a narrower mode was refused'],
    [
      190_004_943,
      'another file with the same name, size and time is not in doubt beside the one that is (7.19)',
    ],
    [190_001_366, 'a hidden sidecar is not in use (7.28)'],
    [190_003_476, 'what events have not told yet makes nothing wait'],
    [250_005_575, 'of two sidecars with one name nobody knows which counts (7.3)'],
    [250_002_640, 'an ignore file that is not valid comes as others do: it is not quiet (7.28)'],
    [260_000_634, 'what is below a directory that was renamed in case alone is not waited for'],
    [260_004_560, 'a resume that could not be saved lets nothing be sent'],
    [260_004_071, 'what comes to a place that a record has left with its file is not its own (7.1)'],
    [
      230_000_851,
      'a sidecar that bears a stem is nobody’s once another file of that stem stands, listed or not (7.30)',
    ],
    [
      340_000_684,
      'what is saved below an ignore file that is not valid is not known to be of the document there (7.35)',
    ],
    [300_003_158, 'of two names that are one a document may be of either (7.3)'],
    [200_010_276, 'what stands below an ignore file that is not valid keeps its document (7.35)'],
    [300_003_224, 'what was stated for a file goes with it out of a folder that cannot be listed (7.27)'],
    [260_001_100, 'a request that was ended before its last byte has attached nothing (4)'],
    [260_003_181, 'nor where its document goes elsewhere while its body goes out'],
    [
      260_003_293,
      'a document that is deleted ends no list of one that looks like it, without numbers of files (4)',
    ],
    [
      250_004_696,
      'what is as its record says does not wait for what looks like it, without numbers of files (7.27)',
    ],
    [300_004_161, 'an owner that has come to the place of another document was not sent yet (4)'],
    [300_004_807, 'what can never be looked at is not known to be an attachment (7.27)'],
    [300_005_288, 'a document that comes back in another folder was last accepted there (7.27)'],
    [250_004_636, 'what stands in the place of an attachment is what its record means, over a restart (4)'],
    [300_001_472, 'a list holds for another name of its owner that was not sent (4)'],
    [300_005_812, 'what was an attachment below an ignore file that is not valid counts as one (7.27, 7.35)'],
    [320_000_439, 'so does what a sidecar stated there, in the root too'],
    [
      400_003_508,
      'nothing waits for a directory to be listed that lies below such an ignore file since the start (7.4)',
    ],
    [400_002_555, 'in whichever folder that is'],
    [360_001_070, 'a directory is listed though the only name in it is too long to be looked at (4, 7.30)'],
    [
      400_002_221,
      'what is saved where a document was moved over another one, and is gone, may be the save of the first (7.1)',
    ],
    [470_001_212, 'so may what is saved with a backup where a document was moved over another one (7.1)'],
    [
      400_001_408,
      'what is saved below an ignore file that is not valid is not known to be of the document that was renamed there (7.1, 7.35)',
    ],
    [430_000_121, 'what was mounted since a document was written over may hide its file (7.25)'],
    [
      430_000_087,
      'without numbers, what is written over just now is not where a document has gone (7.19, 7.25)',
    ],
    [440_002_266, 'what a pattern names is compared in NFC, as names are (4)'],
    [
      440_002_807,
      'a document waits with what it was sent with below an ignore file that is not valid (4, 7.35)',
    ],
    [450_000_699, 'of links with one name nobody knows at which place their document is (7.19)'],
    [460_000_285, 'a document has not come to where its file has been for a moment only (7.1)'],
    [
      430_002_152,
      'what is saved, with a backup, where a document has just been moved in a swap may be its own file (7.1)',
    ],
    [
      430_002_598,
      'without birth times nobody knows that a document has left what cannot be listed (7.1, 7.19)',
    ],
    [
      430_002_647,
      'what was told at its first place, moved on, and came back edited, is another one without numbers of files (7.19)',
    ],
    [420_001_890, 'a mount hides nothing of what is listed at another place (7.25)'],
    [400_002_017, 'what cannot be looked at may be the file that a sidecar fits (7.29)'],
    [
      400_001_827,
      'a save that was never sent is a new document where a later one has come to its place, and is gone (7.1)',
    ],
    [320_001_352, 'what a sidecar lists has no attachments for having been sent with some (4)'],
    [
      320_000_084,
      'an attachment in another folder than its document is none once another file has its place (4)',
    ],
    [
      320_001_820,
      'a list counts where the file of its document stands, though that cannot be sent there (4)',
    ],
    [310_001_961, 'an upload that nobody was told of has no list of attachments (4)'],
    [310_002_420, 'what several documents were sent with stands in the record of each (4)'],
    [320_000_256, 'a list holds while the sidecar is there that went along with its directory (4)'],
    [210_001_588, 'an attachment that comes to the place of its document is that one’s content (4)'],
    [270_000_465, 'a list that names another path than before has dropped it, where case does not count (4)'],
    [
      270_002_729,
      'the list of an owner that is in doubt may hold while the sidecar that it left is there (4)',
    ],
    [
      300_005_851,
      'a directory that was empty for a while has not come, nor what the first look finds (7.28)',
    ],
    [190_005_980, 'what a mount covered has not come when it is there again (7.28)'],
    [360_001_593, 'what is saved where a document has come to another one’s place is of that document (7.1)'],
    [
      360_005_886,
      'a link of what is kept private takes that to another document, whose file it becomes (7.27)',
    ],
    [400_001_155, 'so does a private file that was renamed over another document'],
    [
      360_001_330,
      'what was attached after it was sent counts as an attachment once its owner is deleted (7.27)',
    ],
    [
      360_000_704,
      'what a folder had that shows the directory of another one is that one’s, whatever was saved in its place (5, 7.1)',
    ],
    [400_003_833, 'while the process runs, too'],
    [
      570_000_442,
      'without numbers, what is saved in a directory that moves is not known to be of its document (7.19)',
    ],
    [490_000_340, 'what has come to the path of an upload in doubt, and was refused, is tried again (2)'],
    [
      360_001_747,
      'what a sidecar lists below an ignore file that is not valid is an attachment, in a directory that was never listed (4, 7.35)',
    ],
    [
      490_001_725,
      'what is saved in the place of an attachment may be one, whatever is saved in the place of its document (4)',
    ],
    [
      490_000_697,
      'what is saved where all that was left of a document stood, a copy, may be its own (7.1, 7.19)',
    ],
    [490_000_924, 'whether what a sidecar lists is ignored by what cannot be read nobody knows (4)'],
    [
      490_001_675,
      'a document that became an attachment was one, though it was sent before, where it stands elsewhere as a new one (7.27)',
    ],
    [
      300_001_476,
      'of two links that were edited, only the number tells that one is a document that moved (7.19)',
    ],
    [530_001_827, 'a document whose place another one has taken meanwhile is gone by then (7.25)'],
    [
      420_001_889,
      'the list of a document does not end by the sidecar of another one, whose file its own has become (4)',
    ],
    [
      480_001_111,
      'what is saved in the place of an attachment is shared with nobody, without numbers of files too (7.27)',
    ],
    [
      430_000_599,
      'of two names of a file, a document may go on with that to which it was seen to move (7.1)',
    ],
    [
      480_000_229,
      'a narrower mode goes out with what has come to a document’s place, though its own file is out of sight (7.27)',
    ],
    [1_632, 'what is back when its deletion is approved, and gone when that is done, is let go (2)'],
    [
      440_000_129,
      'what says for a moment only that a file is no attachment any more may not have been seen (4)',
    ],
    [
      450_002_259,
      'what comes to the place of an attachment may stand in the record of an upload whose answer may not be written down (4)',
    ],
    [440_000_836, 'a mode that went out for another file is not that of the file before (7.27)'],
    [
      480_000_349,
      'what is saved where a file stands that was in a document’s place for a moment may be of that document (7.1)',
    ],
    [
      460_000_384,
      'what is saved where a document has been for a moment only is not known to be of it (7.1, 7.25)',
    ],
    [
      530_000_509,
      'what a change attached that was not answered may stand in the record, also where its document moved (4)',
    ],
  ] as const)
    itRuns(`finds nothing wrong: ${what}`, randomPlan(seed), (said) => {
      expect(said).not.toContain('{"seed"');
    });

  it('finds nothing wrong: an attachment that was renamed over its document is its content, wherever it goes (4)', async () => {
    expect(await logOf('--first', '320001680', '--only', 'attachment-alone')).not.toContain('{"seed"');
  });

  for (const [seed, what] of [
    [
      530_001_240,
      'what a mount shows at the path of an attachment, and covers its document, may be one (4, 7.25)',
    ],
    [
      690_000_085,
      'what was edited and moved at once is told by its number alone, which it may not have (7.19)',
    ],
    [724, 'what a folder lists of which nothing is found keeps nothing moving (4)'],
    [
      608,
      'a mode that goes out for the copy with which a document has gone on is not that of its own file (7.27)',
    ],
    [2_000_032_101, 'two letters that are swapped count as one where a sidecar fits no file (7.29)'],
    [919, 'a list below an ignore file that was never valid was not seen (4, 7.35)'],
    [
      450_001_481,
      'while a change is not answered, its record stays, and what is saved there is its document (7.1)',
    ],
    [
      540_001_864,
      'a record that has followed its attachment before another file came to its place sends that (4)',
    ],
    [690_000_051, 'the sidecar of a document that got another name is not that of the list before (4)'],
    [620_000_031, 'what was sent with a document whose doubt was forgotten stands in no record (4)'],
    [
      660_001_824,
      'the list of a document that was not sent holds where its directory has gone and the sidecar stands (4)',
    ],
    [
      480_000_225,
      'a link of what was saved in the place of an attachment is shared with nobody, without numbers of files too (7.27)',
    ],
    [176, 'so is what a sidecar lists that no listing has shown yet (4, 7.30)'],
    [570_000_035, 'what a sidecar lists beside which its document has just come is an attachment (4, 7.30)'],
    [
      660_004_545,
      'a file that stands in the place of a document counts as it did before, until it is sent (7.27)',
    ],
    [
      360_000_900,
      'a document that has gone on with a copy stays with that, and its own file, which is back, is a new one (7.1)',
    ],
    [660_003_844, 'as a person shares a document, it is held as it is stated then (7.27)'],
    [510_004_130, 'a backup is no place of a document that was saved with it (7.1)'],
    [660_000_277, 'what a 429 turned away was not taken, nor the mode that went with it (7.27)'],
    [660_005_295, 'what a 503 was the answer to may have been taken, attachments too (4)'],
    [563_285_237, 'while a change is not answered, its document goes on with the file of its record (7.1)'],
    [660_000_726, 'a process that stops when a person has something sent again may not know of it (2)'],
    [660_000_277, 'a narrower mode may go out that was stated before its document moved away from it (7.27)'],
    [660_003_932, 'a file counts as held with what is on its way for what was saved in its place (7.27)'],
    [
      670_000_366,
      'a narrower mode that was stated while its upload was under way, and not sent, may count (7.27)',
    ],
    [660_005_521, 'what a disk brings that is mounted in a new directory has just come there (7.28)'],
    [670_000_672, 'with a file of two names a document may move to either, over another one’s (7.25)'],
    [
      710_000_194,
      'an attachment that was missing while a mount covered it is found when that is gone, though no event tells (4, 7.10)',
    ],
    [
      710_001_759,
      'without birth times a document that was edited in a swap stays with its path, and goes where that goes (7.1, 7.19)',
    ],
    [710_000_260, 'what is saved in the place of an attachment that was renamed is that attachment (4)'],
    [710_001_225, 'a pass of sync that is stopped dies: what it was uploading is in doubt (2)'],
    [
      710_001_395,
      'what is in doubt may be held as it counted, though it is out of the folder when the process dies (7.27)',
    ],
    [710_000_633, 'a process that dies when a person resumes may be paused when it starts again (2)'],
    [
      731_001_230,
      'a link that has gone on with a copy in its place is gone with that, though its file stands for another (7.25)',
    ],
    [
      2_555_595_593,
      'of a link that was saved over, what is attached is by the list beside that, and ends with its deletion (4)',
    ],
    [
      1_001_002_080,
      'what was missing when a process looked last may be where nobody sees it, after the next start too (7.25)',
    ],
    [
      1_001_000_458,
      'what was saved in the place of a document is told by its number alone where it moves (7.1)',
    ],
    [1_001_002_632, 'so is what was renamed to the place of a document, when its directory is moved (7.1)'],
    [
      1_001_002_019,
      'what a person approved may go though its file is below an ignore file that is not valid (7.25, 7.35)',
    ],
    [
      1_001_002_674,
      'a document whose file is renamed to a name that another one is in NFC is kept (7.3, 7.25)',
    ],
    [
      1_001_005_619,
      'a narrower mode that was about to go out when the process died counts as held, whatever is stated by then (7.27)',
    ],
    [
      915_000_315,
      'of a directory that another folder shows again since a moment nothing is sent twice (7.30)',
    ],
    [
      2_000_014_530,
      'what a person had sent again, and the service refused, is tried once more with all that failed (2)',
    ],
    [3_200_000_180, 'a doubt that a person has ended stays so, though it is to be ended once more (2)'],
    [
      3_100_000_085,
      'without numbers of files, a record does not follow what cannot be read, and only looks like its file (7.1)',
    ],
    [915_000_218, 'where its change was not answered, a document stays with the file of its record (7.1)'],
    [915_000_222, 'a person keeps what is back for a moment only (2)'],
    [925_000_233, 'what an unreadable sidecar states is seen with the next rescan (7.27, 7.37)'],
    [
      945_000_449,
      'a document that has gone on with a copy is gone with that, though its own file is back (7.1)',
    ],
    [
      1_001_001_682,
      'an attachment that comes back from a hidden directory may be what the list names, under its old name (4)',
    ],
    [
      1_001_003_843,
      'below a root whose ignore file is not valid nobody says that a file is no attachment any more (4, 7.35)',
    ],
    [
      1_001_004_816,
      'where a look at all that has a say takes long, its own path is looked at last (7.29, 7.30)',
    ],
    [1_001_005_836, 'so it is without numbers of files (7.29, 7.30)'],
    [1_001_002_168, 'what a person dismissed is not sent, whatever has come to its place (2)'],
    [1_004_000_610, 'what is dismissed while its attachment is missing is not sent when that is back (2)'],
    [
      1_001_005_451,
      'what has a number that was used again, and a name that is not UTF-8, may be it (7.5, 7.25)',
    ],
    [
      1_003_000_648,
      'a record that has followed its file before a change went out does not go back with that (7.1)',
    ],
    [
      1_003_001_995,
      'a change without content may be of the copy that was all that was left of a document (7.1)',
    ],
    [
      1_003_001_498,
      'what stood in the place of a document may be its file, where only its number says whose it is (7.19)',
    ],
    [
      1_003_001_428,
      'it is not quiet where names have come below a new directory that no scan has followed (7.28, 7.30)',
    ],
    [
      1_003_002_277,
      'what was edited, and was held privately before its content could go, counts so wherever it stands after the next start, without birth times too (7.27)',
    ],
    [
      1_003_002_176,
      'what lists a file that lists nothing any more is looked at again, though no event told of that (4)',
    ],
    [
      1_003_002_376,
      'what was saved in the place of a document, and waited for a permit when the process died, is told by its number after the next start (7.1)',
    ],
    [
      1_006_001_779,
      'what a person has shared goes out as widely, or less so, wherever it has moved meanwhile (7.27)',
    ],
    [1_006_003_510, 'what moves into a directory that a pattern ignores is gone (7.25)'],
    [
      2_000_013_029,
      'a document goes where its file has gone, though what has come to its place cannot be read (7.1, 7.19)',
    ],
    [
      2_000_008_579,
      'without birth times too, what a mount covers has moved to where another folder shows it (7.1, 7.19)',
    ],
    [
      2_000_016_947,
      'what is saved where a document was, which has gone on with a copy for a while, is another one (7.1)',
    ],
    [
      2_000_018_492,
      'in a rotation a document stays with what has come to its place, and is gone with that (7.1, 7.25)',
    ],
    [
      2_000_010_236,
      'what is saved where a document came in a swap may be its own, after the next start too (7.1)',
    ],
    [77_033, 'a directory below one of attachments is never listed, and hides nothing (4, 7.25)'],
    [
      2_000_001_581,
      'what is mounted on a directory of attachments that came after the first scan may hide what is gone since (7.25)',
    ],
    [2_000_005_930, 'what a person approved may go though its file was back for no time at all (2, 7.30)'],
    [
      2_000_017_754,
      'a document goes with its file, though that was not sent before the process died, to where another one cannot be sent (7.1, 7.25)',
    ],
    [2_000_006_212, 'what comes to a name that a document had for a moment only is another one (7.1, 7.25)'],
    [1_006_002_255, 'of copies with one name either may be the file of either document (7.1)'],
    [1_007_002_949, 'what failed, and is looked at again with each poll, keeps no sync from ending (7.26)'],
    [
      1_005_000_373,
      'a deletion goes out at once when no directory has changed since its file was found nowhere, however long that took (7.25, 7.30)',
    ],
    [
      2_000_008_719,
      'what a valid sidecar no longer listed is no attachment, though that was never sent, and the sidecar is gone since (4)',
    ],
    [
      1_009_100_600,
      'a hard link is a document of its own, though a person has dismissed the doubt about its file (2, 7.27)',
    ],
    [
      1_009_100_355,
      'without birth times a number that was used again makes a document narrower, and what its file had been (7.19, 7.27)',
    ],
    [
      2_000_004_177,
      'without numbers of files, what was edited as it moved leaves its document where it was, for what comes there (7.1, 7.19)',
    ],
    [2_000_010_752, 'of copies with one name, what is saved over either may be of either document (7.1)'],
    [2_000_016_442, 'sidecars below an ignore file that is not valid are not in use (7.28, 7.35)'],
    [
      2_000_002_162,
      'the list of an owner that was not sent holds while its sidecar exists, whatever comes there (4)',
    ],
    [
      2_000_015_518,
      'what was an attachment is looked at again within half a minute when the list drops it (4)',
    ],
    [2_000_018_403, 'of modes that were stated for a moment only, any may have been seen (7.27)'],
    [
      1_007_000_605,
      'the list of an owner that was not sent holds for each name of its file that was not sent (4)',
    ],
    [
      2_000_000_595,
      'a mode that is held, and that another folder stated once more when its content was accepted, is stated there from then on (7.27)',
    ],
    [
      2_000_003_971,
      'of an upload that nobody was told of there is no record: what it attached is none when its file and its sidecar are gone (4)',
    ],
    [
      2_000_011_901,
      'what lists an attachment and could not be looked at before is seen with the next rescan (4, 7.37)',
    ],
    [
      2_000_015_240,
      'what was away while a valid sidecar of its document did not list it is no attachment any more (4)',
    ],
    [3_000_005_681, 'of copies with one name, either document is gone where one of them is (7.1, 7.25)'],
    [3_000_002_547, 'a link of another document’s file is none of what that was moved over (7.1, 7.25)'],
    [
      3_000_002_518,
      'a document that a person shares is the one of the path that is named, though it has moved since (7.27)',
    ],
    [
      3_000_003_107,
      'without numbers of files, nobody can tell what a file was that was renamed and edited (7.19, 7.27)',
    ],
    [
      3_000_009_060,
      'what is stated for a file that cannot be looked at is seen with the next rescan (7.27, 7.37)',
    ],
    [
      3_000_000_374,
      'without numbers of files, a record has no content whose answer has not come (7.1, 7.19)',
    ],
    [
      3_000_000_067,
      'a document in whose place another one stands, and its own file as the twin of that, is kept (7.3, 7.4)',
    ],
    [
      2_000_013_244,
      'what a change may have been sent with that was not answered stays an attachment, though its document has moved (4)',
    ],
    [
      3_000_004_607,
      'the place of an attachment goes along with the directory of its document, and ends with what comes there (4, 7.25)',
    ],
    [
      3_000_005_057,
      'what stood in the place of a document may be its file, though it had been another one’s that was saved anew (7.1)',
    ],
    [
      3_000_010_278,
      'what a document was sent with stands in its record, after a start too, whoever else lists it (4)',
    ],
    [3_000_000_376, 'whether what attaches files itself is an attachment is open, when it has moved too (4)'],
    [3_000_004_600, 'what may be a file beside attachments cannot be told where its path is too long (4)'],
    [
      3_400_840_767,
      'a document may have gone on with a copy that is another name of the file of another one (7.1)',
    ],
    [
      5_000_000_490,
      'the list of an owner that was not sent holds where another document stands by it, though that one was sent elsewhere (4)',
    ],
    [5_000_001_028, 'a sidecar beside a place that a document has left is none of its own (4)'],
    [5_000_001_852, 'what lay in a directory whose ignore file cannot be read is not gone (4)'],
    [
      4_100_000_073,
      'a document that was an attachment counts as that, under another name too, until it is sent (7.27)',
    ],
    [4_100_000_261, 'a sidecar below an ignore file that is not valid ends nothing (4, 7.35)'],
    [4_000_000_005, 'what a document was last sent with without a sidecar has the name that it had then (4)'],
    [5_000_002_366, 'a document whose file another one lists is shared less widely all the same (7.27)'],
    [575_552_707, 'a document in whose place an attachment came is shared less widely all the same (7.27)'],
    [6_000_000_236, 'a link that a mount hides is not listed (7.5)'],
    [7_000_000_001, 'what a mount hides is nothing’s twin (7.3)'],
    [5_000_000_058, 'a mount that goes while its directory cannot be read may hide what is gone (7.25)'],
    [
      6_100_000_354,
      'a document goes on with its file that is attached, whatever is sent under a former name meanwhile (7.25)',
    ],
    [
      6_100_000_124,
      'what was about to be uploaded when the process died is in doubt, though it had just left (5)',
    ],
    [6_100_001_291, 'without birth times a file that has the number of one in doubt may be that (7.19)'],
    [6_100_001_269, 'credentials that were refused are told until they are accepted (7.20)'],
    [
      6_100_000_531,
      'a document is gone where the file of another one was renamed to its place, whatever was saved there since (7.1, 7.25)',
    ],
    [
      1_075_527_339,
      'a link that was written anew is gone when that has moved out, though its first file has another name (7.25)',
    ],
    [
      6_000_003_725,
      'what stands in a hidden directory does not end an attachment whose owner waits for an approval (4, 7.25)',
    ],
    [8_100_000_071, 'two documents that changed places wait while one of them cannot be looked at (7.1)'],
    [
      7_320_000_767,
      'a document waits where a new file beside it has grown a moment ago, though no event tells it (7.28, 7.30)',
    ],
    [
      7_300_002_075,
      'a directory of attachments that cannot be read keeps its document back, whatever is ignored in it (4, 7.37)',
    ],
    [
      8_100_000_035,
      'a document does not go where a file stands that may be of another one, of which nobody was told (7.25, 7.32)',
    ],
    [8_200_010_187, 'sidecars that a mount hides are not in use in its folder (7.28)'],
    [7_310_000_328, 'a file that stood at another path for a moment is still of its own record (7.1)'],
    [7_310_000_698, 'a document goes on with another name of its file while its own cannot be read (7.1)'],
    [
      8_000_001_266,
      'what is in doubt without a docId may be saved in the place of another document (7.1, 7.32)',
    ],
    [
      8_000_002_380,
      'what a document was sent with stands in its record, whose directory was moved meanwhile (4, 7.25)',
    ],
    [
      8_000_000_841,
      'a record that has followed an attachment means what is saved there, too, whatever stands under the old name (4)',
    ],
    [7_000_010_442, 'a file may stand on where it cannot be looked at, in another folder (7.25)'],
    [7_000_011_182, 'a file may stand on where it cannot be looked at, without birth times (7.19, 7.25)'],
    [
      8_600_000_433,
      'what has been attached to a document that could not be looked at goes out no wider than that (7.27)',
    ],
    [8_000_001_858, 'a document waits while what it was given as an attachment is empty (4, 7.8)'],
    [
      9_200_002_594,
      'a document is of its own file that is back in its place, which went out as another one meanwhile (7.25)',
    ],
    [
      9_100_002_914,
      'without numbers what looks like an attachment that moved waits, whatever the service takes (4, 7.19)',
    ],
    [
      9_200_002_749,
      'a new document waits where a directory came below the one above it, though no event tells it (7.28, 7.30)',
    ],
    [9_200_000_166, 'what lies below an ignore file that is not valid is told of with it (7.20, 7.35)'],
    [
      3_491_773_832,
      'what is saved in a directory keeps its document where that leaves a folder that is not configured any more (7.25)',
    ],
    [
      9_000_006_170,
      'a directory of a network share is listed again where only its server knows of a change (7.25)',
    ],
    [9_200_000_192, 'without numbers a document is kept whose file took the place of one that fails (7.19)'],
    [9_000_001_787, 'nothing is deleted while another root than the listed one stands in any folder (7.25)'],
    [9_000_001_899, 'a deletion is held no longer when an ignored file comes to its place (7.1, 7.25)'],
    [
      9_000_006_696,
      'sidecars are in use where one has just come that no listing has shown, as in a polled folder (7.28, 7.30)',
    ],
    [
      9_000_006_416,
      'a record may be as before what was answered just before a loss of power: its file is that of another (7.1, 7.25)',
    ],
    [9_100_002_105, 'what another list names is that one’s when another file has taken its place (4)'],
    [
      9_100_001_511,
      'a new document waits where a file grew in a directory below the new one, though no event tells it (7.28, 7.30)',
    ],
    [
      9_200_002_986,
      'where a look takes milliseconds a change is honoured when it was complete before the looks began (7.30)',
    ],
    [
      9_000_005_294,
      'sidecars are in use where one came to another directory, when a listing has shown it (7.28)',
    ],
    [
      9_100_005_089,
      'documents change places though a hard link of one stands on under a name that is ignored (7.1)',
    ],
    [
      9_100_004_225,
      'a file beside a symbolic link whose name is the same in NFC is failed as its twin (7.3)',
    ],
    [
      9_100_003_832,
      'a record keeps the place of its mode while another name of its file is held as narrowly (7.27)',
    ],
    [9_100_005_461, 'a record stays where it is while nobody can look at what stands there (7.25, 7.37)'],
    [9_000_004_916, 'what a sidecar says that moved into a hidden directory ends no attachment (4, 7.25)'],
    [
      9_100_003_862,
      'a document that moves to the place of another one keeps its docId, though its file has the number of that one’s (7.1, 7.19)',
    ],
    [
      9_100_003_440,
      'of a bulk call with one document, which is one piece, the last byte is not asked about (7.30)',
    ],
    [9_200_003_303, 'what a mount covers is not opened at the end of a run'],
    [9_200_000_847, 'what lies below an ignore file whose path is too long is told of with it (7.20)'],
    [8_200_020_827, 'of a bulk call no more go out than can be asked about at once (7.30)'],
    [
      9_100_004_618,
      'a document whose attachments lie below an ignore file that is not valid waits for that (7.18, 7.35)',
    ],
    [8_600_000_074, 'an upload whose token was refused is not in doubt while it waits to be repeated (1, 5)'],
    [
      8_200_020_089,
      'of two names of a file that was moved over a document either may be that one’s (7.1, 7.27)',
    ],
    [
      9_610_000_259,
      'a document that came to the place of an attachment waits, and is counted as that, not as narrower (4, 7.27)',
    ],
    [
      9_630_000_642,
      'what its document no longer lists goes out when the record says so, though that is being sent (4)',
    ],
    [9_100_000_788, 'a document that became an attachment in another one’s place, and was renamed'],
    [
      9_000_005_756,
      'a directory is moved as a whole, though each file of it has another name by then (7.25, 4)',
    ],
    [
      3_000_003_572,
      'without numbers nobody can tell what was attached, and left its place before it was sent, from what looks so (4, 7.19)',
    ],
    [2_000_019_471, 'without numbers an owner is none of its own attachments, wherever it goes (4, 7.19)'],
    [
      1_293_565_980,
      'a document that is kept, as its file may stand elsewhere, is not lost with each poll (7.19, 7.25)',
    ],
    [9_800_000_044, 'what is held as another name of a private file gets a narrower mode, as always (7.27)'],
    [9_850_000_492, 'what lies in a directory of attachments without its document attaches nothing (4, 7.9)'],
    [
      9_800_002_295,
      'what was answered just before a loss of power may have a record, whose mode counts (7.27)',
    ],
    [
      9_850_002_372,
      'a record that has followed a renamed attachment may mean what came to that place since (4)',
    ],
    [
      9_900_003_469,
      'a document that is kept as an attachment of another one is not counted as narrower (4, 7.27)',
    ],
    [9_900_003_662, 'what was lost may lie where nothing was mounted for a time that nobody saw (7.25)'],
    [
      9_900_004_810,
      'of two names that are one in NFC either may stand, with the document of that name (7.3)',
    ],
    [
      9_200_006_320,
      'without numbers an upload in doubt follows one of two files that look alike, also after a restart (7.32)',
    ],
  ] as const satisfies readonly (readonly [number, string])[])
    itRuns(`finds nothing wrong with what is rare: ${what}`, rarePlan(seed), (said) => {
      expect(said).not.toContain('{"seed"');
    });

  for (const [seed, what] of [
    [3_100_079, 'what was sent as a document since is no attachment of another one, wherever it moves (4)'],
    [3_100_075, 'what two documents were sent with is an attachment of one while the other is deleted (4)'],
  ] as const)
    itRuns(
      `finds nothing wrong where all is rare: ${what}`,
      rarePlan(seed, () => true),
      (said) => {
        expect(said).not.toContain('{"seed"');
      },
    );

  for (const [seed, what] of [
    [260_005_346, 'what is saved where a document was renamed a while ago is another one (7.1)'],
    [
      260_004_892,
      'what is saved where a document was, which was moved over another one, is another one (7.1)',
    ],
    [260_004_071, 'what is saved where a document was, which is gone by now, does not keep that (7.1, 7.25)'],
    [260_002_207, 'of two copies with one name, each goes out as it is stated (7.27)'],
    [260_000_592, 'a document goes on with a copy where its file has gone into a hidden directory (7.25)'],
    [260_003_953, 'a copy that was written over is none any more (7.1, 7.19)'],
    [360_004_603, 'a copy is none of a document whose file stands where it is not sent (7.1, 7.25)'],
    [400_001_836, 'of two copies with one name, either may be the one that gets an attachment (7.1)'],
    [
      400_001_741,
      'what looks like the file of a document, and has the content of another one, is that one (7.19, 7.25)',
    ],
    [
      400_001_698,
      'a document that is renamed over another one keeps its docId, though a new file has the number of that (7.1, 7.19)',
    ],
    [
      570_001_493,
      'what was saved in the place of a document that was renamed may have the list beside it (4)',
    ],
  ] as const)
    itRuns(`finds nothing, not even what is known: ${what}`, randomPlan(seed), (said) => {
      expect(said).not.toContain('{"seed"');
      // What is known ends a run before.
      expect(said).toContain('— another start');
    });

  // Each change of the code brings a fresh seed, and the same code the same one.
  it.each([
    ['a fixed seed', 200, 1],
    ['the seed of this source', 100, seedOfSource()],
  ])('finds nothing but what is known, from %s', async (_, runs, seed) => {
    const said = await simulate('--runs', String(runs), '--seed', String(seed), '--plain');
    expect(said).toContain(`${runs} runs`);
    // What is wrong is named, with its seed, by what it said before.
    expect(said).toContain('; 0 failed');
  });

  itRuns('does the same from the same seed, alone and after others', randomPlan(7), async (said) => {
    const steps = (text: string) => text.split('\n').filter((line) => !line.startsWith('{"done"'));
    expect(steps(said).length).toBeGreaterThan(5);
    expect(steps(await logOf('--first', '7'))).toEqual(steps(said));
  });
});
