import type { Activity } from '../../model/report/status.ts';
import type { HistoryReport } from '../metrics/delivery-history.ts';
import { createAttention } from './attention.ts';
import { createChart } from './chart.ts';
import { byId, setText } from './dom.ts';
import { refreshStory } from './file-story.ts';
import { createFleet } from './fleet.ts';
import { createFolders } from './folders.ts';
import { createActivityList, createLog } from './log.ts';
import { createOverview } from './overview.ts';
import { createTransfers, createWaits } from './transfers.ts';
import { connect } from './data/connection.ts';
import { get } from './data/ask-daemon.ts';
import { clockWords } from './data/time-words.ts';

/** The chart moves on at least this often, and after a delivery no sooner than this. */
const historyEveryMs = 60_000;
const historyAfterMs = 2000;

const views = [
  createOverview(),
  createAttention(),
  createFolders(),
  createTransfers(),
  createWaits(),
  createFleet(),
];
const activities = createActivityList();
const log = createLog();
const showChart = createChart();
let version: string | null = null;
let heardAt = new Date().toISOString();
let historyTimer: ReturnType<typeof setTimeout> | undefined;

connect({
  onStatus: (status) => {
    // A newer daemon has a newer page.
    if (version !== null && version !== status.version) location.reload();
    version = status.version;
    heardAt = new Date().toISOString();
    setOffline(false);
    for (const view of views) view(status);
    document.body.dataset['loaded'] = 'true';
  },
  onActivity: (activity) => {
    activities.add(activity);
    log.add(activity);
    refreshStory(activity);
    historyTimer ??= setTimeout(() => void loadHistory(), historyAfterMs);
  },
  onOpen: () => {
    void loadActivity();
    void loadHistory();
    log.renew();
  },
  onOffline: () => setOffline(true),
});
setInterval(() => void loadHistory(), historyEveryMs);

function setOffline(offline: boolean): void {
  const banner = byId('offline');
  if (banner.hidden !== offline) return;
  banner.hidden = !offline;
  document.body.classList.toggle('offline', offline);
  setText(byId('offline-since'), clockWords(heardAt));
  // Coming back, the status that follows says the state.
  if (!offline) return;
  setText(byId('state'), 'Offline');
  setText(byId('headline'), 'ingestd does not answer');
  document.title = 'Offline · ingestd';
}

async function loadActivity(): Promise<void> {
  const recent = await get<{ readonly activities: readonly Activity[] }>('api/activity');
  if (recent !== null) activities.replace(recent.activities);
}

async function loadHistory(): Promise<void> {
  clearTimeout(historyTimer);
  historyTimer = undefined;
  if (document.hidden) return;
  const history = await get<HistoryReport>('api/history');
  if (history !== null) showChart(history);
}
