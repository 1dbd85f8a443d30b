import { execFileSync } from 'node:child_process';
import { appendFile, rename, rm, truncate } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const stating = (mode: string, more: object = {}) => JSON.stringify({ ...more, shareInfo: { mode } });
const refused = { kind: 'rejected', code: 'http-422', message: 'no' } as const;

const world = ofEachTest(() => syncedFolder());

const at = (path: string) => world.inbox.join(path);
const write = (path: string, content: string) => world.inbox.write(path, content);

/** What the service holds of the document that was there first. */
function held(): readonly [string, string | undefined] {
  const [document] = world.service.documents.values();
  return [document?.content ?? '', document?.metadata.shareInfo?.mode];
}

/** What was sent since its upload: its parts, and of what it is shared with. */
const sent = () =>
  world.service.parts.slice(1).map(({ content, attachments, metadata }) => ({
    ...(content ? { content } : {}),
    ...(attachments === null ? {} : { attachments }),
    ...metadata,
  }));

/** What is not delivered, and why. */
const undelivered = () =>
  [...world.engine().tasks.all()].map(
    (task) => `${task.ref.path}: ${reasonOf(task)?.code ?? task.state.kind}`,
  );

interface Trouble {
  readonly is: string;
  readonly name?: string;
  readonly content?: string;
  /** Its name from then on. */
  readonly renamed?: string;
  readonly begin: () => Promise<unknown>;
  /** It goes on. */
  readonly again?: () => Promise<unknown>;
  readonly listed?: readonly string[];
  readonly end: () => Promise<unknown>;
  /** What is undelivered, and why, while it lasts. */
  readonly because: string;
}

const troubles: readonly Trouble[] = [
  {
    is: 'is empty',
    begin: () => truncate(at('a.txt')),
    end: () => write('a.txt', 'two'),
    because: 'empty-file',
  },
  {
    is: 'grows all the time',
    begin: () => appendFile(at('a.txt'), '+'),
    again: () => appendFile(at('a.txt'), '+'),
    end: () => write('a.txt', 'two'),
    because: 'settling',
  },
  {
    is: 'is saved by rename all the time',
    begin: () => world.save('a.txt', 'saved'),
    again: () => world.save('a.txt', 'saved'),
    end: () => world.save('a.txt', 'two'),
    because: 'settling',
  },
  {
    is: 'is not whole by its own format',
    name: 'a.pdf',
    content: '%PDF-1.4\n%%EOF\n',
    begin: () => write('a.pdf', '%PDF-1.4\nhalf'),
    end: () => write('a.pdf', 'two'),
    because: 'incomplete',
  },
  {
    is: 'has a name that is refused',
    renamed: 'a.b.txt',
    begin: () => rename(at('a.txt'), at('a.b.txt')),
    end: async () => {
      await rename(at('a.b.txt'), at('a.txt'));
      await write('a.txt', 'two');
    },
    because: 'double-extension',
  },
  {
    is: 'lacks an attachment that its sidecar lists',
    listed: ['x.csv'],
    begin: () => write('a.txt', 'two'),
    end: () => write('x.csv', 'x'),
    because: 'attachment-missing',
  },
  {
    is: 'has an attachment that cannot be sent',
    begin: () => write('a.txt.attachments/x.exe', 'x'),
    end: async () => {
      await rm(at('a.txt.attachments/x.exe'));
      await write('a.txt', 'two');
    },
    because: 'attachment-invalid',
  },
  {
    is: 'is refused by the service',
    begin: () => {
      world.service.failWhere(({ sources }) => (sources.length > 0 ? refused : null));
      return write('a.txt', 'two');
    },
    end: async () => {
      world.service.failWhere(() => null);
      await world.engine().retry(null);
    },
    because: 'http-422',
  },
];

/** Lets the scan see what is there now, and time pass; what goes on all the time does so meanwhile. */
async function goOn({ again }: Pick<Trouble, 'again'> = {}): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await again?.();
    await world.rescan();
    await world.pass(1_000);
  }
}

/** Each trouble with its own sidecar, and with one of the other sources in turn. */
const cases = troubles.flatMap((trouble, index) =>
  ['its own sidecar', index % 2 === 0 ? 'a .meta.json' : 'a .meta.json, while no daemon runs'].map(
    (source) => [trouble.is, source, trouble] as const,
  ),
);

