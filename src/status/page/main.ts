import { createActivityList } from './activity-list.ts';
import { createBudget } from './budget.ts';
import { createChart } from './chart.ts';
import { connect } from './connection.ts';
import { byId, setText } from './dom.ts';
import { createDoubts } from './doubts.ts';
import { createFailures } from './failures.ts';
import { createFolders } from './folders.ts';
import { createHeld } from './held.ts';
import { createOverview } from './overview.ts';
import type { History, PageStatus, RecentActivity } from './page-status.ts';
import { createSkips } from './skips.ts';
import { retellStory } from './story.ts';
import { clockWords } from './time-words.ts';
import { createTransfers } from './transfers.ts';

/** The chart moves on at least this often, and after a delivery no sooner than this. */
const HISTORY_EVERY_MS = 60_000;
const HISTORY_AFTER_MS = 2000;

const views = [
  createOverview(),
  createFailures(),
  createHeld(),
  createDoubts(),
  createFolders(),
  createBudget(),
  createTransfers(),
  createSkips(),
];
const activities = createActivityList();
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
    showStatus(status);
  },
  onActivity: (activity) => {
    activities.add(activity);
    retellStory(activity);
    historyTimer ??= setTimeout(() => void loadHistory(), HISTORY_AFTER_MS);
  },
  onOpen: () => {
    void loadActivity();
    void loadHistory();
  },
  onOffline: () => setOffline(true),
});
setInterval(() => void loadHistory(), HISTORY_EVERY_MS);

function showStatus(status: PageStatus): void {
  for (const view of views) view(status);
  document.body.dataset['loaded'] = 'true';
}

function setOffline(offline: boolean): void {
  const banner = byId('offline');
  if (banner.hidden !== offline) return;
  banner.hidden = !offline;
  document.body.classList.toggle('offline', offline);
  setText(byId('offline-since'), clockWords(heardAt));
  // Coming back, the status that follows says the state.
  if (offline) setText(byId('state'), 'Offline');
}

async function loadActivity(): Promise<void> {
  const recent = await load<RecentActivity>('/api/activity');
  if (recent !== null) activities.replace(recent.activities);
}

async function loadHistory(): Promise<void> {
  clearTimeout(historyTimer);
  historyTimer = undefined;
  if (document.hidden) return;
  const history = await load<History>('/api/history');
  if (history !== null) showChart(history);
}

/** Null where the daemon is away: the connection says so already. */
async function load<T>(path: string): Promise<T | null> {
  try {
    const response = await fetch(path);
    return response.ok ? ((await response.json()) as T) : null;
  } catch {
    return null;
  }
}
