import type { SeededRandom } from '../../soak/seeded-random.ts';
import { modes } from '../judge/statement.ts';
import type { Draft } from './draft.ts';

type Work = (draft: Draft, random: SeededRandom) => void;

/** Something that people and programs do in folders. */
export function randomWork(draft: Draft, random: SeededRandom): void {
  if (draft.setting.habits.isCaseless === true && random.chance(0.15)) return changeCase(draft, random);
  const total = works.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.next() * total;
  for (const [weight, work] of works) {
    at -= weight;
    if (at < 0) return work(draft, random);
  }
}

const create: Work = (draft) => draft.newDocument();

const edit: Work = (draft) => draft.write(draft.document(), draft.text());

/** As programs save: aside, or a new file in the old one's place. */
const save: Work = (draft, random) => {
  const path = draft.document();
  const temporary = `${path.slice(0, path.lastIndexOf('/'))}/.save.tmp`;
  if (random.chance(0.5)) {
    draft.write(temporary, draft.text());
    draft.soon(random.pick([0, 20]));
    draft.rename(temporary, path);
    return;
  }
  draft.rename(path, random.pick([`${path}~`, path.replace('.', '-old.')]));
  draft.soon(random.pick([0, 50, 600]));
  draft.write(path, draft.text());
};

/** A file that comes in pieces, with less than it takes to settle between two. */
const grow: Work = (draft, random) => {
  const path = draft.place();
  draft.write(path, draft.text());
  for (let left = 3 + random.below(6); left > 0; left -= 1) {
    draft.soon(random.pick([0.3, 0.6, 0.9]) * draft.setting.settleMs);
    const text = ` and ${draft.text()}`;
    draft.files.set(path, `${draft.files.get(path)}${text}`);
    draft.act({ kind: 'append', path, text });
  }
};

/** A PDF that comes so slowly that it seems to have settled before it is whole. */
const download: Work = (draft, random) => {
  const path = draft.place().replace(/\.\w+$/, '.pdf');
  draft.write(path, `%PDF-1.7 ${draft.text()}`);
  for (const text of [` and ${draft.text()}`, '\n%%EOF\n']) {
    draft.soon(random.pick([1.5, 4]) * draft.setting.settleMs);
    if (text.includes('%') && random.chance(0.2)) return;
    draft.files.set(path, `${draft.files.get(path)}${text}`);
    draft.act({ kind: 'append', path, text });
  }
};

const move: Work = (draft, random) =>
  draft.rename(draft.document(), random.chance(0.6) ? draft.place() : draft.document());

/** Of a file or a directory, where case does not count: there it is another name of the same place. */
const changeCase: Work = (draft, random) => {
  const [directory] = shuffled(draft.directories(), random);
  const path = directory !== undefined && random.chance(0.3) ? directory : draft.document();
  const at = path.lastIndexOf('/') + 1;
  const [first = '', ...rest] = path.slice(at);
  const other = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  draft.rename(path, `${path.slice(0, at)}${other}${rest.join('')}`);
};

const moveWithSidecar: Work = (draft, random) => {
  const path = draft.document();
  const to = draft.place();
  const names = random.chance(0.5) ? ['', '.meta.json'] : ['.meta.json', ''];
  for (const end of names) {
    if (draft.files.has(`${path}${end}`)) draft.rename(`${path}${end}`, `${to}${end}`);
    draft.soon(random.pick([0, 30, 700]));
  }
};

const swap: Work = (draft, random) => {
  const [one, other] = [draft.document(), draft.document()];
  draft.rename(one, 'outside/swap');
  draft.soon(random.pick([0, 100]));
  draft.rename(other, one);
  draft.soon(random.pick([0, 100]));
  draft.rename('outside/swap', other);
};

const moveDirectory: Work = (draft, random) => {
  const [directory] = shuffled(draft.directories(), random);
  if (directory === undefined) return create(draft, random);
  const folder = random.pick(draft.folderNames);
  draft.rename(directory, `${folder}/${random.pick(['moved', 'd2', 'private/d', '.hidden', 'extra'])}`);
};

const takeAway: Work = (draft, random) => {
  const [directory] = shuffled(draft.directories(), random);
  const path = directory !== undefined && random.chance(0.3) ? directory : draft.document();
  draft.rename(path, `outside/${path.replaceAll('/', '+')}`);
};

/** What was taken away comes back, to its place or another. */
const bringBack: Work = (draft, random) => {
  const away = [...draft.files.keys()]
    .filter((path) => path.startsWith('outside/'))
    .map((path) => path.split('/').slice(0, 2).join('/'));
  const [path] = shuffled(away, random);
  if (path === undefined) return takeAway(draft, random);
  const former = path.slice('outside/'.length).replaceAll('+', '/');
  draft.rename(path, random.chance(0.8) ? former : draft.place());
};

const remove: Work = (draft, random) => {
  const path = draft.document();
  const text = draft.files.get(path);
  draft.remove(path);
  if (text === undefined || !random.chance(0.4)) return;
  draft.pause(random.pick([20, 900, 6_000]));
  if (random.chance(0.5)) draft.gap(random.pick(['token', 'connect', 'renewal', 'ledger']), 300);
  draft.write(path, random.chance(0.5) ? text : draft.text());
};

const link: Work = (draft) => {
  const [path, to] = [draft.document(), draft.place()];
  if (draft.files.has(to)) return;
  const text = draft.files.get(path);
  if (text !== undefined) draft.files.set(to, text);
  draft.act({ kind: 'link', path, to });
};

const copy: Work = (draft) => {
  const [path, to] = [draft.document(), draft.place()];
  draft.files.set(to, draft.files.get(path) ?? '');
  draft.act({ kind: 'copy', path, to });
};