describe('a narrower mode goes out though the document cannot (contract 7.27)', () => {
  it.each(cases)('where it %s, and %s states it', async (_, source, trouble) => {
    const { name = 'a.txt', content = 'one', listed = [] } = trouble;
    const isOwn = source.includes('sidecar');
    await write(name, content);
    await write(isOwn ? `${name}.meta.json` : '.meta.json', stating('EVERYONE'));
    await world.sync();
    expect(held()).toEqual([content, 'EVERYONE']);
    const hash = () => world.ledger().get({ folder: 'inbox', path: trouble.renamed ?? name })?.sha256;
    const before = hash();
    await trouble.begin();
    const more = listed.length > 0 ? { attachments: listed } : {};
    if (isOwn && listed.length > 0) await write(`${name}.meta.json`, stating('EVERYONE', more));
    else if (listed.length > 0) await write(`${name}.meta.json`, JSON.stringify(more));
    if (isOwn && trouble.renamed !== undefined)
      await rename(at(`${name}.meta.json`), at(`${trouble.renamed}.meta.json`));
    await goOn(trouble);
    if (isOwn) await write(`${trouble.renamed ?? name}.meta.json`, stating('NONE', more));
    else await write('.meta.json', stating('NONE'));
    if (source.includes('no daemon')) await world.restart();
    await goOn(trouble);
    expect(held()).toEqual([content, 'NONE']);
    expect(sent()).toContainEqual({ shareInfo: { mode: 'NONE' } });
    expect(undelivered().join()).toContain(trouble.because);
    if (trouble.renamed === undefined) expect(hash()).toBe(before);
    await trouble.end();
    if (isOwn && trouble.renamed !== undefined)
      await rename(at(`${trouble.renamed}.meta.json`), at(`${name}.meta.json`));
    await goOn();
    expect([held(), undelivered()]).toEqual([['two', 'NONE'], []]);
  });
});

