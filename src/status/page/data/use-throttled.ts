import { useEffect, useRef, useState } from 'preact/hooks';

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
