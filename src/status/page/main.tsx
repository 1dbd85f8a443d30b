import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sumOf } from '../../lib/sum-of.ts';
import { countWords, durationWords, minuteWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import type { DocumentRef } from '../../model/document.ts';
import { isOnlyPaused, stateWords, titleOf } from '../../model/report/headline.ts';
import type { FleetStatus } from '../../model/report/fleet.ts';
import { onFeedback } from './data/ask-daemon.ts';
import { useDaemon } from './data/connection.ts';
import { keepFocus } from './data/keep-focus.ts';
import { momentWords } from './data/time-words.ts';
import { useAnswer } from './data/use-answer.ts';
import { Facts, Fold, StoryOpener } from './parts.tsx';
import type { Shown } from './parts.tsx';
import { Activities } from './sections/activity.tsx';
import { Attention } from './sections/attention.tsx';
import { Chart } from './sections/chart.tsx';
import { Documents, Narrower } from './sections/documents.tsx';
import { FileStory } from './sections/file-story.tsx';
import { Fleet } from './sections/fleet.tsx';
import { Folders, Skipped } from './sections/folders.tsx';
import { Overview } from './sections/overview.tsx';
import { Transfers, Waiting } from './sections/transfers.tsx';

function App() {
  const { status, heardAt, isOffline, recent } = useDaemon();
  const [story, setStory] = useState<DocumentRef | null>(null);
  const narrower = sumOf(status?.folders ?? [], (one) => one.narrower);
  const fleetPath = status?.fleet === undefined ? null : 'api/fleet';
  const hosts = useAnswer<FleetStatus>(fleetPath, { everyMs: 5_000 });
  const fleet = hosts.problem === null ? hosts.answer : null;
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
          <p class="pill">{isOffline ? 'Offline' : stateWords(status)}</p>
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
            {narrower > 0 && (
              <Fold
                title={`${countWords(narrower, 'document is', 'documents are')} shared less widely than stated now`}
                words=""
              >
                <Narrower count={narrower} />
              </Fold>
            )}
            <Transfers status={status} />
            <Waiting status={status} />
            <Fold
              title="Documents"
              words={`${numberWords(sumOf(status.folders, (one) => one.synced))} delivered`}
            >
              <Documents status={status} />
            </Fold>
            <Skipped status={status} />
            <Fold title="Deliveries" words="of the last day">
              <Chart />
            </Fold>
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

/** A word of feedback on what a person asked for; screen readers say it. */
function Toast() {
  const [words, setWords] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    onFeedback((feedback) => {
      clearTimeout(timer);
      timer = setTimeout(() => setWords(''), toastMs);
      setWords(feedback);
    });
  }, []);
  return (
    <p class="toast" role="status" aria-label="Feedback">
      {words}
    </p>
  );
}

function About({ status }: Shown) {
  const { totals, auth, startedAt, pid, version, service, account, configuration } = status;
  const signedIn = auth.expiresAt === null ? 'signed in' : `signed in until ${minuteWords(auth.expiresAt)}`;
  const words = { ok: signedIn, refused: 'credentials refused', none: 'not signed in yet' };
  const running = durationWords((Date.now() - Date.parse(startedAt)) / 1000);
  const delivered = [
    ...(['uploaded', 'modified', 'moved', 'deleted'] as const).map(
      (what) => `${numberWords(totals[what])} ${what}`,
    ),
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
