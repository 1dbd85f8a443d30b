/**
 * Runs at most `most` jobs at once: each waits for the one that came `most` before it. Gives what a job gives, and its
 * error.
 */
export function createLimited(most: number): <T>(job: () => Promise<T>) => Promise<T> {
  const ends = Array.from({ length: most }, () => Promise.resolve());
  let count = 0;
  return (job) => {
    const place = count % most;
    count += 1;
    const done = (ends[place] ?? Promise.resolve()).then(job);
    ends[place] = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };
}
