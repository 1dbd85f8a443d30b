import { once } from 'node:events';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { emptyLedger } from '../../src/ledger/read-ledger.ts';
import { asItStands, withRestingEngine } from '../../src/commands/offline/resting-engine.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import type { Change, Doubt } from '../../src/model/ports/ledger-port.ts';
import { unstatedSource } from '../../src/model/report/activity-words.ts';
import type { PlanReport } from '../../src/commands/make-plan.ts';
import type { SyncReport } from '../../src/daemon/run-sync.ts';
import type { CheckFinding, Why } from '../../src/model/report/command-reports.ts';
import { doubtWords } from '../../src/model/report/failures.ts';
import { health } from '../../src/model/report/health.ts';
import { explain } from '../../src/model/report/explanations.ts';
import type { FolderStatus, Status } from '../../src/model/report/status.ts';
import { shellWord } from '../../src/lib/text/printable.ts';
import { directoryOf, nameOf, refKey } from '../../src/model/document.ts';
import { seededRandom } from '../soak/seeded-random.ts';
import { eventually } from '../support/eventually.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { startIngestd } from '../support/processes/ingestd.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

type Files = Readonly<Record<string, string>>;
type Counts = Partial<Pick<FolderStatus, (typeof compared)[number]>>;

/** A folder, what the service has of it, and what every command has to say about it. */
interface World {
  /** Merged into the configuration. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Delivered before the rest is done. */
  readonly delivered?: Files;
  /** Files as they come then. */
  readonly files?: Files;
  /** What else is done to the folder. */
  readonly change?: (folder: TrialFolder) => Promise<unknown>;
  /** What the ledger has beside what was delivered. */
  readonly ledger?: (folder: TrialFolder) => Promise<readonly Change[]>;
  /** Of the first folder, where they are not 0. Left out, as `check` and `plan` are: only what holds of all worlds is asked. */
  readonly counts?: Counts;
  /** The exit code of `check`, and the codes of what it finds by their subjects. */
  readonly check?: readonly [code: number, findings: Readonly<Record<string, string>>];
  readonly plan?: Partial<PlanReport['counts']>;
  readonly why?: Readonly<Record<string, unknown>>;
  /** The service knows nothing of what the ledger says, so that a pass comes to something else. */
  readonly isForged?: true;
  /** What else the status says, with a daemon and without. */
  readonly status?: Readonly<Record<string, unknown>>;
}

const compared = [
  'onDisk',
  'synced',
  'pending',
  'waiting',
  'failed',
  'inDoubt',
  'skipped',
  'held',
  'kept',
  'attached',
] as const;

const sidecar = (metadata: object) => JSON.stringify(metadata);
const inbox = (path: string) => ({ folder: 'inbox', path });
const doubt = (path: string, holds: boolean, more?: Pick<Doubt, 'again' | 'dismissed'>): Change => ({
  kind: 'doubt',
  doubt: { id: path, ref: inbox(path), count: 1, since: 1, message: 'no answer', holds, ...more },
});
const asSent = 'nothing; the service has the current version';
const remains = 'nothing; its document stays at the service as it was last sent';

