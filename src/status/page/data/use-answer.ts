import { useEffect, useRef, useState } from 'preact/hooks';

import { tell } from './ask-daemon.ts';

type Known<T> = { readonly answer: T | null; readonly problem: string | null };

/** A question that is being typed, and news that come in a burst, are asked about this often, ms. */
const restMs = 250;

/**
 * What the daemon answered last, and in words why it gave no newer answer. Nothing is asked where `wanted` is null; it is
 * asked again when `news` change and, while the page is seen, so often.
 */
export function useAnswer<T>(
  wanted: string | null,
  { everyMs, news }: { everyMs?: number; news?: unknown },
): Known<T> {
  const [known, learn] = useState<Known<T>>({ answer: null, problem: null });
  const path = useThrottled(wanted, restMs);
  /** How long the last answer took, ms: among a million documents, a search is work for the daemon. */
  const tookMs = useRef(0);
  const calmNews = useThrottled(news, restMs + 4 * tookMs.current);
  const newest = useRef<Promise<T>>(undefined);
  useEffect(() => {
    const ask = async () => {
      if (path === null || (document.hidden && everyMs !== undefined)) return;
      const began = performance.now();
      const asked = tell<T>(path);
      newest.current = asked;
      const found = await asked.then(
        (answer) => {
          tookMs.current = performance.now() - began;
          return { answer, problem: null };
        },
        (error: Error) => ({ problem: error.message }),
      );
      // An older answer may come after the newer one.
      if (newest.current === asked) learn((before) => ({ ...before, ...found }));
    };
    void ask();
    const timer = everyMs === undefined ? undefined : setInterval(() => void ask(), everyMs);
    return () => clearInterval(timer);
  }, [path, calmNews]);
  return known;
}

/** The value, renewed no more often than this; the newest one always comes. */
export function useThrottled<T>(value: T, everyMs: number): T {
  const [shown, show] = useState(value);
  const shownAt = useRef(performance.now() - everyMs);
  useEffect(() => {
    const renew = () => {
      shownAt.current = performance.now();
      show(() => value);
    };
    const timer = setTimeout(renew, Math.max(0, shownAt.current + everyMs - performance.now()));
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}
