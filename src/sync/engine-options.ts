import type { Clock } from '../lib/clock.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { MetricsPort } from '../model/ports/metrics-port.ts';
import type { LimiterPort, ServicePort } from '../model/ports/service-port.ts';
import type { SafetySettings, ServiceSettings, TimingSettings } from '../model/settings.ts';
import type { Activity } from '../model/report/status.ts';
import type { EngineFolder } from './parts.ts';

/** What an engine works with. */
export interface EngineOptions {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly ledger: LedgerPort;
  readonly folders: readonly EngineFolder[];
  readonly limiter: LimiterPort;
  readonly service: ServicePort;
  readonly metrics: MetricsPort;
  readonly settings: {
    readonly service: ServiceSettings;
    readonly timing: TimingSettings;
    readonly safety: SafetySettings;
  };
  /** How long the token endpoint is left alone, ms. */
  readonly authRestMs: () => number;
  /** `sync` gives up after this many attempts; null: never. */
  readonly maxAttempts: number | null;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly onActivity: (activity: Activity) => void;
  /** Something that status shows has changed. */
  readonly onChange: () => void;
}
