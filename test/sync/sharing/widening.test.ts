import { chown, link, mkdir, rm } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { narrowerAt } from '../../../src/daemon/control/decisions.ts';
import { readImport } from '../../../src/ledger/transfer/read-import.ts';
import { allowWidening, widerMode } from '../../../src/model/metadata/held-mode.ts';
import { shareModes } from '../../../src/model/metadata/metadata.ts';
import type { DocumentRef } from '../../../src/model/document.ts';
import type { FolderSettings } from '../../../src/model/settings.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';
import { describeWhere } from '../../support/needs.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

const modeText = (mode: string) => `{"shareInfo": {"mode": "${mode}"}}`;
const secret = modeText('NONE');
const open = modeText('EVERYONE');

let world: SyncedFolder;

afterEach(() => world.close());

const at = (path: string) => world.inbox.join(path);
const write = (path: string, content: string) => world.inbox.write(path, content);
const remove = (path: string) => rm(at(path));
const nothing = () => Promise.resolve();

/** The sharing mode of the document of this content, at the service, and whether a wider one is stated for it. */
function shared(content: string): string {
  for (const [docId, { content: held, metadata }] of world.service.documents) {
    const place = held === content ? world.ledger().findByDocId(docId) : undefined;
    const record = place === undefined ? undefined : world.ledger().get(place);
    if (record === undefined) continue;
    const mode = metadata.shareInfo?.mode ?? 'DEFAULT';
    return widerMode(record) !== null ? `${mode}, narrower` : mode;
  }
  return 'not held';
}

/** What stands there at first: `own` is private by its sidecar, `inside` by its directory, `plain` by nothing. */
async function fill(folder: SyncedFolder['inbox']): Promise<void> {
  await folder.write('own.txt', 'own');
  await folder.write('own.txt.meta.json', secret);
  await folder.write('private/.meta.json', secret);
  await folder.write('private/inside.txt', 'inside');
  await folder.write('two/.meta.json', open);
  await folder.write('two/levels/.meta.json', secret);
  await folder.write('two/levels/deep.txt', 'deep');
  await folder.write('open/.meta.json', open);
  await folder.write('open/old.txt', 'old');
  await folder.write('plain.txt', 'plain');
  await folder.write('owner.txt', 'owner');
  await folder.write('owner.txt.meta.json', '{"attachments": ["attached.csv"]}');
  await folder.write('attached.csv', 'attached');
}

/** One after the other, each when the one before has been sent. */
function inTurn(...acts: readonly (() => Promise<unknown>)[]): () => Promise<unknown> {
  return async () => {
    for (const [index, act] of acts.entries()) {
      if (index > 0) await world.sync();
      await act();
    }
  };
}

/** What `inside` attaches from then on, by a sidecar that states no mode. */
async function attach(): Promise<void> {
  await write('private/attached.csv', 'of inside');
  await write('private/inside.txt.meta.json', '{"attachments": ["attached.csv"]}');
}

type Row = readonly [title: string, steps: () => Promise<unknown>, content: string, expected: string];

