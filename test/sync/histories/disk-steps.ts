import * as fc from 'fast-check';

import { directoryOf, joinPath, nameOf } from '../../../src/model/document.ts';
import { sidecarOf } from './chronicle.ts';
import { diskStory, goesOut } from './disk-stories.ts';
import type { Change, DiskStep } from './disk-stories.ts';
import { defaultsTexts, ignoreTexts, shown, sidecarTexts } from './disk-texts.ts';
import { mountPoint } from './disk-world.ts';
import type { DiskAct, DiskWorld } from './disk-world.ts';
import { failures } from './failures.ts';

const plain = ['a.txt', 'b.txt', 'd/a.txt', 'd/b.txt', 'd/e/c.txt'] as const;
const mounted = [`${mountPoint}/a.txt`, `${mountPoint}/b.txt`] as const;
const attached = ['x.csv', 'd/x.csv'] as const;
const defaults = ['.meta.json', 'd/.meta.json'] as const;
const ignoreFiles = ['.ingestignore', 'd/.ingestignore'] as const;

/** Ways in which programs save: the old file is renamed, or removed, and a new one comes in its place. */
const ways = {
  Word: { aside: (path: string) => joinPath(directoryOf(path), `~WRL${nameOf(path)}.tmp`), isByRename: true },
  vim: { aside: (path: string) => `${path}~`, isByRename: false },
  LibreOffice: { aside: () => null, isByRename: true },
} as const;

interface Save {
  readonly path: string;
  readonly text: string;
  readonly way: keyof typeof ways;
  readonly pauseMs: number;
}

async function save(world: DiskWorld, { path, text, way, pauseMs }: Save): Promise<void> {
  const aside = ways[way].aside(path);
  const half = joinPath(directoryOf(path), '~WRD0001.tmp');
  if (ways[way].isByRename) await world.change(({ write }) => write(half, text));
  await world.change(({ rename, remove }) => (aside === null ? remove(path) : rename(path, aside)));
  await world.pass(pauseMs);
  await world.change(({ rename, write }) => (ways[way].isByRename ? rename(half, path) : write(path, text)));
  if (aside !== null) await world.change(({ remove }) => remove(aside));
}

/** The process is killed when the service has taken a request and its answer is on its way. */
async function killUnderWay(world: DiskWorld, act: DiskAct, meanwhile: DiskAct | null): Promise<void> {
  const release = world.service.holdNext();
  await goesOut(world, act);
  await world.begin(world.mode(), meanwhile ?? undefined);
  release();
}

/**
 * What may happen. `lostWeight`: how often an answer is lost; `barred`: with directories that cannot be read, and
 * mounts.
 */
