import type { SeededRandom } from '../../soak/seeded-random.ts';
import type { ShareMode } from '../judge/statement.ts';
import type { Act, Plan, Setting, Step } from './plan.ts';

const stems = ['a', 'b', 'report', 'é', 'summary'];
const endings = ['pdf', 'pdf', 'docx', 'txt', 'csv'];
const places = ['', '', 'd/', 'd/e/', 'extra/', 'private/'];
/** Before the first step, what is there at first is delivered. */
const settleMs = 20_000;

/** A plan that is being written: it knows what would stand where by now. */
export class Draft {
  readonly steps: Step[] = [];
  readonly files = new Map<string, string>();
  readonly random: SeededRandom;
  readonly setting: Setting;
  #lastText = 0;
  #next: Pick<Step, 'afterMs' | 'gap'> = { afterMs: 0 };

  readonly #texts: string;

  /** `texts`: with what its texts begin, so that no two drafts write the same. */
  constructor(random: SeededRandom, setting: Setting, texts = 'text ') {
    this.random = random;
    this.setting = setting;
    this.#texts = texts;
  }

  /** Goes on from what others have done. */
  follow(first: Plan['first'], steps: readonly Step[]): void {
    for (const { path, text } of first) this.files.set(path, text);
    for (const { act } of steps) {
      if (act.kind === 'write') this.files.set(act.path, act.text);
      else if (act.kind === 'append')
        this.files.set(act.path, `${this.files.get(act.path) ?? ''}${act.text}`);
      else if (act.kind === 'rename') this.#moved(act.path, act.to);
      else if (act.kind === 'remove') this.#removed(act.path);
      else if (act.kind === 'symlink') this.files.delete(act.path);
      else if (act.kind === 'link' || act.kind === 'copy')
        this.files.set(act.to, this.files.get(act.path) ?? '');
    }
  }

  /** What was written until now is there from the beginning. */
  takeFirst(): Plan['first'] {
    this.steps.length = 0;
    return [...this.files].map(([path, text]) => ({ path, text }));
  }

  settle(): void {
    this.#next = { afterMs: settleMs };
  }

  pause(ms: number): void {
    this.#next = { afterMs: Math.max(this.#next.afterMs, ms) };
  }

  gap(gap: NonNullable<Step['gap']>, ms: number): void {
    this.#next = { afterMs: ms, gap };
  }

  act(act: Act): void {
    this.steps.push({ ...this.#next, act });
    this.#next = { afterMs: 0 };
  }

  text(): string {
    this.#lastText += 1;
    return `${this.#texts}${this.#lastText}`;
  }

  write(path: string, text: string): void {
    this.files.set(path, text);
    this.act({ kind: 'write', path, text });
  }

  rename(path: string, to: string): void {
    this.#moved(path, to);
    this.act({ kind: 'rename', path, to });
  }

  #moved(path: string, to: string): void {
    for (const [known, text] of Array.from(this.files)) {
      if (known !== path && !known.startsWith(`${path}/`)) continue;
      this.files.delete(known);
      this.files.set(`${to}${known.slice(path.length)}`, text);
    }
  }

  remove(path: string): void {
    this.#removed(path);
    this.act({ kind: 'remove', path });
  }

  #removed(path: string): void {
    for (const known of Array.from(this.files.keys()))
      if (known === path || known.startsWith(`${path}/`)) this.files.delete(known);
  }

  /** A path in a folder, taken or not. */
  place(): string {
    const folder = this.random.pick(this.setting.folders).name;
    return `${folder}/${this.random.pick(places)}${this.random.pick(stems)}.${this.random.pick(endings)}`;
  }

  documents(): readonly string[] {
    return [...this.files.keys()].filter(
      (path) => /\.(?:pdf|docx|txt|csv)$/.test(path) && !path.startsWith('outside/'),
    );
  }

  /** One that stands, if any does. */
  document(): string {
    const documents = this.documents();
    return documents.length === 0 ? this.place() : this.random.pick(documents);
  }

  directories(): readonly string[] {
    const all = this.documents().map((path) => path.slice(0, path.lastIndexOf('/')));
    return [...new Set(all)].filter((path) => path.includes('/'));
  }

  newDocument(): void {
    const { random } = this;
    const path = this.place();
    const [sidecar, document] = [`${path}.meta.json`, () => this.write(path, this.text())];
    if (!random.chance(0.4)) return document();
    const isFirst = random.chance(0.5);
    if (isFirst) document();
    this.writeSidecar(sidecar, path);
    if (!isFirst) document();
  }

  /** With a mode, or what it attaches, or both. */
  writeSidecar(path: string, document: string): void {
    const { random } = this;
    const directory = document.slice(0, document.lastIndexOf('/'));
    const mode = random.chance(0.75)
      ? { shareInfo: { mode: random.pick(['NONE', 'NONE', 'DEFAULT', 'EVERYONE']) } }
      : {};
    if (!random.chance(0.35)) return this.write(path, JSON.stringify(mode));
    const attachment = `${random.pick(['', 'extra/'])}${random.pick(['t', 'u'])}.csv`;
    if (random.chance(0.8)) this.write(`${directory}/${attachment}`, this.text());
    this.write(path, JSON.stringify({ ...mode, attachments: [attachment] }));
  }

  /** In a directory with documents, or above it. */
  writeDefaults(mode: ShareMode | null): void {
    const document = this.document();
    const parts = document.split('/').slice(0, -1);
    const directory = parts.slice(0, 1 + this.random.below(parts.length)).join('/');
    this.write(`${directory}/.meta.json`, JSON.stringify(mode === null ? {} : { shareInfo: { mode } }));
  }

  writeIgnore(): void {
    const document = this.document();
    const slash = document.lastIndexOf('/');
    const line = this.random.pick([
      document.slice(slash + 1),
      `*${document.slice(document.lastIndexOf('.'))}`,
    ]);
    const path = `${document.slice(0, slash)}/.ingestignore`;
    const text = `${line}${this.random.pick(['\n', '\r\n', '\r'])}`;
    if (!this.random.chance(0.4)) return this.write(path, text);
    this.files.set(path, text);
    this.act({ kind: 'write', path, text, encoding: 'utf16le' });
  }

  /** Exactly so, without a pause. */
  soon(ms: number): void {
    this.#next = { afterMs: ms };
  }

  get folderNames(): readonly string[] {
    return this.setting.folders.map(({ name }) => name);
  }
}
