import { above, directoryOf, Reading } from './reading.ts';
import type { RoledFile } from './reading.ts';

const tenMinutesMs = 600_000;
/** What comes so soon after a start may be there when a process looks first. */
const firstLookMs = 1_000;

/** When names came, and when what was not sent grew: what "quiet" is about (contract 7.28). */
export class Arrivals {
  readonly #settleMs: number;
  /** What is away for so long only may not have been missed, ms. */
  readonly #missedMs: number;
  /** Path → when its name came. */
  #came = new Map<string, number>();
  #seen = new Map<string, RoledFile>();
  /** Path → what stood there last, and until when it was away, or when it went. */
  readonly #left = new Map<
    string,
    { readonly identity: object; readonly came: number; readonly at: number }
  >();
  #sizes = new Map<string, number>();
  /** Path → when it grew. */
  readonly #grew = new Map<string, readonly number[]>();
  /** Path → when its directory came. */
  readonly #directories = new Map<string, number>();
  #standing: ReadonlySet<string> = new Set();
  #before: Reading | null = null;
  #startedAt = 0;
  /** Path → the directory that has or had files of its own there. */
  readonly #own = new Map<string, object>();
  #isFirst = true;

  constructor(settleMs: number, missedMs: number) {
    this.#settleMs = settleMs;
    this.#missedMs = missedMs;
  }

  see(reading: Reading, now: number, isSent: (file: RoledFile) => boolean): void {
    const since = this.#isFirst ? -Infinity : now;
    this.#isFirst = false;
    const files = [...reading.files.values()].filter(({ path }) => Reading.maySay(path));
    for (const [path, came] of this.#came) {
      const file = this.#seen.get(path);
      if (file !== undefined && !reading.files.has(path))
        this.#left.set(path, { identity: file.identity, came, at: now });
    }
    // What a mount covered was there all the time.
    for (const [path, left] of this.#left)
      if (this.#before?.isCovered(left.identity) === true) this.#left.set(path, { ...left, at: now });
    this.#before = reading;
    const cameBefore = ({ path }: RoledFile) => {
      const left = this.#left.get(path);
      const isBack = left !== undefined && now - left.at <= this.#missedMs;
      return this.#came.get(path) ?? (isBack ? left.came : since);
    };
    const came = new Map(files.map((file) => [file.path, cameBefore(file)]));
    // What is back was away until now.
    for (const [path, left] of this.#left)
      if (came.has(path) && !this.#came.has(path)) this.#left.set(path, { ...left, at: now });
    this.#came = came;
    this.#seen = new Map(files.map((file) => [file.path, file]));
    // What is ignored becomes no document.
    for (const file of files.filter(({ role }) => role.kind !== 'ignored'))
      if (file.content.length > (this.#sizes.get(file.path) ?? Infinity) && !isSent(file))
        this.#grew.set(file.path, [...(this.#grew.get(file.path) ?? []), now]);
    this.#sizes = new Map(files.map(({ path, content }) => [path, content.length]));
    const own = new Map([...reading.files.values()].map((file) => [directoryOf(file.path), file.directory]));
    const standing = new Set([...reading.files.keys()].flatMap(above));
    // One that held no file for a while is the same.
    const isSame = (path: string) => own.has(path) && own.get(path) === this.#own.get(path);
    for (const path of standing)
      if (!this.#standing.has(path) && !isSame(path))
        this.#directories.set(path, now - this.#startedAt < firstLookMs ? -Infinity : since);
    for (const [path, directory] of own) this.#own.set(path, directory);
    this.#standing = standing;
  }

  /** A process does not know what came before it. */
  started(now: number): void {
    this.#startedAt = now;
    for (const directory of this.#directories.keys()) this.#directories.set(directory, -Infinity);
  }

  /** When a name came, or what it names grew. */
  lastChange(path: string): number {
    return Math.max(...this.#changes(path));
  }

  /** Whether what a name names has been away since a moment, however short. */
  wasAway(path: string, since: number): boolean {
    return (this.#left.get(path)?.at ?? -Infinity) >= since;
  }

  #changes(path: string): readonly number[] {
    return [this.#came.get(path) ?? -Infinity, ...(this.#grew.get(path) ?? [])];
  }

  /** A name around a path that came or grew within `settleMs` before a moment, and not just then; null: it was quiet. */
  lately(path: string, at: number, justMs: number): string | null {
    // The root of a folder stands from the beginning, with files in it or not.
    const isNew = (directory: string) =>
      directory.includes('/') && (this.#directories.get(directory) ?? -Infinity) > at - tenMinutesMs;
    // The topmost new directory: of those above, the last one.
    const scope = above(path).findLast(isNew);
    const isAround = (other: string) =>
      directoryOf(other) === directoryOf(path) || (scope !== undefined && other.startsWith(`${scope}/`));
    const isLate = (moment: number) => moment > at + 1 - this.#settleMs && moment <= at - justMs;
    const late = [...this.#came.keys()].find(
      (other) =>
        other !== path &&
        // What cannot be looked at is no document, and says nothing.
        this.#seen.get(other)?.isHidden !== true &&
        isAround(other) &&
        this.#changes(other).some(isLate),
    );
    return late ?? null;
  }
}
