import type { ChangeSignal } from '../../lib/time/change-signal.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import { isObstacle } from '../../model/report/health.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import type { TokenSource } from '../../remote/auth/token-source.ts';
import type { History } from '../history/history.ts';
import { createDecisions } from './decide.ts';
import type { DecisionSources } from './decide.ts';
import { describeFile } from './describe-file.ts';
import { listDocuments } from './list-documents.ts';

interface Sources extends DecisionSources {
  readonly clock: Clock;
  readonly tokens: Pick<TokenSource, 'revoke'>;
  readonly history: Pick<History, 'add' | 'listen' | 'past'>;
  readonly changes: ChangeSignal;
  readonly status: () => Status;
  readonly unready: () => readonly Reason[];
  /** What keeps back more than single documents. */
  readonly reasons: () => readonly Reason[];
}

/** An inspection or a request that takes longer than this is not expected to end any more. */
const stuckMs = 30 * 60_000;

/** What the page and the command line may ask of the running daemon. */
export function createControl(
  sources: Sources,
): ControlPort & Pick<ReturnType<typeof createDecisions>, 'pausedNow' | 'close'> {
  const { settings, clock, engine, history, changes } = sources;
  const { decisionsBy, pausedNow, close } = createDecisions(sources);
  return {
    status: sources.status,
    unready: sources.unready,
    onActivity: history.listen,
    onStatus: changes.listen,
    healthy: () => {
      const now = clock.monotonic();
      const longest = [...engine.tasks.in('inspecting')].every(
        ({ state }) => state.kind !== 'inspecting' || now - state.since < stuckMs,
      );
      return longest && engine.transfers.list().length <= settings.service.concurrency;
    },
    why: (text) =>
      describeFile(text, {
        ...sources,
        past: history.past,
        isRunning: true,
        pauses: pausedNow(),
        isFleetPaused: isFleetPaused(sources.reasons()),
        obstacle: sources.reasons().find(isObstacle)?.message ?? null,
      }),
    documents: (query) => listDocuments(query, sources),
    decisions: decisionsBy,
    pausedNow,
    close,
    revoke: (options) => sources.tokens.revoke(options),
  };
}
