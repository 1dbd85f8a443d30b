import { directoryOf, joinPath, nameOf } from '../../../src/model/document.ts';
import type { Companions } from '../../../src/model/document.ts';
import { engineTiming } from '../../support/worlds/engine-world.ts';

/** A file as it stood. */
export interface StandingFile {
  readonly content: string;
  readonly ino: number;
  readonly birthtimeMs: number;
  readonly dev: number;
  readonly mtimeMs: number;
  /** Monotonic ms. */
  readonly writtenAt: number;
}

/** Everything that stood in a folder from a moment on. */
interface Snapshot {
  /** Monotonic ms. */
  readonly at: number;
  readonly files: ReadonlyMap<string, StandingFile>;
  /** The sharing mode of the folder's settings. */
  readonly mode: string;
  /** Files that a scan of this life of the process saw. */
  readonly seen: Set<string>;
  /** Since when this life of the process has lasted, monotonic ms. */
  readonly life: number;
}

/** What valid sidecars and ignore files asked for, at any time: the judge of what goes out. */
export interface Chronicle {
  readonly note: (snapshot: Omit<Snapshot, 'seen' | 'life'>) => void;
  /** A scan saw what stands in this directory. */
  readonly scanned: (directory: string) => void;
  /** Another process begins, which has seen nothing. */
  readonly restarted: (now: number) => void;
  /** Sharing modes that a valid, settled state asked for a moment ago. `known`: what the service holds it by. */
  readonly modesOf: (path: string, now: number, known: Companions | undefined) => ReadonlySet<string>;
  /** Whether its owner's sidecar let go of an attachment a moment ago. */
  readonly hasLetGo: (owner: string, attachment: string, now: number) => boolean;
  /** Whether a settled sidecar listed an attachment a moment ago. */
  readonly hasListed: (owner: string, attachment: string, now: number) => boolean;
  /**
   * The document whose sidecar has reserved this file for so long that whatever goes out by now was decided knowing it;
   * null: none. Of documents that went out the ledger knows more.
   */
  readonly reservedFor: (path: string, now: number) => string | null;
  /** For how long no file has stood at a path, as far as this life of the process can know, ms. */
  readonly goneForMs: (path: string, now: number) => number;
  /** Whether rules that keep a file in did not hold a moment ago. */
  readonly wasAllowed: (path: string, now: number) => boolean;
  /** For how long the file that stands at a path has stood there, where it came from another path in this life, ms. */
  readonly cameMsAgo: (path: string, now: number) => number | null;
}

/** What is sent was decided so long ago at most, but for a slow disk's commits: then `momentMs`. */
const decidedMs = 5_000;
const { settleMs, removeGraceMs } = engineTiming;

export const sidecarOf = (document: string) => `${document}.meta.json`;

/** The sidecar's content; null: not valid. */
export function readSidecar(text: string): { mode: string | null; attachments: readonly string[] } | null {
  try {
    const { shareInfo, attachments, ...rest } = JSON.parse(text) as Record<string, never> & {
      shareInfo?: { mode?: string };
      attachments?: string[];
    };
    if (Object.keys(rest).length > 0) return null;
    return {
      mode: shareInfo === undefined ? null : (shareInfo.mode ?? 'DEFAULT'),
      attachments: attachments ?? [],
    };
  } catch {
    return null;
  }
}

/** Patterns `name`, `name/` and `*.ending`, as the histories write them. Null: not valid. */
export function ignores(rules: string, path: string, directory: string): boolean | null {
  const lines = rules.split('\n').filter((line) => line !== '');
  if (lines.length > 1_000) return null;
  const names = path.slice(directory === '' ? 0 : directory.length + 1).split('/');
  return lines.some((line) =>
    line.endsWith('/')
      ? names.slice(0, -1).includes(line.slice(0, -1))
      : line.startsWith('*')
        ? nameOf(path).endsWith(line.slice(1))
        : names.includes(line),
  );
}

/** Directories from the root down to that of a path. */
export function directoriesOf(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = directoryOf(path); at !== ''; at = directoryOf(at)) found.unshift(at);
  return ['', ...found];
}

