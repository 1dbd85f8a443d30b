import { setTimeout as delay } from 'node:timers/promises';

import type { LaunchedDaemon } from '../support/processes/daemon-process.ts';
import { createFolderWork } from './folder/folder-work.ts';
import type { FolderWork } from './folder/folder-work.ts';
import type { Moment } from './service/faulty-way.ts';
import type { Regime } from './regimes.ts';
import type { SeededRandom } from './seeded-random.ts';
import { soakPlace } from './soak-place.ts';
import type { SoakPlace } from './soak-place.ts';

/** What so many crashes left behind. */
export interface CrashFigures {
  readonly regime: string;
  readonly kills: number;
  readonly documents: number;
  /** Anything else throws. */
  readonly lost: 0;
  readonly duplicates: number;
  readonly reported: number;
  readonly busiestMinute: number;
  readonly limit: number;
  /** From the last start until everything agreed. */
  readonly seconds: number;
}

interface Options {
  readonly kills: number;
  readonly random: SeededRandom;
  readonly say: (line: string) => void;
}

const moments: readonly Moment[] = ['head', 'body', 'taken', 'answered'];
const longestLifeMs = 2_500;

/**
 * Kills the daemon again and again in the middle of work, lets it start once more, and compares. Throws when they
 * differ.
 */
export async function crashes(regime: Regime, { kills, random, say }: Options): Promise<CrashFigures> {
  const place = await soakPlace({ random, regime });
  try {
    const work = createFolderWork({
      home: place.program.home.path,
      folders: regime.folders.map(({ name }) => name),
      random,
      documents: 80,
      size: () => (random.chance(0.03) ? 2_000_000 : random.below(3_000)),
    });
    await killOften(place, work, { kills, random, say });
    work.finish();
    const daemon = await place.program.start();
    // What a bulk deletion without an answer leaves is asked for one by one: at 60 a minute that takes minutes.
    const agreed = await place.agree(daemon, regime.service.requestsPerMinute < 1_000 ? 400_000 : 45_000);
    const { code, err } = await daemon.end('SIGTERM');
    if (code !== 0) throw new Error(`SIGTERM ended with ${code}: ${err.slice(-2_000)}`);
    await verifyLedger(place);
    const leftovers = await place.leftovers();
    if (leftovers.length > 0) throw new Error(`left in the state directory: ${leftovers.join(', ')}`);
    const busiestMinute = place.busiestMinute();
    const limit = regime.service.requestsPerMinute;
    if (busiestMinute > limit)
      throw new Error(`${busiestMinute} requests within 60 s, the limit is ${limit}`);
    if (place.way.overLimit() > 0)
      throw new Error(`the service refused ${place.way.overLimit()} requests with 429`);
    say(`  ${[...work.done].map(([what, count]) => `${what} ${count}`).join(', ')}`);
    const { documents, duplicates, reported, tookMs } = agreed;
    return {
      regime: regime.name,
      kills,
      documents,
      lost: 0,
      duplicates,
      reported,
      busiestMinute,
      limit,
      seconds: Math.round(tookMs / 1_000),
    };
  } finally {
    await place.remove();
  }
}

async function killOften(place: SoakPlace, work: FolderWork, { kills, random, say }: Options): Promise<void> {
  const over = new AbortController();
  const worker = (async () => {
    while (!over.signal.aborted) {
      work.step();
      await delay(5 + random.below(40));
    }
  })();
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const daemon = place.program.launch();
      const early = await Promise.race([someMoment(place, daemon, random), daemon.finished]);
      if (early !== undefined)
        throw new Error(`it ended by itself with ${early.code}: ${early.err.slice(-3_000)}`);
      daemon.signal('SIGKILL');
      const { err } = await daemon.finished;
      judgeLog(err);
      if (random.chance(0.05)) await verifyLedger(place);
      if ((kill + 1) % 20 === 0) say(`  ${kill + 1} kills, ${place.way.arrivals.length} requests`);
    }
  } finally {
    over.abort();
    await worker;
  }
}

/** While it starts, some time after, or at some moment of some request: where what is in flight is most at risk. */
async function someMoment({ way }: SoakPlace, daemon: LaunchedDaemon, random: SeededRandom): Promise<void> {
  if (random.chance(0.2)) return delay(random.below(1_500));
  const afterMs = random.below(longestLifeMs);
  const wanted = random.pick(moments);
  let left = random.chance(0.6) ? 1 + random.below(15) : Infinity;
  const moment = new Promise<void>((resolve) => {
    way.onMoment = (one) => {
      if (one === wanted && (left -= 1) <= 0) resolve();
    };
  });
  await daemon.answers();
  await Promise.race([moment, delay(left === Infinity ? afterMs : 3 * longestLifeMs)]);
  way.onMoment = () => undefined;
}

/** Lines that tell of a mistake of the daemon's own. */
export function judgeLog(log: string): void {
  const bad = log.split('\n').filter((line) => /went wrong|"level":"(?:error|fatal)"|unhandled/i.test(line));
  if (bad.length > 0) throw new Error(`the log tells of mistakes:\n${bad.slice(0, 5).join('\n')}`);
}

async function verifyLedger({ program }: SoakPlace): Promise<void> {
  const { code, out, err } = await program.run('ledger', 'verify');
  if (code !== 0) throw new Error(`ledger verify ended with ${code}: ${out}${err}`);
}
