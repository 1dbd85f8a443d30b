import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { createMetrics } from '../../src/status/metrics/metrics.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { aFleetThatIsGone } from './support/a-fleet.ts';
import { fakeControl } from './support/fake-control.ts';
import { describeWhere } from '../support/needs.ts';
import { promtool, promtoolFound } from './support/promtool.ts';

const rulesFile = resolve('config/prometheus-alerts.yaml');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

async function exported(): Promise<ReadonlySet<string>> {
  const control = fakeControl();
  const { status, unready } = control;
  const fleet = async () => aFleetThatIsGone();
  const text = await createMetrics({ status, unready, version: '1', fleet }).text();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...names, 'up']);
}

const metricsIn = (expression: string) =>
  expression
    .replaceAll(/"[^"]*"|\[[^\]]*\]|(?:by|without|ignoring) ?\([^)]*\)/g, '')
    .match(/\b(?:ingestd|process|nodejs)_\w+/g) ?? [];

/** Each alert, what it needs to see, and when it fires. */
const alerts: readonly (readonly [alert: string, series: Readonly<Record<string, string>>, at: string])[] = [
  ['IngestdDown', { 'up{job="ingestd",instance="a"}': '0x60' }, '10m'],
  ['IngestdNotReady', { 'ingestd_ready{instance="a"}': '0x60' }, '15m'],
  ['IngestdFolderUnavailable', { 'ingestd_folder_state{instance="a",state="unavailable"}': '1x60' }, '10m'],
  [
    'IngestdStuck',
    {
      'ingestd_queue{instance="a",state="pending"}': '5x60',
      'ingestd_requests_total{instance="a",operation="upload",outcome="accepted"}': '0 7x60',
    },
    '50m',
  ],
  ['IngestdBehind', { 'ingestd_oldest_unsynced_seconds{instance="a",folder="f"}': '3000+60x60' }, '50m'],
  [
    'IngestdServiceErrors',
    {
      'ingestd_requests_total{instance="a",operation="upload",outcome="accepted"}': '0+2x60',
      'ingestd_requests_total{instance="a",operation="upload",outcome="unavailable"}': '0+2x60',
    },
    '50m',
  ],
  ['IngestdDocumentsFailed', { 'ingestd_documents{instance="a",folder="f",state="failed"}': '3x60' }, '20m'],
  ['IngestdDocumentsFailed', { 'ingestd_deletions_refused{instance="a",folder="f"}': '1x60' }, '20m'],
  ['IngestdDeletionsHeld', { 'ingestd_held{instance="a",folder="f"}': '3x60' }, '20m'],
  ['IngestdInDoubt', { 'ingestd_in_doubt{instance="a"}': '1x60' }, '20m'],
  [
    'IngestdFleetHostGone',
    {
      'ingestd_fleet_host_presence{instance="a",host="c",presence="gone"}': '0 1x60',
      'ingestd_fleet_host_presence{instance="b",host="c",presence="gone"}': '0 1x60',
    },
    '20m',
  ],
  ['IngestdRedisUnavailable', { 'ingestd_fleet_redis_available{instance="a"}': '1 0x60' }, '10m'],
  ['IngestdNotReady', standingBy('1x10 0x50', '1x60'), '50m'],
  ['IngestdWatcherMisses', { 'ingestd_watcher_missed_total{instance="a",folder="f"}': '0+1x400' }, '390m'],
];

/** What must not fire for ever: a stand-by that is well, and "not ready" where only Redis is away. */
const silent: typeof alerts = [
  ['IngestdNotReady', standingBy('1x60', '1x60'), '50m'],
  ['IngestdNotReady', standingBy('0x60', '0x60'), '50m'],
];

function standingBy(standby: string, redis: string): Readonly<Record<string, string>> {
  return {
    'ingestd_ready{instance="a"}': '0x60',
    'ingestd_state{instance="a",state="standby"}': standby,
    'ingestd_fleet_redis_available{instance="a"}': redis,
  };
}

describe('the files for monitoring', () => {
  it('name only metrics that exist', async () => {
    const names = await exported();
    const rules = parse(await readFile(rulesFile, 'utf8')) as Rules;
    const dashboard = JSON.parse(await readFile('config/grafana-dashboard.json', 'utf8')) as Dashboard;
    const expressions = [
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(25);
    for (const expression of expressions) {
      for (const name of metricsIn(expression)) expect(names).toContain(name);
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  describeWhere(
    promtoolFound ? null : 'promtool (Debian package prometheus)',
    'what Prometheus makes of the rules',
    () => {
      it('hold rules that promtool takes', () => {
        const { status, output } = promtool(['check', 'rules', rulesFile]);
        expect(output).toContain('SUCCESS: 12 rules found');
        expect(status).toBe(0);
      });

      const folder = folderOfEachTest();

      it('fire each when it is time, and not before', async () => {
        const firing = (alert: string, at: string, exp_samples: readonly object[]) => ({
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
          eval_time: at,
          exp_samples,
        });
        const tests = [...alerts, ...silent].map((one) => {
          const [alert, series, at] = one;
          const expected = silent.includes(one) ? [] : [{ labels: '{}', value: 1 }];
          return {
            interval: '1m',
            input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
            promql_expr_test: [firing(alert, '2m', []), firing(alert, at, expected)],
          };
        });
        const rules = { rule_files: [rulesFile], evaluation_interval: '1m', tests };
        const file = await folder.write('t.yaml', stringify(rules));
        const { status, output } = promtool(['test', 'rules', file]);
        expect(output).toContain('SUCCESS');
        expect(status).toBe(0);
      });
    },
  );
});
