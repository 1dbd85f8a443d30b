import { useRef } from 'preact/hooks';

/** After the last letter, ms. */
const typingMs = 250;

/** Gives what waits until somebody has stopped typing, and then does the last thing that it was given. */
export function useTyping(): (act: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (act) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, typingMs);
  };
}
