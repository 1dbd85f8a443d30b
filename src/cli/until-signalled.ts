/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function untilSignalled(): Promise<void> {
  return new Promise((resolve) => {
    // A promise alone does not keep the process alive.
    const alive = setInterval(() => undefined, 2 ** 30);
    const stop = (): void => {
      clearInterval(alive);
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