const rows: readonly Row[] = [
  ['its own sidecar is removed', () => remove('own.txt.meta.json'), 'own', 'NONE, narrower'],
  ['it is renamed without its sidecar', () => world.move('own.txt', 'new.txt'), 'own', 'NONE, narrower'],
  ['it is moved without its sidecar', () => world.move('own.txt', 'open/own.txt'), 'own', 'NONE, narrower'],
  [
    'its sidecar follows it later',
    inTurn(
      () => world.move('own.txt', 'open/own.txt'),
      () => world.move('own.txt.meta.json', 'open/own.txt.meta.json'),
    ),
    'own',
    'NONE',
  ],
  ['its own sidecar states a wider mode', () => write('own.txt.meta.json', open), 'own', 'EVERYONE'],
  [
    'its own sidecar has an empty shareInfo',
    () => write('own.txt.meta.json', '{"shareInfo": {}}'),
    'own',
    'DEFAULT',
  ],
  [
    'its own sidecar has no shareInfo any more',
    () => write('own.txt.meta.json', '{}'),
    'own',
    'NONE, narrower',
  ],
  ['the .meta.json is removed', () => remove('private/.meta.json'), 'inside', 'NONE, narrower'],
  ['the .meta.json is edited', () => write('private/.meta.json', open), 'inside', 'EVERYONE'],
  [
    'the .meta.json is moved up, and edited there',
    inTurn(
      () => world.move('private/.meta.json', '.meta.json'),
      () => write('.meta.json', open),
    ),
    'inside',
    'NONE, narrower',
  ],
  ['the inner .meta.json of two is removed', () => remove('two/levels/.meta.json'), 'deep', 'NONE, narrower'],
  [
    'the inner .meta.json of two is removed, and the outer directory gets another name',
    inTurn(
      () => remove('two/levels/.meta.json'),
      () => world.move('two', 'zwei'),
    ),
    'deep',
    'NONE, narrower',
  ],
  [
    'its directory is moved, and another .meta.json made above it',
    async () => {
      await mkdir(at('elsewhere'));
      await world.move('private', 'elsewhere/private');
      await world.sync();
      await remove('elsewhere/private/.meta.json');
      await write('elsewhere/.meta.json', open);
    },
    'inside',
    'EVERYONE',
  ],
  [
    'it is moved without the sidecar that lists its attachments',
    inTurn(attach, () => world.move('private/inside.txt', 'open/inside.txt')),
    'inside',
    'NONE, narrower',
  ],
  [
    'the sidecar that lists its attachments is removed, and the .meta.json edited',
    inTurn(
      attach,
      () => remove('private/inside.txt.meta.json'),
      () => write('private/.meta.json', open),
    ),
    'inside',
    'NONE, narrower',
  ],
  [
    'it is moved with its attachments and the sidecar that lists them',
    inTurn(attach, async () => {
      for (const name of ['attached.csv', 'inside.txt.meta.json', 'inside.txt'])
        await world.move(`private/${name}`, `open/${name}`);
    }),
    'inside',
    'EVERYONE',
  ],
  [
    'an attachment becomes a document',
    () => write('owner.txt.meta.json', '{"title": "no more"}'),
    'attached',
    'NONE, narrower',
  ],
  [
    'an attachment of two owners becomes a document',
    async () => {
      await write('plain.txt.meta.json', '{"attachments": ["attached.csv"]}');
      await world.sync();
      await write('owner.txt.meta.json', '{"title": "no more"}');
      await world.sync();
      await remove('plain.txt.meta.json');
      await write('plain.txt.meta.json', '{"title": "no more"}');
    },
    'attached',
    'NONE, narrower',
  ],
  ['nothing was private', () => write('plain.txt', 'plain and longer'), 'plain and longer', 'EVERYONE'],
  [
    'the ledger is lost, and it is a new document',
    async () => {
      await remove('own.txt.meta.json');
      await world.ledger().commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'own.txt' } }]);
      await world.restart();
    },
    'own',
    'EVERYONE',
  ],
];

it.each(rows)(
  'I14, I15: where %s, a document is shared as contract 7.27 says',
  async (_, steps, content, expected) => {
    world = await syncedFolder({ settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } }, before: fill });
    expect([shared('own'), shared('inside'), shared('deep'), shared('plain')]).toEqual([
      'NONE',
      'NONE',
      'NONE',
      'EVERYONE',
    ]);
    await steps();
    await world.sync();
    await world.restart();
    await world.sync();
    expect([shared(content), [...world.engine().tasks.in('failed')].length]).toEqual([expected, 0]);
  },
);

it.each<readonly [string, FolderSettings['metadata'], string]>([
  ['states a wider mode', { shareInfo: { mode: 'EVERYONE' } }, 'EVERYONE'],
  ['has an empty shareInfo', { shareInfo: {} }, 'DEFAULT'],
  ['states none any more', {}, 'NONE, narrower'],
])(
  'where the folder’s metadata %s, a document is shared as contract 7.27 says',
  async (_, metadata, expected) => {
    const settings: { metadata: FolderSettings['metadata'] } = { metadata: { shareInfo: { mode: 'NONE' } } };
    world = await syncedFolder({ settings, before: (inbox) => inbox.write('a.txt', 'plain') });
    await world.sync();
    expect(shared('plain')).toBe('NONE');
    settings.metadata = metadata;
    await world.restart();
    await world.sync();
    expect(shared('plain')).toBe(expected);
  },
);

/** Has the ledger know `a.txt` as a list that gives `mode` says, while the folder's settings say EVERYONE. */
async function imported(mode: string, steps: () => Promise<unknown>): Promise<void> {
  const settings: { metadata: FolderSettings['metadata'] } = {
    metadata: mode === '' ? {} : { shareInfo: { mode: shareModes.find((one) => one === mode) } },
  };
  world = await syncedFolder({
    settings,
    service: { onMissing: 'upload' },
    before: (inbox) => inbox.write('a.txt', 'imported'),
  });
  await world.sync();
  const { docId = '', stat, sha256 = '' } = world.ledger().get(a) ?? {};
  const folders = { folders: ['inbox'], paths: [world.inbox.path], now: 0 };
  const { entries } = readImport(`path,docId,mode\na.txt,${docId},${mode}\n`, folders);
  await world.ledger().commit(
    entries.map(({ ref, record }) => ({
      kind: 'put',
      ref,
      record: { ...record, sha256, stat: stat ?? record.stat },
    })),
  );
  settings.metadata = { shareInfo: { mode: 'EVERYONE' } };
  await world.restart();
  await steps();
  await world.sync();
}