const worlds: Readonly<Record<string, World>> = {
  'files that each rule leaves out, or that cannot be sent': {
    more: {
      folders: [
        { name: 'inbox', path: './inbox', ignore: ['*.bak.txt'], metadata: { sourceType: 'mail' } },
        { name: 'paired', path: './paired', sidecar: 'required' },
      ],
    },
    files: {
      'inbox/.ingestignore': '# not these\n*.csv\n\ndrafts/\n',
      'inbox/a.csv': '1',
      'inbox/old.bak.txt': '1',
      'inbox/drafts/x.txt': '1',
      'inbox/a.exe': 'x',
      'inbox/empty.txt': '',
      'inbox/two.dots.txt': 'x',
      'inbox/sub/.meta.json': sidecar({ documentUrl: 'https://example.org/' }),
      'inbox/sub/r.txt': 'text',
      'inbox/sub/r.txt.meta.json': sidecar({ title: 'R' }),
      'inbox/bad.txt': 'text',
      'inbox/bad.txt.meta.json': sidecar({ titel: 'R' }),
      'inbox/gone.txt': 'text',
      'inbox/gone.txt.meta.json': sidecar({ attachments: ['none.txt'] }),
      'inbox/lone.txt.attachments/x.txt': 'x',
      'paired/p.txt': 'text',
    },
    change: (folder) => mkdir(folder.join('inbox/none.txt.attachments')),
    counts: { onDisk: 6, pending: 1, failed: 3, skipped: 2 },
    check: [
      4,
      {
        'inbox/two.dots.txt': 'double-extension',
        'inbox/bad.txt': 'sidecar-invalid',
        'inbox/gone.txt': 'attachment-missing',
        'inbox/a.exe': 'unsupported-type',
        'inbox/empty.txt': 'empty-file',
        'inbox/lone.txt.attachments': 'orphan-attachments',
        'paired/p.txt': 'sidecar-missing',
      },
    ],
    plan: { upload: 1, failed: 3, waiting: 1, skipped: 2, orphanAttachments: 1 },
    status: { waiting: [{ folder: 'paired', path: 'p.txt', code: 'sidecar-missing' }] },
    why: {
      'inbox/a.csv': { verdict: { message: 'the pattern "*.csv" in .ingestignore:2 ignores it' } },
      'inbox/old.bak.txt': {
        verdict: {
          message: 'the pattern "*.bak.txt" in the setting "ignore" of the folder "inbox" ignores it',
        },
      },
      'inbox/drafts/x.txt': {
        verdict: { message: 'the pattern "drafts/" in .ingestignore:4 ignores the directory drafts' },
      },
      'inbox/a.exe': {
        verdict: { kind: 'skipped' },
        fix: explain('unsupported-type').fix,
        next: 'nothing until that changes',
      },
      'inbox/empty.txt': { fix: 'It is sent as soon as it has content.', next: 'nothing until that changes' },
      'inbox/two.dots.txt': {
        verdict: { kind: 'unfit' },
        now: { state: 'failed' },
        next: 'nothing until that is fixed; then it is sent',
      },
      'inbox/sub/r.txt': {
        fix: null,
        sources: {
          title: 'sub/r.txt.meta.json',
          documentUrl: 'sub/.meta.json',
          sourceType: 'folder settings',
          createdTimestamp: 'modification time',
          shareInfo: unstatedSource,
        },
        next: 'it is uploaded when ingestd runs',
      },
      'inbox/sub/r.txt.meta.json': { verdict: { message: 'the sidecar of sub/r.txt' }, notes: [] },
      'inbox/bad.txt.meta.json': {
        notes: [expect.stringMatching(/^its document inbox\/bad\.txt is not sent: .*titel/)],
      },
      'inbox/sub/.meta.json': { verdict: { message: 'metadata for the documents in sub and below' } },
      'inbox/lone.txt.attachments': {
        verdict: { code: 'orphan-attachments' },
        fix: explain('orphan-attachments').fix,
        next: 'nothing until inbox/lone.txt exists',
      },
      'inbox/none.txt.attachments': { verdict: { code: 'attachments' }, fix: null },
      'paired/p.txt': {
        verdict: { kind: 'waiting', message: 'its sidecar p.txt.meta.json is missing' },
        next: 'nothing until that changes; then it is sent',
      },
    },
  },

  'documents that were edited, moved, removed and ignored since they were delivered': {
    delivered: Object.fromEntries(
      ['kept', 'edited', 'gone', 'moved', 'ignored', 'titled'].map((name) => [`inbox/${name}.txt`, name]),
    ),
    files: {
      'inbox/edited.txt': 'edited and longer',
      'inbox/titled.txt.meta.json': sidecar({ title: 'T' }),
      'inbox/.ingestignore': 'ignored.txt\n',
      'inbox/new.txt': 'new',
    },
    change: async (folder) => {
      await rm(folder.join('inbox/gone.txt'));
      await rename(folder.join('inbox/moved.txt'), folder.join('inbox/there.txt'));
    },
    counts: { onDisk: 5, synced: 1, pending: 4, kept: 1 },
    check: [0, {}],
    plan: { upload: 1, modify: 3, move: 1, delete: 1, kept: 1, unchanged: 1 },
    status: { totals: { uploaded: 6 } },
    why: {
      'inbox/kept.txt': { now: null, next: asSent },
      'inbox/edited.txt': {
        now: { state: 'pending', message: '' },
        next: 'its changes are sent when ingestd runs',
      },
      'inbox/titled.txt': { next: 'its changes are sent when ingestd runs' },
      'inbox/gone.txt': { next: 'its document is deleted at the service when ingestd runs' },
      'inbox/there.txt': { next: 'its changes are sent when ingestd runs' },
      'inbox/moved.txt': {
        verdict: { message: 'the file was moved to inbox/there.txt, and its document with it' },
        next: 'nothing',
      },
      'inbox/ignored.txt': { next: remains },
      'inbox/new.txt': { next: 'it is uploaded when ingestd runs' },
    },
  },

  'documents that the rules include no longer': {
    more: { folders: [{ name: 'inbox', path: './inbox', include: ['*.pdf', '!draft.pdf'] }] },
    files: { 'inbox/a.pdf': 'a', 'inbox/b.txt': 'b', 'inbox/draft.pdf': 'd' },
    ledger: async () => [
      { kind: 'put', ref: inbox('b.txt'), record: recordOf({ docId: 'doc-b', fileName: 'b.txt' }) },
    ],
    counts: { onDisk: 1, pending: 1, kept: 1 },
    check: [0, {}],
    plan: { upload: 1, kept: 1 },
    why: {
      'inbox/b.txt': {
        verdict: {
          code: 'not-included',
          message: 'no pattern in the setting "include" of the folder "inbox" matches it',
        },
        next: remains,
      },
      'inbox/draft.pdf': {
        verdict: {
          message: 'the pattern "!draft.pdf" in the setting "include" of the folder "inbox" excludes it',
        },
      },
    },
  },

  'an attachment whose sidecar has become invalid': {
    delivered: {
      'inbox/a.pdf': 'a',
      'inbox/x.pdf': 'x',
      'inbox/a.pdf.meta.json': sidecar({ attachments: ['x.pdf'] }),
    },
    files: { 'inbox/a.pdf.meta.json': '{"attach' },
    counts: { onDisk: 1, failed: 1, attached: 1 },
    check: [4, { 'inbox/a.pdf': 'sidecar-invalid', 'inbox/x.pdf': 'attached-before' }],
    plan: { failed: 1 },
    status: { waitingTotal: 1, waiting: [{ path: 'x.pdf', code: 'attached-before' }] },
  },

  'an attachment whose sidecar is gone': {
    delivered: {
      'inbox/a.pdf': 'a',
      'inbox/x.pdf': 'x',
      'inbox/a.pdf.meta.json': sidecar({ attachments: ['x.pdf'] }),
    },
    change: async (folder) => {
      await rm(folder.join('inbox/a.pdf.meta.json'));
      expect(await folder.run('sync')).toMatchObject({ code: 0 });
    },
    counts: { onDisk: 1, synced: 1, attached: 1 },
    check: [0, {}],
    plan: { unchanged: 1 },
  },

  'a mode that cannot be widened, because attachments would be seen': {
    delivered: {
      'inbox/a.pdf': 'a',
      'inbox/a.pdf.attachments/b.csv': 'b',
      'inbox/a.pdf.meta.json': sidecar({ shareInfo: { mode: 'NONE' } }),
    },
    files: { 'inbox/a.pdf.meta.json': sidecar({ shareInfo: { mode: 'EVERYONE' } }) },
    change: (folder) => rm(folder.join('inbox/a.pdf.attachments'), { recursive: true }),
    counts: { onDisk: 1, synced: 1 },
    check: [0, {}],
    plan: { unchanged: 1, narrower: 1 },
    status: { narrower: [{ path: 'a.pdf', sharing: 'EVERYONE', code: 'attachments-would-show' }] },
    why: {
      'inbox/a.pdf': {
        metadata: { shareInfo: { mode: 'NONE' } },
        narrower: { sharing: 'EVERYONE', code: 'attachments-would-show' },
      },
    },
  },

  'a mode and a timestamp that stay as they were sent, where nothing states them any more': {
    delivered: {
      'inbox/a.txt': 'a',
      'inbox/a.txt.meta.json': sidecar({
        shareInfo: { mode: 'NONE' },
        createdTimestamp: '2026-01-31T00:00:00Z',
      }),
    },
    change: async (folder) => {
      await writeFile(folder.join('inbox/a.txt.meta.json'), sidecar({ title: 'a' }));
      await folder.run('sync');
    },
    counts: { onDisk: 1, synced: 1 },
    check: [0, {}],
    plan: { narrower: 1, unchanged: 1 },
    why: {
      'inbox/a.txt': {
        metadata: { shareInfo: { mode: 'NONE' }, createdTimestamp: '2026-01-31T00:00:00Z' },
        sources: { shareInfo: 'kept as it was', createdTimestamp: 'kept as it was' },
        notes: expect.arrayContaining([
          'kept private: its former sidecar said NONE; nothing states a mode for it now',
          expect.stringMatching(/^the createdTimestamp stays as it was sent/),
        ]),
      },
    },
  },

  'a document that was imported, and one under another name': {
    more: { folders: [{ name: 'inbox', path: './inbox', names: 'rewrite' }] },
    files: { 'inbox/a.txt': 'a', 'inbox/b.c.d.txt': 'b', 'list.csv': 'path,docId\na.txt,doc-1\n' },
    change: async (folder) => expect((await folder.run('ledger', 'import', 'list.csv')).code).toBe(0),
    isForged: true,
    counts: { onDisk: 2, pending: 2 },
    check: [0, {}],
    plan: { narrower: 1, upload: 1, modify: 1 },
    why: {
      'inbox/a.txt': {
        imported: true,
        docId: 'doc-1',
        notes: [expect.stringMatching(/^kept as it is: its sharing mode is not known/)],
      },
      'inbox/b.c.d.txt': { sentAs: 'b_c_d.txt' },
    },
  },

  'an upload in doubt that a person has to settle, and one whose file is gone': {
    files: { 'inbox/a.txt': 'a', 'inbox/b.txt': 'b' },
    ledger: async () => [doubt('a.txt', true), doubt('gone.txt', true)],
    counts: { onDisk: 2, pending: 1, failed: 1, inDoubt: 1 },
    check: [4, { 'inbox/a.txt': 'in-doubt', 'inbox/gone.txt': 'in-doubt' }],
    plan: { upload: 1, failed: 1 },
    status: { inDoubtTotal: 2, possibleDuplicates: 2 },
    why: {
      'inbox/a.txt': {
        now: { state: 'inDoubt', message: 'no answer' },
        next: 'nothing until you decide',
        fix: expect.stringMatching(/ run ingestd resolve inbox\/a\.txt: --doc-id ID .*--again .*--dismiss /),
      },
      'inbox/gone.txt': {
        notes: [
          'its upload is in doubt: no answer; to end that, run ingestd resolve inbox/gone.txt --dismiss',
        ],
      },
    },
  },

  'an upload in doubt that is sent again': {
    files: { 'inbox/a.txt': 'a' },
    ledger: async () => [doubt('a.txt', false)],
    counts: { onDisk: 1, pending: 1 },
    check: [4, { 'inbox/a.txt': 'in-doubt' }],
    plan: { upload: 1, inDoubt: 1 },
    status: { inDoubt: [{ holds: false }] },
    why: {
      'inbox/a.txt': {
        notes: [
          expect.stringMatching(
            / doubt: .+; it is sent again by itself, .+ resolve inbox\/a\.txt: --doc-id .+--again .+--dismiss /,
          ),
        ],
        next: 'it is uploaded when ingestd runs',
      },
    },
  },

  'an upload in doubt that was dismissed, and that a person retries': {
    files: { 'inbox/a.txt': 'a' },
    ledger: async () => [doubt('a.txt', false, { dismissed: true })],
    counts: { onDisk: 1, pending: 1 },
    check: [0, {}],
    plan: { upload: 1 },
    status: { inDoubtTotal: 0, possibleDuplicates: 0 },
    why: { 'inbox/a.txt': { notes: [], next: 'it is uploaded when ingestd runs' } },
  },

  'an upload in doubt that a person has sent again, and one whose file is gone since': {
    files: { 'inbox/a.txt': 'a' },
    ledger: async () => [doubt('a.txt', false, { again: true }), doubt('gone.txt', false, { again: true })],
    counts: { onDisk: 1, pending: 1 },
    check: [4, { 'inbox/gone.txt': 'in-doubt' }],
    plan: { upload: 1 },
    status: { inDoubtTotal: 1, possibleDuplicates: 1 },
    why: {
      'inbox/a.txt': { notes: [], next: 'it is uploaded when ingestd runs' },
      'inbox/gone.txt': {
        notes: [
          'its upload is in doubt: no answer; to end that, run ingestd resolve inbox/gone.txt --dismiss',
        ],
      },
    },
  },

  'a document that the service refused, and one that has changed since': {
    files: { 'inbox/a.txt': 'a', 'inbox/b.txt': 'b' },
    ledger: async (folder) => [await refusal(folder, 'a.txt'), await refusal(folder, 'b.txt')],
    change: (folder) => folder.write('inbox/b.txt', 'another'),
    counts: { onDisk: 2, pending: 1, failed: 1 },
    check: [4, { 'inbox/a.txt': 'http-403' }],
    plan: { upload: 1, failed: 1 },
    why: {
      'inbox/a.txt': {
        now: { state: 'failed', message: 'no' },
        next: 'nothing until it changes or you run ingestd retry inbox/a.txt',
        fix: explain('http-403').fix,
      },
      'inbox/b.txt': { next: 'it is uploaded when ingestd runs' },
    },
  },

  'deletions that are held, and a document whose file stands where it is not sent': {
    delivered: Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`inbox/n${index + 1}.txt`, `document ${index}`]).concat([
        ['inbox/table.xlsx', 'a table'],
      ]),
    ),
    change: async (folder) => {
      await rename(folder.join('inbox'), folder.join('away'));
      await mkdir(folder.join('inbox/sub'), { recursive: true });
      await rename(folder.join('away/table.xlsx'), folder.join('inbox/sub/table.bak'));
    },
    counts: { onDisk: 1, skipped: 1, held: 12, kept: 1 },
    check: [4, { inbox: 'held', 'inbox/sub/table.bak': 'unsupported-type' }],
    plan: { held: 12, skipped: 1, kept: 1, move: 1 },
    status: { held: [{ count: 12, reason: expect.stringMatching(/documents are missing from it/) }] },
    why: {
      'inbox/n3.txt': {
        now: { state: 'held', message: expect.stringMatching(/documents are missing from it/) },
        next: 'its deletion waits for your approval (ingestd approve inbox)',
        fix: expect.stringMatching(/ ingestd approve inbox\. .* ingestd keep inbox\.$/),
      },
    },
  },

  'a deletion that is held, when the other files are back, with accents as this disk writes them': {
    files: { 'inbox/e\u0301.pdf': 'x', 'inbox/u\u0308/a.pdf': 'x', 'inbox/u\u0308/e\u0301.pdf': 'x' },
    ledger: async () => [
      ...['\u00e9.pdf', '\u00fc/a.pdf', '\u00fc/\u00e9.pdf', 'gone.pdf'].map((path): Change => ({
        kind: 'put',
        ref: inbox(path),
        record: recordOf({ docId: `doc-${path}` }),
      })),
      { kind: 'hold', folder: 'inbox', hold: { since: 1, reason: '4 documents are gone' } },
    ],
    isForged: true,
    counts: { onDisk: 3, pending: 3, held: 1 },
    check: [4, { inbox: 'held' }],
    plan: { modify: 3, held: 1 },
    status: { held: [{ count: 1, paths: ['gone.pdf'] }] },
  },

  'a folder that has got another name': {
    delivered: { 'inbox/a.txt': 'a', 'inbox/b.txt': 'b' },
    change: async (folder) => {
      await rm(folder.join('inbox/b.txt'));
      const configured = await readFile(folder.join('ingestd.yaml'), 'utf8');
      await folder.write('ingestd.yaml', configured.replace('name: inbox', 'name: renamed'));
    },
    counts: { onDisk: 1, synced: 1 },
    check: [0, {}],
    plan: { delete: 1, unchanged: 1 },
    status: { folders: [{ name: 'renamed' }] },
    why: {
      'inbox/b.txt': {
        folder: 'renamed',
        next: 'its document is deleted at the service when ingestd runs',
      },
    },
  },

  'a folder that is another directory by now': {
    delivered: { 'inbox/a.txt': 'a', 'inbox/b.txt': 'b' },
    files: { 'second/a.txt': 'other content' },
    change: async (folder) => {
      const configured = await readFile(folder.join('ingestd.yaml'), 'utf8');
      await folder.write('ingestd.yaml', configured.replace('./inbox', './second'));
    },
    counts: { onDisk: 1, pending: 1, held: 1 },
    check: [4, { inbox: 'held' }],
    plan: { modify: 1, held: 1 },
    status: { held: [{ count: 1, reason: expect.stringMatching(/not the same directory/) }] },
  },

  'a document whose name is refused since it was renamed': {
    delivered: { 'inbox/table.xlsx': 'a table' },
    change: (folder) => rename(folder.join('inbox/table.xlsx'), folder.join('inbox/table.old.xlsx')),
    counts: { onDisk: 1, failed: 1 },
    check: [4, { 'inbox/table.old.xlsx': 'double-extension' }],
    plan: { failed: 1, move: 1 },
  },

  'a document that the service may have twice, and one whose doubt was settled': {
    delivered: { 'inbox/a.txt': 'a', 'inbox/b.txt': 'b' },
    ledger: async (folder) => {
      const ledger = await folder.openLedger();
      const record = ledger.get(inbox('a.txt'));
      await ledger.close();
      if (record === undefined) throw new Error('no record');
      return [{ kind: 'put', ref: inbox('a.txt'), record: { ...record, possibleDuplicates: 2 } }];
    },
    counts: { onDisk: 2, synced: 2 },
    check: [4, { 'inbox/a.txt': 'possible-duplicates' }],
    plan: { unchanged: 2, possibleDuplicates: 2 },
    status: { possibleDuplicates: 2, duplicates: [{ path: 'a.txt', copies: 2 }] },
    why: {
      'inbox/a.txt': {
        possibleDuplicates: 2,
        fix: expect.stringMatching(/^Look at the service/),
        next: asSent,
      },
    },
  },

  'documents that are shared less widely than stated, of which one is gone and one is ignored': {
    more: { folders: [{ name: 'inbox', path: './inbox', onRemove: 'keep' }] },
    delivered: Object.fromEntries(
      ['a', 'b', 'c'].flatMap((name) => [
        [`inbox/${name}.txt`, name],
        [`inbox/${name}.txt.meta.json`, sidecar({ shareInfo: { mode: 'NONE' } })],
      ]),
    ),
    change: async (folder) => {
      for (const name of ['a', 'b', 'c']) await rm(folder.join(`inbox/${name}.txt.meta.json`));
      expect(await folder.run('sync')).toMatchObject({ code: 0 });
      await rm(folder.join('inbox/b.txt'));
      await folder.write('inbox/.ingestignore', 'c.txt\n');
    },
    counts: { onDisk: 1, synced: 1, kept: 2 },
    check: [0, {}],
    plan: { unchanged: 1, kept: 2, narrower: 1 },
    status: { folders: [{ narrower: 1 }], narrower: [{ path: 'a.txt' }] },
  },

  'a file that is not whole by its own format': {
    files: { 'inbox/cut.pdf': '%PDF-1.7\nno end' },
    counts: { onDisk: 1, waiting: 1 },
    check: [0, { 'inbox/cut.pdf': 'incomplete' }],
    plan: { waiting: 1 },
    status: { waiting: [{ code: 'incomplete' }] },
    why: {
      'inbox/cut.pdf': {
        now: { state: 'waiting', message: 'still being written: a PDF file without its end' },
        next: 'if it does not change, it is sent as it stands',
      },
    },
  },

  'a sidecar that fits no file, and the document that it may be meant for': {
    files: { 'inbox/report.txt': 'text', 'inbox/reprot.txt.meta.json': sidecar({ title: 'R' }) },
    counts: { onDisk: 2, waiting: 1, skipped: 1 },
    check: [4, { 'inbox/report.txt': 'likely-sidecar', 'inbox/reprot.txt.meta.json': 'orphan-sidecar' }],
    plan: { waiting: 1, skipped: 1 },
    why: {
      'inbox/report.txt': { verdict: { kind: 'document' } },
      'inbox/reprot.txt.meta.json': {
        verdict: { code: 'orphan-sidecar', message: expect.stringMatching(/did you mean report\.txt\?$/) },
      },
    },
  },

  ...shutWorld('inbox/.ingestignore', 'the folder', false),
  ...shutWorld('inbox/d/.ingestignore', 'd', true),

  'a folder that is gone, beside one that is there': {
    more: {
      folders: [
        { name: 'inbox', path: './inbox' },
        { name: 'paired', path: './paired' },
      ],
    },
    delivered: { 'inbox/a.txt': 'a', 'paired/b.txt': 'b' },
    change: (folder) => rename(folder.join('inbox'), folder.join('away')),
    counts: { onDisk: 1, synced: 1 },
    check: [4, { inbox: 'folder-missing' }],
    plan: { unchanged: 1 },
    status: { folders: [{ state: 'unavailable' }, { state: 'stopped' }] },
    why: {
      'inbox/a.txt': {
        verdict: {
          kind: 'unknown',
          code: 'folder-missing',
          message: expect.stringMatching(/inbox does not exist$/),
        },
      },
    },
  },

  'a folder that is gone, of which a deletion was held': {
    delivered: { 'inbox/a.txt': 'a', 'inbox/b.txt': 'b' },
    ledger: async () => [
      { kind: 'hold', folder: 'inbox', hold: { since: 1, reason: 'too many', documents: 1 } },
    ],
    change: (folder) => rename(folder.join('inbox'), folder.join('away')),
    counts: { onDisk: 1, synced: 1, held: 1 },
    check: [4, { inbox: 'held' }],
    plan: { held: 1 },
    why: { 'inbox/a.txt': { verdict: { kind: 'unknown', code: 'folder-missing' } } },
  },

  'F19: a twin, whose name differs only in how accents are encoded': {
    files: { 'inbox/re\u0301p/caf\u00e9.txt': 'stands', 'inbox/re\u0301p/cafe\u0301.txt': 'its twin' },
    counts: { onDisk: 2, pending: 1, failed: 1 },
    check: [4, { 'inbox/r\u00e9p/cafe\u0301.txt': expect.anything() as unknown as string }],
    plan: { upload: 1, failed: 1 },
    status: { failures: [{ path: 'r\u00e9p/cafe\u0301.txt' }] },
    why: {
      'inbox/r\u00e9p/cafe\u0301.txt': { verdict: { kind: 'unfit' } },
      'inbox/r\u00e9p/caf\u00e9.txt': { verdict: { kind: 'document' } },
    },
  },

  'F19: what was a twin, when the other is gone': {
    files: { 'inbox/re\u0301p/caf\u00e9.txt': 'stands', 'inbox/re\u0301p/cafe\u0301.txt': 'its twin' },
    change: async (folder) => {
      expect(await folder.run('sync')).toMatchObject({ code: 4 });
      await rm(folder.join('inbox/re\u0301p/caf\u00e9.txt'));
    },
    counts: { onDisk: 1, pending: 1 },
    check: [0, {}],
    plan: { modify: 1 },
    why: { 'inbox/r\u00e9p/cafe\u0301.txt': { verdict: { kind: 'document' } } },
  },
};

