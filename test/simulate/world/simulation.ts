import { join } from 'node:path';

import type { Daemon } from '../../../src/daemon/assemble-daemon.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import type { Log } from '../../../src/log/create-log.ts';
import { errorCode, exitCodes, isDiskFull } from '../../../src/model/errors.ts';
import type { Settings } from '../../../src/model/settings.ts';
import { UnsentAttachments } from '../../../src/sync/decide/unsent-attachments.ts';
import { seededRandom } from '../../soak/seeded-random.ts';
import type { SeededRandom } from '../../soak/seeded-random.ts';
import { fileError } from '../disk/file-error.ts';
import { ext4 } from '../disk/inode.ts';
import type { Inode } from '../disk/inode.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { createMemoryFs } from '../disk/memory-fs.ts';
import type { MemoryFs } from '../disk/memory-fs.ts';
import { Scheduler } from '../machine/scheduler.ts';
import type { Machine } from '../machine/take-process.ts';
import { settingsOf, startDaemon, startSync } from '../machine/simulated-process.ts';
import { Watches } from '../machine/watches.ts';
import { ordinaryEnding, SimulatedService } from '../service/service.ts';
import type { Ending } from '../service/service.ts';
import { judgeSynced } from '../judge/end-rules.ts';
import type { Judge } from '../judge/judge.ts';
import { imageOf } from './disk-image.ts';
import { Gaps } from './gaps.ts';
import type { Gap } from './gaps.ts';
import type { Plan, PlannedFolder } from './plan.ts';

export const prefix = '/simulated';
const statePlace = `${prefix}/state`;
/** Directories that are folders, or may become some. */
const folderNames = ['inbox', 'second', 'third'];
const firstWallClock = Date.UTC(2026, 0, 1);
const firstPid = 4_000_000;
const firstDisk = 2_051;

/** So many requests may be in flight (contract 3). */
const concurrency = 4;

/** What a process never does below its folders (contract 4). */
const writing =
  /^(?:f?truncate|f?chmod|f?chown|copyfile|link|mkdir|rename|rm|rmdir|symlink|unlink|f?utimes|write)$/;

/** A process that ends is begun again after so long. */
const againMs = 5_000;

/** How long a gap usually takes, ms. */
const latencies: Readonly<Record<Gap, readonly number[]>> = {
  connect: [1, 5, 40],
  token: [2, 20, 300],
  renewal: [2, 20, 3_500],
  body: [0, 1, 30],
  answer: [3, 30, 400],
  ledger: [0, 1, 20],
};

/** A machine with a disk, a service, and ingestd running on it. */
export class Simulation implements Machine {
  readonly plan: Plan;
  readonly scheduler = new Scheduler();
  readonly disk: MemoryDisk;
  readonly service: SimulatedService;
  readonly gaps: Gaps;
  readonly judge: Judge;
  readonly log: string[] = [];
  /** Paths on which system calls fail, with what and until when. */
  readonly failures = new Map<
    string,
    { readonly code: string; readonly until: number; readonly isWhole: boolean }
  >();
  readonly endings: Ending[] = [];
  /** Texts that the service does not take. */
  readonly refused = new Set<string>();
  fs: MemoryFs;
  daemon: Daemon | null = null;
  jumpedMs = 0;
  /** Disks that are mounted, or were, by the place. */
  readonly disks = new Map<string, Inode>();
  /** Files that still have to say what their author means. */
  readonly unsaid = new Set<string>();
  /** Until when the disk of the ledger is full. */
  fullUntil = 0;
  /** What of that disk fails, and until when. */
  ledgerFails: { readonly at: 'fsync' | 'write'; readonly until: number } | null = null;
  #isHalfWritten = false;
  /** How the service is away, and until when. */
  away: { readonly how: 'refused' | 'silent'; readonly until: number } | null = null;
  folders: readonly PlannedFolder[] = [];
  #settings: Settings | null = null;
  readonly #random: SeededRandom;
  readonly watches: Watches;
  /** Another configuration takes effect when requests under way have ended. */
  isReloading = false;
  /** What the process that runs knows of files that were not sent. */
  #unsent = new UnsentAttachments();
  #lives = 0;
  #boots = 1;
  #bootedAt = 0;