/** `momentMs`: a decision is so old at most when its request goes out. */
export function createChronicle(momentMs: number): Chronicle {
  const snapshots: Snapshot[] = [];
  let life = -Infinity;

  /** Those of the last moments, each with the time until which it held. */
  function* recent(now: number): Iterable<readonly [index: number, until: number]> {
    for (let index = snapshots.length - 1; index >= 0; index -= 1) {
      const until = Math.min(now, snapshots[index + 1]?.at ?? now);
      if (until < now - momentMs) return;
      yield [index, until];
    }
  }

  /** A file as it stood, or the one that is waited for: gone for less than the grace period, and seen before. */
  function companion(
    path: string,
    index: number,
    { until, known }: { readonly until: number; readonly known: boolean },
  ): StandingFile | 'gone' | 'awaited' {
    const here = snapshots[index]?.files.get(path);
    if (here !== undefined) return here;
    for (let at = index; at > 0; at -= 1) {
      const goneAt = snapshots[at]?.at ?? 0;
      const before = snapshots[at - 1];
      if (until - goneAt >= removeGraceMs) return 'gone';
      if (before?.files.has(path) !== true) continue;
      return known || before.seen.has(path) ? 'awaited' : 'gone';
    }
    return 'gone';
  }

  /** Undefined: nothing is asked for. */
  function modeAt(
    path: string,
    index: number,
    until: number,
    known: Companions | undefined,
  ): string | undefined {
    const places = [
      { place: sidecarOf(path), isKnown: known?.sidecar === 'name' },
      ...directoriesOf(path)
        .map((one) => ({
          place: joinPath(one, '.meta.json'),
          isKnown: known?.defaults.includes(one) === true,
        }))
        .toReversed(),
    ];
    for (const { place, isKnown } of places) {
      const found = companion(place, index, { until, known: isKnown });
      if (found === 'awaited') return undefined;
      if (found === 'gone') continue;
      if (until - found.writtenAt < settleMs) return undefined;
      const read = readSidecar(found.content);
      if (read === null) return undefined;
      if (read.mode !== null) return read.mode;
    }
    return snapshots[index]?.mode;
  }

  function listedBy(owner: string, sidecar: StandingFile): readonly string[] | undefined {
    return readSidecar(sidecar.content)?.attachments.map((one) => joinPath(directoryOf(owner), one));
  }

  /** Follows what a document's sidecar has reserved through this life of the process; what may have ended it has. */
  function isReserved(owner: string, path: string, now: number): boolean {
    let since: number | null = null;
    let missingSince: number | null = null;
    for (const [index, { at, files, seen, life: began }] of snapshots.entries()) {
      if (began !== life) continue;
      const until = snapshots[index + 1]?.at ?? now;
      const sidecar = files.get(sidecarOf(owner));
      if (!files.has(owner) || sidecar === undefined) {
        missingSince ??= at;
        if (until - missingSince >= removeGraceMs) since = null;
        continue;
      }
      missingSince = null;
      if (until - sidecar.writtenAt < settleMs) continue;
      const listed = listedBy(owner, sidecar);
      // Another sidecar, or one that claims the owner itself, is beyond this.
      if (listed?.includes(path) === false) since = null;
      else if (listed !== undefined && seen.has(owner) && seen.has(sidecarOf(owner))) since ??= until;
    }
    return since !== null && now - since >= decidedMs;
  }

  return {
    note: (snapshot) => {
      const last = snapshots.at(-1);
      const seen = [...(last?.seen ?? [])].filter((path) => snapshot.files.has(path));
      snapshots.push({ ...snapshot, seen: new Set(seen), life });
    },
    scanned: (directory) => {
      const last = snapshots.at(-1);
      for (const path of last?.files.keys() ?? []) if (directoryOf(path) === directory) last?.seen.add(path);
    },
    restarted: (now) => {
      life = now;
      for (const { seen } of snapshots) seen.clear();
    },
    modesOf: (path, now, known) => {
      const modes = new Set<string>();
      for (const [index, until] of recent(now)) {
        const mode = modeAt(path, index, until, known);
        if (mode !== undefined) modes.add(mode);
      }
      return modes;
    },
    hasLetGo: (owner, attachment, now) => {
      for (const [index, until] of recent(now)) {
        const found = companion(sidecarOf(owner), index, { until, known: true });
        if (found === 'gone') return true;
        if (found === 'awaited' || until - found.writtenAt < settleMs) continue;
        if (listedBy(owner, found)?.includes(attachment) === false) return true;
      }
      return false;
    },
    hasListed: (owner, attachment, now) => {
      for (const [index, until] of recent(now)) {
        const found = snapshots[index]?.files.get(sidecarOf(owner));
        if (found === undefined || until - found.writtenAt < settleMs) continue;
        if (listedBy(owner, found)?.includes(attachment) === true) return true;
      }
      return false;
    },
    reservedFor: (path, now) => {
      const owners = new Set(
        snapshots.flatMap(({ files }) => [...files.keys()].filter((one) => one.endsWith('.txt'))),
      );
      for (const owner of owners) if (isReserved(owner, path, now)) return owner;
      return null;
    },
    goneForMs: (path, now) => {
      let since = life;
      for (let index = snapshots.length - 1; index >= 0; index -= 1) {
        const snapshot = snapshots[index];
        if (snapshot?.files.has(path) !== true) continue;
        since = Math.max(since, snapshots[index + 1]?.at ?? now);
        break;
      }
      return now - since;
    },
    wasAllowed: (path, now) => {
      for (const [index, until] of recent(now)) {
        const isKeptIn = directoriesOf(path).some((directory) => {
          const found = companion(joinPath(directory, '.ingestignore'), index, { until, known: false });
          if (found === 'awaited') return true;
          if (found === 'gone') return false;
          // One that is being written is not acted upon.
          return until - found.writtenAt < settleMs || ignores(found.content, path, directory) !== false;
        });
        if (!isKeptIn) return true;
      }
      return false;
    },
    cameMsAgo: (path, now) => {
      const file = snapshots.at(-1)?.files.get(path);
      if (file === undefined) return null;
      for (let index = snapshots.length - 1; index > 0 && snapshots[index]?.life === life; index -= 1) {
        const before = snapshots[index - 1];
        if (before?.files.get(path)?.ino === file.ino) continue;
        const isSame = ([, one]: readonly [string, StandingFile]) =>
          one.ino === file.ino && one.birthtimeMs === file.birthtimeMs;
        return [...(before?.files ?? [])].some(isSame) ? now - (snapshots[index]?.at ?? now) : null;
      }
      return null;
    },
  };
}
