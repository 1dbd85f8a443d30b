/** Does small jobs in their order, a few milliseconds at a time, so that the event loop is never held for long. */
export interface Deliveries {
  readonly add: (job: () => void) => void;
  /** What is not done yet is never done. */
  readonly close: () => void;
}

const sliceMs = 8;

/** Nothing is done before `from`. */
export function createDeliveries(from: Promise<void>): Deliveries {
  let jobs: (() => void)[] = [];
  let at = 0;
  let planned = true;
  void from.then(work);

  function work(): void {
    planned = false;
    const until = performance.now() + sliceMs;
    while (at < jobs.length) {
      const job = jobs[at];
      at += 1;
      job?.();
      if (performance.now() >= until) break;
    }
    if (at < jobs.length) {
      plan();
      return;
    }
    jobs = [];
    at = 0;
  }

  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(work);
  }

  return {
    add: (job) => {
      jobs.push(job);
      plan();
    },
    close: () => {
      jobs = [];
      at = 0;
    },
  };
}
