import type { DirectoryScan, Inspection } from '../../../src/model/document.ts';
import type { FolderSettings } from '../../../src/model/settings.ts';
import { unpackScan } from '../../../src/model/packed-files.ts';
import type { ScanOutcome, ScanRequest } from '../../../src/scan/walk/scan-request.ts';
import { unpackInspection } from '../../../src/scan/worker/packed-inspection.ts';
import type { Answers } from '../../../src/scan/worker/answers.ts';
import type { AnswerTo, FromWorker, Question } from '../../../src/scan/worker/protocol.ts';
import { servePlan } from '../../../src/scan/worker/folder-worker.ts';
import { folderSettingsOf } from '../../support/fixtures/default-settings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';

/** A folder on disk that is scanned and inspected when the test says so, in this thread, by a clock in hand. */
export interface ServedFolder extends TemporaryFolder {
  readonly ask: <K extends keyof Answers>(kind: K, ...question: Question<K>) => Promise<AnswerTo<K>>;
  /** Scans everything unless said; gives what was listed by then, by directory. */
  readonly scan: (request?: Partial<ScanRequest>) => Promise<ReadonlyMap<string, DirectoryScan>>;
  /** Of the last scan. */
  readonly outcome: () => ScanOutcome | null;
  readonly inspect: (path: string) => Promise<Inspection>;
  /** What an inspection says, in short: `document`, or its kind and code. */
  readonly verdict: (path: string) => Promise<string>;
  readonly pass: (ms: number) => void;
}

interface Options {
  readonly settings?: Partial<FolderSettings>;
  readonly maxFileBytes?: number;
  readonly settleMs?: number;
  /** A directory in the folder that is not ours to read. */
  readonly excluded?: string;
  /** What an inspection finds settling is looked at once more when it has settled. */
  readonly isPatient?: boolean;
}

export const servedTiming = { settleMs: 2_000, removeGraceMs: 5_000 };

export async function servedFolder({
  settings: parts = {},
  maxFileBytes = 1_000_000,
  settleMs = servedTiming.settleMs,
  excluded,
  isPatient = true,
}: Options = {}): Promise<ServedFolder> {
  const folder = await temporaryFolder();
  const settings = folderSettingsOf(folder.path, { watch: 'polling', ...parts });
  let monotonic = 0;
  let last = 0;
  let outcome: ScanOutcome | null = null;
  const listed = new Map<string, DirectoryScan>();
  const waiting = new Map<number, { give: (answer: never) => void; fail: (error: Error) => void }>();
  const plan = { settings, maxFileBytes, ...servedTiming, settleMs, root: folder.path, backend: null };
  const serve = servePlan(
    { ...plan, excluded: excluded ?? null },
    (message: FromWorker) => {
      if (message.kind === 'batch') {
        for (const packed of message.scans) listed.set(packed.directory, unpackScan('inbox', packed));
        setImmediate(() => serve({ kind: 'taken' }));
      }
      if (message.kind !== 'answers') return;
      for (const answer of message.answers) {
        if (answer.kind === 'answer') waiting.get(answer.id)?.give(answer.answer as never);
        else waiting.get(answer.id)?.fail(new Error(answer.message));
        waiting.delete(answer.id);
      }
    },
    () => 0,
  );

  const served: ServedFolder = {
    ...folder,
    ask: (kind, ...question) =>
      new Promise((give, fail) => {
        const id = (last += 1);
        waiting.set(id, { give, fail });
        serve({ kind: 'questions', moment: monotonic, questions: [{ kind, id, question }] });
      }),
    scan: async (request = {}) => {
      outcome = await served.ask('scan', { cause: 'event', targets: 'all', fromScratch: false, ...request });
      return listed;
    },
    outcome: () => outcome,
    inspect: async (path) => {
      let found = unpackInspection(await served.ask('inspect', path));
      if (!isPatient) return found;
      for (let looks = 1; found.kind === 'settling' && looks < 3; looks += 1) {
        monotonic += settleMs;
        found = unpackInspection(await served.ask('inspect', path));
      }
      return found;
    },
    verdict: async (path) => {
      const found = await served.inspect(path);
      return 'code' in found ? `${found.kind} ${found.code}` : found.kind;
    },
    pass: (ms) => {
      monotonic += ms;
    },
  };
  return served;
}
