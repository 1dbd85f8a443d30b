import type { ControlPort, DecisionPort, DocumentListing } from '../../../src/model/ports/control-port.ts';
import type { Why } from '../../../src/model/report/command-reports.ts';
import { ConfigurationError } from '../../../src/model/errors.ts';
import { emptyStatus, noDocuments } from '../../../src/model/report/status.ts';
import type {
  Activity,
  Decider,
  FailureStatus,
  FolderStatus,
  Reason,
  Status,
} from '../../../src/model/report/status.ts';
import { health } from '../../../src/model/report/health.ts';

/** A daemon that does nothing but remember what it was asked, and says what the test wants it to say. */
export interface FakeControl extends ControlPort {
  /** Changes the status and reports it. */
  readonly change: (change: Partial<Status>) => void;
  /** Something happened. */
  readonly happen: (activity: Partial<Activity>) => void;
  /** Newest first. */
  readonly happened: () => readonly Activity[];
  readonly refuse: (...reasons: Reason[]) => void;
  readonly sicken: () => void;
  readonly failWith: (error: Error) => void;
  /** What these decisions come to, in place of what they usually do. */
  readonly decide: (parts: Partial<DecisionPort>) => void;
  readonly calls: unknown[];
  /** Who decided, call by call. */
  readonly deciders: Decider[];
  readonly listeners: () => number;
}

const KEPT_ACTIVITIES = 200;

export function fakeControl(initial: Partial<Status> = {}): FakeControl {
  let status = aStatus(initial);
  let reasons: readonly Reason[] = [];
  let healthy = true;
  let failure: Error | null = null;
  let decided: Partial<DecisionPort> = {};
  const calls: unknown[] = [];
  const deciders: Decider[] = [];
  const activities: Activity[] = [];
  const onActivity = new Set<(activity: Activity) => void>();
  const onStatus = new Set<() => void>();
  const called = async <T>(call: unknown, answer: T): Promise<T> => {
    calls.push(call);
    if (failure !== null) throw failure;
    return answer;
  };
  const decisions: DecisionPort = {
    retry: ({ paths }) => called({ retry: paths }, { retried: paths.length }),
    resolve: ({ path, ...resolution }) => called({ resolve: path, resolution }, { resolved: 1 }),
    approve: async ({ folder, ...shown }) => {
      if (folder !== null && !status.folders.some(({ name }) => name === folder)) {
        throw new ConfigurationError(`no folder is named ${folder}`);
      }
      return await called({ approve: folder, ...shown }, { approved: 2 });
    },
    share: ({ paths, shown }) =>
      called({ share: paths, shown }, { documents: [], shared: shown?.length ?? 0, barred: 0 }),
    keep: ({ place }) => called({ keep: place }, { kept: 2 }),
    pause: ({ folder, ms }) =>
      called(ms === undefined ? { pause: folder } : { pause: folder, ms }, {
        paused: [folder ?? 'inbox'],
        pauses: {},
      }),
    resume: ({ folder }) => called({ resume: folder }, { paused: [], pauses: {} }),
    rescan: ({ folder }) => called({ rescan: folder }, { folders: [folder ?? 'inbox'] }),
  };

  return {
    status: () => status,
    why: (path) => called({ why: path }, story(path)),
    documents: async ({ search, narrower }) => {
      const wanted = listed.filter(
        (one) => one.path.includes(search) && (!narrower || one.narrower !== null),
      );
      return { documents: wanted, total: wanted.length };
    },
    decisions: (by) => {
      deciders.push(by);
      return { ...decisions, ...decided };
    },
    revoke: (options) => called({ revoke: options }, undefined),
    healthy: () => healthy,
    unready: () => reasons,
    happened: () => activities.toReversed(),
    onActivity: (listener) => listen(onActivity, listener),
    onStatus: (listener) => listen(onStatus, listener),
    change: (change) => {
      status = complete({ ...status, ...change }, change);
      for (const listener of onStatus) listener();
    },
    happen: (activity) => {
      const full = { ...anActivity(), ...activity };
      activities.push(full);
      if (activities.length > KEPT_ACTIVITIES) activities.shift();
      for (const listener of onActivity) listener(full);
    },
    refuse: (...given) => {
      reasons = given;
    },
    sicken: () => {
      healthy = false;
    },
    failWith: (error) => {
      failure = error;
    },
    decide: (parts) => {
      decided = parts;
    },
    calls,
    deciders,
    listeners: () => onActivity.size + onStatus.size,
  };
}

