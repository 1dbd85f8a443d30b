import { useEffect, useState } from 'preact/hooks';

import { tell } from './ask-daemon.ts';

interface Question {
  /** Asked again so often, while the page is seen; left out: once. */
  readonly everyMs?: number;
  /** Asked again when it changes. */
  readonly news?: unknown;
}

interface Known<T> {
  readonly answer: T | null;
  /** Why there is no answer, in words. */
  readonly problem: string | null;
}

/** What the daemon answers to the newest question; nothing is asked where `path` is null. */
export function useAnswer<T>(path: string | null, { everyMs, news }: Question = {}): Known<T> {
  const [known, learn] = useState<Known<T>>({ answer: null, problem: null });
  useEffect(() => {
    // An older answer may come after the newer one.
    let isWanted = true;
    const ask = async () => {
      if (path === null || (document.hidden && everyMs !== undefined)) return;
      const found = await tell<T>(path).then(
        (answer) => ({ answer, problem: null }),
        (error: unknown) => ({
          answer: null,
          problem: error instanceof Error ? error.message : String(error),
        }),
      );
      if (isWanted) learn(found);
    };
    void ask();
    const timer = everyMs === undefined ? undefined : setInterval(() => void ask(), everyMs);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [path, news]);
  return known;
}
