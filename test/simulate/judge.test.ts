import { describe, expect, it } from '@jest/globals';

import type { Ending, ServiceRequest } from './service/service.ts';
import { judgeEnd } from './judge/end-rules.ts';
import type { Claims } from './judge/end-rules.ts';
import { judgePaused } from './judge/told-rules.ts';
import { Judge } from './judge/judge.ts';
import type { JudgeOptions } from './judge/judge.ts';
import type { SeenFile } from './judge/reading.ts';

const ok: Ending = { kind: 'ok', taken: true };
const lost: Ending = { kind: 'lost', taken: true };
const folders = [{ name: 'inbox', mode: null }];

const plain: JudgeOptions = {
  folders,
  settleMs: 2_000,
  maxDeleteCount: 10,
  inDoubt: 'retry',
  followsLinks: false,
  verdictOf: () => 'passed',
  lateMs: 0,
  honouredMs: 100,
  noticeMs: 0,
  isIdentityUnsure: false,
  fullMs: 0,
};

/** A disk, a service and a judge that sees both, without a program: what is sent is what a test says. */
class History {
  readonly judge: Judge;
  readonly #device = {};
  readonly #files = new Map<
    string,
    { readonly identity: object; readonly text: string; readonly isLink?: true }
  >();
  readonly #hidden = new Set<string>();
  readonly #directories = new Map<string, object>();
  #now = 0;
  #last = 0;

  constructor(options: Partial<JudgeOptions> = {}) {
    this.judge = new Judge({ ...plain, ...options });
    this.judge.started(folders, 0);
  }

  get kinds(): readonly string[] {
    return this.judge.passed.map(({ kind }) => kind);
  }

  get now(): number {
    return this.#now;
  }

  wait(ms: number): this {
    this.#now += ms;
    return this;
  }

  write(path: string, text: string): this {
    const identity = this.#files.get(path)?.identity ?? {};
    this.#files.set(path, { identity, text });
    return this.#look();
  }

  /** A new file in the place of one. */
  save(path: string, text: string): this {
    this.#files.set(path, { identity: {}, text });
    return this.#look();
  }

  link(path: string): this {
    this.#files.set(path, { identity: {}, text: '', isLink: true });
    return this.#look();
  }

  /** A directory cannot be listed from now on. */
  hide(directory: string): this {
    this.#hidden.add(directory);
    return this.#look();
  }

  remove(path: string): this {
    this.#files.delete(path);
    return this.#look();
  }

