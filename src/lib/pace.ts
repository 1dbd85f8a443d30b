/** Lets a long job of a worker give way to messages and events. */
export interface Pace {
  /** True when it is time to rest. */
  readonly due: () => boolean;
  /** Lets everything that waits have its turn. */
  readonly rest: () => Promise<void>;
}

/** How long a look or a ring waits at the most. */
const sliceMs = 8;
/** Asking the clock costs as much as a third of an lstat. */
const askEvery = 32;

export function createPace(): Pace {
  let since = performance.now();
  let asked = 0;
  return {
    due: () => {
      asked += 1;
      return asked % askEvery === 0 && performance.now() - since > sliceMs;
    },
    rest: async () => {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      since = performance.now();
    },
  };
}