  constructor(plan: Plan, judge: Judge) {
    this.plan = plan;
    this.judge = judge;
    this.configure(plan.setting.folders);
    this.#random = seededRandom(plan.seed ^ 0x5eed);
    const { scheduler } = this;
    this.gaps = new Gaps(scheduler, (gap) => this.#random.pick(latencies[gap]));
    this.watches = new Watches((call) => this.#deliver(call), plan.setting.eventQueue);
    this.disk = new MemoryDisk({
      prefix,
      wallClock: () => firstWallClock + scheduler.now(),
      onEvent: (event) => this.watches.tell(event),
    });
    this.fs = createMemoryFs(this.disk, this.#manners());
    this.service = new SimulatedService(scheduler, {
      pass: (stage) => this.gaps.pass(stage),
      isAway: (how) => this.away?.how === how && scheduler.now() < this.away.until,
      endingOf: ({ file }) =>
        this.refused.has(file?.text ?? '')
          ? { kind: 'failing', taken: false }
          : (this.endings.shift() ?? ordinaryEnding),
      began: (inFlight) => {
        this.judge.began(plan.setting.requestsPerMinute, this.scheduler.now());
        if (inFlight > concurrency) this.judge.report('too-many/at-once', `${inFlight} requests in flight`);
      },
      complete: (request, ending, created) => {
        this.note(
          `${request.kind} ${request.docIds.join(' ')} ${request.file?.name ?? ''} ${JSON.stringify(request.metadata)} → ${ending.kind} ${created ?? ''}`,
        );
        this.judge.requested(request, ending, created);
      },
      answered: (request, ending) => this.judge.answered(request, ending, this.scheduler.now()),
      tokenSeconds: () => plan.setting.tokenSeconds,
    });
    this.#layOut();
  }

  get network(): SimulatedService {
    return this.service;
  }

  holds(path: string): boolean {
    return this.disk.holds(path);
  }

  crashed(error: unknown): void {
    this.judge.crashed(error);
  }

  random = (): number => this.#random.next();

  wallClock = (): number => firstWallClock + this.jumpedMs + this.scheduler.now();

  note(text: string): void {
    this.log.push(`${this.scheduler.now().toFixed(1).padStart(10)} ${text}`);
  }

  /** The judge looks at the disk: whenever somebody has changed it. */
  look(): void {
    const away = [...this.disks].filter(([, root]) => root.mountPoint === null);
    this.judge.saw(
      imageOf(this.disk, (path) => this.#isBarred(path), away),
      this.scheduler.now(),
    );
  }

  /** Whether the process cannot look at a path, absolute. */
  #isBarred(path: string): boolean {
    return isLonger(path, this.plan.setting.maxPathBytes) || this.#failureAt(path) !== null;
  }

  /** The code with which a path fails now; null: it does not. */
  #failureAt(path: string): string | null {
    if (this.failures.size === 0) return null;
    for (const [place, { code, until, isWhole }] of this.failures)
      if (until > this.scheduler.now() && (path === place || (isWhole && path.startsWith(`${place}/`))))
        return code;
    return null;
  }

  /** For the next process. */
  configure(folders: readonly PlannedFolder[]): void {
    this.folders = folders;
    this.#settings = null;
  }

  /** Begins ingestd, again and again while its disk is full. Other errors of its start are for the judge. */
  start(): void {
    this.#unsent = new UnsentAttachments();
    this.#beginLife(() => this.#run());
  }

  /** Makes one pass of `sync`, and begins ingestd when that is over. */
  sync(): void {
    const { scheduler } = this;
    this.#beginLife(async () => {
      const began = scheduler.now();
      const { exitCode } = await startSync(this.#settingsNow(), this.clock(), this.#log());
      const life = this.#lives;
      scheduler.inWorld(0, () => {
        if (this.#lives !== life || !scheduler.isAlive()) return;
        this.note(`sync ends with ${exitCode}`);
        this.kill({ isStopped: true });
        if (exitCode === exitCodes.ok) judgeSynced(this.judge, began);
        this.start();
      });
    });
  }

  /** SIGHUP; `folders`: of another configuration, which is run in the same process when requests under way have ended. */
  reload(folders: readonly PlannedFolder[] | null): void {
    const { daemon, scheduler } = this;
    if (daemon === null) return;
    if (folders === null) {
      scheduler.later(0, () => void daemon.refresh().catch((error: unknown) => this.judge.crashed(error)));
      return;
    }
    this.isReloading = true;
    const next = async (): Promise<void> => {
      await daemon.drain();
      await daemon.stop({ goesOn: true });
      this.configure(folders);
      this.isReloading = false;
      this.judge.reloaded(folders, scheduler.now());
      this.look();
      await this.#run();
    };
    // Nobody can ask anything of it meanwhile.
    this.daemon = null;
    const life = this.#lives;
    scheduler.later(0, () => void next().catch((error: unknown) => this.#failed(error, life)));
  }

  async #run(): Promise<void> {
    const daemon = await startDaemon(this.#settingsNow(), this.clock(), this.#log(), this.#unsent);
    this.daemon = daemon;
    await daemon.start();
  }

  #settingsNow(): Settings {
    this.#settings ??= settingsOf({ ...this.plan.setting, folders: this.folders }, prefix);
    return this.#settings;
  }

  #beginLife(act: () => Promise<void>): void {
    const { scheduler } = this;
    this.#lives += 1;
    const life = this.#lives;
    Object.defineProperty(process, 'pid', { value: firstPid + life, configurable: true });
    this.judge.started(this.folders, scheduler.now());
    this.look();
    scheduler.beginLife(() => void act().catch((error: unknown) => this.#failed(error, life)));
  }

  #failed(error: unknown, life: number): void {
    // Where the disk reports errors it ends, and whoever looks after it starts it again.
    const isFailing =
      this.ledgerFails !== null && ['ledger-unwritable', 'EIO'].includes(errorCode(error) ?? '');
    if (!isDiskFull(error) && !isFailing) return this.judge.crashed(error);
    this.kill();
    this.scheduler.inWorld(againMs, () => {
      if (this.#lives === life) this.start();
    });
  }

  /** Ends it as SIGKILL does, unless it has stopped by itself. With `power`, what was not synced may be lost. */
  kill({ power = false, isStopped = false } = {}): void {
    const isLedgerFailing = this.ledgerFails !== null && this.scheduler.now() < this.ledgerFails.until;
    if (!isStopped || isLedgerFailing) this.judge.died(this.scheduler.now());
    this.scheduler.endLife();
    this.service.endAll();
    this.isReloading = false;
    this.daemon = null;
    this.watches.clear();
    this.fs.files.closeAll();
    if (!power) return;
    this.#boots += 1;
    this.#bootedAt = this.scheduler.now();
    if (this.disk.peek(statePlace) === null) return;
    this.disk.losePower(statePlace, () => this.#random.chance(0.5));
  }

  /** Files of the machine outside of its disk in memory. */
  systemFile(path: string): string | null {
    if (path === '/proc/sys/kernel/random/boot_id') return `boot-${this.#boots}\n`;
    if (path === '/etc/machine-id') return 'machine\n';
    if (path.endsWith('/max_queued_events')) return `${this.plan.setting.eventQueue}\n`;
    if (path === '/proc/self/ns/pid') return 'pid:[4026531836]';
    if (path === '/proc/self/mountinfo') return this.disk.mountTable();
    if (/^\/proc\/\d+\/stat$/.test(path)) {
      const isOurs = path === `/proc/${firstPid + this.#lives}/stat`;
      return isOurs && this.scheduler.isAlive() ? `1 (node) S${' 0'.repeat(18)} ${this.#lives}` : '';
    }
    return path.startsWith('/proc/sys/') ? '' : null;
  }

  #layOut(): void {
    const { setting, first } = this.plan;
    const { disk } = this;
    disk.make(`${prefix}/disk`, 'directory');
    disk.mount(`${prefix}/disk`, disk.newRoot({ ...ext4, dev: 2050, ...setting.habits }));
    disk.make(`${prefix}/disk/outside`, 'directory', { mode: 0o755 });
    for (const name of folderNames) disk.make(`${prefix}/disk/${name}`, 'directory', { mode: 0o755 });
    const [shown, second] = setting.folders;
    if (setting.isBound && shown !== undefined && second !== undefined)
      disk.bind(`${prefix}/disk/${second.name}`, disk.find(`${prefix}/disk/${shown.name}`));
    for (const { path, text } of first) this.write(path, text);
    this.look();
  }

  /** Mounts a disk on a directory: an empty one, or the one that was there before. */
  mount(path: string): void {
    const place = join(prefix, 'disk', path);
    const root = this.disks.get(path) ?? this.disk.newRoot({ ...ext4, dev: firstDisk + this.disks.size });
    this.makeParents(`${path}/`);
    if (root.mountPoint !== null || this.disk.find(place).mountPoint !== null) return;
    this.disks.set(path, root);
    this.disk.mount(place, root);
  }

  isFull(): boolean {
    return this.scheduler.now() < this.fullUntil;
  }

  makeParents(path: string): void {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const directory = join(prefix, 'disk', ...parts.slice(0, depth));
      if (this.disk.peek(directory) === null) this.disk.make(directory, 'directory', { mode: 0o755 });
    }
  }

  /** Writes a file, and the directories above it where they are missing. */
  write(path: string, text: string | Buffer, { appends = false } = {}): void {
    this.makeParents(path);
    const place = join(prefix, 'disk', path);
    let known = this.disk.peek(place);
    // A program puts its file in the place of a link.
    if (known?.kind === 'link') {
      this.disk.remove(place);
      known = null;
    }
    const entry = known === null ? this.disk.make(place, 'file') : this.disk.entryAt(place, 'open');
    const bytes = Buffer.from(text as string);
    const at = appends ? entry.inode.content.length : 0;
    if (!appends && known !== null) this.disk.replace(entry.inode, Buffer.alloc(0), null);
    this.disk.write(entry.inode, bytes, at, entry);
  }

  #manners() {
    return {
      onCall: (syscall: string, path: string) => {
        if (path.startsWith(`${prefix}/disk/`) && writing.test(syscall))
          this.judge.report('written', `${syscall} ${path}`);
        if (path.startsWith(statePlace)) {
          if (syscall === 'write' && this.isFull()) throw fileError('ENOSPC', syscall, path);
          if (this.ledgerFails !== null) this.#failLedger(syscall, path);
          return;
        }
        const { lookMs, maxPathBytes } = this.plan.setting;
        this.scheduler.spend(lookMs);
        if (isLonger(path, maxPathBytes)) throw fileError('ENAMETOOLONG', syscall, path);
        const code = this.#failureAt(path);
        if (code !== null) throw fileError(code, syscall, path);
      },
      takes: (path: string, bytes: number): number => {
        const { at, until } = this.ledgerFails ?? { at: 'fsync', until: 0 };
        if (at !== 'write' || this.scheduler.now() >= until || !path.startsWith(statePlace)) return bytes;
        this.#isHalfWritten = true;
        return Math.floor(bytes / 2);
      },
      wait: (syscall: string, path: string): Promise<void> => {
        const isStep =
          path.startsWith(statePlace) && this.gaps.isWanted('ledger') && this.#random.chance(0.3);
        if (isStep || (syscall === 'fdatasync' && path.startsWith(statePlace)))
          return this.gaps.pass('ledger');
        const ms = this.#random.pick([0, 0, 0, 0.2, 1]);
        return ms === 0 ? Promise.resolve() : this.scheduler.wait(ms);
      },
      watch: (directory: Parameters<Watches['add']>[0], listener: Parameters<Watches['add']>[1]) =>
        this.watches.add(directory, listener),
    };
  }

  /** Half of what is written is on the disk before the error comes. */
  #failLedger(syscall: string, path: string): void {
    const { at, until } = this.ledgerFails ?? { at: 'fsync', until: 0 };
    const isNow = this.scheduler.now() < until;
    if (isNow && at === 'fsync' && /^f(?:data)?sync$/.test(syscall)) throw fileError('EIO', syscall, path);
    if (syscall !== 'write' || !this.#isHalfWritten) return;
    this.#isHalfWritten = false;
    if (isNow) throw fileError('EIO', syscall, path);
  }

  #deliver(call: () => void): void {
    const { events } = this.plan.setting;
    if (events === 'lossy' && this.#random.chance(0.3)) return;
    const ms = events === 'late' ? this.#random.pick([1, 100, 3_000]) : this.#random.pick([0.1, 1]);
    if (events === 'doubled') this.scheduler.later(ms + 1, call);
    this.scheduler.later(ms, call);
  }

  clock(): Clock {
    const { scheduler } = this;
    return {
      now: this.wallClock,
      monotonic: () => scheduler.now(),
      sinceBoot: () => ({ bootId: `boot-${this.#boots}`, ms: Math.floor(scheduler.now() - this.#bootedAt) }),
      after: (ms, call) => scheduler.after(ms, call),
    };
  }

  #log(): Log {
    const line = (level: string) => (data: object, message: string) =>
      this.note(`${level} ${message} ${JSON.stringify(data)}`);
    return {
      trace: () => {},
      debug: () => {},
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      addSecrets: () => {},
      setLevel: () => {},
    };
  }
}

/** A character has three bytes at the most. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}
