import { printableJson } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { headline } from '../../model/report/headline.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import type { Status } from '../../model/report/status.ts';

/** The status as it is sent, with its headline beside it. The page is of the same build and takes it as it is. */
export interface StatusAnswer extends Status {
  readonly headline: string;
}

/** Ages, permits and bytes change without an event, and the news of an event comes a moment later. */
const longestMs = 250;
/** Building takes at most one part in so many of the time, however often somebody asks. */
const restFactor = 20;

export type StatusSnapshot = ReturnType<typeof createStatusSnapshot>;

/** The newest status as JSON, built once for everybody who asks. */
export function createStatusSnapshot(control: Pick<ControlPort, 'status'>, clock: Clock) {
  let known: { readonly json: string; readonly until: number } | null = null;
  return {
    json: () => {
      const began = clock.monotonic();
      if (known !== null && began < known.until) return known.json;
      const status = control.status();
      const answer: StatusAnswer = { ...status, headline: headline(status) };
      const json = printableJson(JSON.stringify(answer));
      const now = clock.monotonic();
      known = { json, until: now + Math.min((now - began) * restFactor, longestMs) };
      return json;
    },
    /** Something changed: the next call builds a new status. */
    expire: () => {
      known = null;
    },
  };
}