describe('what is stated of a document that cannot go out', () => {
  const lost = () => world.service.failNext(busyOf({ sent: 'all' }));

  async function emptied(sidecar: string): Promise<void> {
    await write('a.txt', 'one');
    await write('a.txt.meta.json', sidecar);
    await world.sync();
    await truncate(at('a.txt'));
    await goOn();
  }

  it('is its narrower mode, and nothing else', async () => {
    await emptied(stating('EVERYONE', { title: 'old' }));
    await write('a.txt.meta.json', stating('DEFAULT', { title: 'new', customTags: [{ name: 'tag' }] }));
    await goOn();
    expect(sent()).toEqual([{ shareInfo: { mode: 'DEFAULT' } }]);
    expect(world.activities.at(-1)).toMatchObject({ what: 'modified', sharing: { after: 'DEFAULT' } });
    await write('a.txt.meta.json', stating('EVERYONE', { title: 'new' }));
    await goOn();
    expect(sent()).toHaveLength(1);
    await write('a.txt', 'two');
    await goOn();
    expect([held(), undelivered()]).toEqual([['two', 'EVERYONE'], []]);
    expect(sent()).toContainEqual({ content: true, title: 'new', shareInfo: { mode: 'EVERYONE' } });
  });

  it('goes out again where no answer came, until one does', async () => {
    await emptied(stating('EVERYONE'));
    lost();
    await write('a.txt.meta.json', stating('NONE'));
    await goOn();
    expect(world.service.calls).toEqual(['upload', 'modify', 'modify']);
    expect(sent()).toEqual([{ shareInfo: { mode: 'NONE' } }]);
    expect(undelivered()).toEqual(['a.txt: empty-file']);
  });

  it('is sent once where the service refuses it, until something changes', async () => {
    await emptied(stating('EVERYONE'));
    world.service.failWhere(() => refused);
    await write('a.txt.meta.json', stating('NONE'));
    await goOn();
    await goOn();
    expect([world.service.calls, undelivered()]).toEqual([['upload', 'modify'], ['a.txt: http-422']]);
    world.service.failWhere(() => null);
    await write('a.txt.meta.json', stating('DEFAULT'));
    await goOn();
    expect([held(), undelivered()]).toEqual([['one', 'DEFAULT'], ['a.txt: empty-file']]);
  });

  it('is tried no more often where its file changes all the time', async () => {
    await write('a.txt', 'one');
    await write('a.txt.meta.json', stating('EVERYONE'));
    await world.sync();
    world.service.failWhere(() => refused);
    const again = () => appendFile(at('a.txt'), '+');
    await again();
    await write('a.txt.meta.json', stating('NONE'));
    for (let time = 0; time < 6; time += 1) await goOn({ again });
    const tried = world.service.calls.length - 1;
    expect(tried).toBeGreaterThan(2);
    expect(tried).toBeLessThan(8);
    world.service.failWhere(() => null);
    for (let time = 0; time < 6; time += 1) await goOn({ again });
    expect(held()).toEqual(['one', 'NONE']);
  });

  it('is asked for again before it goes out (7.30)', async () => {
    await emptied(stating('EVERYONE'));
    const connect = world.service.connectNext();
    await write('a.txt.meta.json', stating('NONE'));
    await world.rescan();
    await world.until(() => world.service.isHolding());
    await write('a.txt.meta.json', 'not valid');
    connect();
    await goOn();
    expect([sent(), undelivered()]).toEqual([[], ['a.txt: empty-file']]);
  });

  async function makeAmbiguous(): Promise<void> {
    await write('a.csv', 'x');
    await rename(at('a.txt.meta.json'), at('a.meta.json'));
    await write('a.meta.json', stating('NONE'));
  }

  it.each([
    ['is not valid', () => write('a.txt.meta.json', stating('NONE', { titel: 'x' }))],
    ['is ambiguous', makeAmbiguous],
  ])('goes nowhere where its sidecar %s', async (_, spoil) => {
    await emptied(stating('EVERYONE'));
    await spoil();
    await goOn();
    expect([sent(), held()]).toEqual([[], ['one', 'EVERYONE']]);
  });

  it.each([
    ['is ignored', () => write('.ingestignore', 'a.txt\n')],
    ['is of another type', () => rename(at('a.txt'), at('a.log'))],
    ['is an attachment', () => write('b.txt.meta.json', '{"attachments": ["a.txt"]}')],
  ])('goes nowhere where it %s: it is not sent', async (_, leave) => {
    await write('.meta.json', stating('EVERYONE'));
    await write('a.txt', 'one');
    await write('b.txt', 'owner');
    await world.sync();
    await leave();
    await goOn();
    await write('.meta.json', stating('NONE'));
    await goOn();
    const documents = [...world.service.documents.values()];
    const mode = documents.find(({ content }) => content === 'one')?.metadata.shareInfo?.mode;
    expect(mode).toBe('EVERYONE');
  });

  it('goes out for the document whose file was renamed to its place: that follows its file first (7.1)', async () => {
    await write('.meta.json', stating('EVERYONE'));
    await write('a.txt', 'one');
    await write('b.txt', 'two');
    await world.sync();
    await rename(at('b.txt'), at('a.txt'));
    await write('a.txt.meta.json', stating('NONE', { attachments: ['x.csv'] }));
    await goOn();
    expect([held(), undelivered()]).toEqual([['two', 'NONE'], ['a.txt: attachment-missing']]);
  });

  it('goes out where the path of its directory of attachments is too long to be looked up', async () => {
    // The name of a sidecar is two bytes shorter than that of the directory.
    const room = 4_079 - at('').length;
    const deep = `${'d'.repeat(99 + (room % 100))}/${`${'d'.repeat(99)}/`.repeat(Math.floor(room / 100) - 1)}`;
    await write(`${deep}a.txt`, 'one');
    await write(`${deep}a.txt.meta.json`, stating('EVERYONE'));
    await world.sync();
    const inDirectory = { cwd: at(deep) };
    execFileSync('mkdir', ['a.txt.attachments'], inDirectory);
    await write(`${deep}a.txt.meta.json`, stating('NONE'));
    await goOn();
    expect([held(), undelivered()]).toEqual([['one', 'NONE'], [`${deep}a.txt: path-too-long`]]);
    execFileSync('rmdir', ['a.txt.attachments'], inDirectory);
  });

  it('is not that it has no attachments, where these cannot be read', async () => {
    await write('a.txt', 'one');
    await write('a.txt.attachments/x.csv', 'x');
    await world.sync();
    lost();
    await write('a.txt.attachments/y.csv', 'y');
    await write('a.txt.meta.json', stating('EVERYONE'));
    await world.rescan();
    await world.until(() => world.service.calls.includes('modify'));
    await write('a.txt.attachments/z.exe', 'z');
    await goOn();
    expect(world.service.calls).toEqual(['upload', 'modify']);
    expect(undelivered()).toEqual(['a.txt: attachment-invalid']);
  });
});
