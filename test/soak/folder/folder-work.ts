import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import type { Reading } from '../../simulate/judge/reading.ts';
import { Draft } from '../../simulate/world/draft.ts';
import type { Act } from '../../simulate/world/plan.ts';
import { randomPlan } from '../../simulate/world/random-plan.ts';
import { randomWork } from '../../simulate/world/random-work.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { readFolders } from './documents-on-disk.ts';

/** People and programs at work in folders: they do on a disk what the simulation has them do. */
export interface FolderWork {
  /** Does one thing. */
  readonly step: () => void;
  /** Fixes what keeps documents back: empty files, names that are refused, sidecars that are invalid or missing. */
  readonly finish: () => void;
  /** So much was done, by kind. */
  readonly done: ReadonlyMap<string, number>;
}

interface Options {
  /** Absolute: the folders are below it. */
  readonly home: string;
  /** Their names. */
  readonly folders: readonly string[];
  readonly random: SeededRandom;
  /** About so many documents are kept. */
  readonly documents: number;
  /** Bytes of a new document. */
  readonly size: () => number;
  /** Files without bytes of their own on disk, so large that they are at the limit. */
  readonly sparseBytes?: number;
}

/** What is attached bears such a name, and no document that was never attached does. */
export const attachmentNames = /\/[tu]\.csv$/;

/** Makes the work; all of it is decided by `random`. */
export function createFolderWork(options: Options): FolderWork {
  const { home, random } = options;
  const folders = options.folders.map((name) => ({ name, mode: null, isPolled: false }));
  const draft = new Draft(random, { ...randomPlan(0).setting, folders, habits: {} });
  const done = new Map<string, number>();
  /** The same text has the same bytes. */
  const sizes = new Map<string, number>();
  const at = (path: string) => join(home, path);
  mkdirSync(at('outside'), { recursive: true });

  function contentOf(path: string, text: string): Buffer | string {
    if (path.endsWith('.meta.json')) return text.endsWith('}') ? described(text) : text;
    if (!text.startsWith('text')) return text;
    const bytes = sizes.get(text) ?? options.size();
    sizes.set(text, bytes);
    return Buffer.concat([Buffer.from(text), Buffer.alloc(bytes, 'x')]);
  }

  /** Says more than with whom a document is shared. */
  function described(text: string): string {
    const tags = ['red', 'green', 'blue'].filter(() => random.chance(0.4));
    const customTags = tags.map((name) => ({ name, visibility: 'PUBLIC' }));
    const title = random.chance(0.5) ? { title: `Title ${random.below(1_000)}` } : {};
    return JSON.stringify({ ...(JSON.parse(text) as object), customTags, ...title });
  }

  function act(one: Act): void {
    if (one.kind === 'append') return appendFileSync(at(one.path), one.text);
    if (one.kind === 'remove') return rmSync(at(one.path), { recursive: true });
    if (one.kind === 'rename' || one.kind === 'copy') {
      mkdirSync(dirname(at(one.to)), { recursive: true });
      return (one.kind === 'copy' ? copyFileSync : renameSync)(at(one.path), at(one.to));
    }
    // Hard links too: they get the narrowest mode of theirs (contract 7.27), which the comparison does not know.
    if (one.kind !== 'write') throw new Error('only the simulation does that');
    mkdirSync(dirname(at(one.path)), { recursive: true });
    writeFileSync(at(one.path), contentOf(one.path, one.text));
    if (options.sparseBytes !== undefined && one.text.startsWith('text') && random.chance(0.004))
      truncateSync(at(one.path), options.sparseBytes);
  }

  /** What is away stays so. Names that are no text or not in NFC, and attachments as documents, are for the simulation. */
  function isPossible(one: Act): boolean {
    const paths = [...('path' in one ? [one.path] : []), ...('to' in one ? [one.to] : [])];
    return paths.every(
      (path) =>
        path === Buffer.from(path).toString().normalize('NFC') &&
        existsSync(at(path.slice(0, path.indexOf('/')))) &&
        !('to' in one && attachmentNames.test(path)),
    );
  }

  function step(): void {
    const isFew = draft.documents().length < options.documents;
    if (draft.steps.length === 0 && isFew && random.chance(0.5)) draft.newDocument();
    else if (draft.steps.length === 0) randomWork(draft, random);
    const [one] = draft.steps.splice(0, 1);
    if (one === undefined || !isPossible(one.act)) return;
    try {
      act(one.act);
      done.set(one.act.kind, (done.get(one.act.kind) ?? 0) + 1);
    } catch {
      // What is not possible is not done.
    }
  }

  function finish(): void {
    let reading = readFolders(home, options.folders);
    for (let left = obstacles(reading); left.length > 0; left = obstacles(reading)) {
      for (const path of left) rmSync(at(path), { recursive: true, force: true });
      reading = readFolders(home, options.folders);
    }
    draft.files.clear();
    for (const { path, role } of reading.files.values()) {
      draft.files.set(path, draft.text());
      if (role.kind === 'document') finishDocument(path);
    }
  }

  function finishDocument(path: string): void {
    // What was its attachment and is none any more waits until a sidecar does not list it.
    if (!existsSync(at(`${path}.meta.json`))) writeFileSync(at(`${path}.meta.json`), '{}');
    // It came slowly.
    const isPdf = path.endsWith('.pdf') && readFileSync(at(path), 'latin1').startsWith('%PDF-');
    if (isPdf) appendFileSync(at(path), '\n%%EOF\n');
  }

  return { step, finish, done };
}

/** Paths of what a person would remove so that every document can be sent. */
function obstacles(reading: Reading): readonly string[] {
  const inTheWay = [...reading.files.values()].flatMap(({ path, role }) => {
    const isInvalid = path.endsWith('.meta.json') && reading.said(path) === null;
    const isUseless = ['unfit', 'empty', 'unowned'].includes(role.kind);
    if (isInvalid || isUseless || path.endsWith('/.ingestignore')) return [path];
    if (role.kind !== 'document' || role.obstacle === null) return [];
    return [`${path}.attachments`, reading.sidecarOf(path)?.path ?? `${path}.meta.json`];
  });
  return [...inTheWay, ...reading.orphanSidecars()];
}
