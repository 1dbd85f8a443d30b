/** Runs jobs one after the other, in the order in which they came. */
export interface Lane {
  readonly run: <T>(job: () => Promise<T>) => Promise<T>;
}

/** A lane of its own. A job that fails does not stop the next. */
export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (job) => {
      const done = last.then(job);
      last = done.catch(() => undefined);
      return done;
    },
  };
}