/** A tree comes, file by file, with all that says what its documents are, in any order. */
const copyTree: Work = (draft, random) => {
  const root = `${random.pick(draft.folderNames)}/tree${random.below(3)}`;
  const mode = random.pick(modes);
  const names = ['a.pdf', 'b.docx', 'zz/c.pdf', 'zz/deep/d.txt'].slice(0, 1 + random.below(4));
  const texts = names.map(() => draft.text());
  draft.act({ kind: 'intend', texts, mode, saidBy: `${root}/.meta.json` });
  const defaults: readonly [string, string] = ['.meta.json', JSON.stringify({ shareInfo: { mode } })];
  const files = shuffled(
    [...names.map((name, index): readonly [string, string] => [name, texts[index] ?? '']), defaults],
    random,
  );
  for (const [name, text] of files) {
    draft.write(`${root}/${name}`, text);
    draft.soon(random.pick([0.1, 0.5, 0.9]) * draft.setting.settleMs);
  }
};

const sidecar: Work = (draft, random) => {
  const document = draft.document();
  const path = `${document}.meta.json`;
  const choice = random.below(6);
  if (choice === 0 && draft.files.has(path)) draft.remove(path);
  else if (choice === 1) draft.write(path, random.pick(['{', '{"unknown": 1}', '']));
  else if (choice === 2) {
    const stem = document.replace(/\.\w+$/, '');
    if (random.chance(0.4)) draft.write(`${stem}.csv`, draft.text());
    draft.write(`${stem}.meta.json`, '{"shareInfo":{"mode":"NONE"}}');
  } else draft.writeSidecar(path, document);
};

/** A document whose sidecar has a name that is not quite right, in any order. */
const misspell: Work = (draft, random) => {
  const path = draft.place();
  const wrong = random.pick([path.replace(/(\w)\./, 'x$1.'), path.replace(/\.\w+$/, '.pfd')]);
  const sidecar = () => draft.write(`${wrong}.meta.json`, '{"shareInfo":{"mode":"NONE"}}');
  const isFirst = random.chance(0.6);
  if (isFirst) sidecar();
  draft.write(path, draft.text());
  if (!isFirst) sidecar();
};

const defaults: Work = (draft, random) => {
  const [known] = shuffled(
    [...draft.files.keys()].filter((path) => path.endsWith('/.meta.json')),
    random,
  );
  if (known !== undefined && random.chance(0.3)) draft.remove(known);
  else draft.writeDefaults(random.chance(0.8) ? random.pick(modes) : null);
};

const ignore: Work = (draft) => draft.writeIgnore();

const foolingNames: Work = (draft, random) => {
  const name = random.pick([
    'A.PDF',
    'e\u0301.pdf',
    'two.dots.pdf',
    'a.meta.JSON',
    'x.meta.json.pdf',
    'empty.txt',
    '.hidden.pdf',
    // In Latin-1.
    'caf\uDCE9.pdf',
    'none',
  ]);
  const isText = !name.toLowerCase().endsWith('json');
  draft.write(
    `${random.pick(draft.folderNames)}/${name}`,
    name === 'empty.txt' ? '' : isText ? draft.text() : '{"shareInfo":{"mode":"NONE"}}',
  );
};

const attachmentDirectory: Work = (draft, random) => {
  const document = draft.document();
  if (random.chance(0.3))
    return draft.rename(`${document}.attachments`, `${document.replace(/\.\w+$/, '')}-files`);
  draft.write(`${document}.attachments/${random.pick(['t', 'u'])}.csv`, draft.text());
};

const rights: Work = (draft, random) => {
  const [directory = draft.document()] = shuffled(draft.directories(), random);
  const path = random.chance(0.5) ? directory : draft.document();
  draft.act({ kind: 'chmod', path, mode: 0 });
  if (random.chance(0.5)) draft.remove(draft.document());
  draft.soon(random.pick([900, 9_000, 15_000]));
  draft.act({ kind: 'chmod', path, mode: 0o755 });
};

const fail: Work = (draft, random) => {
  const path = draft.document();
  const end = random.pick(['', '.meta.json', '.attachments']);
  draft.act({
    kind: 'fail',
    path: `${path}${end}`,
    code: random.pick(['EIO', 'EACCES', 'ESTALE']),
    forMs: random.pick([1_500, 30_000]),
  });
};

/** A disk is mounted, on a directory with documents or a new one, and mostly taken away again. */
const mountDisk: Work = (draft, random) => {
  const folder = random.pick(draft.folderNames);
  const [directory = folder] = shuffled([...draft.directories(), ...draft.folderNames], random);
  const path = random.chance(0.5) ? directory : `${folder}/disk`;
  draft.act({ kind: 'mount', path });
  for (let left = random.below(3); left > 0; left -= 1) draft.write(`${path}/disk${left}.pdf`, draft.text());
  if (random.chance(0.3)) return;
  draft.soon(random.pick([700, 8_000, 30_000]));
  draft.act({ kind: 'unmount', path });
};

const works: readonly (readonly [weight: number, work: Work])[] = [
  [4, create],
  [4, edit],
  [3, save],
  [2, grow],
  [1, download],
  [4, move],
  [2, moveWithSidecar],
  [1, swap],
  [3, moveDirectory],
  [3, takeAway],
  [5, bringBack],
  [4, remove],
  [2, link],
  [1, copy],
  [2, copyTree],
  [6, sidecar],
  [1, misspell],
  [2, defaults],
  [1.5, ignore],
  [1, foolingNames],
  [1, attachmentDirectory],
  [1, rights],
  [1, fail],
  [1, mountDisk],
];

function shuffled<T>(list: readonly T[], random: SeededRandom): readonly T[] {
  return list
    .map((value) => ({ value, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
