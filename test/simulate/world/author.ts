import { join } from 'node:path';

import type { DecisionPort } from '../../../src/model/ports/control-port.ts';
import type { Inode } from '../disk/inode.ts';
import { judgeTried } from '../judge/end-rules.ts';
import { judgePaused } from '../judge/told-rules.ts';
import { saidBy } from './claims.ts';
import { keep, resolve, share } from './decide.ts';
import type { Act, Step } from './plan.ts';
import { prefix } from './simulation.ts';
import type { Simulation } from './simulation.ts';

/** Nobody comes to a gap for so long: the step is done all the same. */
const longestWaitMs = 20_000;

/** Does the steps of a plan, one after the other; resolves when the last one is done. */
export function doSteps(simulation: Simulation, steps: readonly Step[], done: () => void): void {
  const { scheduler, gaps } = simulation;
  const [step, ...rest] = steps;
  if (step === undefined) return done();
  const { afterMs, gap, act } = step;
  const go = (): void => {
    cancel();
    gaps.forget();
    doAct(simulation, act, () => doSteps(simulation, rest, done));
  };
  const cancel = scheduler.inWorld(gap === undefined ? afterMs : longestWaitMs, go);
  if (gap !== undefined) gaps.await(gap, afterMs, go);
}

/** Does one thing. What it asks of a disk that does not allow it is not done. */
function doAct(simulation: Simulation, act: Act, done: () => void): void {
  const { scheduler } = simulation;
  simulation.note(`— ${JSON.stringify(act)}`);
  if (act.kind === 'restart') {
    const begin = () =>
      scheduler.inWorld(act.downMs, () => {
        if (act.folders !== undefined) simulation.configure(act.folders);
        simulation.start();
        done();
      });
    endProcess(simulation, act.how, begin);
    return;
  }
  if (act.kind === 'sync') {
    endProcess(simulation, act.how, () => {
      simulation.sync();
      done();
    });
    return;
  }
  try {
    doNow(simulation, act);
  } catch (error) {
    simulation.note(`  not done: ${(error as Error).message}`);
  }
  simulation.look();
  done();
}

function endProcess(simulation: Simulation, how: 'kill' | 'power' | 'stop', ended: () => void): void {
  const { daemon, scheduler } = simulation;
  if (how !== 'stop' || daemon === null) {
    simulation.kill({ power: how === 'power' });
    ended();
    return;
  }
  scheduler.later(
    0,
    () =>
      void daemon.stop().finally(() =>
        scheduler.inWorld(0, () => {
          simulation.kill({ isStopped: true });
          ended();
        }),
      ),
  );
}

function doNow(simulation: Simulation, act: Exclude<Act, { kind: 'restart' | 'sync' }>): void {
  const { disk, scheduler, service, judge } = simulation;
  switch (act.kind) {
    case 'write':
      simulation.write(
        act.path,
        act.encoding === undefined ? act.text : Buffer.from(`\uFEFF${act.text}`, act.encoding),
      );
      if (simulation.unsaid.delete(act.path) && simulation.unsaid.size === 0) judge.saidAll(scheduler.now());
      return;
    case 'append':
      simulation.write(act.path, act.text, { appends: true });
      return;
    case 'copy':
      simulation.write(act.to, Buffer.from(disk.find(at(act.path)).content));
      return;
    case 'rename':
      simulation.makeParents(act.to);
      disk.rename(at(act.path), at(act.to));
      return;
    case 'link':
      simulation.makeParents(act.to);
      disk.link(at(act.path), at(act.to));
      return;
    case 'remove':
      disk.removeAll(at(act.path));
      return;
    case 'chmod':
      disk.changed(at(act.path), (inode) => (inode.mode = act.mode));
      return;
    case 'fail':
      simulation.failures.set(at(act.path), {
        code: act.code,
        until: scheduler.now() + act.forMs,
        isWhole: act.isWhole === true,
      });
      scheduler.inWorld(act.forMs + 1, () => simulation.look());
      return;
    case 'mount':
      simulation.mount(act.path);
      return;
    case 'unmount':
      disk.unmount(at(act.path));
      return;
    case 'full':
      simulation.fullUntil = scheduler.now() + act.forMs;
      return;
    case 'ledger':
      // What a disk did not take is as unknown as after a death.
      judge.died(scheduler.now());
      simulation.ledgerFails = { at: act.fails, until: scheduler.now() + act.forMs };
      return;
    case 'away':
      simulation.away = { how: act.how, until: scheduler.now() + act.forMs };
      return;
    case 'stall':
      simulation.watches.stall();
      scheduler.inWorld(act.forMs, () => simulation.watches.resume());
      return;
    case 'keep':
      keep(simulation);
      return;
    case 'share':
      share(simulation);
      return;
    case 'resolve':
      resolve(simulation, act.how);
      return;
    case 'symlink':
      simulation.makeParents(act.path);
      disk.make(at(act.path), 'link').inode.target = at(act.to);
      return;
    case 'reload':
      simulation.reload(act.folders ?? null);
      return;
    case 'clock':
      simulation.jumpedMs += act.jumpMs;
      return;
    case 'answer':
      simulation.endings.push(act.ending);
      return;
    case 'refuse':
      for (const text of act.texts) simulation.refused.add(text);
      return;
    case 'take':
      if (simulation.daemon !== null) judgeTried(judge, saidBy(simulation.daemon), scheduler.now());
      simulation.refused.clear();
      return;
    case 'expire-tokens':
      service.expireTokens();
      return;
    case 'intend':
      simulation.unsaid.add(act.saidBy);
      judge.intends({ texts: new Set(act.texts), mode: act.mode }, scheduler.now());
      return;
    case 'approve':
      judge.approves(scheduler.now());
      command(simulation, act.kind);
      return;
    case 'resume':
      if (simulation.daemon !== null) judgePaused(judge, saidBy(simulation.daemon).status);
      command(simulation, act.kind);
      return;
    case 'pause':
    case 'retry':
    case 'rescan':
    case 'again':
      command(simulation, act.kind);
      return;
    default:
      act satisfies never;
  }
}