/** Who can see documents, one of each kind. */
const listed: DocumentListing['documents'] = [
  {
    folder: 'inbox',
    path: 'all.pdf',
    isDelivered: true,
    state: null,
    sharing: 'EVERYONE',
    url: 'https://service.example/d-1',
    narrower: null,
  },
  {
    folder: 'inbox',
    path: 'few.pdf',
    isDelivered: true,
    state: 'failed: the service refused it',
    sharing: 'NONE',
    url: null,
    narrower: {
      sharing: 'DEFAULT',
      code: 'kept-private',
      message: 'kept private: its former sidecar said NONE',
    },
  },
  {
    folder: 'inbox',
    path: 'unknown.pdf',
    isDelivered: true,
    state: null,
    sharing: null,
    url: null,
    narrower: null,
  },
  {
    folder: 'inbox',
    path: 'unsent.pdf',
    isDelivered: false,
    state: 'waiting for its sidecar',
    sharing: null,
    url: null,
    narrower: null,
  },
];

/** The health follows from the rest, unless a test says otherwise. */
function complete(status: Status, given: Partial<Status>): Status {
  return { ...status, health: given.health ?? health(status) };
}

export function aStatus(given: Partial<Status> = {}): Status {
  const empty: Status = {
    ...emptyStatus(50),
    version: '1.2.3',
    startedAt: '2026-01-01T00:00:00Z',
    pid: 4711,
    health: 'ok',
    state: 'idle',
    trial: false,
    service: 'https://ingest.example',
    account: 'ada',
    configuration: '/etc/ingestd/ingestd.yaml',
    reasons: [],
    folders: [aFolder()],
    auth: { state: 'ok', expiresAt: '2026-01-01T00:30:00Z' },
  };
  return complete({ ...empty, ...given }, given);
}

export function aFailure(path: string, code: string, message: string): FailureStatus {
  return { folder: 'inbox', path, code, message, attempts: 1, retryAt: null };
}

export function aFolder(folder: Partial<FolderStatus> = {}): FolderStatus {
  return {
    ...noDocuments,
    name: 'inbox',
    path: '/srv/inbox',
    state: 'watching',
    watches: 1,
    ...folder,
  };
}

function listen<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function anActivity(): Activity {
  return {
    at: new Date().toISOString(),
    folder: 'inbox',
    path: 'report.pdf',
    what: 'uploaded',
    docId: 'd-1',
    message: null,
    documents: 1,
  };
}

function story(path: string): Why {
  return {
    folder: 'inbox',
    path: path.replace(/^inbox\//, ''),
    verdict: { kind: 'document', code: 'document', message: 'it is a document' },
    now: null,
    fix: null,
    sidecar: null,
    sentAs: null,
    metadata: { title: path, createdTimestamp: '2026-01-01T00:00:00Z', shareInfo: { mode: 'DEFAULT' } },
    sources: { title: 'file name' },
    narrower: null,
    attachments: [],
    docId: 'd-1',
    sha256: null,
    uploadedAt: '2026-01-01T00:00:00Z',
    imported: false,
    modifiedAt: null,
    deletedAt: null,
    possibleDuplicates: 0,
    attempts: [{ at: '2026-01-01T00:00:00Z', operation: 'upload', code: 'http-503', message: 'away' }],
    decisions: [],
    notes: ['the title stays'],
    next: 'nothing',
    nextAt: null,
  };
}