/**
 * Documents of which some were edited, two removed (one kept by a person) and others added since, below an ignore file that
 * is not valid. `isHeld`: deletions of the folder are held.
 */
function shutWorld(ignoreFile: string, place: string, isHeld: boolean): Readonly<Record<string, World>> {
  const names = ['a', 'd/b', 'd/c', 'd/e/f', 'd/e/g', 'd/e/k'];
  const unsent = ['d/b.txt', 'd/new.txt', 'd/e/f.txt', 'd/e/new.txt'];
  const code = 'ignore-file-invalid';
  const reason = { code, message: `${place}: its .ingestignore is UTF-16; save it as UTF-8` };
  const gone = { ...inbox('d/e/g.txt'), code, message: `its file is gone; ${reason.message}` };
  const waiting = [...unsent.map((path) => ({ ...inbox(path), ...reason })), ...(isHeld ? [] : [gone])];
  const hold = { since: 1, reason: 'too many', documents: 1 };
  return {
    [`documents below ${ignoreFile}, which is not valid`]: {
      delivered: Object.fromEntries(names.map((name) => [`inbox/${name}.txt`, name])),
      files: Object.fromEntries(unsent.map((path) => [`inbox/${path}`, 'not what was sent'])),
      ledger: async () => [
        { kind: 'approve', folder: 'inbox', paths: ['d/e/k.txt'], keeps: true },
        ...(isHeld ? [{ kind: 'hold', folder: 'inbox', hold } as const] : []),
      ],
      change: async (folder) => {
        for (const name of ['g', 'k']) await rm(folder.join(`inbox/d/e/${name}.txt`));
        await writeFile(folder.join(ignoreFile), Buffer.from('\uFEFF*.csv', 'utf16le'));
      },
      counts: { onDisk: 6, synced: 2, waiting: 4, held: isHeld ? 1 : 0, kept: 1 },
      check: [
        4,
        {
          ...Object.fromEntries(waiting.map(({ path }) => [`inbox/${path}`, code])),
          [directoryOf(ignoreFile)]: code,
          ...(isHeld && { inbox: 'held' }),
        },
      ],
      plan: { unchanged: 2, waiting: waiting.length, held: isHeld ? 1 : 0, kept: 1 },
      status: {
        queue: { waiting: waiting.length },
        waitingTotal: waiting.length,
        waiting: expect.arrayContaining(waiting),
      },
      why: {
        'inbox/d/new.txt': { verdict: { kind: 'unknown', ...reason } },
        'inbox/d/e/g.txt': isHeld
          ? { now: { state: 'held' } }
          : { next: expect.stringContaining(gone.message) },
      },
    },
  };
}

