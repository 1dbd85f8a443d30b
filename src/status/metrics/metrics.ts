import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricsPort } from '../../model/ports/metrics-port.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { createStatusMetrics } from './status-metrics.ts';

export interface MetricsOptions {
  /** Asked at each scrape, and never before the first. */
  readonly status: () => Status;
  readonly unready: () => readonly Reason[];
  readonly version: string;
}

/** What the engine counts and what `/metrics` answers with. */
export interface Metrics extends MetricsPort {
  /** Prometheus's text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** Answers come within tens of milliseconds or take as long as a large file does. */
const REQUEST_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** A place in the minute is free at once or comes within the minute, and later only behind a Retry-After. */
const WAIT_BUCKETS = [0.01, 0.1, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300];

/** Counts in a registry of its own, so that two daemons in one process do not share it. */
export function createMetrics({ status, unready, version }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'ingestd_requests_total',
    help: 'HTTP requests to the ingestion service, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'ingestd_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer, in seconds.',
    labelNames: ['operation'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const rateWaitSeconds = new Histogram({
    name: 'ingestd_rate_wait_seconds',
    help: 'Time that a request waited for its place within the rate limit, in seconds.',
    buckets: WAIT_BUCKETS,
    registers,
  });
  const bytesSent = new Counter({
    name: 'ingestd_bytes_sent_total',
    help: 'Bytes of files sent to the ingestion service.',
    registers,
  });
  const build = new Gauge({
    name: 'ingestd_build_info',
    help: 'Always 1; the labels tell what runs.',
    labelNames: ['version', 'node_version'],
    registers,
  });
  build.set({ version, node_version: process.version }, 1);
  addProcessMetrics(registry);
  const statusMetrics = createStatusMetrics(registry);

  return {
    request: ({ operation, outcome, seconds }) => {
      requests.inc({ operation, outcome });
      requestSeconds.observe({ operation }, seconds);
    },
    rateWait: (seconds) => rateWaitSeconds.observe(seconds),
    bytes: (count) => bytesSent.inc(count),
    text: () => {
      statusMetrics.set(status(), unready());
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
