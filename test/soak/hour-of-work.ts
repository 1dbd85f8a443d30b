import { readdirSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

import type { RunningDaemon } from '../support/processes/daemon-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { judgeLog } from './crashes.ts';
import { faults } from './service/faulty-way.ts';
import { createFolderWork } from './folder/folder-work.ts';
import type { FolderWork } from './folder/folder-work.ts';
import { takeCensus } from './process/process-census.ts';
import type { Census } from './process/process-census.ts';
import { regimes } from './regimes.ts';
import type { SeededRandom } from './seeded-random.ts';
import { soakPlace } from './soak-place.ts';
import type { Agreed, SoakPlace } from './soak-place.ts';

/** One line of the table. */
export interface Figure {
  readonly what: string;
  readonly value: string;
  readonly allowed: string;
  readonly ok: boolean;
}

interface Options {
  readonly minutes: number;
  readonly random: SeededRandom;
  readonly say: (line: string) => void;
}

const troubleMs = 8_000;
/** Memory and handles of the last third against the first: what is allowed on top of noise. */
const allowedGrowth = [
  ['heap', { share: 0.1, more: 3 }],
  ['rss', { share: 0.15, more: 25 }],
  ['descriptors', { share: 0, more: 6 }],
  ['handles', { share: 0, more: 6 }],
  ['sockets', { share: 0, more: 6 }],
] as const;

/** Work, faults and signals for so many minutes. Throws when something is lost; gives the table. */
export async function hourOfWork({ minutes, random, say }: Options): Promise<readonly Figure[]> {
  const [regime] = regimes;
  if (regime === undefined) throw new Error('no settings');
  const scratch = await temporaryFolder();
  const measured = scratch.join('measured.json');
  const place = await soakPlace({
    random,
    regime,
    nodeOptions: ['--expose-gc', '--import', fileURLToPath(new URL('process/measure.mjs', import.meta.url))],
    environment: { SOAK_MEASURE: measured },
  });
  const end = performance.now() + minutes * 60_000;
  try {
    const work = createFolderWork({
      home: place.program.home.path,
      folders: place.roots.map(({ name }) => name),
      random,
      documents: 120,
      size: () => someSize(random),
      sparseBytes: 150 * 1024 * 1024,
    });
    for (let count = 0; count < 150; count += 1) work.step();
    const daemon = await place.program.start();
    const censuses: Census[] = [];
    let agreed = await settle({ place, work, daemon });
    while (performance.now() < end) {
      await cycle({ place, work, daemon, random });
      agreed = await settle({ place, work, daemon });
      const census = await takeCensus(daemon.pid, measured);
      censuses.push(census);
      say(`  ${describe(census, agreed)}`);
    }
    const directories = place.roots.reduce((total, { name }) => total + directoriesIn(place, name), 0);
    const stopped = await stop(daemon);
    for (let count = 0; count < 100; count += 1) work.step();
    const last = await place.program.start();
    agreed = await settle({ place, work, daemon: last });
    await stop(last);
    const made = [...place.way.made.values()].reduce((total, count) => total + count, 0);
    say(`  ${[...place.way.made].map(([fault, count]) => `${fault} ${count}`).join(', ')}`);
    return [
      figure('documents', agreed.documents, 'all agree', true),
      figure('requests', place.way.arrivals.length, '', true),
      figure('faults', made, '', true),
      figure('duplicates at the service', agreed.duplicates, `${agreed.reported} reported`, true),
      ...allowedGrowth.flatMap(([what, allowed]) => growth(what, censuses, allowed)),
      figure(
        'watches at the end',
        censuses.at(-1)?.watches ?? 0,
        `${directories} directories`,
        (censuses.at(-1)?.watches ?? 0) <= directories * 2 + 4,
      ),
      figure('SIGTERM to the end, s', stopped / 1_000, '10', stopped < 10_000),
      figure(
        'files left in the state directory',
        (await place.leftovers()).length,
        '0',
        (await place.leftovers()).length === 0,
      ),
    ];
  } finally {
    await place.remove();
    await scratch.remove();
  }
}

function directoriesIn({ program }: SoakPlace, folder: string): number {
  const entries = readdirSync(program.home.join(folder), { recursive: true, withFileTypes: true });
  return 1 + entries.filter((entry) => entry.isDirectory()).length;
}

interface Scene {
  readonly place: SoakPlace;
  readonly work: FolderWork;
  readonly random: SeededRandom;
}

/** Some seconds of work in which things go wrong. */
async function cycle({
  place,
  work,
  daemon,
  random,
}: Scene & { readonly daemon: RunningDaemon }): Promise<void> {
  const until = performance.now() + troubleMs;
  place.way.trouble(random.pick([0, 0.1, 0.3, 1]), random.chance(0.3) ? [random.pick(faults)] : faults);
  while (performance.now() < until) {
    work.step();
    if (random.chance(0.01)) daemon.signal('SIGHUP');
    if (random.chance(0.01)) await awayAndBack(place, work, random);
    if (random.chance(0.01)) {
      await place.service.kill();
      await delay(random.below(1_500));
      await place.service.startAgain();
    }
    await delay(10 + random.below(60));
  }
}

/** A folder is renamed away, as an unmounted disk would be, and comes back; work goes on in the other. */
async function awayAndBack(
  { program, roots }: SoakPlace,
  work: FolderWork,
  random: SeededRandom,
): Promise<void> {
  const root = program.home.join(random.pick(roots).name);
  renameSync(root, `${root}-away`);
  const steps = random.below(30);
  for (let count = 0; count < steps; count += 1) {
    work.step();
    await delay(random.below(100));
  }
  renameSync(`${root}-away`, root);
}

/** Everything is fixed outside; SIGHUP says so. Then all have to agree. */
async function settle({
  place,
  work,
  daemon,
}: Omit<Scene, 'random'> & { readonly daemon: RunningDaemon }): Promise<Agreed> {
  place.way.trouble(0);
  work.finish();
  daemon.signal('SIGHUP');
  const agreed = await place.agree(daemon, 90_000);
  judgeLog(daemon.log());
  return agreed;
}

async function stop(daemon: RunningDaemon): Promise<number> {
  const began = performance.now();
  const { code, err } = await daemon.end('SIGTERM');
  if (code !== 0) throw new Error(`SIGTERM ended with ${code}: ${err.slice(-2_000)}`);
  judgeLog(err);
  return performance.now() - began;
}

/** Mostly small, some of tens of megabytes, some empty. */
function someSize(random: SeededRandom): number {
  if (random.chance(0.02)) return 0;
  if (random.chance(0.02)) return 1_000_000 + random.below(30_000_000);
  return random.chance(0.2) ? random.below(300_000) : random.below(4_000);
}

function figure(what: string, value: number, allowed: string, ok: boolean): Figure {
  return { what, value: String(Math.round(value * 10) / 10), allowed, ok };
}

/** Compares the middle of the last third with the middle of the first. */
function growth(
  what: keyof Census,
  censuses: readonly Census[],
  { share, more }: { readonly share: number; readonly more: number },
): readonly Figure[] {
  const values = censuses.map((census) => census[what]);
  const third = Math.floor(values.length / 3);
  if (third === 0) return [];
  const first = median(values.slice(0, third));
  const last = median(values.slice(-third));
  const most = first * (1 + share) + more;
  return [
    figure(
      `${what}: first third → last`,
      last,
      `${Math.round(first * 10) / 10} → at most ${Math.round(most * 10) / 10}`,
      last <= most,
    ),
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function describe(
  { heap, rss, descriptors, sockets, watches, handles }: Census,
  { documents, duplicates, reported, tookMs }: Agreed,
): string {
  const held = `heap ${heap.toFixed(1)} MB, resident ${rss.toFixed(0)} MB, ${descriptors} descriptors, ${sockets} sockets, ${watches} watches, ${handles} handles`;
  return `${documents} documents agree after ${(tookMs / 1_000).toFixed(1)} s, ${duplicates} duplicates of ${reported} reported; ${held}`;
}