  rename(path: string, to: string): this {
    const before = [...this.#files];
    for (const [name, file] of before)
      if (`${name}/`.startsWith(`${path}/`)) {
        this.#files.delete(name);
        this.#files.set(`${to}${name.slice(path.length)}`, file);
      }
    const directory = this.#directories.get(path);
    if (directory !== undefined) this.#directories.set(to, directory);
    this.#directories.delete(path);
    return this.#look();
  }

  /** A request whose bytes take so long, answered at once unless its answer is lost, or `answer` is called later. */
  send(
    kind: 'upload' | 'modify' | 'delete',
    docId: string,
    { path, text, mode, ending = ok, takesMs = 0, isAnswered = true }: Sent = {},
  ): () => void {
    this.#last += 1;
    const request: ServiceRequest = {
      number: this.#last,
      kind,
      docIds: kind === 'upload' ? [] : [docId],
      file:
        path === undefined
          ? null
          : { field: 'file', name: path.slice(path.lastIndexOf('/') + 1), text: text ?? '' },
      attachments: null,
      metadata: mode === undefined ? null : { shareInfo: { mode } },
      isOnePiece: kind === 'delete',
      firstByteAt: this.#now - takesMs,
      lastByteAt: this.#now,
    };
    this.judge.requested(request, ending, kind === 'upload' && ending.taken ? docId : null);
    const answer = () => this.judge.answered(request, ending, this.#now);
    if (isAnswered && ending.kind !== 'lost') answer();
    return answer;
  }

  /** What ingestd says at the end, beside that all is well, and that these paths of the folder are documents of it. */
  end({ status, waits = [], documents = {} }: End): this {
    const onDisk = [...this.#files].filter(([path]) => !path.endsWith('.json')).length;
    const folder = { ...counts, onDisk, synced: onDisk, ...status?.folder };
    judgeEnd(this.judge, {
      status: {
        folders: [folder as Claims['status']['folders'][number]],
        queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: null },
        failures: [],
        skipped: [],
        kept: [],
        held: [],
        inDoubt: [],
        reasons: [],
        health: status?.health ?? 'ok',
      },
      documents: Object.entries(documents).map(([docId, path]) => ({ folder: 'inbox', path, docId })),
      duplicates: 0,
      waits,
    });
    return this;
  }

  #look(): this {
    const image = [...this.#files].map(([path, { identity, text, isLink = false }]): SeenFile => {
      const directory = path.slice(0, path.lastIndexOf('/'));
      if (!this.#directories.has(directory)) this.#directories.set(directory, {});
      return {
        path,
        identity,
        directory: this.#directories.get(directory) ?? {},
        device: this.#device,
        content: contentOf(identity, text),
        text,
        isHidden: this.#hidden.has(directory),
        isUnlisted: this.#hidden.has(directory),
        isLink,
      };
    });
    this.judge.saw(image, this.#now);
    return this;
  }
}

const contents = new WeakMap<object, Buffer>();

/** The same bytes for as long as nobody writes. */
function contentOf(file: object, text: string): Buffer {
  const known = contents.get(file);
  const content = known?.toString() === text ? known : Buffer.from(text);
  contents.set(file, content);
  return content;
}

interface Sent {
  readonly path?: string;
  readonly text?: string;
  readonly mode?: 'NONE' | 'DEFAULT' | 'EVERYONE';
  readonly ending?: Ending;
  readonly takesMs?: number;
  readonly isAnswered?: boolean;
}

interface End {
  readonly status?: {
    readonly health?: Claims['status']['health'];
    readonly folder?: Partial<Claims['status']['folders'][number]>;
  };
  readonly waits?: Claims['waits'];
  /** docId → path in the folder. */
  readonly documents?: Readonly<Record<string, string>>;
}

const counts = {
  name: 'inbox',
  state: 'watching',
  pending: 0,
  waiting: 0,
  failed: 0,
  skipped: 0,
  held: 0,
  narrower: 0,
};

const none = '{"shareInfo":{"mode":"NONE"}}';

/** A document at the service, as it stands. */
function delivered(path = 'inbox/d/a.txt', options: Partial<JudgeOptions> = {}): History {
  const history = new History(options).write(path, 'a').wait(30_000);
  history.send('upload', 'doc-1', { path, text: 'a', mode: 'DEFAULT' });
  return history.wait(30_000);
}

const harms: readonly (readonly [what: string, kind: string, history: () => History])[] = [
  [
    'a document is deleted whose directory moved before its upload was answered, and at whose place another file was saved (7.25)',
    'deleted-standing/replaced/by-identity',
    () => {
      const history = new History().write('inbox/d/a.txt', 'a').wait(30_000);
      const answer = history.send('upload', 'doc-1', { path: 'inbox/d/a.txt', text: 'a', isAnswered: false });
      history.wait(5).rename('inbox/d', 'inbox/moved').save('inbox/moved/a.txt', 'b').wait(5);
      answer();
      history.wait(20_000).send('delete', 'doc-1');
      return history;
    },
  ],
  [
    'what was saved there is uploaded (7.25)',
    'doubled/replaced/by-identity',
    () => {
      const history = new History().write('inbox/d/a.txt', 'a').wait(30_000);
      const answer = history.send('upload', 'doc-1', { path: 'inbox/d/a.txt', text: 'a', isAnswered: false });
      history.wait(5).rename('inbox/d', 'inbox/moved').save('inbox/moved/a.txt', 'b').wait(5);
      answer();
      history.wait(6_000).send('upload', 'doc-2', { path: 'inbox/moved/a.txt', text: 'b' });
      return history;
    },
  ],
  [
    'a document that has moved is deleted for an ignore rule that is new (4)',
    'deleted-standing/elsewhere',
    () => {
      const history = delivered('inbox/a.txt').rename('inbox/a.txt', 'inbox/d/a.txt').wait(60_000);
      history.write('inbox/.ingestignore', 'd\n').wait(60_000).send('delete', 'doc-1');
      return history;
    },
  ],
  [
    'a document is deleted whose file is back, when a copy of it stood for a moment and is gone (7.25)',
    'deleted-standing',
    () => {
      const history = delivered('inbox/a.txt')
        .rename('inbox/a.txt', 'outside/a.txt')
        .write('inbox/c.txt', 'a');
      history.wait(500).rename('outside/a.txt', 'inbox/a.txt').remove('inbox/c.txt');
      history.wait(60_000).send('delete', 'doc-1');
      return history;
    },
  ],
  [
    'a document is deleted whose file is back, when what stood in its place for a moment is another one by now (7.25)',
    'deleted-standing',
    () => {
      const history = delivered('inbox/a.txt')
        .rename('inbox/a.txt', 'outside/a.txt')
        .save('inbox/a.txt', 'b');
      history
        .wait(100)
        .rename('inbox/a.txt', 'inbox/b.txt')
        .rename('outside/a.txt', 'inbox/a.txt')
        .wait(30_000);
      history.send('upload', 'doc-2', { path: 'inbox/b.txt', text: 'b' });
      history.wait(60_000).send('delete', 'doc-1');
      return history;
    },
  ],
  [
    'a document that was renamed over another one is deleted as well (7.1, 7.25)',
    'deleted-standing/elsewhere',
    () => {
      const history = delivered('inbox/a.txt').write('inbox/b.txt', 'b').wait(30_000);
      history.send('upload', 'doc-2', { path: 'inbox/b.txt', text: 'b' });
      history.rename('inbox/a.txt', 'inbox/b.txt').wait(30_000).send('delete', 'doc-2');
      history.wait(1_000).send('delete', 'doc-1');
      return history;
    },
  ],
  [
    'a mode that a person has let go goes out once more, when what is stated narrowly has gone (7.27)',
    'widened-by-absence',
    () => {
      const history = delivered().write('inbox/.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}').wait(30_000);
      history.judge.shares([{ path: 'inbox/d/a.txt', sharing: 'EVERYONE' }]);
      history.send('modify', 'doc-1', { mode: 'EVERYONE' });
      history.wait(30_000).write('inbox/d/a.txt.meta.json', none).wait(30_000);
      history.send('modify', 'doc-1', { mode: 'NONE' });
      history.wait(30_000).remove('inbox/d/a.txt.meta.json').wait(30_000);
      history.send('modify', 'doc-1', { mode: 'EVERYONE' });
      return history;
    },
  ],
  [
    'what a person has forgotten is sent by the next start (resolve --dismiss)',
    'doubled/dismissed',
    () => {
      const history = new History().write('inbox/a.txt', 'a').wait(30_000);
      history.send('upload', 'doc-1', { path: 'inbox/a.txt', text: 'a', ending: lost });
      history.wait(130_000).judge.dismisses('inbox/a.txt', history.now)(true, history.now);
      history.wait(30_000).judge.started(folders, history.now);
      history.wait(30_000).send('upload', 'doc-2', { path: 'inbox/a.txt', text: 'a' });
      return history;
    },
  ],
  [
    'what was answered before a stop is uploaded by the next start (5)',
    'doubled',
    () => {
      const history = new History();
      history.judge.died(0);
      history.judge.started(folders, 0);
      history.write('inbox/a.txt', 'a').wait(30_000);
      history.send('upload', 'doc-1', { path: 'inbox/a.txt', text: 'a' });
      history.wait(2_000).judge.started(folders, history.now);
      history.wait(5_000).send('upload', 'doc-2', { path: 'inbox/a.txt', text: 'a' });
      return history;
    },
  ],
  [
    'a file has changed before the last piece of its body goes (7.30)',
    'old-content',
    () => {
      const history = delivered().write('inbox/d/a.txt', 'b').wait(30_000);
      history.write('inbox/d/a.txt', 'c').wait(500);
      history.send('modify', 'doc-1', { path: 'inbox/d/a.txt', text: 'b', takesMs: 700 });
      return history;
    },
  ],
  [
    'a document is sent while it is on its way (7.1)',
    'doubled/at-once',
    () => {
      const history = new History().write('inbox/a.txt', 'a').wait(30_000);
      history.send('upload', 'doc-1', { path: 'inbox/a.txt', text: 'a', isAnswered: false });
      history.wait(1_000).send('upload', 'doc-2', { path: 'inbox/a.txt', text: 'a', isAnswered: false });
      return history;
    },
  ],
  [
    'a document is deleted that is back, in a directory that cannot be listed, where events are lost (7.25)',
    'deleted-standing/unlisted',
    () => {
      const history = delivered('inbox/d/a.txt', { noticeMs: 60_000 });
      history.rename('inbox/d/a.txt', 'inbox/e/a.txt').wait(200_000).rename('inbox/e/a.txt', 'outside/a.txt');
      history.wait(6_000).rename('outside/a.txt', 'inbox/e/a.txt');
      history.hide('inbox/e').wait(500).send('delete', 'doc-1');
      return history;
    },
  ],
  [
    'a document gets what is the own file of another one, though it had come to that one’s place (7.1)',
    'wrong-file',
    () => {
      const history = delivered('inbox/a.txt').write('inbox/b.txt', 'b').wait(30_000);
      history.send('upload', 'doc-2', { path: 'inbox/b.txt', text: 'b' });
      history.rename('inbox/b.txt', 'inbox/c.txt').rename('inbox/a.txt', 'inbox/b.txt').wait(30_000);
      history.rename('inbox/b.txt', 'inbox/a.txt').rename('inbox/c.txt', 'inbox/b.txt').wait(30_000);
      history.send('modify', 'doc-1', { path: 'inbox/b.txt', text: 'b' });
      return history;
    },
  ],
  [
    'a mode widens alone over the file of a document that is held more narrowly (7.27)',
    'not-there/moved-over',
    () => {
      const history = delivered('inbox/a.txt').write('inbox/b.txt', 'b').write('inbox/b.txt.meta.json', none);
      history.wait(30_000).send('upload', 'doc-2', { path: 'inbox/b.txt', text: 'b', mode: 'NONE' });
      history.write('inbox/.meta.json', '{"shareInfo":{"mode":"EVERYONE"}}').remove('inbox/b.txt.meta.json');
      history.wait(30_000).rename('inbox/b.txt', 'inbox/a.txt').wait(30_000);
      history.send('modify', 'doc-1', { mode: 'EVERYONE' });
      return history;
    },
  ],
  [
    'a document goes out beside what has just come, where events are lost (7.28, 7.30)',
    'unquiet',
    () => {
      const history = new History({ noticeMs: 60_000 }).write('inbox/other.txt', 'o').wait(60_000);
      history.write('inbox/x.txt', 'x').write('inbox/x.txt.meta.json', none).wait(60_000);
      history.write('inbox/a.txt', 'a').wait(30_000).write('inbox/b.txt', 'b').wait(1_000);
      history.send('upload', 'doc-1', { path: 'inbox/a.txt', text: 'a' });
      return history;
    },
  ],
  [
    'what is not whole waits, though it has not changed for long (7.36)',
    'waits-at-end/incomplete',
    () => {
      const history = new History()
        .write('inbox/a.pdf', '%PDF-1.7 a')
        .wait(800_000)
        .write('inbox/b.txt', 'b');
      const wait = { path: 'inbox/a.pdf', code: 'incomplete', reason: 'it is not whole', until: null };
      return history.wait(1_000).end({ waits: [wait] });
    },
  ],
  [
    'what a person has forgotten is not sent when it has changed (resolve --dismiss)',
    'missing',
    () => {
      const history = new History().write('inbox/a.txt', 'a').wait(30_000);
      history.send('upload', 'doc-1', { path: 'inbox/a.txt', text: 'a', ending: lost });
      history.wait(130_000).judge.dismisses('inbox/a.txt', history.now)(true, history.now);
      return history.wait(30_000).write('inbox/a.txt', 'b').wait(60_000).end({});
    },
  ],
  [
    'a document is known that has no file, while another file cannot be looked at (7.25)',
    'left-over',
    () => {
      const history = delivered('inbox/a.txt').write('inbox/d/b.txt', 'b').wait(30_000);
      history.remove('inbox/a.txt').hide('inbox/d').wait(60_000);
      return history.end({ documents: { 'doc-1': 'a.txt' } });
    },
  ],
  [
    'nobody is told of a symbolic link (7.5)',
    'untold/link',
    () => new History().link('inbox/a.txt').wait(60_000).end({}),
  ],
  [
    'nobody is told which of two names that are one does not stand (7.3)',
    'untold/twin',
    () =>
      delivered('inbox/\u00e9.txt')
        .write('inbox/e\u0301.txt', 'b')
        .wait(60_000)
        .end({ documents: { 'doc-1': '\u00e9.txt' } }),
  ],
  [
    'nobody is told that a document is held more narrowly than is stated (7.27)',
    'untold/narrower',
    () => {
      const history = new History()
        .write('inbox/a.txt', 'a')
        .write('inbox/a.txt.meta.json', none)
        .wait(30_000);
      history.send('upload', 'doc-1', { path: 'inbox/a.txt', text: 'a', mode: 'NONE' });
      return history
        .remove('inbox/a.txt.meta.json')
        .wait(60_000)
        .end({ documents: { 'doc-1': 'a.txt' } });
    },
  ],
  [
    'attention is asked for, and nothing says why (7.20)',
    'untold/nothing-wrong',
    () => delivered('inbox/a.txt').end({ status: { health: 'attention' }, documents: { 'doc-1': 'a.txt' } }),
  ],
  [
    'somebody says when all will be sent, while nothing can be (7.22)',
    'numbers/eta',
    () => {
      const history = delivered('inbox/a.txt');
      history.judge.pauses()(history.now);
      judgePaused(history.judge, { queue: { pending: 1, inFlight: 0, waiting: 0, etaSeconds: 5 } });
      return history;
    },
  ],
  [
    'more is counted than is listed (6)',
    'numbers/listed',
    () =>
      delivered('inbox/a.txt').end({
        status: { folder: { onDisk: 2, synced: 1, failed: 1 } },
        documents: { 'doc-1': 'a.txt' },
      }),
  ],
];

describe('the judge', () => {
  it.each(harms)('sees that %s', (_, kind, history) => {
    expect(history().kinds).toContainEqual(expect.stringMatching(`^${kind}(?:/in-a-gap)?$`));
  });

  it('finds nothing wrong with what is right', () => {
    const history = delivered().write('inbox/d/a.txt', 'b').wait(30_000);
    history.send('modify', 'doc-1', { path: 'inbox/d/a.txt', text: 'b' });
    history.write('inbox/b.pdf', '%PDF-1.7 b').wait(500_000).write('inbox/c.txt', '');
    history.remove('inbox/d/a.txt').wait(30_000).send('delete', 'doc-1');
    expect(history.kinds).toEqual([]);
  });
});