const a = { folder: 'inbox', path: 'a.txt' };
const edit = () => write('a.txt', 'edited');
/** Of an edit that reached the service. */
async function editWithoutAnswer(): Promise<void> {
  await world.sync();
  world.service.failNext(busyOf({ message: 'no answer', sent: 'all' }), { taken: true });
  await edit();
}

async function allow(...refs: readonly DocumentRef[]): Promise<void> {
  await world.sync();
  const changes = refs.map((ref) => {
    const record = world.ledger().get(ref);
    if (record === undefined) throw new Error('not delivered');
    return { kind: 'put', ref, record: allowWidening(record, 'EVERYONE') } as const;
  });
  await world.ledger().commit(changes);
  await world.restart();
  await world.sync();
}

it('A1: of two hard links a person shares both, and none alone', async () => {
  world = await syncedFolder({ settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } }, before: fill });
  const own = { folder: 'inbox', path: 'own.txt' };
  const other = { folder: 'inbox', path: 'open/own.txt' };
  await link(at(own.path), at(other.path));
  await world.sync();
  const state = () => [
    world.modes()[own.path],
    world.modes()[other.path],
    ...narrowerAt([other], world.ledger()).map(({ code }) => code),
  ];
  expect(state()).toEqual(['NONE', 'NONE', 'linked-file']);
  const { length } = world.service.calls;
  await allow(other);
  expect([...state(), world.service.calls.length]).toEqual(['NONE', 'NONE', 'linked-file', length]);
  await remove('own.txt.meta.json');
  await world.sync();
  expect(state()).toEqual(['NONE', 'NONE', 'kept-private']);
  await allow(own, other);
  expect(state()).toEqual(['EVERYONE', 'EVERYONE']);
});

it.each<readonly [title: string, mode: string, () => Promise<unknown>, content: string, expected: string]>([
  ['unknown', '', nothing, 'imported', 'DEFAULT, narrower'],
  ['unknown, with an own sidecar', '', () => write('a.txt.meta.json', open), 'imported', 'EVERYONE'],
  ['unknown, with a narrower one above it', '', () => write('.meta.json', secret), 'imported', 'NONE'],
  ['unknown, and a person allows it', '', () => allow(a), 'imported', 'EVERYONE'],
  ['unknown, and it is edited', '', edit, 'edited', 'DEFAULT, narrower'],
  ['unknown, and the answer to an edit is lost', '', editWithoutAnswer, 'edited', 'DEFAULT, narrower'],
  [
    'unknown, and the service lost it',
    '',
    async () => {
      world.service.failNext({ kind: 'missing', message: 'unknown' });
      await edit();
    },
    'edited',
    'NONE, narrower',
  ],
  ['NONE', 'NONE', nothing, 'imported', 'NONE, narrower'],
  ['NONE, and it is edited', 'NONE', edit, 'edited', 'NONE, narrower'],
  ['NONE, with a wider one above it', 'NONE', () => write('.meta.json', open), 'imported', 'NONE, narrower'],
  ['NONE, with an own sidecar', 'NONE', () => write('a.txt.meta.json', open), 'imported', 'EVERYONE'],
  ['DEFAULT', 'DEFAULT', nothing, 'imported', 'DEFAULT, narrower'],
  ['EVERYONE', 'EVERYONE', nothing, 'imported', 'EVERYONE'],
])(
  'an imported document whose mode is %s is shared as contract 7.27 says',
  async (_, mode, steps, content, expected) => {
    await imported(mode, steps);
    expect(shared(content)).toBe(expected);
  },
);

describeWhere(
  process.getuid?.() === 0 ? null : { refused: 'giving files to other users' },
  'where sidecarOwner changes',
  () => {
    it.each(['own.txt.meta.json', 'private/.meta.json'])('what %s stated stays', async (companion) => {
      const settings: { sidecarOwner: 'any' | 'same'; metadata: FolderSettings['metadata'] } = {
        sidecarOwner: 'any',
        metadata: { shareInfo: { mode: 'EVERYONE' } },
      };
      world = await syncedFolder({ settings, before: fill });
      await world.sync();
      await chown(at(companion), 12_345, 12_345);
      await world.sync();
      settings.sidecarOwner = 'same';
      await world.restart();
      await world.sync();
      expect(shared(companion.startsWith('own') ? 'own' : 'inside')).toBe('NONE, narrower');
    });
  },
);
