import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Sampled this seldom because each sample wakes an idle process. */
const DELAY_SAMPLE_MS = 100;

/**
 * Figures of the process itself under the names that Prometheus's own clients use. prom-client's collection is not
 * taken: some of its names break promtool's rules, and its event loop sampling costs an idle daemon more than the rest.
 */
export function addProcessMetrics(registry: Registry): void {
  const startedSeconds = Math.round(performance.timeOrigin / 1000);
  const loopDelay = watchLoop();
  const gauge = (name: string, help: string, read: () => number) => {
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  };
  gauge(
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
    () => startedSeconds,
  );
  gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Number of open file descriptors.', openFiles);
  gauge('nodejs_heap_size_used_bytes', 'Heap in use in bytes.', () => process.memoryUsage().heapUsed);
  gauge(
    'nodejs_eventloop_lag_max_seconds',
    'Longest delay of the event loop since the last scrape in seconds.',
    loopDelay,
  );
  registry.registerMetric(
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
      registers: [],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    }),
  );
}

/** Measures how late the event loop's timers come; what is read is forgotten. */
function watchLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution: DELAY_SAMPLE_MS });
  delay.enable();
  return () => {
    // The monitor counts from one sample to the next, the wanted pause between them included.
    const lateSeconds = delay.count === 0 ? 0 : delay.max / 1e9 - DELAY_SAMPLE_MS / 1000;
    delay.reset();
    return Math.max(0, lateSeconds);
  };
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    // Only Linux tells.
    return 0;
  }
}
