import { statSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { refKey } from '../../src/model/document.ts';
import { mayHelpToShare } from '../../src/model/report/explanations.ts';
import type { Status } from '../../src/model/report/status.ts';
import type { LedgerExport } from '../../src/ledger/transfer/export-ledger.ts';
import { installation } from '../support/processes/daemon-process.ts';
import type { Installation, RunningDaemon } from '../support/processes/daemon-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { compareAll } from './agreement.ts';
import type { WatchedRoot } from './agreement.ts';
import { startFaultyWay } from './service/faulty-way.ts';
import type { FaultyWay } from './service/faulty-way.ts';
import type { Regime } from './regimes.ts';
import type { SeededRandom } from './seeded-random.ts';
import { startSeparateService } from './service/separate-service.ts';
import type { SeparateService } from './service/separate-service.ts';

/** An installation of the real program with two folders, the way to the service, and the service. */
export interface SoakPlace {
  readonly program: Installation;
  readonly way: FaultyWay;
  readonly service: SeparateService;
  readonly roots: readonly WatchedRoot[];
  /** Waits until folders, ledger and service agree; throws with the differences when they do not in time. */
  readonly agree: (daemon: RunningDaemon, withinMs?: number) => Promise<Agreed>;
  /** Names in the state directory that have no business there once the daemon has stopped. */
  readonly leftovers: () => Promise<readonly string[]>;
  /** Most requests that arrived within any 60 s. */
  readonly busiestMinute: () => number;
  readonly remove: () => Promise<void>;
}

/** What an agreement was. */
export interface Agreed {
  readonly documents: number;
  /** Documents at the service beyond those of the ledger. */
  readonly duplicates: number;
  /** Possible duplicates that were reported, at any time. */
  readonly reported: number;
  readonly tookMs: number;
}

interface Options {
  readonly random: SeededRandom;
  readonly regime: Regime;
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const stateFiles =
  /^(?:configuration|ledger\.json|ledger\.previous\.json|ledger\.used|history|ledger\.journal\.\d+)$/;

/** Sets it all up; nothing runs yet but the service. */
export async function soakPlace({
  random,
  regime,
  nodeOptions = [],
  environment = {},
}: Options): Promise<SoakPlace> {
  const data = await temporaryFolder();
  const limit = regime.service.requestsPerMinute;
  const service = await startSeparateService(data.join('service'), limit);
  const way = await startFaultyWay({ random, port: service.port });
  const folders = regime.folders.map((folder) => ({ ...folder, path: `./${folder.name}` }));
  const program = await installation({
    authUrl: way.url,
    ingestUrl: way.url,
    credentials: service.credentials,
    nodeOptions,
    environment,
    more: {
      service: { ...regime.service, responseSeconds: 6 },
      folders,
      timing: { settleMs: 100, removeGraceMs: 300, pollSeconds: 1, stopSeconds: 8 },
      safety: regime.safety,
    },
  });
  const roots = folders.map(({ name, title = 'fileStem', onRemove = 'delete' }): WatchedRoot => ({
    name,
    title,
    onRemove,
  }));
  for (const { name } of roots) await mkdir(program.home.join(name), { recursive: true });

  async function agree(daemon: RunningDaemon, withinMs = 60_000): Promise<Agreed> {
    const began = performance.now();
    for (;;) {
      const status = await calm(daemon, began + withinMs);
      const exported = await program.run('ledger', 'export', '--json');
      const ledger = JSON.parse(exported.out) as LedgerExport;
      const held = await service.documents();
      const { differences, strangers, documents } = compareAll({
        home: program.home.path,
        roots,
        ledger,
        service: held,
        barred: new Set(status.narrower.filter(({ code }) => !mayHelpToShare(code)).map(refKey)),
        remaining: new Set(status.waiting.filter(({ code }) => code === 'attached-before').map(refKey)),
      });
      const reported = status.possibleDuplicates;
      if (strangers > reported)
        throw new Error(
          `${strangers} documents at the service are unknown to the ledger, ${reported} reported`,
        );
      const tookMs = performance.now() - began;
      if (differences.length === 0 && status.failuresTotal === 0)
        return { documents, duplicates: strangers, reported, tookMs };
      if (tookMs > withinMs) throw new Error(await disagreement(differences, status, daemon));
      await delay(500);
    }
  }

  /** Waits until nothing moves; does what a person would be asked to do. */
  async function calm(daemon: RunningDaemon, until: number): Promise<Status> {
    let isShared = false;
    for (;;) {
      const status = await daemon.status();
      const isLate = performance.now() > until;
      // What fails may be another name of the file: it goes when the doubt is decided where that stands.
      const doubts = isLate ? [] : status.inDoubt.filter(({ holds }) => holds);
      if (
        status.state === 'idle' &&
        doubts.length > 0 &&
        status.failures.some(({ code }) => code === 'in-doubt')
      ) {
        for (const doubt of doubts) await program.run('retry', refKey(doubt));
      } else if (status.state === 'idle' && status.held.length > 0) await program.run('approve', '--yes');
      else if (status.state === 'idle' && !isShared && status.folders.some(({ narrower }) => narrower > 0)) {
        isShared = true;
        await program.run('share', ...roots.map(({ name }) => name), '--as', 'stated', '--yes');
      } else if (status.state === 'idle' || isLate) return status;
      await delay(100);
    }
  }

  async function disagreement(
    differences: readonly string[],
    status: Status,
    daemon: RunningDaemon,
  ): Promise<string> {
    const { state, reasons, queue, failures, skipped } = status;
    const keys = differences.slice(0, 3).map((words) => /^[^:]*/.exec(words)?.[0] ?? '');
    const name = keys[0]?.slice(keys[0].lastIndexOf('/') + 1) ?? '';
    const why: string[] = [];
    for (const key of keys) why.push((await program.run('why', program.home.join(key))).out);
    return [
      'folders, ledger and service do not agree:',
      ...differences.slice(0, 20),
      JSON.stringify({
        state,
        reasons,
        queue,
        failures: failures.slice(0, 10),
        skipped: skipped.slice(0, 10),
      }),
      ...why,
      ...linesOf(daemon.log(), name),
    ].join('\n');
  }

  return {
    program,
    way,
    service,
    roots,
    agree,
    leftovers: async () => {
      const names = await readdir(program.home.join('state'));
      const odd = names.filter((name) => !stateFiles.test(name));
      return odd.filter((name) => !isEmptyRemnant(program.home.join('state', name), name));
    },
    busiestMinute: () => busiest(way.arrivals),
    remove: async () => {
      await program.remove();
      await service.kill();
      await way.close();
      await data.remove();
    },
  };
}

/** What was killed before the first byte of its lock was written tells nobody whose it was. */
function isEmptyRemnant(file: string, name: string): boolean {
  return name.startsWith('lock.') && statSync(file).size === 0;
}

function busiest(arrivals: readonly number[]): number {
  let most = 0;
  let first = 0;
  arrivals.forEach((at, index) => {
    while ((arrivals[first] ?? at) <= at - 60_000) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** What the log says of a name, and its end. */
function linesOf(log: string, name: string): readonly string[] {
  const lines = log.split('\n');
  return [...lines.filter((line) => name !== '' && line.includes(name)), '…', ...lines.slice(-15)];
}
