import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { LedgerExport } from '../../src/ledger/transfer/import-json.ts';
import { nobody } from '../support/processes/as-user.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { Installation, RunningDaemon } from '../support/processes/daemon-process.ts';
import { judgeLog } from './crashes.ts';
import { documentsOnDisk } from './folder/documents-on-disk.ts';
import type { SeededRandom } from './seeded-random.ts';

interface Options {
  readonly kills: number;
  readonly random: SeededRandom;
  readonly say: (line: string) => void;
}

/** The daemon runs as a user who owns nothing but the state directory. */
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
const directories = ['a', 'b', 'c', 'c/d', 'm'] as const;
const longestLifeMs = 2_500;

/**
 * Kills a daemon that may not read everything, while directories are shut, opened and renamed, and a mount comes and
 * goes. No file is ever removed: no deletion may go out, and each file is one document at the end. Needs root, and a
 * mount namespace of its own.
 */
export async function barredCrashes({ kills, random, say }: Options): Promise<void> {
  const place = await installationWithService({
    through: asNobody,
    copiesProgram: true,
    more: {
      safety: { maxDeleteCount: 100_000 },
      timing: { settleMs: 100, removeGraceMs: 300, pollSeconds: 1 },
    },
  });
  const { service } = place;
  const disk = barredDisk(place, random);
  const deletions = () => service.requests.filter(({ url }) => url.includes('delete'));
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const daemon = place.launch();
      const end = performance.now() + 300 + random.below(longestLifeMs);
      while (performance.now() < end) {
        disk.step();
        await delay(20 + random.below(150));
      }
      daemon.signal('SIGKILL');
      judgeLog((await daemon.finished).err);
      if (random.chance(0.5)) disk.step();
      if (deletions().length > 0)
        throw new Error(`a deletion went out, and nothing was removed: ${disk.last()}`);
      if ((kill + 1) % 10 === 0) say(`  ${kill + 1} kills, ${service.requests.length} requests`);
    }
    disk.restore();
    const daemon = await place.start();
    const documents = await agree(place, daemon, disk.contents);
    if (deletions().length > 0)
      throw new Error(`a deletion went out, and nothing was removed: ${disk.last()}`);
    await daemon.end('SIGTERM');
    say(`  ${documents} documents agree, no deletion, ${service.requests.length} requests`);
  } finally {
    disk.unmount();
    await place.remove();
  }
}

/** Waits until each file is one document. */
async function agree(place: Installation, daemon: RunningDaemon, contents: () => number): Promise<number> {
  const until = performance.now() + 60_000;
  for (;;) {
    await place.run('rescan');
    await daemon.idle();
    const { out } = await place.run('ledger', 'export', '--json');
    const { documents } = JSON.parse(out) as LedgerExport;
    const onDisk = documentsOnDisk(place.inbox).map(({ path }) => path);
    const known = documents.map(({ path }) => path);
    const status = await daemon.status();
    const isWhole =
      JSON.stringify(onDisk.toSorted()) === JSON.stringify(known.toSorted()) &&
      new Set(documents.map(({ docId }) => docId)).size === contents();
    if (isWhole && status.held.length === 0) return known.length;
    if (performance.now() > until)
      throw new Error(
        `they do not agree: ${JSON.stringify({ onDisk, known, held: status.held, failures: status.failures })}`,
      );
    await delay(500);
  }
}

interface BarredDisk {
  readonly step: () => void;
  readonly last: () => string;
  /** Everything can be read again, and what is mounted is there. */
  readonly restore: () => void;
  readonly unmount: () => void;
  /** Files that were made. */
  readonly contents: () => number;
}

function barredDisk({ home, inbox }: Installation, random: SeededRandom): BarredDisk {
  const disk = home.join('disk');
  const at = (path: string) => `${inbox}/${path}`;
  /** Where each of the directories is now. */
  const places = new Map<string, string>(directories.map((name) => [name, name]));
  let isMounted = false;
  let made = 0;
  let renamed = 0;
  let last = '';

  const place = (name: string): string => {
    const above = name === 'c/d' ? `${places.get('c') ?? 'c'}/` : '';
    return `${above}${name === 'c/d' ? (places.get(name) ?? '').slice(2) : (places.get(name) ?? '')}`;
  };

  function mount(wanted: boolean): void {
    if (wanted === isMounted) return;
    if (wanted) execFileSync('mount', ['--bind', disk, at('m')]);
    else execFileSync('umount', ['--lazy', at('m')]);
    isMounted = wanted;
  }

  function create(name: string): void {
    if (name === 'm' && !isMounted) return;
    made += 1;
    writeFileSync(at(`${place(name)}/${made}.txt`), `content ${made}`);
  }

  function rename(name: string): void {
    if (name === 'm') return;
    renamed += 1;
    const from = place(name);
    places.set(name, name === 'c/d' ? `c/n${renamed}` : `n${renamed}`);
    renameSync(at(from), at(place(name)));
  }

  mkdirSync(home.join('state'), { recursive: true });
  mkdirSync(disk);
  for (const name of directories) mkdirSync(at(name), { recursive: true });
  execFileSync('chown', ['-R', `${nobody}:${nobody}`, home.path]);
  execFileSync('chown', ['-R', '0:0', inbox, disk]);
  mount(true);
  for (const name of directories) for (let count = 0; count < 3; count += 1) create(name);

  return {
    step: () => {
      const name = random.pick(directories);
      const acts = [
        ['shut', () => chmodSync(at(place(name)), 0)],
        ['shut', () => chmodSync(at(place(name)), 0)],
        ['open', () => chmodSync(at(place(name)), 0o755)],
        ['rename', () => rename(name)],
        ['mount', () => mount(true)],
        ['unmount', () => mount(false)],
        ['create', () => made < 60 && create(name)],
      ] as const;
      const [what, act] = random.pick(acts);
      last = `${what} ${name}`;
      act();
    },
    last: () => last,
    restore: () => {
      mount(true);
      for (const name of directories) chmodSync(at(place(name)), 0o755);
    },
    unmount: () => {
      if (existsSync(at('m'))) mount(false);
    },
    contents: () => made,
  };
}
