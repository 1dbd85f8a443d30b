import { render } from 'preact';
import { sumOf } from '../../lib/sum-of.ts';
import { countWords, durationWords, numberWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { refKey } from '../../model/document.ts';
import { isOnlyPaused, stateWords, titleOf } from '../../model/report/headline.ts';
import type { FleetStatus } from '../../model/report/fleet.ts';
import { followDaemon, useAnswer } from './data/daemon.ts';
import { change, drawWith, page } from './data/page.ts';
import { Facts, Fold, PathWords, momentWords } from './parts.tsx';
import type { Shown } from './parts.tsx';
import { Activities, Skipped, Transfers, Waiting } from './sections/activity.tsx';
import { Attention } from './sections/attention.tsx';
import { Chart } from './sections/chart.tsx';
import { Documents, FileStory, Narrower } from './sections/documents.tsx';
import { Fleet, Folders, Overview } from './sections/overview.tsx';

/** What changes without being told of is asked for about this often, ms. */
const pollMs = 5_000;

function App({ status }: Shown) {
  const { isOffline, heardAt, recent, feedback } = page;
  const narrower = sumOf(status.folders, (one) => one.narrower);
  const delivered = sumOf(status.folders, (one) => one.synced);
  const now = Math.floor(heardAt / pollMs);
  const { answer: fleet } = useAnswer<FleetStatus>(status.fleet && 'api/fleet', now);
  return (
    <div
      class={isOffline ? 'page offline' : 'page'}
      data-health={isOffline || isOnlyPaused(status) ? 'none' : status.health}
    >
      <header class="head">
        <p class="mark">
          <img src="assets/icon.svg" alt="" width="24" height="24" /> ingestd
          {status.trial && <span class="badge">Trial</span>}
        </p>
        <p class="pill">
          <output>{isOffline ? 'Offline' : stateWords(status)}</output>
        </p>
      </header>
      <main>
        {isOffline && (
          <p class="offline-banner" role="alert">
            <strong>No connection.</strong> What follows is from {momentWords(heardAt)}. The page reconnects
            by itself; if it does not, check whether ingestd is running.
          </p>
        )}
        <Overview status={status} fleet={fleet} />
        <Attention status={status} />
        <Folders status={status} />
        <Activities recent={recent} />
        {fleet !== undefined && <Fleet status={status} fleet={fleet} />}
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
          <Fold title="Documents" words={`${numberWords(delivered)} delivered`}>
            <Documents status={status} />
          </Fold>
          <Skipped status={status} />
          <Fold title="Deliveries" words="of the last day">
            <Chart now={now} />
          </Fold>
          <About status={status} />
        </div>
      </main>
      <Dialogs status={status} />
      <p role="status" aria-label="Feedback">
        <span key={feedback} class="toast">
          {feedback.words}
        </span>
      </p>
    </div>
  );
}

const show = (dialog: HTMLDialogElement | null) => dialog?.showModal();

/** The dialogs that are open. Escape closes one, and the focus goes back. */
function Dialogs({ status }: Shown) {
  return page.dialogs.map((one) => {
    const isStory = 'folder' in one;
    const title = isStory ? refKey(one) : `${one.name ?? one.words}?`;
    // It tells a moment after it was closed: what was opened since then stays.
    const close = () => change({ dialogs: page.dialogs.filter((other) => other !== one) });
    return (
      <dialog key={one} ref={show} aria-label={printable(title)} onClose={close}>
        <form method="dialog" class="head">
          <h2>
            <PathWords path={title} />
          </h2>
          <button>{isStory ? 'Close' : 'Cancel'}</button>
        </form>
        {isStory ? <FileStory {...one} status={status} /> : <p>{one.children}</p>}
        {!isStory && (
          <form method="dialog">
            {one.instead}
            <button class={one.look} onClick={one.act}>
              {one.words}
            </button>
          </form>
        )}
      </dialog>
    );
  });
}

function About({ status }: Shown) {
  const { auth, startedAt, pid, version, service, account, configuration } = status;
  const signedIn = auth.expiresAt === null ? 'signed in' : `signed in until ${auth.expiresAt}`;
  const words = { ok: signedIn, refused: 'credentials refused', none: 'not signed in yet' };
  const running = durationWords((Date.now() - Date.parse(startedAt)) / 1000);
  return (
    <Fold title="About" words={`ingestd ${version}`}>
      <Facts
        of={[
          ['Service', service],
          ['Account', [account ?? '', words[auth.state]].filter(Boolean).join(', ')],
          ['Configuration', configuration],
          ['Running since', `${startedAt} (${running} ago), process ${pid}`],
        ]}
      />
      <nav aria-label="For machines">
        <a href="api/status">Status as JSON</a> <a href="metrics">Metrics</a>
      </nav>
    </Fold>
  );
}

drawWith(() => {
  const { status, isOffline } = page;
  const focused = document.activeElement;
  const part = focused?.closest('details, article, section');
  const waits = isOffline ? 'ingestd does not answer' : 'Loading…';
  render(status === null ? <h1>{waits}</h1> : <App status={status} />, document.body);
  document.title = isOffline ? 'Offline · ingestd' : status === null ? 'ingestd' : titleOf(status);
  const icon = status === null || status.health === 'ok' ? 'icon' : `icon-${status.health}`;
  document.querySelector('link[rel=icon]')?.setAttribute('href', `assets/${icon}.svg`);
  // Where the row or the button that had the focus is gone, the heading above it has it.
  if (focused?.isConnected !== false) return;
  const place = part?.isConnected === true ? part : document.body;
  const heading = place.querySelector<HTMLElement>('summary, h1, h2, h3');
  if (heading?.matches('summary') === false) heading.tabIndex = -1;
  heading?.focus({ preventScroll: true });
});
followDaemon();