/** Files of all kinds: some that were delivered, and what became of them. */
function randomWorld(seed: number): World {
  const random = seededRandom(seed);
  const names = ['a.txt', 'b.pdf', 'd/c.csv', 'd/e.f.txt', 'd/x.exe', 'empty.txt', 'cut.pdf', 'n.txt'];
  const sidecars = ['{"title": "T"}', '{"titel": "T"}', '{', '{"shareInfo": {"mode": "NONE"}}'];
  const more = ['.ingestignore', 'd/.ingestignore', '.meta.json', 'd/.meta.json', 'a.txt.attachments/t.csv'];
  const some = (share: number) => {
    const files: Record<string, string> = {};
    for (const name of names.filter(() => random.chance(share))) {
      files[name] = name === 'empty.txt' ? '' : `${name === 'cut.pdf' ? '%PDF-1.7 ' : ''}${random.next()}`;
      if (random.chance(0.4)) files[`${name}.meta.json`] = random.pick(sidecars);
    }
    for (const name of more.filter(() => random.chance(share / 3)))
      files[name] = name.endsWith('json') ? random.pick(sidecars) : `${random.pick(names)}\n`;
    return Object.fromEntries(Object.entries(files).map(([name, text]) => [`inbox/${name}`, text]));
  };
  return {
    files: some(0.8),
    change: async (place) => {
      await place.run('sync');
      for (const name of names) {
        const path = place.join(`inbox/${name}`);
        const fate = random.below(5);
        if (fate === 0) await rm(path, { force: true });
        if (fate === 1) await rename(path, place.join(`inbox/moved-${nameOf(name)}`)).catch(() => {});
      }
      await write(some(0.4));
    },
  };
}

