import { mkdir, rm, unlink, utimes, writeFile } from 'node:fs/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { reasonOf } from '../../../src/sync/tasks/task.ts';
import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import type { FolderSettings } from '../../../src/model/settings.ts';
import { eventuallyHolds } from '../../support/eventually.ts';
import { startScriptedService } from '../../support/services/scripted-service.ts';
import { syncedFolder } from '../support/synced-folder.ts';
import type { SyncedFolder } from '../support/synced-folder.ts';

let world: SyncedFolder;

afterEach(() => world.close());

const long = new Date(Date.now() - 86_400_000);

/** Writes a file as it stood there for a day. */
async function put(path: string, content: string | Metadata): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(world.inbox.join(path), text);
  await utimes(world.inbox.join(path), long, long);
}

async function standing(
  files: Readonly<Record<string, string | Metadata>>,
  settings: Partial<FolderSettings> = {},
): Promise<void> {
  world = await syncedFolder({ settings: { createdTimestamp: 'none', ...settings } });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(world.inbox.join(path, '..'), { recursive: true });
    await put(path, content);
  }
  await world.sync();
}

const states = () =>
  [...world.engine().tasks.all()].map(
    (task) => [task.ref.path, task.state.kind, reasonOf(task)?.code ?? null] as const,
  );
const warnings = () =>
  world.activities.filter(({ what }) => what === 'warning').map(({ message }) => message);

describe('a sidecar', () => {
  it('F50: that comes late is one modify of what it says, and of nothing else', async () => {
    await standing({ 'a.pdf': 'one' });
    world.service.forget();
    await put('a.pdf.meta.json', { title: 'Nordvik', customTags: [{ name: 'q1', visibility: 'PUBLIC' }] });
    await world.sync();
    expect(world.service.parts).toEqual([
      {
        content: false,
        attachments: null,
        metadata: { title: 'Nordvik', customTags: [{ name: 'q1', visibility: 'PUBLIC', operation: 'ADD' }] },
      },
    ]);
  });

  it('F50: that goes takes back what can be taken back, and says once what cannot', async () => {
    const sidecar = {
      title: 'Nordvik',
      customTags: [{ name: 'q1', visibility: 'PUBLIC' as const }],
      docAuthors: [{ authorName: 'Jane Doe' }],
    };
    await standing({ 'a.pdf': 'one', 'a.pdf.meta.json': sidecar });
    world.service.forget();
    await unlink(world.inbox.join('a.pdf.meta.json'));
    await world.sync();
    expect(world.service.parts.map(({ metadata }) => metadata)).toEqual([
      { title: 'a', customTags: [{ name: 'q1', visibility: 'PUBLIC', operation: 'DELETE' }] },
    ]);
    expect(warnings()).toEqual([expect.stringContaining('Jane Doe')]);
    await put('a.pdf', 'two');
    await world.sync();
    expect([world.service.calls, warnings().length]).toEqual([['modify', 'modify'], 1]);
  });

  it('F51: that breaks keeps its document back in every form until it is fixed', async () => {
    await standing({ 'a.pdf': 'one', 'a.pdf.meta.json': { shareInfo: { mode: 'NONE' } } });
    world.service.forget();
    await put('a.pdf.meta.json', '{"shareInfo": {"mode": "EVERY');
    await put('a.pdf', 'two');
    await world.sync();
    expect([world.service.calls, states()]).toEqual([[], [['a.pdf', 'failed', 'sidecar-invalid']]]);
    await put('a.pdf.meta.json', { shareInfo: { mode: 'PRIVATE' } } as unknown as Metadata);
    await world.sync();
    expect(world.service.calls).toEqual([]);
    await put('a.pdf.meta.json', { shareInfo: { mode: 'EVERYONE' } });
    await world.sync();
    expect(world.service.parts).toEqual([
      { content: true, attachments: null, metadata: { shareInfo: { mode: 'EVERYONE' } } },
    ]);
    expect([world.held(), states()]).toEqual([{ 'a.pdf': 'two' }, []]);
  });

  it.each(['a.pdf.meta.json', 'a.meta.json', '.meta.json', '.ingestignore'])(
    'F51: a directory in the place of %s keeps the document back until it goes',
    async (place) => {
      await standing({});
      await mkdir(world.inbox.join('d', place), { recursive: true });
      await put('d/a.pdf', 'one');
      await world.sync();
      expect(world.service.calls).toEqual([]);
      await rm(world.inbox.join('d', place), { recursive: true });
      await world.sync();
      expect(world.held()).toEqual({ 'd/a.pdf': 'one' });
    },
  );

  it('a folder says that its own .ingestignore is not valid, and so do its files', async () => {
    await standing({ 'a.pdf': 'one' });
    await mkdir(world.inbox.join('.ingestignore'));
    await world.rescan();
    const code = 'ignore-file-invalid';
    const message = expect.stringContaining('its .ingestignore is');
    expect(world.port().health()).toMatchObject({ state: 'polling', reasons: [{ code, message }] });
    expect(await world.port().inspect('a.pdf')).toMatchObject({ kind: 'unknown', code, message });
    expect(await world.port().inspect('.ingestignore')).toMatchObject({ code, message });
    await rm(world.inbox.join('.ingestignore'), { recursive: true });
    await world.rescan();
    await put('b.pdf', 'two');
    await world.sync();
    expect(world.held()).toEqual({ 'a.pdf': 'one', 'b.pdf': 'two' });
  });

  it('a document that has moved with an .ingestignore that is not valid is as delivered there', async () => {
    await standing({ 'd/a.pdf': 'one' });
    await mkdir(world.inbox.join('d/.ingestignore'));
    await world.sync();
    await world.move('d', 'e');
    await world.sync();
    // The ledger takes its time, and nothing is on its way meanwhile.
    await eventuallyHolds(() => expect([[...world.docIds().keys()], states()]).toEqual([['e/a.pdf'], []]));
  });

  it('is waited for where the folder requires one', async () => {
    await standing(
      { 'a.pdf': 'one', 'b.pdf': 'two', 'b.meta.json': { title: 'B' } },
      { sidecar: 'required' },
    );
    expect(world.service.calls).toEqual(['upload']);
    expect(states()).toEqual([['a.pdf', 'waiting', expect.any(String)]]);
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ waiting: 1, failed: 0 });
    expect(world.engine().isIdle()).toBe(true);
    await put('a.pdf.meta.json', { title: 'A' });
    await world.sync();
    expect(world.service.parts.at(-1)?.metadata).toMatchObject({ title: 'A' });
    expect(states()).toEqual([]);
  });
});

