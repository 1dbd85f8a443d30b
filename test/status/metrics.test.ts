import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '../../src/status/metrics/metrics.ts';
import type { FleetStatus } from '../../src/model/report/fleet.ts';
import { aFleetThatIsGone } from './support/a-fleet.ts';
import { aFolder, fakeControl } from './support/fake-control.ts';
import { promtool, promtoolFound } from './support/promtool.ts';

function world() {
  const control = fakeControl();
  const metrics = createMetrics({ status: control.status, unready: control.unready, version: '1.2.3' });
  return { control, metrics };
}

const valueOf = (text: string, series: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1);

describe('the metrics', () => {
  it('tell at each scrape how the documents stand', async () => {
    const { control, metrics } = world();
    control.change({
      folders: [
        aFolder({ synced: 8, failed: 3, inDoubt: 1, skipped: 1, held: 5, narrower: 6 }),
        aFolder({ name: 'we"ird\\\n', synced: 1, missedByWatcher: 9, oldestUnsyncedSeconds: 12.5 }),
      ],
      // One more was refused.
      held: [{ folder: 'inbox', count: 4, since: '2026-01-31T14:00:00Z', reason: 'many', paths: [] }],
      queue: { pending: 3, inFlight: 2, waiting: 1, etaSeconds: 60 },
      inDoubtTotal: 5,
      waitingFor: { settling: 0, sidecar: 1, attachment: 0, retry: 0, other: 0 },
      state: 'working',
    });
    const text = await metrics.text();
    expect(valueOf(text, 'ingestd_documents{folder="inbox",state="synced"}')).toBe('8');
    expect(valueOf(text, 'ingestd_documents{folder="inbox",state="failed"}')).toBe('2');
    expect(valueOf(text, 'ingestd_documents{folder="inbox",state="in_doubt"}')).toBe('1');
    expect(valueOf(text, 'ingestd_documents{folder="inbox",state="skipped"}')).toBe('1');
    expect(valueOf(text, 'ingestd_held{folder="inbox"}')).toBe('4');
    expect(valueOf(text, 'ingestd_deletions_refused{folder="inbox"}')).toBe('1');
    expect(valueOf(text, 'ingestd_narrower{folder="inbox"}')).toBe('6');
    expect(valueOf(text, 'ingestd_oldest_unsynced_seconds{folder="we\\"ird\\\\\\\\x0a"}')).toBe('12.5');
    expect(valueOf(text, 'ingestd_watcher_missed_total{folder="we\\"ird\\\\\\\\x0a"}')).toBe('9');
    expect(valueOf(text, 'ingestd_queue{state="in_flight"}')).toBe('2');
    expect(valueOf(text, 'ingestd_in_doubt')).toBe('5');
    expect(valueOf(text, 'ingestd_waiting{for="sidecar"}')).toBe('1');
    expect(valueOf(text, 'ingestd_waiting{for="retry"}')).toBe('0');
    expect(valueOf(text, 'ingestd_state{state="working"}')).toBe('1');
    expect(valueOf(text, 'ingestd_state{state="idle"}')).toBe('0');
    expect(valueOf(text, 'ingestd_ready')).toBe('1');
  });

  it('tell of the hosts of a fleet, and nothing where there is none or Redis is away', async () => {
    const { control } = world();
    expect(await world().metrics.text()).not.toMatch(/ingestd_fleet_(?:host_|rate_|paused)/);
    let answer: FleetStatus | null = aFleetThatIsGone();
    const metrics = createMetrics({
      status: control.status,
      unready: control.unready,
      version: '1.2.3',
      fleet: async () => answer,
    });
    const text = await metrics.text();
    expect(valueOf(text, 'ingestd_fleet_rate_used_requests')).toBe('31');
    expect(valueOf(text, 'ingestd_fleet_rate_limit_requests')).toBe('50');
    expect(valueOf(text, 'ingestd_fleet_host_used_requests{host="scanner-1"}')).toBe('17');
    expect(valueOf(text, 'ingestd_fleet_host_health{host="scanner-1"}')).toBe('1');
    expect(valueOf(text, 'ingestd_fleet_host_presence{host="scanner-1",presence="gone"}')).toBe('1');
    expect(valueOf(text, 'ingestd_fleet_host_queue{host="scanner-1"}')).toBe('6');
    if (promtoolFound) expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
    answer = null;
    expect(await metrics.text()).not.toMatch(/^ingestd_fleet_(?:host_|rate_|paused)/m);
  });

  it('forget a folder that is taken out of the configuration', async () => {
    const { control, metrics } = world();
    control.change({ folders: [aFolder({ name: 'old', missedByWatcher: 1 })] });
    await metrics.text();
    control.change({ folders: [aFolder({ name: 'new', missedByWatcher: 2 })] });
    const text = await metrics.text();
    expect(text).not.toContain('folder="old"');
    await metrics.text();
    expect(valueOf(await metrics.text(), 'ingestd_watcher_missed_total{folder="new"}')).toBe('2');
  });

  it('count what the engine does', async () => {
    const { metrics } = world();
    metrics.request({ operation: 'upload', outcome: 'accepted', seconds: 0.3 });
    metrics.request({ operation: 'upload', outcome: 'accepted', seconds: 400 });
    metrics.request({ operation: 'bulk_delete', outcome: 'unavailable', seconds: 0.01 });
    metrics.rateWait(0);
    metrics.rateWait(61);
    metrics.bytes(1000);
    metrics.bytes(24);
    const text = await metrics.text();
    expect(valueOf(text, 'ingestd_requests_total{operation="upload",outcome="accepted"}')).toBe('2');
    expect(valueOf(text, 'ingestd_request_seconds_bucket{le="0.5",operation="upload"}')).toBe('1');
    expect(valueOf(text, 'ingestd_request_seconds_count{operation="upload"}')).toBe('2');
    expect(valueOf(text, 'ingestd_rate_wait_seconds_bucket{le="0.01"}')).toBe('1');
    expect(valueOf(text, 'ingestd_rate_wait_seconds_sum')).toBe('61');
    expect(valueOf(text, 'ingestd_bytes_sent_total')).toBe('1024');
    if (promtoolFound) expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
  });

  it('P17: tell figures of the process that make sense', async () => {
    const { metrics } = world();
    const text = await metrics.text();
    expect(Number(valueOf(text, 'process_resident_memory_bytes'))).toBeGreaterThan(10_000_000);
    expect(Number(valueOf(text, 'process_cpu_seconds_total'))).toBeGreaterThan(0.01);
    expect(Number(valueOf(text, 'nodejs_eventloop_lag_max_seconds'))).toBeLessThan(60);
    const started = Number(valueOf(text, 'process_start_time_seconds'));
    expect(Math.abs(Date.now() / 1000 - started)).toBeLessThan(3600);
    expect(text).toContain('ingestd_build_info{version="1.2.3",node_version="v');
  });
});