const randomWorlds = Array.from(
  { length: 8 },
  (_, index) => [`random world ${index}`, randomWorld(index)] as const,
);

let folder: TrialFolder;

afterEach(() => folder.remove());

it.each([...Object.entries(worlds), ...randomWorlds])(
  '%s: every command says the same, with a daemon and without one, and sync does it',
  async (_name, world) => {
    folder = await trialFolder({
      timing: { settleMs: 100, removeGraceMs: 100, stopSeconds: 1 },
      ...world.more,
    });
    for (const place of ['inbox', 'paired']) await mkdir(folder.join(place));
    if (world.delivered !== undefined) {
      await write(world.delivered);
      expect(await folder.run('sync')).toMatchObject({ code: 0 });
    }
    await write(world.files ?? {});
    const changes = (await world.ledger?.(folder)) ?? [];
    if (changes.length > 0) {
      const ledger = await folder.openLedger();
      await ledger.commit(changes);
      await ledger.close();
    }
    await world.change?.(folder);

    const counts = { ...Object.fromEntries(compared.map((name) => [name, 0])), ...world.counts };
    const alone = await json<Status>('status');
    if (world.counts !== undefined) expect(alone.folders[0]).toMatchObject(counts);
    expect(alone).toMatchObject(world.status ?? {});
    const { counts: planned } = await json<PlanReport>('plan');
    const nothing = Object.fromEntries(Object.keys(planned).map((name) => [name, 0]));
    if (world.plan !== undefined) expect(planned).toEqual({ ...nothing, ...world.plan });
    const sums = (name: (typeof compared)[number]) =>
      // Of a folder that is gone, plan says what is held.
      alone.folders.reduce(
        (sum, one) => sum + (one.state === 'unavailable' && name !== 'held' ? 0 : one[name]),
        0,
      );
    const { upload, modify, unchanged: synced, waiting, failed, skipped, held, kept } = planned;
    const same = { pending: upload + modify, synced, failed, skipped, held, kept };
    expect(waiting).toBe(alone.queue.waiting);
    expect(same).toEqual(Object.fromEntries(Object.keys(same).map((name) => [name, sums(name as 'held')])));
    const words = (await folder.run('plan', '--verbose')).stdout;
    const lines = [/^failed /gm, /^in doubt /gm].map((kind) => words.match(kind)?.length ?? 0);
    expect(lines).toEqual([failed - sums('inDoubt'), sums('inDoubt')]);
    const check = await folder.run('check', '--json');
    const { findings } = JSON.parse(check.stdout) as { readonly findings: readonly CheckFinding[] };
    const found = findings
      .filter(({ level }) => level !== 'info')
      .map(({ subject, code }) => [subject, code]);
    const counted = findings.filter(({ code }) => code === 'documents').map(({ subject }) => subject);
    const known = alone.folders.filter(({ synced }) => synced > 0).map(({ name }) => name);
    expect(counted).toEqual(expect.arrayContaining(known));
    if (world.check !== undefined) expect([check.code, Object.fromEntries(found)]).toEqual(world.check);
    for (const doubt of alone.inDoubt) {
      const message = `its upload is in doubt: ${doubtWords(doubt)}`;
      const fix = expect.stringContaining(`run ingestd resolve ${shellWord(refKey(doubt))}: --doc-id`);
      expect(findings).toContainEqual(expect.objectContaining({ subject: refKey(doubt), message, fix }));
    }
    const stories = new Map<string, Why>();
    for (const [path, said] of Object.entries(world.why ?? {})) {
      stories.set(path, await json<Why>('why', path));
      expect({ path, story: stories.get(path) }).toMatchObject({ path, story: said });
    }

    expect(await folder.run('pause')).toMatchObject({ code: 0 });
    const daemon = startIngestd(['run'], { cwd: folder.path });
    const ended = once(daemon, 'close');
    daemon.stdout?.resume();
    daemon.stderr?.resume();
    try {
      const isAsAlone = async () => {
        const status = await json<Status>('status');
        expect(status.pid).toBe(daemon.pid);
        expect(facts(status)).toEqual(facts(alone));
        // Contract 7.34: but for the pause, which came later.
        const reasons = status.reasons.filter(({ code }) => code !== 'paused');
        expect(check.code).toBe(health({ ...status, paused: [], reasons }) === 'ok' ? 0 : 4);
        return true;
      };
      await eventually(isAsAlone);
      for (const [path, { next: _next, nextAt: _nextAt, decisions: _decisions, ...story }] of stories) {
        // A daemon names its file and itself.
        const reload = `in ${folder.join('ingestd.yaml')}, then run kill -HUP ${daemon.pid}.`;
        const fix = story.fix?.replace('in the configuration, then restart or send SIGHUP.', reload) ?? null;
        expect({ path, story: await json<Why>('why', path) }).toMatchObject({
          path,
          story: { ...story, fix },
        });
      }
    } finally {
      daemon.kill('SIGTERM');
      await ended;
    }

    if (world.isForged === true) return;
    expect(await folder.run('resume')).toMatchObject({ code: 0 });
    // What was moved the daemon has seen, though it was paused.
    const report = JSON.parse((await folder.run('sync', '--json')).stdout) as SyncReport;
    expect(report).toMatchObject({
      uploaded: planned.upload,
      deleted: planned.delete,
      failed: planned.failed,
      held: planned.held,
      waitingTotal: planned.waiting,
      skipped: planned.skipped,
    });
    const { counts: left } = await json<PlanReport>('plan');
    expect(left).toMatchObject({ upload: 0, modify: 0, move: 0, delete: 0, failed: planned.failed });
  },
);