describe('S15: an address in a sidecar', () => {
  it('is passed on and never asked', async () => {
    const service = await startScriptedService();
    const documentUrl = `${service.ingestUrl}/secret`;
    await standing({ 'a.pdf': 'one', 'a.pdf.meta.json': { documentUrl } });
    await service.close();
    expect(world.service.parts.map(({ metadata }) => metadata?.documentUrl)).toEqual([documentUrl]);
    expect(service.connections()).toBe(0);
  });
});

describe('defaults of directories', () => {
  it('give way to nearer ones and to sidecars, field by field, and follow when they change', async () => {
    await standing(
      {
        '.meta.json': { sourceType: 'outer', documentOwner: 'desk' },
        'x/.meta.json': { sourceType: 'inner' },
        'x/a.pdf': 'one',
        'x/b.pdf': 'two',
        'x/b.pdf.meta.json': { sourceType: 'own' },
        'c.pdf': 'three',
      },
      { metadata: { shareInfo: { mode: 'NONE' }, documentOwner: 'folder' }, title: 'none' },
    );
    const byPath = () =>
      Object.fromEntries(
        [...world.docIds()].map(([path, docId]) => [path, world.service.documents.get(docId)?.metadata]),
      );
    const always = { shareInfo: { mode: 'NONE' }, documentOwner: 'desk' };
    expect(byPath()).toEqual({
      'c.pdf': { ...always, sourceType: 'outer' },
      'x/a.pdf': { ...always, sourceType: 'inner' },
      'x/b.pdf': { ...always, sourceType: 'own' },
    });
    world.service.forget();
    await put('x/.meta.json', { sourceType: 'changed' });
    await world.sync();
    expect(world.service.parts).toEqual([
      { content: false, attachments: null, metadata: { sourceType: 'changed' } },
    ]);
    await unlink(world.inbox.join('x/.meta.json'));
    await world.sync();
    expect(byPath()['x/a.pdf']?.sourceType).toBe('outer');
  });
});

describe('attachments', () => {
  it('F54: go with their document, are sent again when one changes, and alone', async () => {
    await standing({
      'a.pdf': 'one',
      'a.pdf.attachments/x.csv': 'x',
      'figures/y.csv': 'y',
      'a.pdf.meta.json': '{"attachments": ["figures/y.csv"]}',
    });
    expect(world.service.parts).toEqual([
      { content: true, attachments: ['x.csv', 'y.csv'], metadata: { title: 'a' } },
    ]);
    world.service.forget();
    await put('figures/y.csv', 'other');
    await world.sync();
    expect(world.service.parts).toEqual([
      { content: false, attachments: ['x.csv', 'y.csv'], metadata: null },
    ]);
    await rm(world.inbox.join('a.pdf.attachments'), { recursive: true });
    await put('a.pdf.meta.json', '{}');
    await world.sync();
    // y.csv is a document of its own now; that a last attachment stays is said, for no request can take it.
    expect(world.service.calls).toEqual(['modify', 'upload']);
    expect(warnings()).toEqual([expect.stringContaining('attachments stay')]);
  });
});
