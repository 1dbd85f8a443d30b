import type { Status } from '../model/report/status.ts';
import { verdict } from '../model/report/headline.ts';

/** The status as it is sent: contract section 6, with the verdict beside it. */
export interface StatusAnswer extends Status {
  readonly verdict: string;
}

export function statusAnswer(status: Status): StatusAnswer {
  return { ...status, verdict: verdict(status) };
}
