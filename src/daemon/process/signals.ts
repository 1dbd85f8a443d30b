import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import { exitCodes } from '../../model/errors.ts';

const standardError = 2;
const echoMs = 250;

export type Signals = ReturnType<typeof listenForSignals>;

/**
 * Listens for SIGTERM, SIGINT, SIGQUIT and SIGHUP. A second one of the first three ends the process at once. A
 * SIGHUP because the terminal was closed counts as SIGTERM: else a daemon would run on that nobody sees.
 */
export function listenForSignals() {
  const kept: NodeJS.Signals[] = [];
  const waiting = new Set<(signal: NodeJS.Signals) => void>();
  let stopped: { readonly by: NodeJS.Signals; readonly at: number } | null = null;
  const onTerminal = isatty(standardError);
  const names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'];

  function take(given: NodeJS.Signals): void {
    const signal = given === 'SIGHUP' && onTerminal && isTerminalGone() ? 'SIGTERM' : given;
    if (signal !== 'SIGHUP') {
      if (stopped !== null) {
        if (isEcho(signal, stopped)) return;
        process.exit(exitCodes.unforeseen);
      }
      stopped = { by: signal, at: performance.now() };
    }
    if (waiting.size === 0) kept.push(signal);
    for (const wake of waiting) wake(signal);
    waiting.clear();
  }

  for (const name of names) process.on(name, take);
  return {
    /**
     * Resolves with the next one, the same for all who wait for it; those that come while nobody waits are kept. Never
     * resolves once `over` is aborted: whoever waits after that is given the signal.
     */
    next: (over?: AbortSignal): Promise<NodeJS.Signals> => {
      if (over?.aborted === true) return new Promise(() => {});
      const first = kept.shift();
      if (first !== undefined) return Promise.resolve(first);
      return new Promise((resolve) => {
        const leave = () => waiting.delete(wake);
        const wake = (signal: NodeJS.Signals): void => {
          over?.removeEventListener('abort', leave);
          resolve(signal);
        };
        waiting.add(wake);
        over?.addEventListener('abort', leave);
      });
    },
    /** For whoever waits next: what it asks for could not be done. */
    giveBack: (signal: NodeJS.Signals): void => {
      kept.unshift(signal);
    },
    close: (): void => {
      for (const name of names) process.off(name, take);
    },
  };
}

/** Under npm, Ctrl-C comes twice: from the terminal, and handed on by npm. */
function isEcho(
  signal: NodeJS.Signals,
  first: { readonly by: NodeJS.Signals; readonly at: number },
): boolean {
  const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined;
  return isUnderNpm && signal === first.by && performance.now() - first.at < echoMs;
}

/** A terminal that was hung up cannot be opened any more, though its descriptors still are. */
function isTerminalGone(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
