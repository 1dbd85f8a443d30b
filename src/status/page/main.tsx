import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { countWords, durationWords, minuteWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { Activity } from '../../model/report/status.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { onFeedback, tell } from './data/ask-daemon.ts';
import { connect } from './data/connection.ts';
import { keepFocus } from './data/keep-focus.ts';
import { momentWords } from './data/time-words.ts';
import { Facts, Fold, StoryOpener } from './parts.tsx';
import type { Shown } from './parts.tsx';
import { Activities, mostRecent } from './sections/activity.tsx';
import { Attention } from './sections/attention.tsx';
import { Chart } from './sections/chart.tsx';
import { Documents, Narrower } from './sections/documents.tsx';
import { FileStory } from './sections/file-story.tsx';
import { Fleet, useFleet } from './sections/fleet.tsx';
import { Folders, Skipped } from './sections/folders.tsx';
import { isOnlyPaused, Overview, pillWords, titleOf } from './sections/overview.tsx';
import { Transfers, Waiting } from './sections/transfers.tsx';

/** Follows the daemon. */
function useDaemon() {
  const [status, setStatus] = useState<StatusAnswer | null>(null);
  const [isOffline, setOffline] = useState(false);
  /** Newest first; null: not asked yet. */
  const [recent, setRecent] = useState<readonly Activity[] | null>(null);
  const heardAt = useRef('');
  useEffect(() => {
    connect({
      onStatus: (newest) => {
        heardAt.current = new Date().toISOString();
        setOffline(false);
        setStatus(newest);
      },
      onActivity: (activity) => setRecent((known) => [activity, ...(known ?? [])].slice(0, mostRecent)),
      onOpen: () =>
        void tell<{ readonly entries: readonly Activity[] }>('api/log').then(
          ({ entries }) => setRecent(entries),
          // It is asked again with the next stream.
          () => undefined,
        ),
      onOffline: () => setOffline(true),
    });
  }, []);
  // A newer daemon has a newer page.
  const version = useRef(status?.version);
  version.current ??= status?.version;
  if (version.current !== status?.version) location.reload();
  return { status, heardAt: heardAt.current, isOffline, recent };
}

function App() {
  const { status, heardAt, isOffline, recent } = useDaemon();
  const [story, setStory] = useState<DocumentRef | null>(null);
  const fleet = useFleet(status);
  useEffect(() => {
    document.title = isOffline ? 'Offline · ingestd' : status === null ? 'ingestd' : titleOf(status);
    const icon = status === null || status.health === 'ok' ? 'icon' : `icon-${status.health}`;
    document.querySelector('link[rel=icon]')?.setAttribute('href', `assets/${icon}.svg`);
  }, [status, isOffline]);
  if (status === null) return <h1>{isOffline ? 'ingestd does not answer' : 'Loading…'}</h1>;
  return (
    <StoryOpener.Provider value={setStory}>
      <div
        class={isOffline ? 'page offline' : 'page'}
        data-health={isOffline || isOnlyPaused(status) ? 'none' : status.health}
      >
        <header class="head">
          <p class="mark">
            <img src="assets/icon.svg" alt="" width="24" height="24" /> ingestd
            {status.trial && <span class="badge">Trial</span>}
          </p>
          <p class="pill">{isOffline ? 'Offline' : pillWords(status)}</p>
        </header>
        <main>
          {isOffline && (
            <p class="offline-banner" role="alert">
              <strong>No connection.</strong> What follows is from {momentWords(heardAt)}. The page reconnects
              by itself; if it does not, check whether ingestd is running.
            </p>
          )}
          <Overview status={status} isOffline={isOffline} fleet={fleet} />
          <Attention status={status} />
          <Folders status={status} />
          <Activities recent={recent} />
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
            key={story}
            {...story}
            status={status}
            recent={recent ?? []}
            onClose={() => setStory((shown) => (shown === story ? null : shown))}
          />
        )}
        <Toast />
      </div>
    </StoryOpener.Provider>
  );
}

const toastMs = 6000;
const nothing = { words: '' };

/** A word of feedback on what a person asked for; screen readers say it. */
function Toast() {
  const [toast, setToast] = useState(nothing);
  useEffect(() => onFeedback((words) => setToast({ words })), []);
  useEffect(() => {
    // What was said since then stays.
    const end = () => setToast((shown) => (shown === toast ? nothing : shown));
    const timer = setTimeout(end, toastMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <p class="toast" role="status" aria-label="Feedback">
      {toast.words}
    </p>
  );
}

function About({ status }: Shown) {
  const { totals, auth, startedAt, pid, version, service, account, configuration } = status;
  const signedIn = auth.expiresAt === null ? 'signed in' : `signed in until ${minuteWords(auth.expiresAt)}`;
  const words = { ok: signedIn, refused: 'credentials refused', none: 'not signed in yet' };
  const running = durationWords((Date.now() - Date.parse(startedAt)) / 1000);
  const delivered = [
    `${numberWords(totals.uploaded)} uploaded`,
    `${numberWords(totals.modified)} modified`,
    `${numberWords(totals.moved)} moved`,
    `${numberWords(totals.deleted)} deleted`,
    countWords(totals.requests, 'request'),
    `${sizeWords(totals.bytesSent)} sent`,
  ];
  return (
    <Fold title="About" words={`ingestd ${version}`}>
      <Facts
        of={[
          ['Service', service],
          ['Account', [account ?? '', words[auth.state]].filter(Boolean).join(', ')],
          ['Configuration', configuration],
          ['Running since', `${momentWords(startedAt)} (${running} ago), process ${pid}`],
          ['Delivered in all', delivered.join(' · ')],
        ]}
      />
      <nav aria-label="For machines">
        <a href="api/status">Status as JSON</a> <a href="metrics">Metrics</a>
      </nav>
    </Fold>
  );
}

render(<App />, document.body);
keepFocus();