export function diskStep({
  lostWeight,
  barred,
}: {
  readonly lostWeight: number;
  readonly barred: boolean;
}): fc.Arbitrary<DiskStep> {
  const documents = barred ? [...plain, ...mounted] : plain;
  const sidecars = [...plain.slice(0, 3), ...(barred ? mounted.slice(0, 1) : [])].map(sidecarOf);
  const content = fc.constantFrom('x', 'yy', 'zzz', 'xx');
  const document = fc.constantFrom(...documents);
  const withText = (paths: readonly string[], texts: readonly string[]) =>
    fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...texts), fc.constantFrom(...texts));
  /** A path, with a text for it and another one. */
  const fresh = fc.oneof(
    { weight: 2, arbitrary: withText(documents, ['x', 'yy', 'zzz', 'xx', '']) },
    { weight: 2, arbitrary: withText(attached, ['x', 'yy', 'zzz', 'xx']) },
    { weight: 3, arbitrary: withText(sidecars, sidecarTexts) },
    { weight: 2, arbitrary: withText(defaults, defaultsTexts) },
    { weight: 2, arbitrary: withText(ignoreFiles, ignoreTexts) },
  );
  const anything = fc.constantFrom(...documents, ...attached, ...sidecars, ...defaults, ...ignoreFiles);
  const movable = fc.constantFrom(...documents, ...attached);
  const directory = fc.constantFrom('d', 'f', 'd/e', 'e', ...(barred ? ['d/e', 'm/e'] : []));

  const change: fc.Arbitrary<Change> = fc.oneof(
    {
      weight: 8,
      arbitrary: fresh.map(([to, text]): Change => [
        `write ${to} ${shown(text)}`,
        ({ write }) => write(to, text),
      ]),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(movable, movable)
        .map(([from, to]): Change => [`rename ${from} ${to}`, ({ rename }) => rename(from, to)]),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(movable, movable, content).map(([from, to, text]): Change => [
        `rename ${from} ${to} and edit it: ${text}`,
        ({ rename, write }) => {
          rename(from, to);
          write(to, text);
        },
      ]),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(document, document).map(([from, to]): Change => [
        `rename ${from} ${to} with its sidecar`,
        ({ rename }) => {
          rename(from, to);
          rename(sidecarOf(from), sidecarOf(to));
        },
      ]),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(directory, directory)
        .map(([from, to]): Change => [`rename ${from} ${to}`, ({ rename }) => rename(from, to)]),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(directory, directory)
        .map(([from, to]): Change => [`copy ${from} ${to}`, ({ copy }) => copy(from, to)]),
    },
    {
      weight: 3,
      arbitrary: anything.map((path): Change => [`remove ${path}`, ({ remove }) => remove(path)]),
    },
    {
      weight: 2,
      arbitrary: anything.map((path): Change => [
        `away ${path}`,
        ({ rename }) => rename(path, `~/${nameOf(path)}`),
      ]),
    },
    {
      weight: 2,
      arbitrary: anything.map((path): Change => [
        `back ${path}`,
        ({ rename }) => rename(`~/${nameOf(path)}`, path),
      ]),
    },
    ...(barred
      ? [{ weight: 12, arbitrary: barring(fc.constantFrom(...sidecars, ...defaults, ...ignoreFiles)) }]
      : []),
  );

  return fc.oneof(
    {
      weight: 22,
      arbitrary: change.map(([name, act]): DiskStep => [name, (world) => world.change(act)]),
    },
    { weight: 14, arbitrary: diskStory(documents, change) },
    {
      weight: 5,
      arbitrary: fc
        .record({
          saved: fresh,
          way: fc.constantFrom(...(Object.keys(ways) as (keyof typeof ways)[])),
          pauseMs: fc.constantFrom(0, 100, 1_000, 3_000),
        })
        .map(({ saved: [path, text], way, pauseMs }): DiskStep => [
          `save ${path} ${shown(text)} as ${way} ${pauseMs}`,
          (world) => save(world, { path, text, way, pauseMs }),
        ]),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(movable, content)
        .map(([path, text]): DiskStep => [
          `write ${path} ${text} unnoticed`,
          (world) => world.change(({ write }) => write(path, text), { missed: true }),
        ]),
    },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(300, 2_500, 6_000, 20_000)
        .map((ms): DiskStep => [`wait ${ms}`, ({ pass }) => pass(ms)]),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(-3_600_000, 3_600_000)
        .map((ms): DiskStep => [`clock ${ms}`, ({ jump }) => jump(ms)]),
    },
    { weight: 2, arbitrary: fc.constant<DiskStep>(['restart', (world) => world.begin(world.mode())]) },
    {
      weight: 3,
      arbitrary: fc
        .array(change, { minLength: 1, maxLength: 3 })
        .map((list): DiskStep => [
          `while stopped (${list.map(([name]) => name).join(', ')})`,
          (world) => world.begin(world.mode(), together(list)),
        ]),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(change, fc.option(change))
        .map(([before, meanwhile]): DiskStep => [
          `${before[0]}; killed under way${meanwhile === null ? '' : `, then ${meanwhile[0]} while stopped`}`,
          (world) => killUnderWay(world, before[1], meanwhile?.[1] ?? null),
        ]),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('NONE' as const, 'EVERYONE' as const, 'DEFAULT' as const)
        .map((mode): DiskStep => [`restart, mode ${mode}`, ({ begin }) => begin(mode)]),
    },
    {
      weight: 2,
      arbitrary: fc.array(change, { maxLength: 2 }).map((list): DiskStep => [
        `approve, then while stopped (${list.map(([name]) => name).join(', ')})`,
        async (world) => {
          await world.approve();
          await world.begin(world.mode(), together(list));
        },
      ]),
    },
    {
      weight: 1,
      arbitrary: fc.constant<DiskStep>(['busy', ({ service }) => service.failNext(failures.busy)]),
    },
    {
      weight: lostWeight,
      arbitrary: fc.constant<DiskStep>([
        'lost',
        ({ service }) => service.failNext(failures.lost, { taken: true }),
      ]),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(fresh, fc.boolean()).map(([[path, text, then], takesBack]): DiskStep => [
        `write ${path} ${shown(text)} and lose the answer, then ${takesBack ? 'take it back' : shown(then)}`,
        async (world) => {
          const before = takesBack ? world.files().get(path)?.content : undefined;
          world.service.failNext(failures.lost, { taken: true });
          await goesOut(world, ({ write }) => write(path, text));
          await world.change(({ write }) => write(path, before ?? then));
        },
      ]),
    },
  );
}

function together(list: readonly Change[]): DiskAct {
  return (disk) => {
    for (const [, act] of list) act(disk);
  };
}

/**
 * Directories and companions that cannot be read, or can be again; mounts that come and go. Documents are left out:
 * that they may not be read is asked for the real user, who is root here.
 */
function barring(companion: fc.Arbitrary<string>): fc.Arbitrary<Change> {
  const directory = fc.constantFrom('d', 'd', 'd/e', 'e', 'f', 'm', '');
  return fc.oneof(
    {
      weight: 5,
      arbitrary: directory.map((path): Change => [
        `shut ${path}/`,
        ({ setReadable }) => setReadable(path, false),
      ]),
    },
    {
      weight: 4,
      arbitrary: directory.map((path): Change => [
        `open ${path}/`,
        ({ setReadable }) => setReadable(path, true),
      ]),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(companion, fc.boolean())
        .map(([path, readable]): Change => [
          `${readable ? 'open' : 'shut'} ${path}`,
          ({ setReadable }) => setReadable(path, readable),
        ]),
    },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom('disk' as const, 'disk' as const, 'another' as const, null, null)
        .map((what): Change => [what === null ? 'unmount' : `mount ${what}`, ({ mount }) => mount(what)]),
    },
    {
      weight: 2,
      arbitrary: fc
        .boolean()
        .map((away): Change => [away ? 'root away' : 'root back', ({ setAway }) => setAway(away)]),
    },
  );
}