async function write(files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
}

async function json<T>(...words: string[]): Promise<T> {
  const { stdout, stderr } = await folder.run(...words, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
}

/** What is not about the process that says it, or about this moment. */
function facts({
  folders,
  reasons,
  failures,
  skipped,
  waiting,
  held,
  inDoubt,
  narrower,
  duplicates,
  queue,
}: Status) {
  return {
    reasons: reasons.filter(({ code }) => !['not-running', 'paused', 'held'].includes(code)),
    folders: folders.map((one) => compared.map((name) => [one.name, name, one[name]])),
    lists: [failures, skipped, waiting].map((list) => list.toSorted((a, b) => (a.path < b.path ? -1 : 1))),
    held: held.map(({ since: _since, ...rest }) => rest),
    inDoubt,
    narrower,
    duplicates,
    queue: { ...queue, etaSeconds: 0 },
  };
}

/** What the ledger knows of a file that the service refused as it stands. */
async function refusal({ path: cwd }: TrialFolder, path: string): Promise<Change> {
  const { settings } = await loadConfiguration({ env: {}, cwd });
  const options = { settings: asItStands(settings), ledger: emptyLedger(), owners: null };
  const found = await withRestingEngine(options, async ({ folders }) => folders[0]?.inspect(path));
  if (found?.kind !== 'document') throw new Error(found?.kind);
  const { stat, fingerprint } = found.document;
  const failure = { code: 'http-403', message: 'no', attempts: 1, stat, fingerprint, history: [] };
  return { kind: 'fail', ref: inbox(path), failure };
}
