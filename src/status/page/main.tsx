import { render } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';

import { countWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import type { Activity, Health } from '../../model/report/status.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { connect } from './data/connection.ts';
import { get, onFeedback } from './data/ask-daemon.ts';
import { clockWords, minuteWords, momentWords, shortDuration } from './data/time-words.ts';
import { FoldedPanel, StoryOpener } from './parts.tsx';
import { Activities } from './sections/activity.tsx';
import { Attention } from './sections/attention.tsx';
import { Chart } from './sections/chart.tsx';
import { Documents, Narrower } from './sections/documents.tsx';
import { FileStory } from './sections/file-story.tsx';
import { Fleet, useFleet } from './sections/fleet.tsx';
import { Folders, Skipped } from './sections/folders.tsx';
import { Log } from './sections/log.tsx';
import { isOnlyPaused, Overview, pillWords, titleOf } from './sections/overview.tsx';
import { Transfers, Waiting } from './sections/transfers.tsx';

const icons: Readonly<Record<Health, string>> = {
  ok: 'assets/icon.svg',
  attention: 'assets/icon-attention.svg',
  error: 'assets/icon-error.svg',
};

/** So much of what happened is kept, however long the page is open: the log has the rest. */
const maxRecent = 100;

/** What is known of the daemon. */
interface Known {
  readonly status: StatusAnswer | null;
  readonly heardAt: string;
  readonly isOffline: boolean;
  /** Newest first; null: not asked yet. */
  readonly recent: readonly Activity[] | null;
  readonly connections: number;
}

const nothing: Known = { status: null, heardAt: '', isOffline: false, recent: null, connections: 0 };

/** Follows the daemon. */
function useDaemon(): Known {
  const [known, learn] = useReducer((before: Known, more: (before: Known) => Partial<Known>) => {
    return { ...before, ...more(before) };
  }, nothing);
  const loadRecent = async () => {
    const answer = await get<{ readonly activities: readonly Activity[] }>('api/activity');
    if (answer !== null) learn(() => ({ recent: answer.activities.toReversed().slice(0, maxRecent) }));
  };
  useEffect(() => {
    connect({
      onStatus: (status) =>
        learn((before) => {
          // A newer daemon has a newer page.
          if (before.status !== null && before.status.version !== status.version) location.reload();
          return { status, heardAt: new Date().toISOString(), isOffline: false };
        }),
      onActivity: (activity) =>
        learn(({ recent }) => ({ recent: [activity, ...(recent ?? [])].slice(0, maxRecent) })),
      onOpen: () => {
        learn(({ connections }) => ({ connections: connections + 1 }));
        void loadRecent();
      },
      onOffline: () => learn(() => ({ isOffline: true })),
    });
  }, []);
  return known;
}

function App() {
  const { status, heardAt, isOffline, recent, connections } = useDaemon();
  const [story, setStory] = useState<{ readonly folder: string; readonly path: string } | null>(null);
  const [isLogOpen, setLogOpen] = useState(false);
  const fleet = useFleet(status);
  useEffect(() => {
    document.title = isOffline ? 'Offline · ingestd' : status === null ? 'ingestd' : titleOf(status);
    document.querySelector('link[rel=icon]')?.setAttribute('href', icons[status?.health ?? 'ok']);
  }, [status, isOffline]);
  if (status === null) return <h1>{isOffline ? 'ingestd does not answer' : 'Loading…'}</h1>;
  return (
    <StoryOpener.Provider value={(folder, path) => setStory({ folder, path })}>
      <div
        class={isOffline ? 'page offline' : 'page'}
        data-health={isOffline || isOnlyPaused(status) ? 'none' : status.health}
      >
        <header>
          <p class="mark">
            <img src="assets/icon.svg" alt="" width="24" height="24" /> ingestd
            {status.trial && <span class="badge">Trial</span>}
          </p>
          <p class="pill">{isOffline ? 'Offline' : pillWords(status)}</p>
        </header>
        <main>
          {isOffline && (
            <p class="offline-banner" role="alert">
              <strong>No connection.</strong> What follows is from {clockWords(heardAt)}. The page reconnects
              by itself; if it does not, check whether ingestd is running.
            </p>
          )}
          <Overview status={status} isOffline={isOffline} fleet={fleet} />
          <Attention status={status} />
          <Folders status={status} />
          <Activities recent={recent} openLog={() => setLogOpen(true)} />
          {fleet !== null && <Fleet fleet={fleet} status={status} />}
          <div class="panel">
            <Narrower status={status} />
            <Transfers status={status} />
            <Waiting status={status} />
            <Documents status={status} />
            <Skipped status={status} />
            <Chart />
            <About status={status} />
          </div>
        </main>
        {story !== null && (
          <FileStory
            key={`${story.folder}/${story.path}`}
            {...story}
            status={status}
            recent={recent ?? []}
            onClose={() => setStory(null)}
          />
        )}
        {isLogOpen && (
          <Log recent={recent ?? []} connections={connections} onClose={() => setLogOpen(false)} />
        )}
        <Toast />
      </div>
    </StoryOpener.Provider>
  );
}

const toastMs = 6000;

/** A word of feedback on what a person asked for; screen readers say it. */
function Toast() {
  const [toast, setToast] = useState({ words: '' });
  useEffect(() => onFeedback((words) => setToast({ words })), []);
  useEffect(() => {
    const timer = setTimeout(() => setToast({ words: '' }), toastMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <p class="toast" role="status" aria-label="Feedback">
      {toast.words}
    </p>
  );
}

function About({ status }: { readonly status: StatusAnswer }) {
  const { totals, startedAt, pid, version, service, configuration } = status;
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000;
  const facts = {
    Service: printable(service),
    Account: [printable(status.account ?? ''), authWords(status.auth)].filter(Boolean).join(', '),
    Configuration: printable(configuration),
    'Running since': `${momentWords(startedAt)} (${shortDuration(seconds)} ago), process ${pid}`,
    'Delivered in all': [
      `${numberWords(totals.uploaded)} uploaded`,
      `${numberWords(totals.modified)} modified`,
      `${numberWords(totals.moved)} moved`,
      `${numberWords(totals.deleted)} deleted`,
      countWords(totals.requests, 'request'),
      `${sizeWords(totals.bytesSent)} sent`,
    ].join(' · '),
  };
  return (
    <FoldedPanel title="About" words={`ingestd ${version}`}>
      <dl>
        {Object.entries(facts).map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <nav aria-label="For machines">
        <a href="api/status">Status as JSON</a> <a href="metrics">Metrics</a>
      </nav>
    </FoldedPanel>
  );
}

function authWords({ state, expiresAt }: StatusAnswer['auth']): string {
  if (state === 'refused') return 'credentials refused';
  if (state === 'none') return 'not signed in yet';
  return expiresAt === null ? 'signed in' : `signed in until ${minuteWords(expiresAt)}`;
}

render(<App />, document.body);
