import {
  copyFileSync,
  existsSync,
  ftruncateSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { directoriesOnDisk, documentsOnDisk } from './documents-on-disk.ts';
import type { DocumentOnDisk } from './documents-on-disk.ts';
import { saveAsProgramsDo, saveWhole } from './save-as-programs-do.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** People and programs at work in folders. */
export interface FolderWork {
  /** Does one thing; says what. */
  readonly step: () => string;
  /** Fixes what is not to stay: empty files, names that are refused, sidecars that are required. */
  readonly finish: () => void;
  /** So much was done, by kind. */
  readonly done: ReadonlyMap<string, number>;
}

interface Options {
  /** Absolute. A root that is away is left out. */
  readonly roots: readonly string[];
  readonly random: SeededRandom;
  /** About so many documents are kept. */
  readonly documents: number;
  /** Bytes of a new document. */
  readonly size: () => number;
  /** Files without bytes of their own on disk, so large that they are at the limit. */
  readonly sparseBytes?: number;
  /** Roots whose documents need a sidecar. */
  readonly sidecarRequired?: readonly string[];
}

interface Place {
  readonly root: string;
  readonly document: DocumentOnDisk;
}

/** Makes the work; all of it is decided by `random`. */
export function createFolderWork(options: Options): FolderWork {
  const { random } = options;
  const done = new Map<string, number>();
  const later: { readonly at: number; readonly file: string; readonly before: Buffer }[] = [];
  let made = 0;

  const roots = () => options.roots.filter((root) => existsSync(root));
  const inRoot = (root: string): Place[] => documentsOnDisk(root).map((document) => ({ root, document }));
  const all = (): Place[] => roots().flatMap(inRoot);

  function someDirectory(): string {
    const root = random.pick(roots());
    return join(root, random.pick(directoriesOnDisk(root)));
  }

  function newName(): string {
    made += 1;
    const odd = random.chance(0.05) ? random.pick(['ü', 'a b', "it's", '%41', 'x.y', '日本', 'Ä']) : 'doc';
    return `${odd}-${made}.${random.pick(['txt', 'pdf', 'csv', 'html', 'docx', 'eml', 'TXT'])}`;
  }

  function content(bytes: number): Buffer {
    const start = Buffer.from(`${made}/${random.next()}\n`);
    return bytes <= start.length
      ? start.subarray(0, bytes)
      : Buffer.concat([start, Buffer.alloc(bytes - start.length, made % 256)]);
  }

  function create(directory = someDirectory()): void {
    const file = join(directory, newName());
    writeFileSync(file, content(options.size()));
    if (random.chance(0.1)) describe(file);
  }

  function burst(): void {
    const directory = join(someDirectory(), `new-${(made += 1)}`);
    for (const below of ['', 'a', 'a/b']) {
      mkdirSync(join(directory, below), { recursive: true });
      for (let count = 0; count < 4; count += 1) create(join(directory, below));
    }
  }

  /** Writes a sidecar. What it lists stays so, but for `listed`. */
  function describe(file: string, listed = listedBy(file)): void {
    const tags = ['red', 'green', 'blue'].filter(() => random.chance(0.4));
    const text = JSON.stringify({
      ...(random.chance(0.5) ? { title: `Title ${random.below(1_000)}` } : {}),
      ...(random.chance(0.7) ? { customTags: tags.map((name) => ({ name, visibility: 'PUBLIC' })) } : {}),
      ...(random.chance(0.5) ? { shareInfo: { mode: random.pick(['NONE', 'EVERYONE']) } } : {}),
      ...(listed.length > 0 ? { attachments: listed } : {}),
    });
    const sidecar = `${file}.meta.json`;
    if (existsSync(sidecar)) saveWhole(sidecar, text, random);
    else writeFileSync(sidecar, text);
  }

  function listedBy(file: string): readonly string[] {
    const sidecar = `${file}.meta.json`;
    if (!existsSync(sidecar)) return [];
    return (JSON.parse(readFileSync(sidecar, 'utf8')) as { attachments?: string[] }).attachments ?? [];
  }

  /** Renames a document, with what belongs to it or without. What its sidecar lists always goes with it. */
  function move({ document }: Place, to: string): void {
    renameSync(document.absolute, to);
    if (document.listed.length === 0 && !random.chance(0.8)) return;
    if (document.sidecar !== null) renameSync(document.sidecar, `${to}.meta.json`);
    for (const name of document.listed) renameSync(join(document.absolute, '..', name), join(to, '..', name));
    if (existsSync(`${document.absolute}.attachments`))
      renameSync(`${document.absolute}.attachments`, `${to}.attachments`);
  }

  /** Puts files on the list of a document's sidecar, saves them, and takes them from it: then they are documents. */
  function list({ document }: Place): void {
    const { absolute, listed, name } = document;
    const beside = (one: string) => join(absolute, '..', one);
    if (name.split('.').length > 2) return;
    if (listed.length > 0 && random.chance(0.4))
      return void saveAsProgramsDo(beside(random.pick(listed)), content(200), random);
    if (listed.length < 3 && random.chance(0.7)) {
      const part = `part-${(made += 1)}.csv`;
      describe(absolute, [...listed, part]);
      writeFileSync(beside(part), content(200));
    } else if (listed.length > 0) {
      const gone = random.pick(listed);
      if (random.chance(0.5)) rmSync(beside(gone));
      else renameSync(beside(gone), join(absolute, '..', newName()));
      describe(
        absolute,
        listed.filter((one) => one !== gone),
      );
    }
  }

  function attach({ document }: Place): void {
    const directory = `${document.absolute}.attachments`;
    mkdirSync(directory, { recursive: true });
    const own = document.attachments.filter(({ name }) => !document.listed.includes(name));
    if (own.length > 1 && random.chance(0.3)) rmSync(random.pick(own).absolute);
    else if (own.length > 0 && random.chance(0.4))
      saveAsProgramsDo(random.pick(own).absolute, content(200), random);
    else if (own.length < 4) writeFileSync(join(directory, `annex-${(made += 1)}.csv`), content(300));
  }

  function remove({ document }: Place): void {
    for (const name of document.listed) rmSync(join(document.absolute, '..', name));
    rmSync(document.absolute);
    const hasList = document.listed.length > 0;
    if (document.sidecar !== null && (hasList || random.chance(0.8))) rmSync(document.sidecar);
    if (random.chance(0.8)) rmSync(`${document.absolute}.attachments`, { recursive: true, force: true });
  }

  function sparse(): void {
    const handle = openSync(join(someDirectory(), newName()), 'w');
    ftruncateSync(handle, options.sparseBytes ?? 0);
    closeSync(handle);
  }

  function someSubdirectory(): { root: string; directory: string } | null {
    const root = random.pick(roots());
    const directories = directoriesOnDisk(root).filter((one) => one !== '');
    return directories.length === 0 ? null : { root, directory: random.pick(directories) };
  }

  type Act = (place: Place) => void;
  /** What is done to a document, by name and weight. */
  const acts: readonly (readonly [string, number, Act])[] = [
    ['save', 12, ({ document }) => saveAsProgramsDo(document.absolute, content(options.size()), random)],
    ['rename', 6, (place) => move(place, join(place.document.absolute, '..', newName()))],
    ['move', 6, (place) => move(place, join(someDirectory(), newName()))],
    ['move, name kept', 4, (place) => move(place, fresh(join(someDirectory(), place.document.name)))],
    [
      'move and edit',
      2,
      (place) => {
        const to = join(someDirectory(), newName());
        move(place, to);
        saveAsProgramsDo(to, content(options.size()), random);
      },
    ],
    [
      'move away and back',
      2,
      ({ document }) => {
        const to = join(someDirectory(), newName());
        renameSync(document.absolute, to);
        renameSync(to, document.absolute);
      },
    ],
    ['save and take back', 4, takeBack],
    ['swap', 3, swap],
    ['replace by another', 2, replace],
    [
      'change case',
      1,
      ({ document }) =>
        move({ root: '', document }, fresh(join(document.absolute, '..', document.name.toUpperCase()))),
    ],
    ['remove', 6, remove],
    [
      'remove and make again',
      2,
      ({ document }) => {
        rmSync(document.absolute);
        writeFileSync(document.absolute, content(options.size()));
      },
    ],
    ['copy', 3, ({ document }) => copyFileSync(document.absolute, join(someDirectory(), newName()))],
    ['link', 1, ({ document }) => linkSync(document.absolute, join(someDirectory(), newName()))],
    ['describe', 6, ({ document }) => describe(document.absolute)],
    ['describe no more', 2, describeNoMore],
    ['list', 6, list],
    ['attach', 5, attach],
    ['empty', 1, ({ document }) => writeFileSync(document.absolute, '')],
  ];

  /** What it lists would be documents from then on. */
  function describeNoMore({ document: { sidecar, listed } }: Place): void {
    if (sidecar !== null && listed.length === 0) rmSync(sidecar);
  }

  function fresh(file: string): string {
    return existsSync(file) ? join(file, '..', newName()) : file;
  }

  /** Content or sidecar is another for a moment, and may well go out in that moment. */
  function takeBack({ document }: Place): void {
    const file = document.sidecar ?? document.absolute;
    const before = readFileSync(file);
    if (before.length > 100_000) return;
    if (document.sidecar === null) writeFileSync(file, content(200));
    else describe(document.absolute);
    later.push({ at: performance.now() + 200 + random.below(1_500), file, before });
  }

  /** What is to be taken back by now. */
  function takeBackDue(): void {
    for (const one of later.splice(0)) {
      if (one.at > performance.now()) later.push(one);
      else if (existsSync(one.file) && isListAsBefore(one)) writeFileSync(one.file, one.before);
    }
  }

  /** What left the list of a sidecar meanwhile is not put on it again. */
  function isListAsBefore({ file, before }: { readonly file: string; readonly before: Buffer }): boolean {
    if (!file.endsWith('.meta.json')) return true;
    const then = JSON.parse(before.toString()) as { attachments?: string[] };
    return (
      JSON.stringify(then.attachments ?? []) === JSON.stringify(listedBy(file.slice(0, -'.meta.json'.length)))
    );
  }

  function swap({ document }: Place): void {
    const other = random.pick(all()).document.absolute;
    if (other === document.absolute) return;
    const between = join(other, '..', '.between');
    renameSync(document.absolute, between);
    renameSync(other, document.absolute);
    renameSync(between, other);
  }

  function replace({ document }: Place): void {
    const { absolute, listed } = random.pick(all()).document;
    if (absolute !== document.absolute && listed.length === 0) renameSync(absolute, document.absolute);
  }

  /** What is done to directories and folders as a whole. */
  const grand: readonly (readonly [string, number, () => void])[] = [
    ['create', 25, () => create()],
    ['burst', 1, burst],
    ['mkdir', 1, () => mkdirSync(join(someDirectory(), `dir-${(made += 1)}`), { recursive: true })],
    [
      'rename directory',
      2,
      () => {
        const from = someSubdirectory();
        if (from !== null)
          renameSync(
            join(from.root, from.directory),
            join(from.root, from.directory, '..', `dir-${(made += 1)}`),
          );
      },
    ],
    [
      'move directory',
      1,
      () => {
        const from = someSubdirectory();
        if (from !== null)
          renameSync(join(from.root, from.directory), join(random.pick(roots()), `dir-${(made += 1)}`));
      },
    ],
    [
      'remove directory',
      0.5,
      () => {
        const gone = someSubdirectory();
        if (gone !== null) rmSync(join(gone.root, gone.directory), { recursive: true });
      },
    ],
    [
      'defaults',
      1,
      () => {
        const file = join(someDirectory(), '.meta.json');
        if (existsSync(file) && random.chance(0.4)) rmSync(file);
        else
          writeFileSync(
            file,
            JSON.stringify({ customTags: [{ name: `default-${random.below(3)}`, visibility: 'PUBLIC' }] }),
          );
      },
    ],
    ['sparse', options.sparseBytes === undefined ? 0 : 0.15, sparse],
  ];

  function step(): string {
    takeBackDue();
    const places = all();
    const full = places.length > options.documents * 1.5;
    const wantsNew = !full && (places.length < options.documents * 0.7 || random.chance(0.35));
    const [name, run] =
      full || places.length === 0 || wantsNew
        ? full
          ? (['remove', () => remove(random.pick(places))] as const)
          : choose(grand)
        : bound(choose(acts), random.pick(places));
    run();
    done.set(name, (done.get(name) ?? 0) + 1);
    return name;
  }

  function choose<T>(list: readonly (readonly [string, number, T])[]): readonly [string, T] {
    let left = random.next() * list.reduce((total, [, weight]) => total + weight, 0);
    for (const [name, weight, what] of list) {
      left -= weight;
      if (left < 0) return [name, what];
    }
    throw new RangeError('nothing to choose from');
  }

  function bound([name, act]: readonly [string, Act], place: Place): readonly [string, () => void] {
    return [name, () => act(place)];
  }

  return {
    step,
    done,
    finish: () => {
      for (const sidecar of options.roots.flatMap(straySidecars)) unlinkSync(sidecar);
      for (const place of all()) {
        const { document, root } = place;
        let file = document.absolute;
        if (document.name.split('.').length > 2) {
          file = join(document.absolute, '..', newName().replace('x.y', 'xy'));
          if (document.listed.length > 0) move(place, file);
          else renameSync(document.absolute, file);
        }
        if (statSync(file).size === 0) writeFileSync(file, content(50));
        if (options.sidecarRequired?.includes(root) === true && !existsSync(`${file}.meta.json`))
          describe(file);
        // Without one, attachments that another sidecar listed are not taken back.
        if (document.attachments.length > 0 && document.sidecar === null && !existsSync(`${file}.meta.json`))
          writeFileSync(`${file}.meta.json`, '{}');
      }
    },
  };
}

/** Sidecars that fit no document: what they may be meant for waits until a person takes them away (contract 7.29). */
function straySidecars(root: string): readonly string[] {
  const used = new Set(documentsOnDisk(root).map(({ sidecar }) => sidecar));
  return directoriesOnDisk(root)
    .flatMap((directory) => readdirSync(join(root, directory)).map((name) => join(root, directory, name)))
    .filter((path) => /[^/]\.meta\.json$/.test(path) && !used.has(path));
}