type Command = 'pause' | 'resume' | 'approve' | 'retry' | 'rescan' | 'again';

/** What a person tells ingestd; what comes of it is in the log. */
function command(simulation: Simulation, kind: Command): void {
  const { daemon, scheduler, judge } = simulation;
  if (daemon === null) return;
  const ends = kind === 'again' ? judge.sendsAgain(null) : () => {};
  const isPausedNow =
    kind === 'pause' ? judge.pauses() : kind === 'resume' ? judge.resumes(scheduler.now()) : () => {};
  if (kind === 'retry') judge.retries();
  scheduler.later(0, () => {
    const decisions: DecisionPort = daemon.control.decisions('command line');
    const decide = async (): Promise<unknown> => {
      if (kind === 'retry') return decisions.retry({ paths: [] });
      if (kind !== 'again') return decisions[kind]({ folder: null });
      const { inDoubt } = daemon.control.status();
      return decisions.retry({ paths: inDoubt.map(({ folder, path }) => `${folder}/${path}`) });
    };
    const decideAndTell = async (): Promise<void> => {
      await decide();
      isPausedNow(scheduler.now());
      ends(true);
      // What was back when the person said it, and is gone when it is done, goes too.
      if (kind === 'approve') judge.approves(scheduler.now());
    };
    decideAndTell().catch((error: unknown) => {
      ends(false);
      if (kind === 'pause' || kind === 'resume') judge.pauseUnsaved();
      simulation.note(`  refused: ${(error as Error).message}`);
    });
  });
}

function at(path: string): string {
  return join(prefix, 'disk', path);
}

/** Takes away everything that stands in the way: ingestd can see all and reach the service. */
export function clearTheWay(simulation: Simulation): void {
  const { disk, failures, endings } = simulation;
  failures.clear();
  endings.length = 0;
  simulation.refused.clear();
  simulation.fullUntil = 0;
  simulation.ledgerFails = null;
  simulation.away = null;
  simulation.watches.resume();
  // A folder whose own ignore file is not valid is out of reach as a whole.
  for (const { name } of simulation.plan.setting.folders) {
    const path = `${name}/.ingestignore`;
    const content = disk.peek(at(path))?.content;
    if (content?.[0] === 0xff) simulation.write(path, content.toString('utf16le').slice(1));
  }
  // What a disk and its mount point hold cannot both be seen.
  for (const [path, root] of [...simulation.disks].toReversed()) {
    if (root.entries.size > 0) simulation.mount(path);
    // One that lies below another cannot be reached.
    else if (disk.peek(disk.directoryPath(root)) === root) disk.unmount(disk.directoryPath(root));
  }
  const open = (directory: Inode, path: string): void => {
    // What a mount covers nobody can open.
    if (disk.peek(path) !== directory) return;
    if ((directory.mode & 0o700) !== 0o700) disk.changed(path, (inode) => (inode.mode = 0o755));
    for (const { inode, name } of directory.entries.values()) {
      if (inode.kind === 'directory') open(inode, `${path}/${name}`);
      else if ((inode.mode & 0o400) === 0) disk.changed(`${path}/${name}`, (file) => (file.mode = 0o644));
    }
  };
  for (const { name, inode } of disk.find(at('')).entries.values()) open(inode, at(name));
  simulation.look();
}

/** A person has seen to it, and says so. */
export function begAll(simulation: Simulation): void {
  for (const kind of ['resume', 'retry', 'rescan'] as const) command(simulation, kind);
}
